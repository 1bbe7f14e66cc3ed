/* SPDX-License-Identifier: MIT */
/* statfs_test.c — how often the firmware is asked for its numbers, and who waits for it. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>

#include "base/test/tap.h"
#include "fs/efivars/test/mounted.h"

#define SECOND 1000000000ull

static struct fake_services fake;
static _Atomic uint64_t clock_ns;

static uint64_t test_now(void)
{
	return clock_ns;
}

static struct fs *start(bool statfs)
{
	struct fs *fs;

	fake_services_init(&fake, true);
	fake_add(&fake, "BootOrder", &uefi_global_guid, 7, "\1\0", 2);
	fs = mounted_new(&fake, statfs);
	clock_ns = 100 * SECOND;
	efivars_of(fs)->statfs.now = test_now;
	return fs;
}

static void stop(struct fs *fs)
{
	mounted_free(fs);
	fake_services_fini(&fake);
}

static void is_zero(const struct fs_statfs *s, const char *what)
{
	ok(s->blocks == 0 && s->bfree == 0 && s->bavail == 0 && s->files == 0 && s->ffree == 0 &&
		s->bsize == 1 && s->frsize == 1 && s->namelen == 255, "%s: zeros", what);
}

static void is_full(const struct fs_statfs *s, uint64_t remaining, const char *what)
{
	ok(s->blocks == 90024 && s->bfree == remaining && s->bavail == remaining - 5120 &&
		s->bsize == 1 && s->frsize == 1 && s->namelen == 255, "%s: numbers", what);
}

static void test_nostatfs(void)
{
	struct fs *fs = start(false);
	struct fs_statfs s;

	for (unsigned i = 0; i < 100; i++) {
		if (do_statfs(fs, &s) < 0)
			ok(false, "statfs");
	}
	is_zero(&s, "nostatfs");
	is_int(fake_count(&fake, FAKE_QUERY), 0, "and no question");
	efivars_set_statfs(fs, true);
	is_int(do_statfs(fs, &s), 0, "switched on");
	is_full(&s, 33387, "it is asked then");
	is_int(fake_count(&fake, FAKE_QUERY), 1, "once");
	efivars_set_statfs(fs, false);
	is_int(do_statfs(fs, &s), 0, "switched off");
	is_zero(&s, "nostatfs again");
	stop(fs);
}

static void test_limit(void)
{
	struct fs *fs = start(true);
	struct fs_statfs s;

	for (unsigned i = 0; i < 5; i++)
		is_int(do_statfs(fs, &s), 0, "statfs within the limit");
	fake.query.remaining = 30315;
	for (unsigned i = 0; i < 100; i++) {
		clock_ns += SECOND / 100;
		if (do_statfs(fs, &s) < 0)
			ok(false, "statfs");
	}
	is_full(&s, 33387, "above the limit the old ones");
	is_int(fake_count(&fake, FAKE_QUERY), 5, "and 5 questions in 2 s");
	clock_ns = 102 * SECOND;
	is_int(do_statfs(fs, &s), 0, "after 2 s");
	is_full(&s, 30315, "new");
	is_int(fake_count(&fake, FAKE_QUERY), 6, "by one question");
	for (unsigned i = 0; i < 1000; i++) {
		clock_ns += SECOND / 100;
		if (do_statfs(fs, &s) < 0)
			ok(false, "statfs");
	}
	ok(fake_count(&fake, FAKE_QUERY) <= 6 + 25 + 5,
		"10 s of polling ask no more than 5 in 2 s");
	stop(fs);
}

static void test_answers(void)
{
	struct fs *fs = start(true);
	struct fs_statfs s;

	fake.query.remaining = 5000;
	is_int(do_statfs(fs, &s), 0, "less free than the reserve");
	ok(s.bfree == 5000 && s.bavail == 0, "nothing is available");
	clock_ns += 10 * SECOND;
	fake_fail(&fake, FAKE_QUERY, UEFI_DEVICE_ERROR);
	is_int(do_statfs(fs, &s), 0, "an error of the question is none of statfs");
	is_zero(&s, "device error");
	fake_fail(&fake, FAKE_QUERY, UEFI_UNSUPPORTED);
	clock_ns += 10 * SECOND;
	is_int(do_statfs(fs, &s), 0, "nor is its lack");
	is_zero(&s, "unsupported");
	stop(fs);

	fake_services_init(&fake, true);
	fake.services.supported &= ~UEFI_HAS_QUERY_INFO;
	fs = mounted_new(&fake, true);
	is_int(do_statfs(fs, &s), 0, "services without the question");
	is_zero(&s, "no question");
	is_int(fake_count(&fake, FAKE_QUERY), 0, "are not asked");
	stop(fs);
}

/* Starts a write that does not come back until SetVariable is let go. */
static void begin_stuck_write(struct fs *fs, struct fs_request *req, const struct iovec *payload)
{
	struct fs_entry entry;
	struct fs_write write = {0};

	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "found");
	is_int(do_open(fs, entry.node, O_WRONLY, &write.handle), 0, "opened");
	fake_block(&fake, FAKE_SET);
	req->payload = payload;
	req->payload_count = 1;
	is_int(fs->ops->write(fs, req, entry.node, &write), 0, "a write is kept");
	fake_await_blocked(&fake, FAKE_SET);
}

static void test_stuck(void)
{
	CLEAN_REQUEST struct fs_request write = FAKE_REQUEST, first = FAKE_REQUEST;
	struct iovec payload = {.iov_base = (char[]){7, 0, 0, 0, 9, 0}, .iov_len = 6};
	struct fs *fs = start(true);
	struct fs_attr attr;
	struct fs_statfs s;
	char text[4096];

	begin_stuck_write(fs, &write, &payload);
	is_int(fs->ops->statfs(fs, &first, FS_ROOT), 0, "the very first statfs is kept");
	efivars_set_statfs(fs, false);
	is_int(do_statfs(fs, &s), 0, "under nostatfs there is an answer at once");
	is_zero(&s, "nostatfs beside a stuck firmware");
	efivars_set_statfs(fs, true);
	ok(!fake_is_answered(&first) && !fake_is_answered(&write), "while the others wait");
	do_list(fs, 0, text, sizeof(text));
	is_text(text, "BootOrder-" GLOBAL, "a listing does not wait");
	is_int(do_getattr(fs, FS_ROOT, &attr), 0, "nor do attributes");
	fake_unblock(&fake, FAKE_SET);
	is_int(fake_finish(&write, 0), 0, "the write comes back");
	is_int(fake_finish(&first, 0), 0, "and the first statfs");
	is_full(&first.statfs, 33387, "with");
	stop(fs);
}

static void test_stuck_with_numbers(void)
{
	CLEAN_REQUEST struct fs_request write = FAKE_REQUEST, query = FAKE_REQUEST;
	struct iovec payload = {.iov_base = (char[]){7, 0, 0, 0, 9, 0}, .iov_len = 6};
	struct fs *fs = start(true);
	struct fs_statfs s;

	is_int(do_statfs(fs, &s), 0, "statfs");
	begin_stuck_write(fs, &write, &payload);
	is_int(do_statfs(fs, &s), 0, "beside a stuck SetVariable");
	is_full(&s, 33387, "the last ones, at once");
	ok(!fake_is_answered(&write), "while the write waits");
	is_int(fake_count(&fake, FAKE_QUERY), 1, "without a question");
	fake_unblock(&fake, FAKE_SET);
	is_int(fake_finish(&write, 0), 0, "the write comes back");

	fake_block(&fake, FAKE_QUERY);
	is_int(fs->ops->statfs(fs, &query, FS_ROOT), 0, "a question that is stuck");
	fake_await_blocked(&fake, FAKE_QUERY);
	is_int(do_statfs(fs, &s), 0, "beside it");
	is_full(&s, 33387, "the last ones, at once");
	ok(!fake_is_answered(&query), "while the question waits");
	fake_unblock(&fake, FAKE_QUERY);
	is_int(fake_finish(&query, 0), 0, "it comes back");
	stop(fs);
}

static void test_published_pairs(void)
{
	struct statfs_cache cache;
	uint64_t total = 1, remaining = 2;

	statfs_cache_init(&cache);
	ok(!statfs_cache_get(&cache, &total, &remaining) && total == 1, "nothing is published yet");
	statfs_cache_publish(&cache, 10, 20);
	ok(statfs_cache_get(&cache, &total, &remaining) && total == 10 && remaining == 20,
		"a pair is read back");
	cache.sequence = UINT32_MAX - 1;
	statfs_cache_publish(&cache, 30, 40);
	ok(statfs_cache_get(&cache, &total, &remaining) && total == 30 && remaining == 40,
		"also when the count wraps");
	statfs_cache_fini(&cache);
}

int main(void)
{
	test_nostatfs();
	test_limit();
	test_answers();
	test_stuck();
	test_stuck_with_numbers();
	test_published_pairs();
	return tap_done();
}
