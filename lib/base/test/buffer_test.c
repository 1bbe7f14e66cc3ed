/* SPDX-License-Identifier: MIT */
/* buffer_test.c — growing bytes: content, the NUL behind it, limits, errors that stay; text. */
#include "base/buffer.h"

#include <errno.h>

#include "base/test/tap.h"
#include "base/text.h"

static void test_append(void)
{
	static const uint8_t wanted[] = {
		'a', 'b', 7, 7, 7, 1, 0x02, 0x01, 0x04, 0x03, 0x02, 0x01, 8, 7, 6, 5, 4, 3, 2, 1};
	CLEAN_BUFFER struct buffer b = BUFFER_INIT;

	is_text(buffer_text(&b), "", "an empty buffer is empty text");
	buffer_append(&b, NULL, 0);
	buffer_append(&b, "ab", 2);
	buffer_fill(&b, 7, 3);
	buffer_u8(&b, 1);
	buffer_le16(&b, 0x0102);
	buffer_le32(&b, 0x01020304);
	buffer_le64(&b, 0x0102030405060708u);
	is_int(b.size, sizeof(wanted), "the size");
	ok(memcmp(b.data, wanted, sizeof(wanted)) == 0, "the bytes, little-endian");
	is_int(b.data[b.size], 0, "a NUL is behind");
	is_int(buffer_error(&b), 0, "no error");
	buffer_fini(&b);
	ok(!b.data && b.size == 0, "fini leaves an empty buffer");
}

static void test_text(void)
{
	CLEAN_BUFFER struct buffer b = BUFFER_INIT;
	CLEAN(free) char *text = NULL;
	CLEAN(free) char *empty = NULL;

	for (int i = 0; i < 1000; i++)
		buffer_printf(&b, "%d,", i % 10);
	buffer_string(&b, "end");
	is_int(b.size, 2003, "growth keeps count");
	ok(strncmp(buffer_text(&b), "0,1,2,", 6) == 0 &&
			strcmp(buffer_text(&b) + 1994, "7,8,9,end") == 0,
		"and content");
	text = buffer_take_text(&b);
	ok(text && strlen(text) == 2003 && b.size == 0 && !b.data, "taking empties the buffer");
	empty = buffer_take_text(&b);
	is_text(empty, "", "an empty one gives empty text");
}

static void test_limit(void)
{
	CLEAN_BUFFER struct buffer b = {.limit = 4};

	buffer_string(&b, "1234");
	is_int(buffer_error(&b), 0, "up to the limit");
	buffer_u8(&b, '5');
	is_int(buffer_error(&b), -EFBIG, "but not past it");
	is_int(b.size, 4, "what was there stays");
	is_text(buffer_text(&b), "", "but is no text");
	b.limit = 0;
	buffer_u8(&b, '5');
	ok(buffer_error(&b) == -EFBIG && b.size == 4, "the error stays");
	ok(!buffer_grow(&b, 1) && !buffer_take_text(&b), "nothing is given out");
}

static void test_overflow(void)
{
	CLEAN_BUFFER struct buffer b = BUFFER_INIT;

	buffer_u8(&b, 1);
	ok(!buffer_grow(&b, SIZE_MAX), "a size that overflows");
	is_int(buffer_error(&b), -EFBIG, "is an error");
}

static void test_lines(void)
{
	static const struct {
		const char *text, *line;
	} cases[] = {
		{"", ""},
		{"plain text", "plain text"},
		{"two\nlines\r\n", "two?lines??"},
		{"\033[2J\t\177", "?[2J??"},
		{"\xc2\x85\xc2\x9f\xc2\xa0\xc3\x85", "????\xc2\xa0\xc3\x85"},
		{"cut \xc2", "cut \xc2"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[16];

		snprintf(text, sizeof(text), "%s", cases[i].text);
		text_make_line(text, strlen(text));
		is_text(text, cases[i].line, "control characters are replaced, nothing else");
	}
}

int main(void)
{
	test_append();
	test_text();
	test_limit();
	test_overflow();
	test_lines();
	return tap_done();
}
