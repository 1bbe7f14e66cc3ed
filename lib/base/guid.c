/* SPDX-License-Identifier: MIT */
/* guid.c — see guid.h. */
#include "base/guid.h"

#include <errno.h>

/* Which byte of the disk order each pair of digits in the text stands for. */
static const uint8_t text_order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

static bool is_dash_before(size_t pair)
{
	return pair == 4 || pair == 6 || pair == 8 || pair == 10;
}

void guid_format(const struct guid *g, char text[static GUID_TEXT_LENGTH + 1])
{
	static const char digits[] = "0123456789abcdef";
	char *out = text;

	for (size_t i = 0; i < sizeof(text_order); i++) {
		uint8_t byte = g->b[text_order[i]];

		if (is_dash_before(i))
			*out++ = '-';
		*out++ = digits[byte >> 4];
		*out++ = digits[byte & 15];
	}
	*out = 0;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int guid_parse(const char *text, size_t length, struct guid *ret)
{
	struct guid parsed;

	if (length != GUID_TEXT_LENGTH)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(text_order); i++) {
		int high, low;

		if (is_dash_before(i) && *text++ != '-')
			return -EINVAL;
		high = digit_value(*text++);
		low = digit_value(*text++);
		if (high < 0 || low < 0)
			return -EINVAL;
		parsed.b[text_order[i]] = (uint8_t)(high << 4 | low);
	}
	*ret = parsed;
	return 0;
}
