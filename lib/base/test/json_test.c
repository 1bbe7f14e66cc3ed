/* SPDX-License-Identifier: MIT */
/* json_test.c — documents as they are written: nesting, escapes, numbers. */
#include "base/json.h"

#include "base/test/tap.h"

static void test_document(void)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	struct json j = json_to(&out);

	json_object(&j);
	json_key(&j, "empty object");
	json_object(&j);
	json_end(&j);
	json_key(&j, "empty array");
	json_array(&j);
	json_end(&j);
	json_key(&j, "list");
	json_array(&j);
	json_u64(&j, UINT64_MAX);
	json_i64(&j, INT64_MIN);
	json_bool(&j, true);
	json_bool(&j, false);
	json_null(&j);
	json_object(&j);
	json_key(&j, "hex");
	json_hex(&j, "\x00\xaf\x10", 3);
	json_end(&j);
	json_end(&j);
	json_key(&j, "last");
	json_string_n(&j, "text that is cut", 4);
	json_end(&j);
	is_text(buffer_text(&out),
		"{\n"
		"  \"empty object\": {},\n"
		"  \"empty array\": [],\n"
		"  \"list\": [\n"
		"    18446744073709551615,\n"
		"    -9223372036854775808,\n"
		"    true,\n"
		"    false,\n"
		"    null,\n"
		"    {\n"
		"      \"hex\": \"00af10\"\n"
		"    }\n"
		"  ],\n"
		"  \"last\": \"text\"\n"
		"}\n",
		"a document of everything");
}

static void test_strings(void)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{"", "\"\""},
		{"a\"b\\c/", "\"a\\\"b\\\\c/\""},
		{"\n\t\x01\x7f", "\"\\u000a\\u0009\\u0001\\u007f\""},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7",
			"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7\""},
		{"\xff", "\"\\udcff\""},
		{"a\xc3", "\"a\\udcc3\""},
		{"\xc3(", "\"\\udcc3(\""},
		{"\xc0\x80", "\"\\udcc0\\udc80\""},
		{"\xe0\x80\x80", "\"\\udce0\\udc80\\udc80\""},
		{"\xed\xa0\x80", "\"\\udced\\udca0\\udc80\""},
		{"\xf0\x80\x80\x80", "\"\\udcf0\\udc80\\udc80\\udc80\""},
		{"\xf4\x90\x80\x80", "\"\\udcf4\\udc90\\udc80\\udc80\""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEAN_BUFFER struct buffer out = BUFFER_INIT;
		struct json j = json_to(&out);

		json_string(&j, cases[i].text);
		is_text(buffer_text(&out), cases[i].json, "a string is always valid");
	}
}

static void test_depth(void)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	struct json j = json_to(&out);

	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		json_array(&j);
	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		json_end(&j);
	is_int(j.depth, 0, "the deepest nesting is closed again");
	ok(out.size > 0 && buffer_text(&out)[out.size - 1] == '\n', "and the document ends");
}

int main(void)
{
	test_document();
	test_strings();
	test_depth();
	return tap_done();
}
