/* SPDX-License-Identifier: MIT */
/* utf16.c — see utf16.h. */
#include "base/utf16.h"

#include <errno.h>
#include <stdbool.h>

static bool is_high_surrogate(uint32_t u)
{
	return u >= 0xd800 && u <= 0xdbff;
}

static bool is_low_surrogate(uint32_t u)
{
	return u >= 0xdc00 && u <= 0xdfff;
}

/* The bytes of one code point; their number. */
static size_t encode_utf8(uint32_t code, uint8_t out[static 4])
{
	if (code < 0x80) {
		out[0] = (uint8_t)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (uint8_t)(0xc0 | code >> 6);
		out[1] = (uint8_t)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (uint8_t)(0xe0 | code >> 12);
		out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | code >> 18);
	out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (code & 0x3f));
	return 4;
}

int utf16_to_utf8(const uint16_t *units, size_t count, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t code = units[i];
		uint8_t bytes[4];
		size_t n;

		if (is_high_surrogate(code) && i + 1 < count && is_low_surrogate(units[i + 1]))
			code = 0x10000 + ((code - 0xd800) << 10) + (units[++i] - 0xdc00u);
		n = encode_utf8(code, bytes);
		if (used >= size || n >= size - used)
			return -ENAMETOOLONG;
		for (size_t k = 0; k < n; k++)
			text[used++] = (char)bytes[k];
	}
	if (used >= size)
		return -ENAMETOOLONG;
	text[used] = 0;
	return (int)used;
}

/* One code point from at most left bytes; its length, or 0 when it is not UTF-8. */
static size_t decode_utf8(const uint8_t *bytes, size_t left, uint32_t *ret_code)
{
	static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
	static const uint32_t first_bits[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t code = bytes[0];
	size_t n;

	if (code < 0x80)
		n = 1;
	else if (code >= 0xc2 && code < 0xe0)
		n = 2;
	else if (code >= 0xe0 && code < 0xf0)
		n = 3;
	else if (code >= 0xf0 && code < 0xf5)
		n = 4;
	else
		return 0;
	if (n > left)
		return 0;
	code &= first_bits[n];
	for (size_t i = 1; i < n; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	if (code < smallest[n] || code > 0x10ffff)
		return 0;
	*ret_code = code;
	return n;
}

int utf16_from_utf8(const char *text, size_t length, uint16_t *units, size_t max)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t used = 0;

	while (length > 0) {
		uint32_t code = 0;
		size_t n = decode_utf8(bytes, length, &code);
		size_t needed = code >= 0x10000 ? 2 : 1;

		if (n == 0)
			return -EILSEQ;
		if (needed > max - used)
			return -ENAMETOOLONG;
		if (needed == 2) {
			units[used++] = (uint16_t)(0xd800 + ((code - 0x10000) >> 10));
			units[used++] = (uint16_t)(0xdc00 + ((code - 0x10000) & 0x3ff));
		} else {
			units[used++] = (uint16_t)code;
		}
		bytes += n;
		length -= n;
	}
	return (int)used;
}
