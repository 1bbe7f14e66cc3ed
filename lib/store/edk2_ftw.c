/* SPDX-License-Identifier: MIT */
/*
 * edk2_ftw.c — the work area of the fault-tolerant write: reading it as firmware does, making its
 * header and its queue's entries. Pure functions.
 *
 * A write is pending when the newest group in the queue is not complete and the first of its
 * records whose target is not complete has its spare complete. Firmware's early reader and its
 * driver both decide so.
 */
#include <errno.h>
#include <string.h>

#include "base/reader.h"
#include "store/edk2.h"

/* FaultTolerantWriteDxe's own GUID, which it gives as the caller of an implied group. */
static const struct guid caller_guid = GUID_OF(0xfe5cea76, 0x4f72, 0x49e8, 0x98, 0x6f, 0x2c, 0xd8,
	0x99, 0xdf, 0xfe, 0x5d);

/* CRC-32 of zlib and UEFI: polynomial 0x04C11DB7, reflected. */
static uint32_t crc32_of(const void *data, size_t size)
{
	const uint8_t *p = data;
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < size; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

void edk2_work_header(uint32_t work, struct edk2_wire_work *ret)
{
	memset(ret, EDK2_ERASED, sizeof(*ret));
	ret->signature = edk2_work_guid;
	ret->queue_bytes = le64_of(work - sizeof(*ret));
	ret->crc = le32_of(crc32_of(ret, sizeof(*ret)));
	ret->flags = EDK2_WORK_VALID;
}

bool edk2_work_is_valid(const uint8_t *work, size_t size)
{
	struct edk2_wire_work wanted;

	if (size < sizeof(wanted) || size > EDK2_VOLUME_MAX)
		return false;
	edk2_work_header((uint32_t)size, &wanted);
	return memcmp(work, &wanted, sizeof(wanted)) == 0;
}

static bool is_set(uint8_t flags, uint8_t bit)
{
	return (flags & bit) == 0;
}

/* Bytes of a group; false when they do not fit into size_t. */
static bool group_bytes(const struct edk2_wire_write *write, size_t *ret)
{
	uint64_t one, all;

	return !__builtin_add_overflow(le64_get(write->private_bytes),
		       sizeof(struct edk2_wire_write_record), &one) &&
		!__builtin_mul_overflow(le64_get(write->count), one, &all) &&
		!__builtin_add_overflow(all, sizeof(*write), &all) &&
		!__builtin_add_overflow(all, 0, ret);
}

/* The newest group, in which there may be something to finish. r stands behind its header. */
static void read_group(struct edk2_ftw *ftw, const struct edk2_wire_write *write, struct reader r,
	size_t at)
{
	uint64_t count = le64_get(write->count);
	uint64_t private_bytes = le64_get(write->private_bytes);
	size_t here = at + sizeof(*write);
	struct edk2_wire_write_record record;

	ftw->state = EDK2_FTW_FULL;
	ftw->is_abandoned = true;
	for (uint64_t i = 0; i < count; i++) {
		if (!reader_copy(&r, &record, sizeof(record)) ||
			private_bytes > reader_remaining(&r))
			return;
		if (!is_set(record.flags, EDK2_RECORD_TARGET_COMPLETE))
			break;
		if (i + 1 == count) {
			ftw->is_abandoned = false; /* done; only its last flag is missing */
			return;
		}
		(void)reader_take(&r, (size_t)private_bytes); /* is there: tested above */
		here += sizeof(record) + (size_t)private_bytes;
	}
	if (count == 0 || !is_set(record.flags, EDK2_RECORD_SPARE_COMPLETE))
		return;
	ftw->state = EDK2_FTW_PENDING;
	ftw->is_abandoned = false;
	ftw->entry = (uint32_t)at;
	ftw->record = (uint32_t)here;
	ftw->lba = le64_get(record.lba);
	ftw->offset = le64_get(record.offset);
	ftw->length = le64_get(record.length);
	ftw->relative_offset = (int64_t)le64_get(record.relative_offset);
	ftw->is_last = here + sizeof(record) + private_bytes ==
		at + sizeof(*write) + count * (sizeof(record) + private_bytes);
}

struct edk2_ftw edk2_ftw_read(const uint8_t *work, size_t size)
{
	struct edk2_ftw ftw = {.state = EDK2_FTW_INVALID};
	size_t at = sizeof(struct edk2_wire_work);
	struct edk2_wire_write write;
	struct reader r;
	size_t bytes;

	if (!edk2_work_is_valid(work, size))
		return ftw;
	ftw.state = EDK2_FTW_FULL;
	for (;;) {
		r = reader_of(work, size);
		(void)reader_take(&r, at); /* at is at most size */
		if (!reader_copy(&r, &write, sizeof(write)))
			return ftw;
		if (!is_set(write.flags, EDK2_WRITE_COMPLETE))
			break;
		if (!group_bytes(&write, &bytes) || bytes > size - at)
			return ftw;
		at += bytes;
	}
	if (is_set(write.flags, EDK2_WRITE_ALLOCATED)) {
		read_group(&ftw, &write, r, at);
	} else if (size - at >= EDK2_FTW_ENTRY && edk2_is_erased(work + at, size - at)) {
		ftw.state = EDK2_FTW_READY;
		ftw.entry = (uint32_t)at;
	}
	return ftw;
}

void edk2_ftw_entry(const struct edk2_geometry *g, uint8_t out[static EDK2_FTW_ENTRY])
{
	struct edk2_wire_write write;
	struct edk2_wire_write_record record;

	memset(&write, EDK2_ERASED, sizeof(write));
	write.flags = (uint8_t)~(EDK2_WRITE_ALLOCATED | EDK2_WRITES_ALLOCATED);
	write.caller = caller_guid;
	write.count = le64_of(1);
	write.private_bytes = le64_of(0);
	memset(&record, EDK2_ERASED, sizeof(record));
	record.lba = le64_of(0);
	record.offset = le64_of(g->header);
	record.length = le64_of(g->store_bytes);
	record.relative_offset = le64_of(-(uint64_t)g->spare_offset);
	memcpy(out, &write, sizeof(write));
	memcpy(out + sizeof(write), &record, sizeof(record));
}

bool edk2_ftw_is_live(const struct edk2_ftw *ftw, const struct edk2_geometry *g)
{
	uint64_t bytes;

	return ftw->relative_offset == -(int64_t)g->spare_offset && ftw->lba == 0 && ftw->is_last &&
		!__builtin_add_overflow(ftw->offset, ftw->length, &bytes) && bytes <= g->live &&
		bytes > g->live - g->block && g->live <= g->spare;
}
