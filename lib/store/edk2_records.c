/* SPDX-License-Identifier: MIT */
/*
 * edk2_records.c — records: the walk through the list, reading one, making one. Pure functions.
 *
 * A record in state 0xFF was being written when the machine stopped. edk2's own driver takes it for
 * a header without name and data: it goes on right behind the header, finds the end of the list
 * there or bytes of the name, and appends there if nothing but erased bytes follow. So does the
 * walk: it goes on if there is a start id, and ends at the torn record otherwise. The writer
 * (edk2_write.c) sees to it that name bytes never look like a start id.
 */
#include <errno.h>
#include <string.h>

#include "base/reader.h"
#include "store/edk2.h"

#define ALIGNMENT 4u /* of record headers; names and data follow each other without padding */

bool edk2_is_erased(const uint8_t *data, size_t size)
{
	return size == 0 || (data[0] == EDK2_ERASED && memcmp(data, data + 1, size - 1) == 0);
}

const char *edk2_state_name(uint8_t state)
{
	switch (state) {
	case EDK2_STATE_LIVE:
		return "live";
	case EDK2_STATE_IN_TRANSITION:
		return "in-transition";
	case EDK2_STATE_DELETED:
	case EDK2_STATE_REPLACED:
		return "deleted";
	case EDK2_STATE_INCOMPLETE:
	case EDK2_STATE_HEADER_ONLY:
		return "incomplete";
	default:
		return "invalid";
	}
}

uint32_t edk2_record_header(const struct edk2_geometry *g)
{
	return g->is_authenticated ? sizeof(struct edk2_wire_record)
				   : sizeof(struct edk2_wire_plain_record);
}

uint64_t edk2_record_bytes(const struct edk2_geometry *g, size_t name_count, size_t data_size)
{
	uint64_t bytes;

	if (name_count > UEFI_NAME_MAX || data_size > g->end)
		return (uint64_t)g->end + ALIGNMENT;
	bytes = (uint64_t)edk2_record_header(g) + (name_count + 1) * 2 + data_size;
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Either header in its larger form. */
static bool read_header(const struct edk2_geometry *g, struct reader *r,
	struct edk2_wire_record *ret)
{
	struct edk2_wire_plain_record plain;

	if (g->is_authenticated)
		return reader_copy(r, ret, sizeof(*ret));
	if (!reader_copy(r, &plain, sizeof(plain)))
		return false;
	*ret = (struct edk2_wire_record){
		.start_id = plain.start_id,
		.state = plain.state,
		.reserved = plain.reserved,
		.attributes = plain.attributes,
		.name_bytes = plain.name_bytes,
		.data_bytes = plain.data_bytes,
		.vendor = plain.vendor,
	};
	return true;
}

static bool is_known_state(uint8_t state)
{
	return strcmp(edk2_state_name(state), "invalid") != 0;
}

/* What firmware demands of a name: whole units, at least one, and a NUL at its end. */
static bool is_sound(uint8_t state, uint32_t name_bytes, struct reader r)
{
	if (!is_known_state(state) || name_bytes % 2 != 0 || name_bytes < 4)
		return false;
	if (state == EDK2_STATE_HEADER_ONLY)
		return true;
	(void)reader_take(&r, name_bytes - 2); /* a short reader gives 1 below, never a NUL */
	return reader_remaining(&r) >= 2 && reader_le16(&r) == 0;
}

/* A record in state 0xFF: true when firmware has appended others behind its header. */
static bool take_torn(struct edk2_walk *walk, struct edk2_record *ret)
{
	const struct edk2_geometry *g = walk->geometry;
	struct reader r = reader_of(walk->live, g->end);
	uint32_t header = edk2_record_header(g);

	(void)reader_take(&r, walk->at + header); /* the walk has read the header */
	if (reader_remaining(&r) < 2 || reader_le16(&r) != EDK2_START_ID)
		return false;
	*ret = (struct edk2_record){
		.offset = walk->at,
		.bytes = header,
		.header = header,
		.state = EDK2_STATE_INCOMPLETE,
		.is_sound = true,
	};
	walk->at += header;
	return true;
}

/* The record of a header at `at`; r stands behind the header. False when it overruns the store. */
static bool measure(const struct edk2_geometry *g, const struct edk2_wire_record *header,
	struct reader r, uint32_t at, struct edk2_record *ret)
{
	uint64_t end = (uint64_t)at + edk2_record_header(g) + le32_get(header->name_bytes) +
		le32_get(header->data_bytes);

	end = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (end > g->end)
		return false;
	*ret = (struct edk2_record){
		.offset = at,
		.bytes = (uint32_t)end - at,
		.header = edk2_record_header(g),
		.name_bytes = le32_get(header->name_bytes),
		.data_bytes = le32_get(header->data_bytes),
		.attributes = le32_get(header->attributes),
		.state = header->state,
		.is_sound = is_sound(header->state, le32_get(header->name_bytes), r),
	};
	ret->is_nameable = ret->is_sound && ret->state != EDK2_STATE_HEADER_ONLY &&
		ret->name_bytes / 2 - 1 <= UEFI_NAME_MAX;
	return true;
}

bool edk2_walk_next(struct edk2_walk *walk, struct edk2_record *ret)
{
	const struct edk2_geometry *g = walk->geometry;
	struct reader r = reader_of(walk->live, g->end);
	struct edk2_wire_record header;

	(void)reader_take(&r, walk->at); /* walk->at never passes g->end */
	walk->end = EDK2_END_FREE;
	if (!read_header(g, &r, &header) || le16_get(header.start_id) != EDK2_START_ID)
		return false;
	walk->end = EDK2_END_TORN;
	if (header.state == EDK2_STATE_INCOMPLETE)
		return take_torn(walk, ret);
	walk->end = EDK2_END_OVERRUN;
	if (!measure(g, &header, r, walk->at, ret))
		return false;
	walk->at += ret->bytes;
	return true;
}

/* True when a value lies at `at`, its start id left aside. */
static bool is_value_at(const struct edk2_geometry *g, const uint8_t *live, uint32_t at,
	le16 *ret_start_id)
{
	struct reader r = reader_of(live, g->end);
	struct edk2_wire_record header;
	struct edk2_record record;

	(void)reader_take(&r, at); /* at is below g->end */
	if (!read_header(g, &r, &header) || !measure(g, &header, r, at, &record))
		return false;
	*ret_start_id = header.start_id;
	return record.is_sound &&
		(record.state == EDK2_STATE_LIVE || record.state == EDK2_STATE_IN_TRANSITION);
}

uint32_t edk2_find_lost(const struct edk2_geometry *g, const uint8_t *live, uint32_t at)
{
	const uint8_t torn[2] = {EDK2_START_ID & 0xff, EDK2_START_ID >> 8};
	le16 start_id;

	if (g->end - at < sizeof(torn))
		return EDK2_NO_RECORD;
	/* Free space, or what a crash leaves of a start id: what follows is one new record's. */
	if ((live[at] == EDK2_ERASED || live[at] == torn[0]) &&
		(live[at + 1] == EDK2_ERASED || live[at + 1] == torn[1]) &&
		memcmp(live + at, torn, sizeof(torn)) != 0)
		return EDK2_NO_RECORD;
	if (is_value_at(g, live, at, &start_id))
		return at;
	for (at += ALIGNMENT; at < g->end; at += ALIGNMENT) {
		if (live[at] == torn[0] && is_value_at(g, live, at, &start_id) &&
			le16_get(start_id) == EDK2_START_ID)
			return at;
	}
	return EDK2_NO_RECORD;
}

static struct uefi_time decode_time(const struct edk2_wire_time *t)
{
	return (struct uefi_time){
		.year = le16_get(t->year),
		.month = t->month,
		.day = t->day,
		.hour = t->hour,
		.minute = t->minute,
		.second = t->second,
		.nanosecond = le32_get(t->nanosecond),
		.zone = (int16_t)le16_get(t->zone),
		.daylight = t->daylight,
		.pad1 = t->pad1,
		.pad2 = t->pad2,
	};
}

static struct edk2_wire_time encode_time(const struct uefi_time *t)
{
	return (struct edk2_wire_time){
		.year = le16_of(t->year),
		.month = t->month,
		.day = t->day,
		.hour = t->hour,
		.minute = t->minute,
		.second = t->second,
		.pad1 = t->pad1,
		.nanosecond = le32_of(t->nanosecond),
		.zone = le16_of((uint16_t)t->zone),
		.daylight = t->daylight,
		.pad2 = t->pad2,
	};
}

void edk2_record_decode(const struct edk2_geometry *g, const uint8_t *live,
	const struct edk2_record *record, struct nv_variable *ret)
{
	struct reader r = reader_of(live + record->offset, record->bytes);
	struct edk2_wire_record header = {0};

	(void)read_header(g, &r, &header); /* the walk has seen it whole */
	ret->vendor = header.vendor;
	ret->attributes = le32_get(header.attributes);
	ret->time = decode_time(&header.time);
	ret->monotonic_count = le64_get(header.monotonic_count);
	ret->public_key_index = le32_get(header.public_key_index);
	ret->name.count = record->is_nameable ? record->name_bytes / 2 - 1 : 0;
	for (size_t i = 0; i < ret->name.count; i++)
		ret->name.units[i] = reader_le16(&r);
	r = reader_of(live + record->offset, record->bytes);
	(void)reader_take(&r, record->header + record->name_bytes); /* within record->bytes */
	ret->data = reader_take(&r, record->data_bytes);
	ret->size = record->data_bytes;
}

void edk2_record_encode(const struct edk2_geometry *g, const struct nv_variable *v, uint8_t state,
	uint8_t *out)
{
	uint64_t bytes = edk2_record_bytes(g, v->name.count, v->size);
	struct edk2_wire_record header = {
		.start_id = le16_of(EDK2_START_ID),
		.state = state,
		.attributes = le32_of(v->attributes & ~UEFI_APPEND_WRITE),
		.monotonic_count = le64_of(v->monotonic_count),
		.time = encode_time(&v->time),
		.public_key_index = le32_of(v->public_key_index),
		.name_bytes = le32_of((uint32_t)(v->name.count + 1) * 2),
		.data_bytes = le32_of((uint32_t)v->size),
		.vendor = v->vendor,
	};
	struct edk2_wire_plain_record plain = {
		.start_id = header.start_id,
		.state = header.state,
		.attributes = header.attributes,
		.name_bytes = header.name_bytes,
		.data_bytes = header.data_bytes,
		.vendor = header.vendor,
	};
	uint8_t *p = out;

	memset(out, EDK2_ERASED, bytes);
	if (g->is_authenticated)
		memcpy(p, &header, sizeof(header));
	else
		memcpy(p, &plain, sizeof(plain));
	p += edk2_record_header(g);
	for (size_t i = 0; i <= v->name.count; i++, p += 2) {
		le16 unit = le16_of(i < v->name.count ? v->name.units[i] : 0);

		memcpy(p, &unit, sizeof(unit));
	}
	if (v->size > 0)
		memcpy(p, v->data, v->size);
}
