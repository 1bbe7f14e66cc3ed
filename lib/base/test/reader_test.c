/* SPDX-License-Identifier: MIT */
/* reader_test.c — bounded readers: what is there, the end, and that a failure stays. */
#include "base/reader.h"

#include <errno.h>

#include "base/test/tap.h"

static void test_numbers(void)
{
	static const uint8_t data[] = {1, 0x02, 0x03, 4, 5, 6, 0x87, 1, 2, 3, 4, 5, 6, 7, 0x88};
	struct reader r = reader_of(data, sizeof(data));

	is_int(reader_u8(&r), 1, "a byte");
	is_int(reader_le16(&r), 0x0302, "two");
	is_int(reader_le32(&r), 0x87060504, "four, the highest bit too");
	ok(reader_le64(&r) == 0x8807060504030201u, "eight");
	is_int(reader_remaining(&r), 0, "nothing is left");
	ok(!r.failed, "and nothing failed");
	is_int(reader_u8(&r), 0, "one more is 0");
	ok(r.failed, "and a failure");
}

static void test_ends(void)
{
	static const uint8_t data[] = {1, 2, 3};
	static const struct {
		const char *what;
		size_t n;
		bool is_there;
	} takes[] = {{"nothing", 0, true}, {"one", 1, true}, {"all", 3, true},
		{"one more", 4, false}, {"the largest size", SIZE_MAX, false}};

	for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
		struct reader r = reader_of(data, sizeof(data));
		const uint8_t *p = reader_take(&r, takes[i].n);

		ok((p == data) == takes[i].is_there && r.failed != takes[i].is_there, "take %s",
			takes[i].what);
		is_int(reader_remaining(&r), takes[i].is_there ? 3 - takes[i].n : 0,
			"what is left");
	}
}

static void test_failure_stays(void)
{
	static const uint8_t data[] = {1, 2, 3};
	struct reader r = reader_of(data, sizeof(data));
	struct reader sub;
	uint8_t copy[4] = {9, 9, 9, 9};

	is_int(reader_le32(&r), 0, "too few bytes for a number");
	is_int(reader_u8(&r), 0, "then not one is given any more");
	is_int(reader_remaining(&r), 0, "nor counted");
	ok(!reader_take(&r, 0), "nor nothing taken");
	ok(!reader_copy(&r, copy, sizeof(copy)) && copy[0] == 0 && copy[3] == 0,
		"a copy is zeroed");
	sub = reader_sub(&r, 0);
	ok(sub.failed && reader_remaining(&sub) == 0, "a reader within has failed too");
	r = reader_of(NULL, 5);
	ok(reader_remaining(&r) == 0 && !reader_take(&r, 1), "no bytes at all have no size");
}

static void test_sub(void)
{
	static const uint8_t data[] = {1, 2, 3, 4};
	struct reader r = reader_of(data, sizeof(data));
	struct reader sub = reader_sub(&r, 2);

	is_int(reader_remaining(&sub), 2, "a reader of two");
	is_int(reader_le32(&sub), 0, "does not reach behind them");
	ok(sub.failed && !r.failed, "its failure is its own");
	is_int(reader_u8(&r), 3, "the outer one goes on behind");
	sub = reader_sub(&r, 2);
	ok(sub.failed && r.failed, "a reader of more than there is fails both");
}

static void test_strings(void)
{
	static const char data[] = "ab\0\0xyz";
	struct reader r = reader_of(data, 7); /* without the NUL at the end */
	const char *text = reader_cstr(&r, 2);

	is_text(text, "ab", "a string");
	is_text(reader_cstr(&r, 0), "", "an empty one, where none is allowed to be longer");
	ok(!reader_cstr(&r, 10) && r.failed, "one without a NUL");
	r = reader_of(data, 7);
	ok(!reader_cstr(&r, 1) && r.failed, "one that is too long");
	r = reader_of(data, 0);
	ok(!reader_cstr(&r, 1) && r.failed, "none");
}

static void test_iov_copy(void)
{
	uint8_t a[] = {1, 2, 3}, b[] = {4, 5};
	const struct iovec iov[] = {{NULL, 0}, {a, 3}, {NULL, 0}, {b, 2}, {NULL, 0}};
	struct iov_reader r = iov_reader_of(iov, 5);
	uint8_t out[5] = {0};

	is_int(r.remaining, 5, "five bytes in five pieces");
	ok(iov_reader_copy(&r, out, 0), "nothing");
	ok(iov_reader_copy(&r, out, 1) && out[0] == 1, "the first");
	ok(iov_reader_copy(&r, out, 3) && out[0] == 2 && out[2] == 4, "three across pieces");
	ok(iov_reader_skip(&r, 1) && r.remaining == 0, "the last is skipped");
	ok(iov_reader_copy(&r, out, 0) && iov_reader_skip(&r, 0), "nothing, at the end");
	memset(out, 9, sizeof(out));
	ok(!iov_reader_copy(&r, out, 2) && r.failed && out[0] == 0 && out[1] == 0 && out[2] == 9,
		"two more fail, and zero what they should have filled");
	ok(!iov_reader_skip(&r, 0) && !iov_reader_limit(&r, 0), "and the failure stays");
}

static void test_iov_limit(void)
{
	uint8_t a[] = {1, 2, 3}, b[] = {4, 5, 6};
	const struct iovec iov[] = {{a, 3}, {b, 3}};
	struct iov_reader r = iov_reader_of(iov, 2);
	uint8_t out[6];

	ok(iov_reader_limit(&r, 4) && iov_reader_skip(&r, 2), "cut to four, two are skipped");
	ok(!iov_reader_copy(&r, out, 3), "three more are too many");
	r = iov_reader_of(iov, 2);
	ok(!iov_reader_limit(&r, 7) && r.failed, "a limit behind the end fails");
	ok(!iov_reader_copy(&r, out, 1), "for good");
}

static void test_iov_overflow(void)
{
	uint8_t a[] = {1};
	const struct iovec iov[] = {{a, 1}, {a, SIZE_MAX}};
	struct iov_reader r = iov_reader_of(iov, 2);
	struct iovec out[2];

	ok(r.failed && r.remaining == 0, "lengths that overflow make a failed reader");
	is_int(iov_reader_iovecs(&r, out, 2), -EBADMSG, "that describes nothing");
	r = iov_reader_of(NULL, 0);
	ok(!r.failed && r.remaining == 0 && iov_reader_iovecs(&r, out, 0) == 0, "no piece is fine");
}

static void test_iov_iovecs(void)
{
	uint8_t a[] = {1, 2, 3}, b[] = {4, 5, 6};
	const struct iovec iov[] = {{a, 3}, {NULL, 0}, {b, 3}};
	struct iov_reader r = iov_reader_of(iov, 3);
	struct iovec out[3];

	ok(iov_reader_skip(&r, 1) && iov_reader_limit(&r, 4), "bytes 1 to 4 of 6");
	is_int(iov_reader_iovecs(&r, out, 3), 2, "are two pieces: empty ones are left out");
	ok(out[0].iov_base == a + 1 && out[0].iov_len == 2 && out[1].iov_base == b &&
			out[1].iov_len == 2,
		"that begin and end there");
	is_int(iov_reader_iovecs(&r, out, 1), -EMSGSIZE, "for which one is too few");
	is_int(r.remaining, 4, "and nothing is taken");
	ok(iov_reader_skip(&r, 2), "behind the first piece");
	ok(iov_reader_iovecs(&r, out, 1) == 1 && out[0].iov_base == b && out[0].iov_len == 2,
		"one is enough");
}

int main(void)
{
	test_numbers();
	test_ends();
	test_failure_stays();
	test_sub();
	test_strings();
	test_iov_copy();
	test_iov_limit();
	test_iov_overflow();
	test_iov_iovecs();
	return tap_done();
}
