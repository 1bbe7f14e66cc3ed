/* SPDX-License-Identifier: MIT */
/*
 * reader.h — bounded readers: the only way in which bytes from a guest, an image or a peer are
 * looked at.
 *
 * struct reader walks contiguous bytes, struct iov_reader scattered ones. Both carry a sticky
 * failure: the first read that would pass the end fails, and so does every one after it; numbers
 * read after a failure are 0 and pointers NULL, so a decoder may read a whole structure and test
 * once. Nothing here allocates, logs or keeps a reference; the bytes must outlive the reader.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

struct reader {
	const uint8_t *p;
	const uint8_t *end;
	bool failed;
};

static inline struct reader reader_of(const void *data, size_t size)
{
	const uint8_t *p = data;

	return (struct reader){.p = p, .end = p ? p + size : p};
}

static inline size_t reader_remaining(const struct reader *r)
{
	return r->failed ? 0 : (size_t)(r->end - r->p);
}

/* The next n bytes, or NULL (and a failed reader) when there are fewer. */
static inline const uint8_t *reader_take(struct reader *r, size_t n)
{
	const uint8_t *p = r->p;

	if (r->failed || n > (size_t)(r->end - r->p)) {
		r->failed = true;
		return NULL;
	}
	if (n > 0)
		r->p += n;
	return p;
}

/* Copies the next n bytes; on failure out is zeroed. */
static inline bool reader_copy(struct reader *r, void *out, size_t n)
{
	const uint8_t *p = reader_take(r, n);

	if (r->failed) {
		memset(out, 0, n);
		return false;
	}
	if (n > 0)
		memcpy(out, p, n);
	return true;
}

/* A reader of the next n bytes alone, which this one skips; a failed one when there are fewer. */
static inline struct reader reader_sub(struct reader *r, size_t n)
{
	const uint8_t *p = reader_take(r, n);
	struct reader sub = reader_of(p, r->failed ? 0 : n);

	sub.failed = r->failed;
	return sub;
}

/*
 * A C string of at most max bytes without its NUL; the NUL must come within the reader and is
 * taken too. NULL (and a failed reader) otherwise. The string lives as long as the bytes.
 */
static inline const char *reader_cstr(struct reader *r, size_t max)
{
	size_t left = reader_remaining(r);
	const uint8_t *nul = left > 0 ? memchr(r->p, 0, left) : NULL;

	if (!nul || (size_t)(nul - r->p) > max) {
		r->failed = true;
		return NULL;
	}
	return (const char *)reader_take(r, (size_t)(nul - r->p) + 1);
}

uint8_t reader_u8(struct reader *r);
uint16_t reader_le16(struct reader *r);
uint32_t reader_le32(struct reader *r);
uint64_t reader_le64(struct reader *r);

struct iov_reader {
	const struct iovec *iov; /* borrowed; never written */
	size_t count;
	size_t skip;      /* bytes of iov[0] already taken */
	size_t remaining; /* bytes from here to the end of the last iovec, or to a smaller limit */
	bool failed;
};

/* All bytes of an iovec array. A sum of lengths that overflows gives a failed reader. */
struct iov_reader iov_reader_of(const struct iovec *iov, size_t count);

/* Copies the next n bytes out once; on failure out is zeroed and the reader has failed. */
bool iov_reader_copy(struct iov_reader *r, void *out, size_t n);

bool iov_reader_skip(struct iov_reader *r, size_t n);

/* Cuts the reader to its next n bytes; fails when there are fewer. */
bool iov_reader_limit(struct iov_reader *r, size_t n);

/*
 * Describes what remains as iovecs, for a vectored system call, without taking it. Returns their
 * number, or -EMSGSIZE when more than max would be needed, -EBADMSG for a failed reader.
 */
int iov_reader_iovecs(const struct iov_reader *r, struct iovec *out, size_t max);
