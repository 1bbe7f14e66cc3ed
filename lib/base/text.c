/* SPDX-License-Identifier: MIT */
/* text.c — see text.h. */
#include "base/text.h"

#include <stdint.h>

void text_make_line(char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		uint8_t c = (uint8_t)text[i];
		uint8_t next = i + 1 < length ? (uint8_t)text[i + 1] : 0;

		if (c < 0x20 || c == 0x7f)
			text[i] = '?';
		else if (c == 0xc2 && next >= 0x80 && next < 0xa0) /* U+0080 to U+009F */
			text[i] = text[i + 1] = '?';
	}
}
