/* SPDX-License-Identifier: MIT */
/* vars_snapshot.c — see vars_snapshot.h. */
#include "tacit/vars_snapshot.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/reader.h"

int snapshot_fail(char **ret_error, int r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(ret_error, format, args) < 0)
		*ret_error = NULL;
	va_end(args);
	for (char *c = *ret_error; c && *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?'; /* of a name from outside */
	}
	return r;
}

const char *snapshot_add_error(int r)
{
	switch (r) {
	case -EEXIST:
		return "is there twice";
	case -E2BIG:
		return "is one variable too many";
	case -EFBIG:
		return "has too much content";
	default:
		return strerror(-r);
	}
}

void snapshot_fini(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++)
		free(snapshot->items[i].data);
	free(snapshot->items);
	*snapshot = (struct snapshot){0};
}

static int reserve(struct snapshot *snapshot)
{
	size_t capacity = snapshot->capacity ? 2 * snapshot->capacity : 64;
	struct snapshot_item *items;

	if (snapshot->count < snapshot->capacity)
		return 0;
	items = reallocarray(snapshot->items, capacity, sizeof(*items));
	if (!items)
		return -ENOMEM;
	snapshot->items = items;
	snapshot->capacity = capacity;
	return 0;
}

int snapshot_add(struct snapshot *snapshot, const struct nv_variable *v, bool has_time)
{
	struct snapshot_item *item;
	uint8_t *data;

	if (snapshot_find(snapshot, &v->name, &v->vendor))
		return -EEXIST;
	if (snapshot->count == SNAPSHOT_COUNT_MAX)
		return -E2BIG;
	if (v->size > SNAPSHOT_DATA_MAX)
		return -EFBIG;
	if (reserve(snapshot) < 0)
		return -ENOMEM;
	data = malloc(v->size ? v->size : 1);
	if (!data)
		return -ENOMEM;
	if (v->size > 0)
		memcpy(data, v->data, v->size);
	item = &snapshot->items[snapshot->count++];
	*item = (struct snapshot_item){
		.variable = *v,
		.data = data,
		.hash = uefi_key_hash(&v->name, &v->vendor),
		.has_time = has_time,
	};
	item->variable.data = data;
	return 0;
}

const struct snapshot_item *snapshot_find(const struct snapshot *snapshot,
	const struct uefi_name *name, const struct guid *vendor)
{
	uint64_t hash = uefi_key_hash(name, vendor);

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct snapshot_item *item = &snapshot->items[i];

		if (item->hash == hash && guid_equal(&item->variable.vendor, vendor) &&
			uefi_name_equal(&item->variable.name, name))
			return item;
	}
	return NULL;
}

bool snapshot_is_same(const struct snapshot_item *item, const struct nv_variable *v, bool has_time)
{
	const struct nv_variable *own = &item->variable;

	if (own->attributes != v->attributes || own->size != v->size)
		return false;
	if (own->size > 0 && memcmp(own->data, v->data, own->size) != 0)
		return false;
	return !item->has_time || !has_time || uefi_time_compare(&own->time, &v->time) == 0;
}

int snapshot_from_store(struct snapshot *snapshot, struct store *store)
{
	struct nv_variable v;
	uint64_t cursor = 0;

	while (store->nv.ops->next(&store->nv, &cursor, &v) > 0) {
		int r = snapshot_add(snapshot, &v, true);

		if (r < 0)
			return r;
	}
	return 0;
}

void snapshot_time_encode(const struct uefi_time *time, uint8_t bytes[static SNAPSHOT_TIME_SIZE])
{
	const uint8_t encoded[SNAPSHOT_TIME_SIZE] = {
		(uint8_t)time->year, (uint8_t)(time->year >> 8),
		time->month, time->day, time->hour, time->minute, time->second, time->pad1,
		(uint8_t)time->nanosecond, (uint8_t)(time->nanosecond >> 8),
		(uint8_t)(time->nanosecond >> 16), (uint8_t)(time->nanosecond >> 24),
		(uint8_t)time->zone, (uint8_t)((uint16_t)time->zone >> 8),
		time->daylight, time->pad2,
	};

	memcpy(bytes, encoded, sizeof(encoded));
}

struct uefi_time snapshot_time_decode(const uint8_t bytes[static SNAPSHOT_TIME_SIZE])
{
	struct reader r = reader_of(bytes, SNAPSHOT_TIME_SIZE);
	struct uefi_time time;

	time.year = reader_le16(&r);
	time.month = reader_u8(&r);
	time.day = reader_u8(&r);
	time.hour = reader_u8(&r);
	time.minute = reader_u8(&r);
	time.second = reader_u8(&r);
	time.pad1 = reader_u8(&r);
	time.nanosecond = reader_le32(&r);
	time.zone = (int16_t)reader_le16(&r);
	time.daylight = reader_u8(&r);
	time.pad2 = reader_u8(&r);
	return time;
}
