/* SPDX-License-Identifier: MIT */
/*
 * edk2_geometry.c — the volume and store headers, the geometries that are known, and where in an
 * image a volume lies.
 *
 * A block map that does not multiply out to the volume is accepted: ArmVirt's firmware writes that
 * of the whole flash device. Sizes come from the headers or, for a known volume size, must agree
 * with its profile.
 */
#include "store/edk2.h"

#include <errno.h>
#include <string.h>

#include "base/reader.h"

const struct guid edk2_volume_guid = GUID_OF(0xfff12b8d, 0x7696, 0x4c8b, 0xa9, 0x85, 0x27, 0x47,
	0x07, 0x5b, 0x4f, 0x50);
const struct guid edk2_auth_guid = GUID_OF(0xaaf32c78, 0x947b, 0x439a, 0xa1, 0x80, 0x2e, 0x14,
	0x4e, 0xc3, 0x77, 0x92);
const struct guid edk2_plain_guid = GUID_OF(0xddcf3617, 0x3275, 0x4164, 0x98, 0xb6, 0xfe, 0x85,
	0x70, 0x7f, 0xfe, 0x7d);
const struct guid edk2_work_guid = GUID_OF(0x9e58292b, 0x7c68, 0x497d, 0xa0, 0xce, 0x65, 0x00,
	0xfd, 0x9f, 0x1b, 0x95);

const struct edk2_profile edk2_profiles[] = {
	{"ovmf-2m", STORE_PROFILE_OVMF_2M, 0x20000, 0x20000, 0xe000, 0xf000, 0x1000, 0x10000,
		0x10000, 0x1000, 0x20, EDK2_ATTRIBUTES_OVMF, 0x2000, 0x2800},
	{"ovmf-4m", STORE_PROFILE_OVMF_4M, 0x84000, 0x84000, 0x40000, 0x41000, 0x1000, 0x42000,
		0x42000, 0x1000, 0x84, EDK2_ATTRIBUTES_OVMF, 0x8400, 0x8400},
	{"armvirt", STORE_PROFILE_ARMVIRT, 0x4000000, 0xc0000, 0x40000, 0x40000, 0x40000, 0x80000,
		0x40000, 0x40000, 0x100, EDK2_ATTRIBUTES_NOR, 0x2000, 0x2800},
	{0},
};

const struct edk2_profile *edk2_profile_of(enum store_profile id)
{
	for (const struct edk2_profile *p = edk2_profiles; p->name; p++) {
		if (p->id == id)
			return p;
	}
	return NULL;
}

static const struct edk2_profile *profile_of_volume(uint64_t volume)
{
	for (const struct edk2_profile *p = edk2_profiles; p->name; p++) {
		if (p->volume == volume)
			return p;
	}
	return NULL;
}

static void use_profile(struct edk2_geometry *g, const struct edk2_profile *p)
{
	g->profile = p;
	g->live = p->live;
	g->block = p->block;
	g->has_ftw = true;
	g->work_offset = p->work_offset;
	g->work = p->work;
	g->spare_offset = p->spare_offset;
	g->spare = p->spare;
}

static void use_header(struct edk2_geometry *g, uint32_t header, uint32_t store_bytes)
{
	g->header = header;
	g->store_bytes = store_bytes;
	g->first = (header + (uint32_t)sizeof(struct edk2_wire_store) + 3) & ~3u;
	g->end = (header + store_bytes) & ~3u;
}

struct edk2_geometry edk2_geometry_of(const struct edk2_profile *profile)
{
	struct edk2_geometry g = {.volume = profile->volume, .is_authenticated = true};
	uint32_t header = sizeof(struct edk2_wire_volume) + 2 * sizeof(struct edk2_wire_block);

	use_profile(&g, profile);
	use_header(&g, header, profile->live - header);
	return g;
}

bool edk2_geometry_take_work(struct edk2_geometry *g, uint32_t work_offset, uint32_t work)
{
	uint64_t spare_offset = (uint64_t)work_offset + work;

	if (work_offset < g->live || work_offset % g->block != 0 || work % g->block != 0 ||
		(g->header + g->store_bytes) % g->block != 0)
		return false;
	if (spare_offset > g->volume || g->volume - spare_offset < g->live ||
		(g->volume - spare_offset) % g->block != 0)
		return false;
	g->work_offset = work_offset;
	g->work = work;
	g->spare_offset = (uint32_t)spare_offset;
	g->spare = g->volume - g->spare_offset;
	g->has_ftw = true;
	return true;
}

static uint16_t sum_words(const uint8_t *data, size_t size)
{
	struct reader r = reader_of(data, size);
	unsigned sum = 0;

	while (reader_remaining(&r) >= 2)
		sum += reader_le16(&r);
	return (uint16_t)sum;
}

uint16_t edk2_volume_checksum(const uint8_t *data, size_t size)
{
	struct edk2_wire_volume volume;
	struct reader r = reader_of(data, size);

	if (!reader_copy(&r, &volume, sizeof(volume)))
		return 0;
	return (uint16_t)(0u - (sum_words(data, size) - (unsigned)le16_get(volume.checksum)));
}

static int fault(struct edk2_fault *ret, const char *code, uint32_t offset, const char *text)
{
	*ret = (struct edk2_fault){code, offset, text};
	return -EBADMSG;
}

#define AT(field) ((uint32_t)offsetof(struct edk2_wire_volume, field))

/* The volume header and its block map; *ret_block is the first block's size. */
static int read_volume(const uint8_t *data, size_t size, uint64_t available,
	struct edk2_wire_volume *volume, uint32_t *ret_block, struct edk2_fault *ret_fault)
{
	struct reader r = reader_of(data, size);
	struct edk2_wire_block block;
	uint32_t header;

	if (!reader_copy(&r, volume, sizeof(*volume)))
		return fault(ret_fault, "truncated", 0, "the image ends inside the volume header");
	if (memcmp(volume->signature, EDK2_SIGNATURE, sizeof(volume->signature)) != 0)
		return fault(ret_fault, "header-signature", AT(signature),
			"the volume header has no _FVH signature");
	if (!guid_equal(&volume->file_system, &edk2_volume_guid))
		return fault(ret_fault, "header-guid", AT(file_system),
			"the volume's GUID is not that of a variable store");
	header = le16_get(volume->header_length);
	if (header % 2 != 0 || header < sizeof(*volume) + sizeof(block) || header > EDK2_HEADER_MAX)
		return fault(ret_fault, "header-length", AT(header_length),
			"the volume header's length is wrong");
	if (header > size)
		return fault(ret_fault, "truncated", 0, "the image ends inside the volume header");
	if (sum_words(data, header) != 0)
		return fault(ret_fault, "header-checksum", AT(checksum),
			"the volume header's checksum is wrong");
	if (volume->revision != EDK2_REVISION)
		return fault(ret_fault, "header-revision", AT(revision),
			"the volume header's revision is not 2");
	if (!reader_copy(&r, &block, sizeof(block)))
		return fault(ret_fault, "truncated", 0, "the image ends inside the block map");
	*ret_block = le32_get(block.length);
	if (*ret_block < 16 || *ret_block > EDK2_VOLUME_MAX || (*ret_block & (*ret_block - 1)) != 0)
		return fault(ret_fault, "block-map", sizeof(*volume),
			"the block map's block size is wrong");
	if (le64_get(volume->length) > available)
		return fault(ret_fault, "truncated", AT(length),
			"the image is shorter than its volume header says");
	if (le64_get(volume->length) > EDK2_VOLUME_MAX)
		return fault(ret_fault, "volume-length", AT(length),
			"the volume is larger than a variable store can be");
	return 0;
}

/* The store header at `header`. */
static int read_store(struct edk2_geometry *g, const uint8_t *data, size_t size, uint32_t header,
	struct edk2_fault *ret_fault)
{
	struct reader r = reader_of(data, size);
	struct edk2_wire_store store;
	uint32_t room = g->profile ? g->profile->live : g->volume;
	uint32_t bytes;

	(void)reader_take(&r, header); /* a short reader fails below */
	if (!reader_copy(&r, &store, sizeof(store)) || header + sizeof(store) > room)
		return fault(ret_fault, "truncated", header, "the store header is cut off");
	if (!guid_equal(&store.signature, &edk2_auth_guid) &&
		!guid_equal(&store.signature, &edk2_plain_guid))
		return fault(ret_fault, "store-guid", header, "the store header's GUID is unknown");
	bytes = le32_get(store.size);
	if (bytes < sizeof(store) || bytes > room - header ||
		(g->profile && bytes != room - header))
		return fault(ret_fault, "store-size", header + 16,
			"the store header's size does not fit the volume");
	if (store.format != EDK2_FORMATTED)
		return fault(ret_fault, "store-format", header + 20, "the store is not formatted");
	if (store.state != EDK2_HEALTHY)
		return fault(ret_fault, "store-state", header + 21, "the store is not healthy");
	use_header(g, header, bytes);
	if (g->end < g->first) /* the first record's place, rounded up, lies behind the end */
		return fault(ret_fault, "store-size", header + 16,
			"the store header's size leaves no room for records");
	g->is_authenticated = guid_equal(&store.signature, &edk2_auth_guid);
	return 0;
}

int edk2_geometry_read(struct edk2_geometry *ret, const uint8_t *data, size_t size,
	uint64_t available, struct edk2_fault *ret_fault)
{
	struct edk2_geometry g = {0};
	struct edk2_wire_volume volume;
	uint32_t block = 0;
	uint64_t live;
	int r;

	r = read_volume(data, size, available, &volume, &block, ret_fault);
	if (r < 0)
		return r;
	g.volume = (uint32_t)le64_get(volume.length);
	g.block = block;
	g.profile = profile_of_volume(g.volume);
	r = read_store(&g, data, size, le16_get(volume.header_length), ret_fault);
	if (r < 0)
		return r;
	if (g.profile) {
		use_profile(&g, g.profile);
	} else {
		live = ((uint64_t)g.header + g.store_bytes + block - 1) / block * block;
		g.live = live > g.volume ? g.volume : (uint32_t)live;
	}
	*ret = g;
	return 0;
}

void edk2_geometry_write(const struct edk2_geometry *g, uint8_t *data)
{
	struct edk2_wire_volume volume = {
		.file_system = edk2_volume_guid,
		.length = le64_of(g->volume),
		.attributes = le32_of(g->profile ? g->profile->attributes : EDK2_ATTRIBUTES_OVMF),
		.header_length = le16_of((uint16_t)g->header),
		.revision = EDK2_REVISION,
	};
	struct edk2_wire_block block = {
		.count = le32_of(g->profile ? g->profile->block_count : g->volume / g->block),
		.length = le32_of(g->block),
	};
	struct edk2_wire_store store = {
		.signature = g->is_authenticated ? edk2_auth_guid : edk2_plain_guid,
		.size = le32_of(g->store_bytes),
		.format = EDK2_FORMATTED,
		.state = EDK2_HEALTHY,
	};

	memset(data, 0, g->header);
	memset(data + g->header, EDK2_ERASED, g->first - g->header);
	memcpy(volume.signature, EDK2_SIGNATURE, sizeof(volume.signature));
	memcpy(data, &volume, sizeof(volume));
	memcpy(data + sizeof(volume), &block, sizeof(block));
	volume.checksum = le16_of(edk2_volume_checksum(data, g->header));
	memcpy(data, &volume, sizeof(volume));
	memcpy(data + g->header, &store, sizeof(store));
}
