/* SPDX-License-Identifier: MIT */
/* reader.c — see reader.h. */
#include "base/reader.h"

#include <errno.h>

#include "base/le.h"

uint8_t reader_u8(struct reader *r)
{
	uint8_t v;

	reader_copy(r, &v, sizeof(v));
	return v;
}

uint16_t reader_le16(struct reader *r)
{
	le16 v;

	reader_copy(r, &v, sizeof(v));
	return le16_get(v);
}

uint32_t reader_le32(struct reader *r)
{
	le32 v;

	reader_copy(r, &v, sizeof(v));
	return le32_get(v);
}

uint64_t reader_le64(struct reader *r)
{
	le64 v;

	reader_copy(r, &v, sizeof(v));
	return le64_get(v);
}

struct iov_reader iov_reader_of(const struct iovec *iov, size_t count)
{
	struct iov_reader r = {.iov = iov, .count = count};

	for (size_t i = 0; i < count; i++) {
		if (__builtin_add_overflow(r.remaining, iov[i].iov_len, &r.remaining)) {
			r.remaining = 0;
			r.failed = true;
			break;
		}
	}
	return r;
}

/* Takes n bytes; out may be NULL. The caller has checked that they are there. */
static void iov_reader_advance(struct iov_reader *r, uint8_t *out, size_t n)
{
	r->remaining -= n;
	while (n > 0) {
		size_t here = r->iov->iov_len - r->skip;
		size_t step = n < here ? n : here;

		if (out && step > 0) {
			memcpy(out, (const uint8_t *)r->iov->iov_base + r->skip, step);
			out += step;
		}
		n -= step;
		r->skip += step;
		if (r->skip == r->iov->iov_len && r->count > 1) {
			r->iov++;
			r->count--;
			r->skip = 0;
		}
	}
}

bool iov_reader_copy(struct iov_reader *r, void *out, size_t n)
{
	if (r->failed || n > r->remaining) {
		r->failed = true;
		memset(out, 0, n);
		return false;
	}
	iov_reader_advance(r, out, n);
	return true;
}

bool iov_reader_skip(struct iov_reader *r, size_t n)
{
	if (r->failed || n > r->remaining) {
		r->failed = true;
		return false;
	}
	iov_reader_advance(r, NULL, n);
	return true;
}

bool iov_reader_limit(struct iov_reader *r, size_t n)
{
	if (r->failed || n > r->remaining) {
		r->failed = true;
		return false;
	}
	r->remaining = n;
	return true;
}

int iov_reader_iovecs(const struct iov_reader *r, struct iovec *out, size_t max)
{
	size_t left = r->remaining;
	size_t skip = r->skip;
	size_t used = 0;

	if (r->failed)
		return -EBADMSG;
	for (size_t i = 0; left > 0; i++) {
		size_t here = r->iov[i].iov_len - skip;

		if (here > left)
			here = left;
		if (here > 0) {
			if (used == max)
				return -EMSGSIZE;
			out[used].iov_base = (uint8_t *)r->iov[i].iov_base + skip;
			out[used].iov_len = here;
			used++;
		}
		left -= here;
		skip = 0;
	}
	return (int)used;
}
