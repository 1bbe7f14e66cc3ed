/* SPDX-License-Identifier: MIT */
/*
 * edk2_index.c — which record is each key's value, as edk2's look-up decides it.
 *
 * The first 0x3F record of a key wins; without one, the last 0x3E record. A hash table makes that
 * linear in the number of records. Keys stay in the table when their value dies, so that nothing is
 * ever taken out of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "store/edk2.h"

#define FIRST_CAPACITY 64u

void edk2_index_fini(struct edk2_index *index)
{
	free(index->records);
	free(index->keys);
	free(index->live);
	free(index->table);
	*index = (struct edk2_index){0};
}

static uint32_t fold(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

/* Room for capacity records in a new, empty index. */
static int allocate(struct edk2_index *index, uint32_t capacity)
{
	*index = (struct edk2_index){.capacity = capacity, .table_size = 1};
	while (index->table_size < 2 * capacity)
		index->table_size *= 2;
	index->records = calloc(capacity, sizeof(*index->records));
	index->keys = calloc(capacity, sizeof(*index->keys));
	index->live = calloc(capacity, sizeof(*index->live));
	index->table = calloc(index->table_size, sizeof(*index->table));
	if (!index->records || !index->keys || !index->live || !index->table) {
		edk2_index_fini(index);
		return -ENOMEM;
	}
	return 0;
}

/* The record's name without its NUL and its vendor, as they lie in the store. */
static struct reader name_of(const uint8_t *live, const struct edk2_record *record)
{
	return reader_of(live + record->offset + record->header, record->name_bytes - 2);
}

static const uint8_t *vendor_of(const uint8_t *live, const struct edk2_record *record)
{
	return live + record->offset + record->header - sizeof(struct guid); /* its last field */
}

static bool is_same_key(const uint8_t *live, const struct edk2_record *a,
	const struct edk2_record *b)
{
	return a->name_bytes == b->name_bytes &&
		memcmp(vendor_of(live, a), vendor_of(live, b), sizeof(struct guid)) == 0 &&
		memcmp(name_of(live, a).p, name_of(live, b).p, a->name_bytes - 2) == 0;
}

static bool has_key(const uint8_t *live, const struct edk2_record *record,
	const struct uefi_name *name, const struct guid *vendor)
{
	struct reader r = name_of(live, record);

	if (record->name_bytes / 2 - 1 != name->count ||
		memcmp(vendor_of(live, record), vendor, sizeof(*vendor)) != 0)
		return false;
	for (size_t i = 0; i < name->count; i++) {
		if (reader_le16(&r) != name->units[i])
			return false;
	}
	return true;
}

static bool is_value_state(uint8_t state)
{
	return state == EDK2_STATE_LIVE || state == EDK2_STATE_IN_TRANSITION;
}

static void set_live(struct edk2_index *index, uint32_t i, bool is_live)
{
	const struct edk2_record *record = &index->records[i];

	if (index->live[i] == is_live)
		return;
	index->live[i] = is_live;
	index->live_count += is_live ? 1 : -1u;
	if (is_live)
		index->live_bytes += record->bytes;
	else
		index->live_bytes -= record->bytes;
}

/* Puts record i into the table: it becomes its key's value, or does not. */
static void enter(struct edk2_index *index, const uint8_t *live, uint32_t i)
{
	const struct edk2_record *record = &index->records[i];
	uint32_t mask = index->table_size - 1;
	uint32_t slot = index->keys[i] & mask;

	for (; index->table[slot] != 0; slot = (slot + 1) & mask) {
		uint32_t other = index->table[slot] - 1;

		if (index->keys[other] != index->keys[i] ||
			!is_same_key(live, &index->records[other], record))
			continue;
		if (index->live[other] && index->records[other].state == EDK2_STATE_LIVE)
			return; /* the first of two */
		set_live(index, other, false);
		break;
	}
	index->table[slot] = i + 1;
	set_live(index, i, true);
}

/* Appends a record that the walk gave. There is room. */
static void append(struct edk2_index *index, const struct edk2_geometry *g, const uint8_t *live,
	const struct edk2_record *record)
{
	struct nv_variable variable;
	uint32_t i = index->count++;

	index->records[i] = *record;
	index->all_bytes += record->bytes;
	if (!record->is_sound && !index->is_damaged) {
		index->is_damaged = true;
		index->damaged_at = record->offset;
	}
	if (!record->is_nameable || !is_value_state(record->state))
		return;
	edk2_record_decode(g, live, record, &variable);
	index->keys[i] = fold(uefi_key_hash(&variable.name, &variable.vendor));
	enter(index, live, i);
}

int edk2_index_build(struct edk2_index *index, const struct edk2_geometry *g, const uint8_t *live)
{
	struct edk2_walk walk = edk2_walk_of(g, live);
	struct edk2_index fresh;
	struct edk2_record record;
	uint32_t count = 0;
	int r;

	while (edk2_walk_next(&walk, &record))
		count++;
	r = allocate(&fresh, count + FIRST_CAPACITY);
	if (r < 0)
		return r;
	walk = edk2_walk_of(g, live);
	while (edk2_walk_next(&walk, &record))
		append(&fresh, g, live, &record);
	fresh.end = walk.at;
	fresh.end_kind = walk.end;
	fresh.is_tail_erased = edk2_is_erased(live + walk.at, g->end - walk.at);
	if (!fresh.is_damaged && (walk.end == EDK2_END_OVERRUN ||
			(walk.end == EDK2_END_FREE &&
				edk2_find_lost(g, live, walk.at) != EDK2_NO_RECORD))) {
		fresh.is_damaged = true;
		fresh.damaged_at = walk.at;
	}
	edk2_index_fini(index);
	*index = fresh;
	return 0;
}

int edk2_index_reserve(struct edk2_index *index, const struct edk2_geometry *g,
	const uint8_t *live)
{
	struct edk2_index larger;
	int r;

	if (index->count < index->capacity)
		return 0;
	r = allocate(&larger, 2 * index->capacity);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < index->count; i++)
		append(&larger, g, live, &index->records[i]);
	larger.end = index->end;
	larger.end_kind = index->end_kind;
	larger.is_tail_erased = index->is_tail_erased;
	edk2_index_fini(index);
	*index = larger;
	return 0;
}

uint32_t edk2_index_find(const struct edk2_index *index, const struct edk2_geometry *g,
	const uint8_t *live, const struct uefi_name *name, const struct guid *vendor)
{
	uint32_t key = fold(uefi_key_hash(name, vendor));
	uint32_t mask = index->table_size - 1;

	for (uint32_t slot = key & mask; index->table[slot] != 0; slot = (slot + 1) & mask) {
		uint32_t i = index->table[slot] - 1;

		if (index->keys[i] == key && has_key(live, &index->records[i], name, vendor))
			return index->live[i] ? i : EDK2_NO_RECORD;
	}
	return EDK2_NO_RECORD;
}

void edk2_index_add(struct edk2_index *index, const struct edk2_geometry *g, const uint8_t *live)
{
	struct edk2_walk walk = edk2_walk_of(g, live);
	struct edk2_record record;

	walk.at = index->end;
	if (!edk2_walk_next(&walk, &record))
		return;
	append(index, g, live, &record);
	index->end = walk.at;
}

void edk2_index_set_state(struct edk2_index *index, uint32_t record, uint8_t state)
{
	index->records[record].state = state;
	if (!is_value_state(state))
		set_live(index, record, false);
}

uint32_t edk2_index_twin(const struct edk2_index *index, const struct edk2_geometry *g,
	const uint8_t *live, uint32_t record, uint32_t after)
{
	const struct edk2_record *self = &index->records[record];

	for (uint32_t i = after + 1; i < index->count; i++) { /* EDK2_NO_RECORD + 1 is 0 */
		if (i != record && index->keys[i] == index->keys[record] &&
			index->records[i].is_nameable && is_value_state(index->records[i].state) &&
			is_same_key(live, &index->records[i], self))
			return i;
	}
	return EDK2_NO_RECORD;
}
