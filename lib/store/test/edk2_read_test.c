/* SPDX-License-Identifier: MIT */
/*
 * edk2_read_test.c — reading: the images that distributions ship, all states of records, stores
 * inside other images, many records.
 */
#include <errno.h>

#include "store/test/fixture.h"

static void check_template(const char *path, const char *profile, uint32_t live, uint32_t dead,
	uint64_t all_bytes, uint64_t live_bytes, uint64_t free_at_boot, uint64_t free_at_runtime)
{
	CLEAN(free) char *error = NULL;
	CLEAN(store_free) struct store *store = NULL;
	struct source *source = NULL;
	struct nv_space space;
	struct nv_variable v;
	uint64_t cursor = 0;
	uint32_t count = 0;
	int r;

	r = source_open_file(&source, path, false, &error);
	if (r == -ENOENT) {
		printf("ok %u # SKIP %s is not installed\n", ++tap_count, path);
		return;
	}
	r = r == 0 ? store_open(&store, source, STORE_PROFILE_AUTO, &error) : r;
	if (!ok(r == 0, "%s opens%s%s", path, error ? ": " : "", error ? error : ""))
		return;
	store->nv.ops->space(&store->nv, &space);
	is_text(store->format->profile_name(store), profile, path);
	is_int(space.live, live, "live records");
	is_int(space.dead, dead, "dead records");
	is_int(space.all_bytes, all_bytes, "bytes of all records");
	is_int(space.live_bytes, live_bytes, "bytes of live records");
	is_int(space.capacity - space.live_bytes, free_at_boot, "free at boot");
	is_int(space.capacity - space.all_bytes, free_at_runtime, "free at run time");
	while (store->nv.ops->next(&store->nv, &cursor, &v) == 1)
		count++;
	is_int(count, live, "as many are listed");
}

static void check_templates(void)
{
	check_template("/usr/share/OVMF/OVMF_VARS.fd", "ovmf-2m", 0, 0, 0, 0, 57244, 57244);
	check_template("/usr/share/OVMF/OVMF_VARS_4M.fd", "ovmf-4m", 0, 0, 0, 0, 262044, 262044);
	check_template("/usr/share/OVMF/OVMF_VARS.ms.fd", "ovmf-2m", 31, 26, 22836, 18524, 38720,
		34408);
	check_template("/usr/share/OVMF/OVMF_VARS_4M.ms.fd", "ovmf-4m", 31, 26, 22836, 18524,
		243520, 239208);
	check_template("/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd", "ovmf-4m", 31, 26, 18928, 14616,
		247428, 243116);
	check_template("/usr/share/AAVMF/AAVMF_VARS.ms.fd", "armvirt", 22, 7, 9684, 9084, 252960,
		252360);
	check_template("/usr/share/AAVMF/AAVMF_VARS.snakeoil.fd", "armvirt", 22, 7, 5776, 5176,
		256868, 256268);
}

/* One record of "a" in each state, alone and with a live twin before or behind it. */
static void check_states(void)
{
	static const struct {
		uint8_t first, second; /* 0: none */
		const char *value;     /* NULL: none */
		const char *what;
	} cases[] = {
		{0x3f, 0, "1", "a live record is the value"},
		{0x3e, 0, "1", "a lone record in transition is the value"},
		{0x3d, 0, NULL, "a deleted record is not"},
		{0x3c, 0, NULL, "a replaced record is not"},
		{0x7f, 0, NULL, "a header alone is not"},
		{0xff, 0, NULL, "a record that was being written is not"},
		{0x3e, 0x3f, "2", "in transition, then live: the live one"},
		{0x3f, 0x3e, "1", "live, then in transition: the live one"},
		{0x3e, 0x3e, "2", "twice in transition: the last"},
		{0x3f, 0x3f, "1", "twice live: the first"},
		{0x3c, 0x3f, "2", "replaced, then live"},
		{0x3e, 0xff, "1", "an interrupted update keeps the old value"},
		{0x3e, 0x7f, "1", "an interrupted update of old kept the old value"},
		{0x3d, 0x3e, "2", "deleted, then in transition"},
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		bool is_authenticated = i % 2 == 0;
		CLEAN(store_free) struct store *store = NULL;
		struct nv_variable one = fixture_variable("a", "1", 1);
		struct nv_variable two = fixture_variable("a", "2", 1);
		struct edk2_geometry g = {.end = TINY_LIVE, .is_authenticated = is_authenticated};
		uint8_t image[TINY_SIZE];
		uint32_t at = 0x64;

		fixture_tiny(image, is_authenticated);
		fixture_record(image, &g, &at, &one, cases[i / 2].first);
		if (cases[i / 2].second)
			fixture_record(image, &g, &at, &two, cases[i / 2].second);
		store = fixture_open(image, sizeof(image), false);
		ok(store && fixture_has(store, "a", cases[i / 2].value,
			cases[i / 2].value ? 1 : SIZE_MAX), "%s (%s)", cases[i / 2].what,
			is_authenticated ? "authenticated" : "plain");
		ok(store && (store->nv.limits.max_auth_variable > 0) == is_authenticated,
			"limits of authenticated variables (%s)",
			is_authenticated ? "authenticated" : "plain");
	}
}

/*
 * Firmware appends right behind the header of a record that was torn within it (seen with OVMF):
 * what it wrote there is read, and survives our own writing.
 */
static void check_torn_header(void)
{
	struct edk2_geometry g = {.end = TINY_LIVE, .is_authenticated = true};
	struct nv_variable torn = fixture_variable("a", "1", 1);
	struct nv_variable behind = fixture_variable("b", "22", 2);
	struct nv_variable last = fixture_variable("c", "3", 1);
	CLEAN(store_free) struct store *store = NULL;
	uint8_t image[TINY_SIZE];
	uint32_t at = 0x64;

	fixture_tiny(image, true);
	fixture_record(image, &g, &at, &torn, 0xff);
	at = 0x64 + edk2_record_header(&g);
	memset(image + at, 0xff, TINY_LIVE - at);
	fixture_record(image, &g, &at, &behind, 0x3f);
	store = fixture_open(image, sizeof(image), true);
	ok(store && fixture_has(store, "a", NULL, SIZE_MAX), "a torn record is no variable");
	ok(store && fixture_has(store, "b", "22", 2), "what lies behind its header is one");
	ok(store && store->nv.ops->put(&store->nv, &last, true) == 0 &&
			fixture_has(store, "b", "22", 2) && fixture_has(store, "c", "3", 1),
		"and stays when another is written");
}

/* What is behind a duplicate is still seen, and every record is listed with its state. */
static void check_duplicates(void)
{
	static const uint8_t states[] = {0x3f, 0x3f, 0x3c, 0x3f};
	static const char *const names[] = {"a", "a", "b", "c"};
	CLEAN(store_free) struct store *store = NULL;
	struct edk2_geometry g = {.end = TINY_LIVE, .is_authenticated = true};
	static struct store_record record;
	uint8_t image[TINY_SIZE];
	uint64_t cursor = 0;
	uint32_t at = 0x64, live = 0, count = 0;

	fixture_tiny(image, true);
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		struct nv_variable v = fixture_variable(names[i], "x", 1);

		fixture_record(image, &g, &at, &v, states[i]);
	}
	store = fixture_open(image, sizeof(image), false);
	while (store && store->format->next_record(store, &cursor, &record) == 1) {
		count++;
		live += record.is_live;
	}
	is_int(count, 4, "every record is listed");
	is_int(live, 2, "each key is live once");
	ok(store && fixture_has(store, "c", "x", 1), "what lies behind a duplicate is found");
}

static void check_fields(void)
{
	CLEAN(store_free) struct store *store = NULL;
	struct edk2_geometry g = {.end = TINY_LIVE, .is_authenticated = true};
	struct nv_variable v = fixture_variable("a", "12345", 5);
	struct uefi_name name = fixture_name("a");
	struct nv_variable got;
	uint8_t image[TINY_SIZE];
	uint32_t at = 0x64;

	v.attributes = 0x27;
	v.time = (struct uefi_time){2026, 11, 30, 12, 1, 2, 5, -60, 1, 7, 9};
	v.monotonic_count = 0x1122334455667788;
	v.public_key_index = 77;
	fixture_tiny(image, true);
	fixture_record(image, &g, &at, &v, 0x3f);
	store = fixture_open(image, sizeof(image), false);
	ok(store && store->nv.ops->find(&store->nv, &name, &fixture_vendor, &got) == 0 &&
		got.attributes == 0x27 && got.time.zone == -60 && got.time.pad2 == 9 &&
		got.time.year == 2026 && got.monotonic_count == v.monotonic_count &&
		got.public_key_index == 77, "every field of a record comes back");
	ok(store && store->nv.ops->find(&store->nv, &name, &fixture_other, &got) == -ENOENT,
		"another vendor is another variable");
	is_int(store ? store->nv.ops->record_size(&store->nv, &name, 5) : 0, 72,
		"a record is header, name with NUL, data and padding");
}

/* A volume inside a larger image, and one behind something that only looks like one. */
static void check_offset(void)
{
	static uint8_t image[0x90000 + TINY_SIZE + 100];
	CLEAN(store_free) struct store *store = NULL;
	struct edk2_geometry g = {.end = TINY_LIVE, .is_authenticated = true};
	struct nv_variable v = fixture_variable("a", "x", 1);
	static struct store_record record;
	uint64_t cursor = 0;
	uint32_t at = 0x64;

	fixture_tiny(image + 0x90000, true);
	memcpy(image + 0x1028, "_FVH", 4);
	fixture_record(image + 0x90000, &g, &at, &v, 0x3f);
	store = fixture_open(image, sizeof(image), true);
	ok(store && fixture_has(store, "a", "x", 1), "a store inside an image is found");
	ok(store && store->format->next_record(store, &cursor, &record) == 1 &&
		record.offset == 0x90064, "offsets are those of the image");
	v = fixture_variable("b", "y", 1);
	ok(store && store->nv.ops->put(&store->nv, &v, true) == 0 &&
		store->nv.ops->reclaim(&store->nv) == 0 && fixture_has(store, "b", "y", 1),
		"and can be written");
}

static void check_many(void)
{
	CLEAN(store_free) struct store *store = NULL;
	CLEAN(free) uint8_t *image = NULL;
	struct edk2_geometry g = edk2_geometry_of(edk2_profile_of(STORE_PROFILE_OVMF_4M));
	struct nv_variable v;
	size_t size = 0;
	uint32_t at = g.first, count = 0;
	uint64_t cursor = 0;
	char name[32];

	if (edk2_create(STORE_PROFILE_OVMF_4M, &image, &size) < 0)
		abort();
	for (unsigned i = 0; i < 2500; i++) {
		(void)snprintf(name, sizeof(name), "Variable%04u", i);
		v = fixture_variable(name, "x", 1);
		fixture_record(image, &g, &at, &v, 0x3f);
	}
	store = fixture_open(image, size, false);
	while (store && store->nv.ops->next(&store->nv, &cursor, &v) == 1)
		count++;
	is_int(count, 2500, "2,500 variables are listed");
	ok(store && fixture_has(store, "Variable2499", "x", 1), "the last of them is found");
}

/* Headers of every length before a small store: its first record may begin behind its end. */
static void check_no_room(void)
{
	unsigned opened = 0;

	for (uint16_t header = 0x40; header < 0x50; header += 2) {
		for (uint32_t bytes = 28; bytes < 36; bytes++) {
			struct edk2_geometry g = {.volume = TINY_SIZE, .block = 16,
				.header = header, .store_bytes = bytes, .is_authenticated = true};
			CLEAN(store_free) struct store *store = NULL;
			uint8_t image[TINY_SIZE];

			g.first = (header + 28u + 3) & ~3u;
			memset(image, 0xff, sizeof(image));
			edk2_geometry_write(&g, image);
			store = fixture_open(image, sizeof(image), true);
			if (((header + bytes) & ~3u) < g.first)
				ok(!store, "a store of %u bytes at 0x%x has no room", bytes,
					header);
			else
				opened += store != NULL;
		}
	}
	ok(opened > 0, "with room for nothing a store can still be read");
}

static void check_unopenable(void)
{
	static const uint8_t zeros[0xc0000];
	static uint8_t garbage[0x84000];
	CLEAN(free) char *blank = NULL, *garbled = NULL, *nothing = NULL, *qcow2 = NULL;
	struct store *store = NULL;
	struct source *source = NULL;

	memset(garbage, 0x5c, sizeof(garbage));
	source = fixture_source(zeros, sizeof(zeros));
	is_int(store_open(&store, source, STORE_PROFILE_AUTO, &blank), -EBADMSG, "blank image");
	ok(blank && strstr(blank, "blank"), "says that it is blank");
	source = fixture_source(garbage, sizeof(garbage));
	is_int(store_open(&store, source, STORE_PROFILE_AUTO, &garbled), -EBADMSG, "garbled image");
	ok(garbled && strstr(garbled, "garbled"), "says that it is garbled");
	source = fixture_source(garbage, 1000);
	is_int(store_open(&store, source, STORE_PROFILE_AUTO, &nothing), -ENODATA, "no store");
	ok(nothing && strstr(nothing, "edk2"), "says what was tried");
	source = fixture_source("QFI\xfb....", 8);
	is_int(store_open(&store, source, STORE_PROFILE_AUTO, &qcow2), -ENODATA, "qcow2");
	ok(qcow2 && strstr(qcow2, "qemu-img"), "says what to do about it");
	source = fixture_source("", 0);
	is_int(store_open(&store, source, STORE_PROFILE_AUTO, NULL), -ENODATA, "empty file");
	ok(store == NULL, "no store came of these");
}

int main(void)
{
	check_templates();
	check_states();
	check_torn_header();
	check_duplicates();
	check_fields();
	check_offset();
	check_many();
	check_no_room();
	check_unopenable();
	return tap_done();
}
