/* SPDX-License-Identifier: MIT */
/*
 * edk2_check_test.c — check, repair and create, and images that are damaged in every byte that
 * matters.
 */
#include <errno.h>

#include "store/internal.h"
#include "store/test/fixture.h"

static bool has_finding(const struct store_findings *f, const char *code)
{
	for (size_t i = 0; i < f->count; i++) {
		if (strcmp(f->list[i].code, code) == 0)
			return true;
	}
	return false;
}

static unsigned count_errors(const struct store_findings *f)
{
	unsigned n = 0;

	for (size_t i = 0; i < f->count; i++)
		n += f->list[i].severity == FINDING_ERROR;
	return n;
}

static struct store_findings check_image(const uint8_t *image, size_t size)
{
	struct source *source = fixture_source(image, size);
	struct store_findings findings = {0};

	if (edk2_format.check(source, 0, STORE_PROFILE_AUTO, &findings) < 0)
		printf("# check failed\n");
	source_free(source);
	return findings;
}

/* Repairs bytes in place. */
static bool repair_image(uint8_t *image, size_t size)
{
	CLEAN(free) char *report = NULL, *error = NULL;
	CLEAN(free) uint8_t *data = NULL;
	struct source *source = fixture_source(image, size);
	size_t repaired = 0;
	int r;

	r = edk2_format.repair(source, 0, STORE_PROFILE_AUTO, &data, &repaired, &report, &error);
	source_free(source);
	if (r < 0 || repaired != size) {
		printf("# repair: %s\n", error ? error : "?");
		return false;
	}
	memcpy(image, data, size);
	return true;
}

static void check_created(enum store_profile id, const char *path, size_t compared)
{
	CLEAN(free) uint8_t *made = NULL, *shipped = NULL;
	size_t size = 0, shipped_size = 0;
	struct store_findings f;

	is_int(edk2_format.create(id, &made, &size), 0, store_profile_names[id]);
	f = check_image(made, size);
	is_int(f.count, id == STORE_PROFILE_ARMVIRT ? 1 : 0, "a new image is healthy");
	store_findings_fini(&f);
	shipped = fixture_file(path, &shipped_size);
	if (!shipped) {
		printf("ok %u # SKIP %s is not installed\n", ++tap_count, path);
		return;
	}
	is_int(size, shipped_size, "as large as the one that is shipped");
	ok(memcmp(made, shipped, compared ? compared : size) == 0, "and the same bytes: %s", path);
}

static void check_create(void)
{
	uint8_t *data = NULL;
	size_t size = 0;

	check_created(STORE_PROFILE_OVMF_2M, "/usr/share/OVMF/OVMF_VARS.fd", 0);
	check_created(STORE_PROFILE_OVMF_4M, "/usr/share/OVMF/OVMF_VARS_4M.fd", 0);
	check_created(STORE_PROFILE_ARMVIRT, "/usr/share/AAVMF/AAVMF_VARS.ms.fd", 0x64);
	is_int(edk2_format.create(STORE_PROFILE_AUTO, &data, &size), -EINVAL,
		"no profile, no image");
}

static void check_shipped(void)
{
	static const struct {
		const char *path;
		const char *code; /* of a finding that is expected; NULL: no error and no warning */
	} cases[] = {
		{"/usr/share/OVMF/OVMF_VARS.fd", NULL},
		{"/usr/share/OVMF/OVMF_VARS.ms.fd", NULL},
		{"/usr/share/OVMF/OVMF_VARS_4M.ms.fd", NULL},
		{"/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd", NULL},
		{"/usr/share/AAVMF/AAVMF_VARS.ms.fd", "block-map"},
		{"/usr/share/AAVMF/AAVMF_VARS.fd", "blank"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t size = 0;
		CLEAN(free) uint8_t *image = fixture_file(cases[i].path, &size);
		struct store_findings f;

		if (!image) {
			printf("ok %u # SKIP %s is not installed\n", ++tap_count, cases[i].path);
			continue;
		}
		f = check_image(image, size);
		ok(count_errors(&f) == 0 && (cases[i].code ? has_finding(&f, cases[i].code)
			: f.count == 0), "%s is healthy", cases[i].path);
		for (size_t n = 0; n < f.count; n++)
			printf("# %s: %s\n", f.list[n].code, f.list[n].text);
		store_findings_fini(&f);
	}
}

static const struct edk2_geometry tiny = {.end = TINY_LIVE, .is_authenticated = true};

static void add(uint8_t *image, uint32_t *at, const char *name, uint8_t state)
{
	struct nv_variable v = fixture_variable(name, "1234", 4);

	fixture_record(image, &tiny, at, &v, state);
}

/* Each damage gives its finding; each can be repaired, and "keep" lives on. */
static void check_damage(void)
{
	static const struct {
		const char *code;
		uint32_t offset; /* from the second record, or, past it, from the volume */
		uint8_t byte;
		bool is_absolute, is_repairable;
	} cases[] = {
		{"header-zero-vector", 3, 1, true, true},
		{"header-attributes", 0x2c, 0, true, false},
		{"record-state", 2, 0x1f, false, true},
		{"record-name-size", 36, 3, false, true},
		{"record-name-size", 36, 2, false, true},
		{"record-name-end", 65, 9, false, true},
		{"record-overrun", 42, 9, false, true},
		{"record-padding", 71, 0, false, true},
		{"record-torn", 2, 0xff, false, true},
		{"record-incomplete", 2, 0x7f, false, true},
		{"in-transition", 2, 0x3e, false, true},
		{"free-space", TINY_LIVE - 1, 0, true, true},
		{"free-space", 0x300, 0, true, true},
		{"ftw-header", TINY_LIVE + 17, 0, true, true},
		{"ftw-unknown", TINY_LIVE, 0, true, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t image[TINY_SIZE];
		uint32_t at = 0x64, second;
		struct store_findings f;
		CLEAN(store_free) struct store *store = NULL;

		fixture_tiny(image, true);
		add(image, &at, "keep", 0x3f);
		second = at;
		add(image, &at, "lo", 0x3f);
		image[(cases[i].is_absolute ? 0 : second) + cases[i].offset] = cases[i].byte;
		if (i < 2) { /* with the checksum that goes with it */
			le16 sum = le16_of(edk2_volume_checksum(image, 0x48));

			memcpy(image + 0x32, &sum, sizeof(sum));
		}
		f = check_image(image, sizeof(image));
		ok(has_finding(&f, cases[i].code), "%s is found", cases[i].code);
		store_findings_fini(&f);
		ok(repair_image(image, sizeof(image)), "%s: repaired", cases[i].code);
		f = check_image(image, sizeof(image));
		ok(count_errors(&f) == 0 || !cases[i].is_repairable, "%s: healthy then",
			cases[i].code);
		store_findings_fini(&f);
		store = fixture_open(image, sizeof(image), true);
		ok((store && fixture_has(store, "keep", "1234", 4)) || !cases[i].is_repairable,
			"%s: the other variable is there", cases[i].code);
	}
}

static void check_duplicate_and_end(void)
{
	uint8_t image[TINY_SIZE];
	struct nv_variable filler = fixture_variable("f", NULL, 0);
	static uint8_t data[TINY_LIVE];
	struct store_findings f;
	uint32_t at = 0x64;

	fixture_tiny(image, true);
	add(image, &at, "a", 0x3f);
	add(image, &at, "a", 0x3f);
	add(image, &at, "b", 0x3e);
	add(image, &at, "b", 0x3f);
	filler.data = data;
	filler.size = TINY_LIVE - at - 64 - 20;
	fixture_record(image, &tiny, &at, &filler, 0x3f);
	image[at] = 0xaa;
	image[at + 1] = 0x55;
	f = check_image(image, sizeof(image));
	ok(has_finding(&f, "duplicate"), "two live records of one variable");
	ok(has_finding(&f, "in-transition-garbage"), "a replaced record that was left");
	ok(has_finding(&f, "record-start-at-end"), "a start id where no record has room");
	store_findings_fini(&f);
}

/* Every byte of the headers changed to every other value's neighbour: refused, or harmless. */
static void check_header_bytes(enum store_profile id)
{
	CLEAN(free) uint8_t *image = NULL, *copy = NULL;
	const struct edk2_profile *p = edk2_profile_of(id);
	struct edk2_geometry g = edk2_geometry_of(p);
	struct nv_variable v = fixture_variable("keep", "1234", 4);
	unsigned refused = 0, repaired = 0, harmless = 0;
	uint32_t at = g.first;
	size_t size = 0;

	if (edk2_create(id, &image, &size) < 0)
		abort();
	fixture_record(image, &g, &at, &v, 0x3f);
	size = p->volume;
	copy = malloc(size);
	if (!copy)
		abort();
	for (uint32_t i = 0; i < g.first; i++) {
		CLEAN(free) char *error = NULL;
		struct store *store = NULL;
		struct source *source;

		memcpy(copy, image, size);
		copy[i] ^= 0x41;
		source = fixture_source(copy, size);
		if (store_open(&store, source, STORE_PROFILE_AUTO, &error) < 0)
			refused += error && error[0] && !strchr(error, '\n');
		else
			harmless += i >= 0x48 + 22 && fixture_has(store, "keep", "1234", 4);
		store_free(store);
		store = NULL;
		if (repair_image(copy, size))
			store = fixture_open(copy, size, true);
		repaired += store && fixture_has(store, "keep", "1234", 4);
		store_free(store);
	}
	is_int(refused, g.first - 6, "each byte of the headers but reserved ones is guarded");
	is_int(harmless, 6, "reserved bytes do not matter");
	is_int(repaired, g.first, "and each damage can be repaired");
}

/* Cut anywhere near a boundary: an error, or what is whole. */
static void check_truncation(void)
{
	static const uint32_t edges[] = {0, 0x10, 0x28, 0x38, 0x48, 0x58, 0x64, 0xa0, TINY_LIVE,
		TINY_LIVE + 32, TINY_LIVE + TINY_WORK, TINY_SIZE};
	uint8_t image[TINY_SIZE];
	unsigned refused = 0, wanted = 0;
	uint32_t at = 0x64;

	fixture_tiny(image, true);
	add(image, &at, "a", 0x3f);
	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		for (int near = -2; near <= 2; near++) {
			int64_t size = (int64_t)edges[i] + near;
			CLEAN(free) char *error = NULL;
			struct store *store = NULL;
			struct store_findings f;

			if (size < 0 || size >= TINY_SIZE)
				continue;
			wanted++;
			refused += store_open(&store, fixture_source(image, (size_t)size),
				STORE_PROFILE_AUTO, &error) < 0 && error;
			store_free(store);
			f = check_image(image, (size_t)size);
			store_findings_fini(&f);
		}
	}
	is_int(refused, wanted, "a volume that is cut off is refused");
}

static void check_work_header(void)
{
	struct edk2_wire_work work;

	edk2_work_header(0x1000, &work);
	is_int(le32_get(work.crc), 0x642caf2c, "the CRC of OVMF's work area");
	edk2_work_header(0x40000, &work);
	is_int(le32_get(work.crc), 0x86c6e75b, "the CRC of ArmVirt's work area");
}

/* What says that the user has another build in mind. */
static void check_profile(void)
{
	CLEAN(free) uint8_t *image = NULL;
	struct store_findings f = {0};
	struct source *source;
	size_t size = 0;

	if (edk2_create(STORE_PROFILE_OVMF_2M, &image, &size) < 0)
		abort();
	source = fixture_source(image, size);
	is_int(edk2_format.check(source, 0, STORE_PROFILE_OVMF_4M, &f), 0, "check");
	ok(has_finding(&f, "profile"), "an image of another build is found out");
	store_findings_fini(&f);
	source_free(source);
	memset(image, 0x77, size);
	f = check_image(image, size);
	ok(has_finding(&f, "garbled"), "a garbled image is found out");
	store_findings_fini(&f);
}

int main(void)
{
	check_create();
	check_shipped();
	check_damage();
	check_duplicate_and_end();
	check_header_bytes(STORE_PROFILE_OVMF_2M);
	check_header_bytes(STORE_PROFILE_OVMF_4M);
	check_truncation();
	check_work_header();
	check_profile();
	return tap_done();
}
