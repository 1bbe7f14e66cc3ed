/* SPDX-License-Identifier: MIT */
/*
 * edk2_write_test.c — changing stores: what is kept, what is refused, long random lives.
 */
#include <errno.h>

#include "store/test/fixture.h"
#include "store/test/recorder.h"

static int put(struct store *store, const char *name, const void *data, size_t size,
	bool may_reclaim)
{
	struct nv_variable v = fixture_variable(name, data, size);

	return store->nv.ops->put(&store->nv, &v, may_reclaim);
}

static int drop(struct store *store, const char *name)
{
	struct uefi_name key = fixture_name(name);

	return store->nv.ops->remove(&store->nv, &key, &fixture_vendor);
}

static struct store *open_recorder(struct recorder *recorder)
{
	CLEAN(free) char *error = NULL;
	struct store *store = NULL;

	if (store_open(&store, &recorder->source, STORE_PROFILE_AUTO, &error) < 0)
		printf("# open: %s\n", error ? error : "?");
	return store;
}

/* Many changes against a simple memory of what was set, on either form of record. */
static void check_random_life(bool is_authenticated)
{
	CLEAN(store_free) struct store *store = NULL;
	struct { bool is_there; size_t size; uint8_t fill; } known[12] = {{0}};
	uint8_t image[TINY_SIZE], data[200];
	uint32_t random = 1;
	struct recorder recorder;
	unsigned wrong = 0;

	fixture_tiny(image, is_authenticated);
	recorder_init(&recorder, image, sizeof(image));
	store = open_recorder(&recorder);
	for (unsigned i = 0; store && i < 5000; i++) {
		unsigned n;
		char name[8];
		int r;

		random = random * 1664525 + 1013904223;
		n = random >> 28 < 12 ? random >> 28 : 0;
		(void)snprintf(name, sizeof(name), "v%u", n);
		memset(data, (int)(random >> 8 & 0xff), sizeof(data));
		if ((random >> 20 & 3) == 0) {
			r = drop(store, name);
			wrong += r != (known[n].is_there ? 0 : -ENOENT);
			known[n].is_there = false;
		} else {
			r = put(store, name, data, random >> 12 & 63, true);
			wrong += r != 0;
			known[n].is_there = true;
			known[n].size = random >> 12 & 63;
			known[n].fill = (uint8_t)(random >> 8);
		}
		if (i % 50 == 0) { /* as the next process would see it */
			store_free(store);
			store = open_recorder(&recorder);
		}
		recorder_reset(&recorder);
		for (unsigned k = 0; store && k < ARRAY_SIZE(known); k++) {
			(void)snprintf(name, sizeof(name), "v%u", k);
			memset(data, known[k].fill, sizeof(data));
			wrong += !fixture_has(store, name, data,
				known[k].is_there ? known[k].size : SIZE_MAX);
		}
	}
	is_int(wrong, 0, is_authenticated ? "a long life" : "a long life without authentication");
	store_free(store);
	store = NULL;
	recorder_fini(&recorder);
}

static void check_unchanged(void)
{
	CLEAN(store_free) struct store *store = NULL;
	uint8_t image[TINY_SIZE];
	struct recorder recorder;

	fixture_tiny(image, true);
	recorder_init(&recorder, image, sizeof(image));
	store = open_recorder(&recorder);
	is_int(recorder.count, 0, "opening a healthy store writes nothing");
	is_int(put(store, "a", "1", 1, true), 0, "a new variable");
	recorder_reset(&recorder);
	is_int(put(store, "a", "1", 1, true), 0, "the same value again");
	is_int(recorder.count, 0, "writes nothing");
	is_int(drop(store, "b"), -ENOENT, "a variable that is not there");
	is_int(recorder.count, 0, "writes nothing");
	store_free(store);
	store = NULL;
	recorder_fini(&recorder);
}

static void check_refusals(void)
{
	CLEAN(store_free) struct store *store = NULL;
	static uint8_t data[TINY_LIVE];
	uint8_t image[TINY_SIZE];

	fixture_tiny(image, true);
	store = fixture_open(image, sizeof(image), false);
	is_int(put(store, "a", "1", 1, true), -EROFS, "a read-only store");
	ok(store->nv.ops->reason(&store->nv)[0] != '\0', "says why");
	is_int(drop(store, "a"), -EROFS, "is not deleted from");
	is_int(store->nv.ops->set_writable(&store->nv, true, NULL), 0, "it becomes writable");
	is_int(put(store, "", "1", 1, true), -EINVAL, "a name of nothing");
	is_int(put(store, "a", data, sizeof(data), true), -ENOSPC, "larger than the store");
	is_int(put(store, "a", data, 900, true), 0, "a large one fits");
	is_int(put(store, "b", data, 700, true), -ENOSPC, "a second one does not");
	is_int(drop(store, "a"), 0, "the first one goes");
	is_int(put(store, "b", data, 700, false), -ENOSPC, "no room without reclaiming");
	ok(fixture_has(store, "b", NULL, SIZE_MAX), "and nothing came of it");
	is_int(put(store, "b", data, 700, true), 0, "there is with it");
	ok(fixture_has(store, "b", data, 700), "and the value is there");
}

/* Without a work area nothing can be reclaimed, and the store says so; the rest works. */
static void check_no_work_area(void)
{
	CLEAN(store_free) struct store *store = NULL;
	static uint8_t data[TINY_LIVE];
	uint8_t image[TINY_SIZE];

	fixture_tiny(image, true);
	memset(image + TINY_LIVE, 0xff, TINY_WORK);
	store = fixture_open(image, sizeof(image), true);
	is_text(store->format->profile_name(store), "custom", "a geometry that nobody knows");
	is_int(put(store, "a", data, 900, true), 0, "is written in place");
	is_int(drop(store, "a"), 0, "and deleted from");
	is_int(put(store, "b", data, 900, true), -ENOSPC, "but not reclaimed");
	ok(strstr(store->nv.ops->reason(&store->nv), "fault-tolerant"), "and says why: %s",
		store->nv.ops->reason(&store->nv));
}

/* Records that no value depends on, and every field that we do not use, stay as they are. */
static void check_kept(void)
{
	CLEAN(store_free) struct store *store = NULL;
	struct edk2_geometry g = {.end = TINY_LIVE, .is_authenticated = true};
	struct nv_variable v = fixture_variable("keep", "1", 1), got;
	uint8_t image[TINY_SIZE];
	struct recorder recorder;
	uint32_t at = 0x64;

	v.monotonic_count = 5;
	v.public_key_index = 6;
	v.time.year = 2020;
	fixture_tiny(image, true);
	fixture_record(image, &g, &at, &v, 0x3f);
	image[0x64 + 3] = 0x5a; /* the reserved byte */
	recorder_init(&recorder, image, sizeof(image));
	store = open_recorder(&recorder);
	is_int(put(store, "new", "2", 1, true), 0, "another variable is set");
	ok(memcmp(recorder.data, image, at) == 0, "all before it is as it was");
	ok(memcmp(recorder.data + TINY_LIVE, image + TINY_LIVE, TINY_SIZE - TINY_LIVE) == 0,
		"and so are work and spare areas");
	is_int(put(store, "new", "3", 1, true), 0, "it is changed");
	is_int(store->nv.ops->reclaim(&store->nv), 0, "and the store compacted");
	ok(memcmp(recorder.data, image, at) == 0, "the kept record is the same, byte for byte");
	ok(store->nv.ops->find(&store->nv, &v.name, &v.vendor, &got) == 0 &&
		got.monotonic_count == 5 && got.time.year == 2020, "with all its fields");
	store_free(store);
	store = NULL;
	recorder_fini(&recorder);
}

/* Read-only, an interrupted write is seen through, and nothing is written. What spare holds may
 * have records of another kind. */
static void check_read_only_recovery(bool is_authenticated)
{
	CLEAN(store_free) struct store *store = NULL;
	struct edk2_geometry g = {.end = TINY_LIVE, .header = 0x48, .live = TINY_LIVE,
		.store_bytes = TINY_LIVE - 0x48, .spare_offset = TINY_LIVE + TINY_WORK,
		.is_authenticated = is_authenticated};
	struct nv_variable v = fixture_variable("a", "1", 1);
	uint8_t image[TINY_SIZE], next[TINY_SIZE];
	struct recorder recorder;
	uint32_t at = 0x64;

	fixture_tiny(next, is_authenticated);
	fixture_record(next, &g, &at, &v, 0x3f);
	fixture_tiny(image, true);
	memcpy(image + g.spare_offset, next, TINY_LIVE);
	edk2_ftw_entry(&g, image + TINY_LIVE + 32);
	image[TINY_LIVE + 32 + 40] = 0xfd;
	recorder_init(&recorder, image, sizeof(image));
	recorder.source.is_writable = false;
	store = open_recorder(&recorder);
	ok(store && fixture_has(store, "a", "1", 1), "what spare holds is seen");
	is_int(recorder.count, 0, "and nothing is written");
	is_int(store->nv.ops->set_writable(&store->nv, true, NULL), 0, "made writable");
	ok(memcmp(recorder.data, image + g.spare_offset, TINY_LIVE) == 0, "the write is finished");
	store_free(store);
	store = NULL;
	recorder_fini(&recorder);
}

int main(void)
{
	check_random_life(true);
	check_random_life(false);
	check_unchanged();
	check_refusals();
	check_no_work_area();
	check_kept();
	check_read_only_recovery(true);
	check_read_only_recovery(false);
	return tap_done();
}
