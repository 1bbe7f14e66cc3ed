/* SPDX-License-Identifier: MIT */
/*
 * edk2_commit.c — replacing the live region by a fault-tolerant write, such that at every byte of
 * it edk2's firmware finds the old store or the new one.
 *
 * Barriers (fdatasync), and why each is needed:
 *
 *	spare, queue entry     | 1  firmware trusts spare as soon as the next flag is seen
 *	spare complete         | 2  THE COMMIT: from here on firmware itself would finish the write
 *	list cut               | 3  the old list must end before its records are overwritten
 *	live region            | 4  the list may only grow back over whole records
 *	list joined            | 5  nothing may be lost once the entry says complete
 *	complete flags         | 6  a later change would be undone by replaying spare
 *	spare erased                tidy only
 *
 * The cut: ArmVirt's flash driver walks the live region before any recovery, and erases everything
 * when a record looks wrong. So the first byte of the first record is erased first, which makes the
 * list empty and legal, and is written last. Volume and store headers are never touched unless they
 * differ. While the list is cut, early reader and driver take the store from spare.
 *
 * A full or damaged queue is made anew with spare erased first, since firmware searches spare for a
 * copy of a work area that is invalid; in that time no write is pending that could be lost.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/edk2.h"

/* Past the image in memory: the live region there is what it will be when all is done. */
static int write_volume(struct edk2_store *s, uint32_t offset, const void *data, size_t n)
{
	int r;

	if (n == 0)
		return 0;
	r = s->source->ops->write(s->source, data, n, s->base + offset);
	if (r < 0) {
		s->is_stale = true;
		return edk2_refuse(s, r, "writing failed: %s", strerror(-r));
	}
	return 0;
}

static int write_byte(struct edk2_store *s, uint32_t offset, uint8_t byte)
{
	return write_volume(s, offset, &byte, 1);
}

/* Spare becomes the first n bytes of data, the rest of it erased. */
static int write_spare(struct edk2_store *s, const uint8_t *data, size_t n)
{
	const struct edk2_geometry *g = &s->geometry;
	CLEAN(free) uint8_t *spare = malloc(g->spare);

	if (!spare)
		return edk2_refuse(s, -ENOMEM, "out of memory");
	if (n > 0)
		memcpy(spare, data, n);
	memset(spare + n, EDK2_ERASED, g->spare - n);
	return write_volume(s, g->spare_offset, spare, g->spare);
}

/* A new, empty queue. No write is pending. */
static int renew_queue(struct edk2_store *s)
{
	const struct edk2_geometry *g = &s->geometry;
	const uint32_t header_bytes = sizeof(struct edk2_wire_work);
	CLEAN(free) uint8_t *erased = malloc(g->work);
	struct edk2_wire_work header;
	int r;

	if (!erased)
		return edk2_refuse(s, -ENOMEM, "out of memory");
	memset(erased, EDK2_ERASED, g->work);
	edk2_work_header(g->work, &header);
	r = write_spare(s, NULL, 0);
	if (r == 0)
		r = edk2_sync(s);
	if (r == 0)
		r = write_byte(s, g->work_offset + (uint32_t)offsetof(struct edk2_wire_work, flags),
			EDK2_WORK_INVALID);
	if (r == 0)
		r = edk2_sync(s);
	if (r == 0)
		r = write_volume(s, g->work_offset + header_bytes, erased, g->work - header_bytes);
	if (r == 0)
		r = edk2_sync(s);
	if (r == 0)
		r = write_volume(s, g->work_offset, &header, sizeof(header));
	if (r == 0)
		s->ftw = (struct edk2_ftw){.state = EDK2_FTW_READY, .entry = header_bytes};
	return r;
}

/* Whatever differs from current, without the byte that the cut guards. */
static int write_differences(struct edk2_store *s, const uint8_t *current, const uint8_t *image)
{
	const uint32_t first = s->geometry.first;
	uint32_t low = 0, high = s->geometry.live;
	int r = 0;

	while (low < high && (low == first || current[low] == image[low]))
		low++;
	while (high > low && (high - 1 == first || current[high - 1] == image[high - 1]))
		high--;
	if (low < first)
		r = write_volume(s, low, image + low, (high < first ? high : first) - low);
	if (low <= first)
		low = first + 1;
	if (r == 0 && high > low)
		r = write_volume(s, low, image + low, high - low);
	return r;
}

/* The live region becomes image while spare vouches for it. */
static int replace_live(struct edk2_store *s, const uint8_t *image)
{
	const struct edk2_geometry *g = &s->geometry;
	CLEAN(free) uint8_t *current = malloc(g->live);
	int r;

	if (!current)
		return edk2_refuse(s, -ENOMEM, "out of memory");
	r = s->source->ops->read(s->source, current, g->live, s->base);
	if (r < 0)
		return edk2_refuse(s, r, "reading failed: %s", strerror(-r));
	if (memcmp(current, image, g->live) == 0)
		return 0;
	if (current[g->first] != EDK2_ERASED) {
		r = write_byte(s, g->first, EDK2_ERASED);
		if (r == 0)
			r = edk2_sync(s);
		if (r < 0)
			return r;
	}
	r = write_differences(s, current, image);
	if (r == 0)
		r = edk2_sync(s);
	if (r < 0 || image[g->first] == EDK2_ERASED)
		return r;
	r = write_byte(s, g->first, image[g->first]);
	return r < 0 ? r : edk2_sync(s);
}

int edk2_commit_finish(struct edk2_store *s, const uint8_t *image, uint32_t entry, uint32_t record)
{
	const struct edk2_geometry *g = &s->geometry;
	const uint8_t done = (uint8_t)~(EDK2_WRITE_ALLOCATED | EDK2_WRITES_ALLOCATED |
		EDK2_WRITE_COMPLETE);
	const uint8_t both = (uint8_t)~(EDK2_RECORD_SPARE_COMPLETE | EDK2_RECORD_TARGET_COMPLETE);
	int r;

	r = replace_live(s, image);
	if (r == 0)
		r = write_byte(s, g->work_offset + record, both);
	if (r == 0)
		r = write_byte(s, g->work_offset + entry, done);
	if (r == 0)
		r = edk2_sync(s);
	if (r < 0) {
		s->is_stale = true;
		return r;
	}
	(void)write_spare(s, NULL, 0); /* nothing depends on it */
	return edk2_load_ftw(s, g, &s->ftw);
}

/* Up to the commit. On failure the entry is taken back as far as the medium still allows. */
static int prepare(struct edk2_store *s, const uint8_t *image, uint32_t entry, uint32_t record)
{
	const struct edk2_geometry *g = &s->geometry;
	const uint8_t spare_complete = (uint8_t)~EDK2_RECORD_SPARE_COMPLETE;
	const uint8_t abandoned = (uint8_t)~(EDK2_WRITE_ALLOCATED | EDK2_WRITES_ALLOCATED |
		EDK2_WRITE_COMPLETE);
	uint8_t bytes[EDK2_FTW_ENTRY];
	int r;

	edk2_ftw_entry(g, bytes);
	r = write_spare(s, image, g->live);
	if (r == 0)
		r = write_volume(s, g->work_offset + entry, bytes, sizeof(bytes));
	if (r == 0)
		r = edk2_sync(s);
	if (r == 0)
		r = write_byte(s, g->work_offset + record, spare_complete);
	if (r == 0)
		r = edk2_sync(s);
	if (r < 0) {
		char reason[sizeof(s->reason)];

		memcpy(reason, s->reason, sizeof(reason));
		(void)write_byte(s, g->work_offset + entry, abandoned); /* the first error counts */
		(void)s->source->ops->sync(s->source);
		memcpy(s->reason, reason, sizeof(reason));
		s->is_stale = true;
	}
	return r;
}

int edk2_commit(struct edk2_store *s, const uint8_t *image)
{
	uint32_t entry, record;
	int r;

	if (!s->geometry.has_ftw)
		return edk2_refuse(s, -ENOSPC,
			"no room left, and no fault-tolerant write area is known to reclaim some");
	if (s->ftw.state != EDK2_FTW_READY) {
		r = renew_queue(s);
		if (r < 0) {
			s->is_stale = true;
			return r;
		}
	}
	entry = s->ftw.entry;
	record = entry + (uint32_t)sizeof(struct edk2_wire_write);
	r = prepare(s, image, entry, record);
	if (r < 0)
		return r;
	r = edk2_commit_finish(s, image, entry, record);
	memcpy(s->live, image, s->geometry.live);
	if (r < 0 || edk2_index_build(&s->index, &s->geometry, s->live) < 0)
		s->is_stale = true; /* committed: the next use recovers */
	return 0;
}
