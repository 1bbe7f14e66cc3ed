/* SPDX-License-Identifier: MIT */
/*
 * buffer.h — bytes that grow: the writing counterpart of reader.h, and the way text is built.
 *
 * A buffer has a sticky error (-ENOMEM, or -EFBIG past its limit): appends after it do nothing, so
 * a writer may append a whole structure and test once with buffer_error(). One owner, no locks.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct buffer {
	uint8_t *data; /* owned; always followed by a NUL once something was appended */
	size_t size;
	size_t capacity;
	size_t limit; /* 0: no limit */
	int error;
};

#define BUFFER_INIT ((struct buffer){0})

void buffer_fini(struct buffer *b);
DEFINE_CLEAN(struct buffer *, buffer_fini)
#define CLEAN_BUFFER __attribute__((cleanup(buffer_fini)))

/* 0, or the first error of any append. */
static inline int buffer_error(const struct buffer *b)
{
	return b->error;
}

/* The text so far: "" for an empty or failed buffer. Lives until the next append. */
static inline const char *buffer_text(const struct buffer *b)
{
	return b->data && !b->error ? (const char *)b->data : "";
}

/* Room for n more bytes at the end, counted into size; NULL after an error. */
uint8_t *buffer_grow(struct buffer *b, size_t n);

void buffer_append(struct buffer *b, const void *data, size_t n);
void buffer_fill(struct buffer *b, uint8_t byte, size_t n);
void buffer_u8(struct buffer *b, uint8_t v);
void buffer_le16(struct buffer *b, uint16_t v);
void buffer_le32(struct buffer *b, uint32_t v);
void buffer_le64(struct buffer *b, uint64_t v);
void buffer_string(struct buffer *b, const char *text);
void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_vprintf(struct buffer *b, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/*
 * Hands the bytes over as an owned NUL-terminated string and empties the buffer; NULL after an
 * error.
 */
char *buffer_take_text(struct buffer *b);
