/* SPDX-License-Identifier: MIT */
/* json.c — see json.h (RFC 8259). Two spaces a level, one member a line. */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static void json_newline(struct json *j)
{
	buffer_u8(j->out, '\n');
	buffer_fill(j->out, ' ', 2 * (size_t)j->depth);
}

/* What goes before a key or a value: a comma, a new line, or nothing after a key. */
static void json_separate(struct json *j)
{
	if (j->has_key) {
		j->has_key = false;
		return;
	}
	if (j->depth == 0)
		return;
	if (!j->is_first)
		buffer_u8(j->out, ',');
	j->is_first = false;
	json_newline(j);
}

static void json_open(struct json *j, char opener, char closer)
{
	assert(j->depth < JSON_DEPTH_MAX);
	json_separate(j);
	buffer_u8(j->out, (uint8_t)opener);
	j->closers[j->depth++] = closer;
	j->is_first = true;
}

void json_object(struct json *j)
{
	json_open(j, '{', '}');
}

void json_array(struct json *j)
{
	json_open(j, '[', ']');
}

void json_end(struct json *j)
{
	assert(j->depth > 0 && !j->has_key);
	j->depth--;
	if (!j->is_first)
		json_newline(j);
	j->is_first = false;
	buffer_u8(j->out, (uint8_t)j->closers[j->depth]);
	if (j->depth == 0)
		buffer_u8(j->out, '\n');
}

/* The length of the valid UTF-8 sequence at text, 0 when there is none. */
static size_t utf8_length(const uint8_t *text, size_t left)
{
	uint8_t c = text[0];
	size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 :
		c >= 0xf0 && c < 0xf5 ? 4 : 0;

	if (n == 0 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	if (n == 3 && ((c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] >= 0xa0)))
		return 0; /* overlong, or a surrogate */
	if (n == 4 && ((c == 0xf0 && text[1] < 0x90) || (c == 0xf4 && text[1] >= 0x90)))
		return 0;
	return n;
}

static void json_quote(struct buffer *out, const char *text, size_t length)
{
	const uint8_t *bytes = (const uint8_t *)text;

	buffer_u8(out, '"');
	for (size_t i = 0; i < length;) {
		size_t n = utf8_length(bytes + i, length - i);

		if (n == 0) /* stands for the byte, as Python's surrogateescape does */
			buffer_printf(out, "\\udc%02x", bytes[i]);
		else if (bytes[i] == '"' || bytes[i] == '\\')
			buffer_printf(out, "\\%c", bytes[i]);
		else if (bytes[i] < 0x20 || bytes[i] == 0x7f)
			buffer_printf(out, "\\u%04x", bytes[i]);
		else
			buffer_append(out, bytes + i, n);
		i += n ? n : 1;
	}
	buffer_u8(out, '"');
}

void json_key(struct json *j, const char *key)
{
	assert(j->depth > 0 && j->closers[j->depth - 1] == '}' && !j->has_key);
	json_separate(j);
	json_quote(j->out, key, strlen(key));
	buffer_string(j->out, ": ");
	j->has_key = true;
}

void json_string_n(struct json *j, const char *text, size_t length)
{
	json_separate(j);
	json_quote(j->out, text, length);
}

void json_string(struct json *j, const char *text)
{
	json_string_n(j, text, strlen(text));
}

void json_hex(struct json *j, const void *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *bytes = data;

	json_separate(j);
	buffer_u8(j->out, '"');
	for (size_t i = 0; i < size; i++) {
		buffer_u8(j->out, (uint8_t)digits[bytes[i] >> 4]);
		buffer_u8(j->out, (uint8_t)digits[bytes[i] & 15]);
	}
	buffer_u8(j->out, '"');
}

void json_u64(struct json *j, uint64_t v)
{
	json_separate(j);
	buffer_printf(j->out, "%" PRIu64, v);
}

void json_i64(struct json *j, int64_t v)
{
	json_separate(j);
	buffer_printf(j->out, "%" PRId64, v);
}

void json_bool(struct json *j, bool v)
{
	json_separate(j);
	buffer_string(j->out, v ? "true" : "false");
}

void json_null(struct json *j)
{
	json_separate(j);
	buffer_string(j->out, "null");
}
