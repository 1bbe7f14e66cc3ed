/* SPDX-License-Identifier: MIT */
/* buffer.c — see buffer.h. */
#include "base/buffer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/le.h"

void buffer_fini(struct buffer *b)
{
	free(b->data);
	*b = BUFFER_INIT;
}

uint8_t *buffer_grow(struct buffer *b, size_t n)
{
	size_t needed;
	uint8_t *start;

	if (b->error)
		return NULL;
	if (__builtin_add_overflow(b->size, n, &needed) || needed > SIZE_MAX / 2 ||
		(b->limit && needed > b->limit)) {
		b->error = -EFBIG;
		return NULL;
	}
	if (needed + 1 > b->capacity) {
		size_t capacity = b->capacity ? b->capacity : 64;
		uint8_t *grown;

		while (capacity < needed + 1)
			capacity *= 2;
		grown = realloc(b->data, capacity);
		if (!grown) {
			b->error = -ENOMEM;
			return NULL;
		}
		b->data = grown;
		b->capacity = capacity;
	}
	start = b->data + b->size;
	b->size = needed;
	b->data[needed] = 0;
	return start;
}

void buffer_append(struct buffer *b, const void *data, size_t n)
{
	uint8_t *to = buffer_grow(b, n);

	if (to && n > 0)
		memcpy(to, data, n);
}

void buffer_fill(struct buffer *b, uint8_t byte, size_t n)
{
	uint8_t *to = buffer_grow(b, n);

	if (to)
		memset(to, byte, n);
}

void buffer_u8(struct buffer *b, uint8_t v)
{
	buffer_append(b, &v, sizeof(v));
}

void buffer_le16(struct buffer *b, uint16_t v)
{
	le16 wire = le16_of(v);

	buffer_append(b, &wire, sizeof(wire));
}

void buffer_le32(struct buffer *b, uint32_t v)
{
	le32 wire = le32_of(v);

	buffer_append(b, &wire, sizeof(wire));
}

void buffer_le64(struct buffer *b, uint64_t v)
{
	le64 wire = le64_of(v);

	buffer_append(b, &wire, sizeof(wire));
}

void buffer_string(struct buffer *b, const char *text)
{
	buffer_append(b, text, strlen(text));
}

void buffer_vprintf(struct buffer *b, const char *format, va_list args)
{
	va_list again;
	int length;
	uint8_t *to;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0) {
		b->error = b->error ? b->error : -EINVAL;
		return;
	}
	to = buffer_grow(b, (size_t)length);
	if (to)
		(void)vsnprintf((char *)to, (size_t)length + 1, format, args);
}

void buffer_printf(struct buffer *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buffer_vprintf(b, format, args);
	va_end(args);
}

char *buffer_take_text(struct buffer *b)
{
	char *text;

	if (!buffer_grow(b, 0))
		return NULL;
	text = (char *)b->data;
	*b = BUFFER_INIT;
	return text;
}
