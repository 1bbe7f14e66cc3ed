/* SPDX-License-Identifier: MIT */
/*
 * crash_test.c — the proof that every change of an edk2 store survives a crash at any byte, and a
 * medium that fails; see crash_engine.h for how.
 */
#include <errno.h>

#include "store/test/crash_engine.h"

static const struct model_layout tiny = {TINY_SIZE, TINY_LIVE, TINY_LIVE, TINY_WORK,
	TINY_LIVE + TINY_WORK, TINY_LIVE, TINY_BLOCK};

static const struct edk2_geometry tiny_records = {.end = TINY_LIVE, .is_authenticated = true};

static void add(uint8_t *image, uint32_t *at, const char *name, char fill, uint8_t state)
{
	char data[4] = {fill, fill, fill, fill};
	struct nv_variable v = fixture_variable(name, data, sizeof(data));

	fixture_record(image, &tiny_records, at, &v, state);
}

static void prepare_twin(uint8_t *image)
{
	uint32_t at = 0x64;

	add(image, &at, "a", '1', 0x3e);
	add(image, &at, "b", '2', 0x3f);
	add(image, &at, "a", '3', 0x3f);
}

static void prepare_lone(uint8_t *image)
{
	uint32_t at = 0x64;

	add(image, &at, "a", '1', 0x3e);
	add(image, &at, "b", '2', 0x3f);
}

static void prepare_torn(uint8_t *image)
{
	uint32_t at = 0x64;

	add(image, &at, "a", '1', 0x3e);
	add(image, &at, "b", '2', 0x3f);
	add(image, &at, "a", '3', 0xff);
}

static void prepare_half_header(uint8_t *image)
{
	uint32_t at = 0x64;

	add(image, &at, "a", '1', 0x3f);
	memset(image + at + 20, 0x12, 30);
}

static void prepare_zero_tail(uint8_t *image)
{
	uint32_t at = 0x64;

	add(image, &at, "a", '1', 0x3f);
	memset(image + at, 0, TINY_LIVE - at);
}

static void prepare_no_work(uint8_t *image)
{
	uint32_t at = 0x64;

	add(image, &at, "a", '1', 0x3f);
	add(image, &at, "b", '2', 0x3d);
	memset(image + TINY_LIVE + 32, 0, TINY_WORK - 32);
}

static void prepare_full_queue(uint8_t *image)
{
	uint32_t at = 0x64;

	add(image, &at, "a", '1', 0x3f);
	add(image, &at, "b", '2', 0x3d);
	add(image, &at, "c", '3', 0x3f);
	for (uint32_t i = 32; i + EDK2_FTW_ENTRY <= TINY_WORK; i += EDK2_FTW_ENTRY) {
		edk2_ftw_entry(&(struct edk2_geometry){.header = 0x48,
			.store_bytes = TINY_LIVE - 0x48, .spare_offset = TINY_LIVE + TINY_WORK},
			image + TINY_LIVE + i);
		image[TINY_LIVE + i] = 0xf8;
		image[TINY_LIVE + i + 40] = 0xf9;
	}
}

/* A write that was begun and whose spare was never completed, spare half written. */
static void prepare_abandoned(uint8_t *image)
{
	prepare_full_queue(image);
	memset(image + TINY_LIVE + 32 + 80, 0xff, TINY_WORK - 32 - 80);
	image[TINY_LIVE + 32] = 0xfc;
	image[TINY_LIVE + 32 + 40] = 0xff;
	memset(image + TINY_LIVE + TINY_WORK, 0x11, 300);
}

/* Firmware was stopped behind its erasing of the target. */
static void prepare_erased_target(uint8_t *image)
{
	prepare_abandoned(image);
	image[TINY_LIVE + 32 + 40] = 0xfd;
	memcpy(image + TINY_LIVE + TINY_WORK, image, TINY_LIVE);
	memset(image + 0x48 + 28, 0xff, TINY_LIVE - 0x48 - 28);
}

/* ... or in the middle of programming it. */
static void prepare_half_target(uint8_t *image)
{
	prepare_erased_target(image);
	memcpy(image + 0x64, image + TINY_LIVE + TINY_WORK + 0x64, 41);
}

#define LARGE 600

static const struct plan plans[] = {
	{"create", NULL, {{PLAN_PUT, "a", '1', 4}}, {{PLAN_PUT, "b", '2', 40}}, 2, false},
	{"create an empty value", NULL, {{0}}, {{PLAN_PUT, "a", 0, 0}}, 2, false},
	{"update", NULL, {{PLAN_PUT, "a", '1', 4}, {PLAN_PUT, "b", '2', 4}},
		{{PLAN_PUT, "a", '3', 40}}, 2, false},
	{"update to the same value", NULL, {{PLAN_PUT, "a", '1', 4}},
		{{PLAN_PUT, "a", '1', 4}, {PLAN_REMOVE, "a", 0, 0}}, 1, false},
	{"update twice", NULL, {{PLAN_PUT, "a", '1', 4}, {PLAN_PUT, "b", '2', 4}},
		{{PLAN_PUT, "a", '3', 4}, {PLAN_PUT, "a", '4', 4}}, 5, false},
	{"update by turns", NULL, {{PLAN_PUT, "a", '1', 4}, {PLAN_PUT, "b", '2', 4}},
		{{PLAN_PUT, "a", '3', 4}, {PLAN_PUT, "b", '4', 4}, {PLAN_PUT, "a", '5', 4}}, 6,
		false},
	{"grow, as an append does", NULL, {{PLAN_PUT, "a", '1', 100}},
		{{PLAN_PUT, "a", '1', 200}}, 2, false},
	{"remove", NULL, {{PLAN_PUT, "a", '1', 4}, {PLAN_PUT, "b", '2', 4}},
		{{PLAN_REMOVE, "a", 0, 0}}, 1, false},
	{"update, remove, create", NULL, {{PLAN_PUT, "a", '1', 4}},
		{{PLAN_PUT, "a", '2', 4}, {PLAN_REMOVE, "a", 0, 0}, {PLAN_PUT, "a", '3', 4}}, 6,
		false},
	{"remove with a twin", prepare_twin, {{0}}, {{PLAN_REMOVE, "a", 0, 0}}, 2, false},
	{"update with a twin", prepare_twin, {{0}}, {{PLAN_PUT, "a", '4', 4}}, 3, false},
	{"update a lone record in transition", prepare_lone, {{0}}, {{PLAN_PUT, "a", '4', 4}}, 2,
		false},
	{"remove a lone record in transition", prepare_lone, {{0}}, {{PLAN_REMOVE, "a", 0, 0}}, 1,
		false},
	{"a name like a header", NULL, {{PLAN_PUT, "a", '1', 4}},
		{{PLAN_PUT, PLAN_NAME_LIKE_HEADER, '\0', 100},
			{PLAN_PUT, PLAN_NAME_LIKE_HEADER, '\1', 100}}, 4, false},
	{"reclaim for room", NULL, {{PLAN_PUT, "b", '1', 4}, {PLAN_PUT, "a", '2', LARGE},
		{PLAN_PUT, "c", '3', 4}, {PLAN_REMOVE, "b", 0, 0}},
		{{PLAN_PUT, "a", '4', LARGE + 1}}, 0, false},
	{"reclaim for a new variable", NULL, {{PLAN_PUT, "a", '2', LARGE},
		{PLAN_PUT, "c", '3', LARGE - 200}, {PLAN_REMOVE, "a", 0, 0}},
		{{PLAN_PUT, "b", '4', LARGE}, {PLAN_PUT, "c", '5', 6}}, 0, false},
	{"compaction", prepare_twin, {{0}}, {{PLAN_RECLAIM, NULL, 0, 0}, {PLAN_PUT, "b", '5', 6}},
		8, false},
	{"compaction to nothing", NULL, {{PLAN_PUT, "a", '1', 4}, {PLAN_REMOVE, "a", 0, 0}},
		{{PLAN_RECLAIM, NULL, 0, 0}, {PLAN_PUT, "b", '5', 6}}, 7, false},
	{"compaction with a full queue", prepare_full_queue, {{0}}, {{PLAN_RECLAIM, NULL, 0, 0}},
		9, false},
	{"compaction without a queue", prepare_no_work, {{0}}, {{PLAN_RECLAIM, NULL, 0, 0}}, 9,
		false},
	{"compaction after an abandoned one", prepare_abandoned, {{0}},
		{{PLAN_RECLAIM, NULL, 0, 0}}, 9, false},
	{"recovery of a torn record", prepare_torn, {{0}}, {{PLAN_PUT, "a", '4', 4}}, 2, false},
	{"recovery of a half header", prepare_half_header, {{0}}, {{PLAN_PUT, "a", '4', 4}}, 2,
		false},
	{"recovery of a zeroed tail", prepare_zero_tail, {{0}}, {{PLAN_PUT, "a", '4', 4}}, 2,
		false},
	{"recovery of an erased target", prepare_erased_target, {{0}},
		{{PLAN_PUT, "a", '4', 4}}, 2, false},
	{"recovery of a half target", prepare_half_target, {{0}}, {{PLAN_PUT, "a", '4', 4}}, 2,
		true},
};

/* Known builds: their own geometry, and larger writes torn less often. */
static void prove_profile(enum store_profile id, const struct model_layout *layout)
{
	static const struct plan plan = {"known build", NULL,
		{{PLAN_PUT, "a", '1', 700}, {PLAN_PUT, "b", '2', 4}, {PLAN_REMOVE, "a", 0, 0}},
		{{PLAN_RECLAIM, NULL, 0, 0}, {PLAN_PUT, "b", '3', 9}}, 8, false};
	struct proof proof = {.stride = layout->spare / 48};
	CLEAN(free) uint8_t *empty = NULL;
	size_t size = 0;

	if (edk2_create(id, &empty, &size) < 0)
		abort();
	plan_prove(&plan, layout, empty, &proof);
	ok(proof.failures == 0 && proof.images > 100, "%s: %u images", store_profile_names[id],
		proof.images);
}

int main(void)
{
	static const struct model_layout ovmf_2m = {0x20000, 0xe000, 0xf000, 0x1000, 0x10000,
		0x10000, 0x1000};
	static const struct model_layout ovmf_4m = {0x84000, 0x40000, 0x41000, 0x1000, 0x42000,
		0x42000, 0x1000};
	static const struct model_layout armvirt = {0xc0000, 0x40000, 0x40000, 0x40000, 0x80000,
		0x40000, 0x40000};
	uint8_t empty[TINY_SIZE];

	fixture_tiny(empty, true);
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct proof crash = {.stride = 1}, fault = {.stride = 1};

		plan_prove(&plans[i], &tiny, empty, &crash);
		ok(crash.failures == 0 && crash.images > 0, "%s: %u images", plans[i].what,
			crash.images);
		plan_fail(&plans[i], &tiny, empty, -EIO, false, &fault);
		plan_fail(&plans[i], &tiny, empty, -EIO, true, &fault);
		plan_fail(&plans[i], &tiny, empty, -ENOSPC, true, &fault);
		ok(fault.failures == 0, "%s: %u failing runs", plans[i].what, fault.images);
	}
	prove_profile(STORE_PROFILE_OVMF_2M, &ovmf_2m);
	prove_profile(STORE_PROFILE_OVMF_4M, &ovmf_4m);
	prove_profile(STORE_PROFILE_ARMVIRT, &armvirt);
	return tap_done();
}
