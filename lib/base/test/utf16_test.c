/* SPDX-License-Identifier: MIT */
/* utf16_test.c — UTF-16 and UTF-8 both ways, surrogates that stand alone, bytes that are not UTF-8.
 */
#include "base/utf16.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/test/tap.h"

static void test_both_ways(void)
{
	static const struct {
		const char *what;
		uint16_t units[4];
		size_t count;
		const char *text;
	} cases[] = {
		{"nothing", {0}, 0, ""},
		{"ASCII", {'a', 'b'}, 2, "ab"},
		{"the last of one byte", {0x7f}, 1, "\x7f"},
		{"the first of two bytes", {0x80}, 1, "\xc2\x80"},
		{"the last of two bytes", {0x7ff}, 1, "\xdf\xbf"},
		{"the first of three bytes", {0x800}, 1, "\xe0\xa0\x80"},
		{"the last of three bytes", {0xffff}, 1, "\xef\xbf\xbf"},
		{"the first pair", {0xd800, 0xdc00}, 2, "\xf0\x90\x80\x80"},
		{"the last pair", {0xdbff, 0xdfff}, 2, "\xf4\x8f\xbf\xbf"},
		{"a high surrogate alone", {0xd800}, 1, "\xed\xa0\x80"},
		{"a low one alone", {0xdfff}, 1, "\xed\xbf\xbf"},
		{"a high one before a letter", {0xdbff, 'a'}, 2,
			"\xed\xaf\xbf"
			"a"},
		{"the wrong order", {0xdc00, 0xd800}, 2, "\xed\xb0\x80\xed\xa0\x80"},
		{"a high one before a pair", {0xd800, 0xd800, 0xdc00}, 3,
			"\xed\xa0\x80\xf0\x90\x80\x80"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t length = strlen(cases[i].text);
		uint16_t units[4] = {0};
		char text[16];

		is_int(utf16_to_utf8(cases[i].units, cases[i].count, text, sizeof(text)), length,
			cases[i].what);
		is_text(text, cases[i].text, "as UTF-8");
		is_int(utf16_from_utf8(cases[i].text, length, units, 4), cases[i].count,
			"and back");
		ok(memcmp(units, cases[i].units, sizeof(units)) == 0, "to the same units");
	}
}

static void test_bad_bytes(void)
{
	static const char *const bad[] = {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2",
		"\xc2\x41", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xe1\x80", "\xe1\x80\xc0",
		"\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
		"\xf1\x80\x80", "\xfe", "\xff", "good\xff"};
	uint16_t units[8];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		is_int(utf16_from_utf8(bad[i], strlen(bad[i]), units, 8), -EILSEQ,
			"bytes that are not UTF-8");
}

static void test_room(void)
{
	static const uint16_t units[] = {'a', 0xe4, 0xd83d, 0xdc27};
	static const char text[] = "a\xc3\xa4\xf0\x9f\x90\xa7";
	uint16_t out[4];
	char room[8];

	is_int(utf16_to_utf8(units, 4, room, 8), 7, "seven bytes and a NUL");
	for (size_t size = 0; size < 8; size++)
		is_int(utf16_to_utf8(units, 4, room, size), -ENAMETOOLONG, "do not fit into less");
	is_int(utf16_to_utf8(units, 0, room, 0), -ENAMETOOLONG, "nor a NUL into nothing");
	is_int(utf16_from_utf8(text, 7, out, 4), 4, "four units");
	is_int(utf16_from_utf8(text, 7, out, 3), -ENAMETOOLONG, "a pair does not fit into one");
	is_int(utf16_from_utf8(text, 1, out, 0), -ENAMETOOLONG, "nor one into none");
	is_int(utf16_from_utf8("\0", 1, out, 4), 1, "a NUL is a unit as any");
}

int main(void)
{
	test_both_ways();
	test_bad_bytes();
	test_room();
	return tap_done();
}
