/* SPDX-License-Identifier: MIT */
/* text_test.c — what a stranger's text may not do to a line. */
#include "base/text.h"

#include <string.h>

#include "base/test/tap.h"

int main(void)
{
	static const struct {
		const char *before, *after, *what;
	} cases[] = {
		{"plain text", "plain text", "text stays"},
		{"\x1b[31mred\n\t\x7f", "?[31mred???", "C0 and DEL"},
		{"a\xc2\x9b" "31m", "a??31m", "C1"},
		/* NOLINTNEXTLINE(misc-misleading-bidirectional): that is the test */
		{"a\xe2\x80\xae" "exe.b\xe2\x81\xa9", "a???exe.b???", "direction of writing"},
		{"a\xe2\x80\xa8" "b\xe2\x80\xa9", "a???b???", "line and paragraph"},
		{"a\xc0\x9b", "a??", "an overlong control character"},
		{"Gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x98\x80",
			"Gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x98\x80",
			"other characters stay"},
		{"cut \xe2\x80", "cut \xe2\x80", "a character that is cut off"},
		{"", "", "nothing"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "%s", cases[i].before);
		text_make_line(text, strlen(text));
		is_text(text, cases[i].after, cases[i].what);
	}
	return tap_done();
}
