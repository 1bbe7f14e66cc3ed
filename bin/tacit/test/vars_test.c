/* SPDX-License-Identifier: MIT */
/* vars_test.c — what `tacit vars` reads from people and files, without any store. */
#include <errno.h>
#include <stdlib.h>

#include "base/test/tap.h"
#include "tacit/vars.h"
#include "tacit/vars_name.h"
#include "tacit/vars_snapshot.h"

#define GUID_TEXT "11111111-2222-3333-4444-aaaaaaaaaaaa"
#define DOCUMENT(before, variables) "{" before "\"variables\":[" variables "]}"
#define VARIABLE(name, rest) "{\"name\":\"" name "\",\"guid\":\"" GUID_TEXT "\"," rest "}"

static const struct {
	const char *what;
	const char *text;
	int wanted; /* variables, or -errno */
	const char *error; /* part of the line */
} documents[] = {
	{"no variables", "{\"variables\":[]}", 0, NULL},
	{"one", DOCUMENT("\"version\":2,", VARIABLE("a", "\"attr\":7,\"data\":\"00Ff\"")), 1, NULL},
	{"members that are not known", DOCUMENT("\"x\":[1],",
		VARIABLE("a", "\"attr\":7,\"data\":\"00\",\"digest\":\"00\"")), 1, NULL},
	{"no object", "[]", -EINVAL, "no array"},
	{"text behind", "{\"variables\":[]} x", -EINVAL, "not JSON"},
	{"a member twice", "{\"variables\":[],\"variables\":[]}", -EINVAL, "not JSON"},
	{"a NUL in a name", DOCUMENT("", VARIABLE("a\\u0000b", "\"attr\":7,\"data\":\"00\"")),
		-EINVAL, "not JSON"},
	{"an element that is no object", "{\"variables\":[7]}", -EINVAL, "variable 0"},
	{"attributes of 33 bits",
		DOCUMENT("", VARIABLE("a", "\"attr\":4294967296,\"data\":\"00\"")), -EINVAL,
		"\"attr\""},
	{"a time that is a number",
		DOCUMENT("", VARIABLE("a", "\"attr\":7,\"data\":\"00\",\"time\":1")), -EINVAL,
		"\"time\""},
	{"a digit that is none", DOCUMENT("", VARIABLE("a", "\"attr\":7,\"data\":\"0g\"")), -EINVAL,
		"\"data\""},
	{"a control character in what the error shows",
		DOCUMENT("", "{\"name\":\"a\\u001bb\"}"), -EINVAL, "a?b: \"guid\""},
	{"a key twice", DOCUMENT("", VARIABLE("a", "\"attr\":7,\"data\":\"00\"") ","
		VARIABLE("a", "\"attr\":3,\"data\":\"01\"")), -EEXIST, "is there twice"},
};

static void test_documents(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(documents); i++) {
		CLEAN_SNAPSHOT struct snapshot snapshot = {0};
		CLEAN(free) char *error = NULL;
		int r = snapshot_from_json(&snapshot, documents[i].text, strlen(documents[i].text),
			&error);

		is_int(r < 0 ? r : (int)snapshot.count, documents[i].wanted, documents[i].what);
		if (documents[i].error)
			ok(error && strstr(error, documents[i].error), "%s: the error names it: %s",
				documents[i].what, error ? error : "none");
	}
}

static void test_content(void)
{
	static const char text[] = "{\"variables\":[" VARIABLE("a", "\"attr\":39,\"data\":\"00Ff\","
		"\"time\":\"ea070b1e13320001efbeadde3c00aa02\"") "]}";
	CLEAN_SNAPSHOT struct snapshot snapshot = {0};
	CLEAN(free) char *error = NULL;
	const struct nv_variable *v;
	uint8_t time[SNAPSHOT_TIME_SIZE];

	is_int(snapshot_from_json(&snapshot, text, strlen(text), &error), 0, "one with a time");
	v = &snapshot.items[0].variable;
	is_int(v->attributes, 39, "its attributes");
	ok(v->size == 2 && v->data[0] == 0 && v->data[1] == 0xff, "its data");
	ok(v->time.year == 2026 && v->time.month == 11 && v->time.day == 30 && v->time.hour == 19 &&
		v->time.minute == 50 && v->time.nanosecond == 0xdeadbeef && v->time.zone == 60 &&
		v->time.daylight == 0xaa, "its time");
	snapshot_time_encode(&v->time, time);
	ok(memcmp(time, "\xea\x07\x0b\x1e\x13\x32\x00\x01\xef\xbe\xad\xde\x3c\x00\xaa\x02",
		   sizeof(time)) == 0, "which is kept to the last byte");
	ok(snapshot_find(&snapshot, &v->name, &v->vendor) == &snapshot.items[0], "it is found");
}

static void test_keys(void)
{
	static const struct {
		const char *text;
		int wanted;
	} keys[] = {
		{"a-" GUID_TEXT, 0},
		{"a-b-" GUID_TEXT, 0},
		{"a-11111111-2222-3333-4444-AAAAAAAAAAAA", 0},
		{"-" GUID_TEXT, -EINVAL},
		{GUID_TEXT, -EINVAL},
		{"a" GUID_TEXT, -EINVAL},
		{"a-11111111-2222-3333-4444-aaaaaaaaaaa", -EINVAL},
		{"a-11111111-2222-3333-4444-aaaaaaaaaaag", -EINVAL},
		{"", -EINVAL},
		{"\xff-" GUID_TEXT, -EILSEQ},
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct vars_key key;

		is_int(vars_key_parse(keys[i].text, &key), keys[i].wanted, keys[i].text);
	}
}

static void test_show(void)
{
	static const struct uefi_name name = {
		.count = 8,
		.units = {'a', 0x1b, 0x9b, 0xdf, 0xd83d, 0xde00, 0xd800, 0},
	};
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	vars_name_show(&name, &out);
	is_text(buffer_text(&out), "a\\x1b\\x9b\xc3\x9f\xf0\x9f\x98\x80\\ud800\\x00",
		"a terminal gets no control characters and no half ones");
}

static const struct vars_verb verb = {
	.name = "test",
	.operands = {"STORE", "NAME"},
	.options = {{"json", 'j', NULL, ""}, {"data", 'd', "FILE", ""}, {"all", 'a', NULL, ""}},
};

/* Each line of arguments as the operands and option values it gives, or NULL for an error. */
static const struct {
	const char *arguments[8];
	const char *wanted;
} lines[] = {
	{{"s", "n"}, "s n - - - auto"},
	{{"--json", "s", "n"}, "s n j - - auto"},
	{{"s", "n", "--data", "f"}, "s n - f - auto"},
	{{"s", "--data=f", "n"}, "s n - f - auto"},
	{{"s", "n", "--data="}, "s n -  - auto"},
	{{"s", "n", "-d", "-"}, "s n - - - auto"},
	{{"s", "n", "-df"}, "s n - f - auto"},
	{{"s", "n", "-ja"}, "s n j - j auto"},
	{{"s", "n", "-jdf"}, "s n j f - auto"},
	{{"s", "n", "-d", "a", "--data=b"}, "s n - b - auto"},
	{{"-", "--", "-n"}, "- -n - - - auto"},
	{{"s", "n", "--profile", "ovmf-2m"}, "s n - - - ovmf-2m"},
	{{"--help"}, "help"},
	{{"s", "n", "m", NULL}, NULL},
	{{"s"}, NULL},
	{{"s", "n", "--jso"}, NULL},
	{{"s", "n", "-x"}, NULL},
	{{"s", "n", "--json=1"}, NULL},
	{{"s", "n", "--data"}, NULL},
	{{"s", "n", "-d"}, NULL},
	{{"s", "n", "--profile=ovmf"}, NULL},
};

static void test_arguments(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		CLEAN_BUFFER struct buffer got = BUFFER_INIT;
		CLEAN_BUFFER struct buffer line = BUFFER_INIT;
		struct vars_call call;
		char *argv[10] = {strdup("test")};
		int r;

		for (size_t n = 0; lines[i].arguments[n]; n++) {
			argv[n + 1] = strdup(lines[i].arguments[n]);
			buffer_printf(&line, "%s ", argv[n + 1]);
		}
		r = vars_parse(argv, &verb, &call);
		if (r == 0)
			buffer_string(&got, "help");
		for (size_t n = 0; r > 0 && n < 2; n++)
			buffer_printf(&got, "%s ", call.operands[n]);
		for (size_t n = 0; r > 0 && n < 3; n++) {
			const struct vars_option *option = &verb.options[n];
			const char *value = vars_option(&call, option->name);

			buffer_printf(&got, "%s ", !value ? "-" : option->argument ? value : "j");
		}
		if (r > 0)
			buffer_string(&got, store_profile_names[call.profile]);
		if (lines[i].wanted)
			is_text(buffer_text(&got), lines[i].wanted, buffer_text(&line));
		else
			is_int(r, -EINVAL, buffer_text(&line));
		for (size_t n = 0; argv[n]; n++)
			free(argv[n]);
	}
}

int main(void)
{
	test_documents();
	test_content();
	test_keys();
	test_show();
	test_arguments();
	return tap_done();
}
