/* SPDX-License-Identifier: MIT */
/*
 * edk2_locate.c — where in an image a variable store lies.
 *
 * At the start, as every VARS image has it, also when the header there is damaged but the rest
 * shows what it was; else anywhere (a flash dump). The padding behind a volume is never read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/reader.h"
#include "store/edk2.h"

#define SCAN_STEP (256u << 10)

static bool is_volume(const uint8_t *data, size_t size)
{
	struct edk2_wire_volume volume;
	struct reader r = reader_of(data, size);

	return reader_copy(&r, &volume, sizeof(volume)) &&
		memcmp(volume.signature, EDK2_SIGNATURE, sizeof(volume.signature)) == 0 &&
		guid_equal(&volume.file_system, &edk2_volume_guid);
}

static bool is_file_size(uint64_t size, const struct edk2_profile *p)
{
	return size == p->file_size || size == p->volume;
}

/* The source's bytes at offset are a valid work area's header. */
static bool has_work(struct source *source, uint64_t offset, uint32_t work)
{
	struct edk2_wire_work header, wanted;

	edk2_work_header(work, &wanted);
	return source->size >= offset + sizeof(header) &&
		source->ops->read(source, &header, sizeof(header), offset) == 0 &&
		memcmp(&header, &wanted, sizeof(header)) == 0;
}

static bool has_store(const uint8_t *head, size_t size)
{
	const size_t at = sizeof(struct edk2_wire_volume) + 2 * sizeof(struct edk2_wire_block);
	struct reader r = reader_of(head, size);
	struct guid guid;

	(void)reader_take(&r, at); /* a short reader fails below */
	return reader_copy(&r, &guid, sizeof(guid)) &&
		(guid_equal(&guid, &edk2_auth_guid) || guid_equal(&guid, &edk2_plain_guid));
}

static bool is_zero(struct source *source, uint32_t n)
{
	uint8_t block[4096];

	for (uint32_t at = 0; at < n; at += (uint32_t)sizeof(block)) {
		if (source->ops->read(source, block, sizeof(block), at) < 0)
			return false;
		for (size_t i = 0; i < sizeof(block); i++) {
			if (block[i] != 0)
				return false;
		}
	}
	return true;
}

/* Looks behind the start for a whole volume. */
static int scan(struct source *source, struct edk2_place *ret)
{
	const size_t overlap = sizeof(struct edk2_wire_volume);
	CLEAN(free) uint8_t *buffer = malloc(SCAN_STEP + overlap);
	uint64_t limit = source->size < EDK2_SCAN_MAX ? source->size : EDK2_SCAN_MAX;
	int r;

	if (!buffer)
		return -ENOMEM;
	for (uint64_t at = 0; at < limit; at += SCAN_STEP) {
		size_t n = (size_t)(limit - at < SCAN_STEP + overlap ? limit - at
								     : SCAN_STEP + overlap);
		const uint8_t *from = buffer;

		r = source->ops->read(source, buffer, n, at);
		if (r < 0)
			return r;
		for (;;) {
			size_t left = n - (size_t)(from - buffer);
			const uint8_t *hit = memmem(from, left, EDK2_SIGNATURE, 4);
			const size_t into = offsetof(struct edk2_wire_volume, signature);
			struct reader volume;
			uint64_t start;

			if (!hit)
				break;
			from = hit + 1;
			if ((size_t)(hit - buffer) < into)
				continue;
			start = at + (uint64_t)(hit - buffer) - into;
			volume = reader_of(hit - into, n - (size_t)(hit - into - buffer));
			if (start % 8 != 0 || !is_volume(volume.p, reader_remaining(&volume)))
				continue;
			(void)reader_take(&volume, offsetof(struct edk2_wire_volume, length));
			if (reader_le64(&volume) > source->size - start)
				continue;
			*ret = (struct edk2_place){.found = EDK2_FOUND_VOLUME, .offset = start};
			return 0;
		}
	}
	return 0;
}

/* A damaged header at the start, told by what is around it. */
static void look_for_damage(struct source *source, const uint8_t *head, size_t size,
	struct edk2_place *ret)
{
	for (const struct edk2_profile *p = edk2_profiles; p->name; p++) {
		if (source->size < p->volume || !is_file_size(source->size, p))
			continue;
		if (has_store(head, size) || has_work(source, p->work_offset, p->work)) {
			*ret = (struct edk2_place){.found = EDK2_FOUND_DAMAGED, .profile = p};
			return;
		}
	}
}

int edk2_locate(struct source *source, struct edk2_place *ret)
{
	uint8_t head[sizeof(struct edk2_wire_volume) + 2 * sizeof(struct edk2_wire_block) +
		sizeof(struct edk2_wire_store)];
	size_t n = source->size < sizeof(head) ? (size_t)source->size : sizeof(head);
	struct edk2_place place = {0};
	int r;

	r = source->ops->read(source, head, n, 0);
	if (r < 0)
		return r;
	if (is_volume(head, n))
		place.found = EDK2_FOUND_VOLUME;
	else
		look_for_damage(source, head, n, &place);
	for (const struct edk2_profile *p = edk2_profiles; p->name && !place.found; p++) {
		if (is_file_size(source->size, p) && is_zero(source, p->volume))
			place = (struct edk2_place){.found = EDK2_FOUND_BLANK, .profile = p};
	}
	if (!place.found) {
		r = scan(source, &place);
		if (r < 0)
			return r;
	}
	for (const struct edk2_profile *p = edk2_profiles; p->name && !place.found; p++) {
		if (source->size == p->volume)
			place = (struct edk2_place){.found = EDK2_FOUND_GARBLED, .profile = p};
	}
	*ret = place;
	return 0;
}
