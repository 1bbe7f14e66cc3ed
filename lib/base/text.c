/* SPDX-License-Identifier: MIT */
/* text.c — see text.h. */
#include "base/text.h"

#include <string.h>

bool text_is_control(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
		(character >= 0x2028 && character <= 0x202e) ||
		(character >= 0x2066 && character <= 0x2069);
}

/* Bytes of the control character at p, of which n are there; 0 when it is another. */
static size_t control_bytes(const uint8_t *p, size_t n)
{
	if (p[0] < 0x80)
		return text_is_control(p[0]);
	if (n >= 2 && (p[0] & 0xe0) == 0xc0)
		return text_is_control((p[0] & 0x1fu) << 6 | (p[1] & 0x3fu)) ? 2 : 0;
	if (n >= 3 && (p[0] & 0xf0) == 0xe0)
		return text_is_control((p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 |
			       (p[2] & 0x3fu)) ? 3 : 0;
	return 0;
}

void text_make_line(char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		size_t n = control_bytes((const uint8_t *)text + i, length - i);

		if (n == 0)
			continue;
		memset(text + i, '?', n);
		i += n - 1;
	}
}
