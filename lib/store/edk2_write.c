/* SPDX-License-Identifier: MIT */
/*
 * edk2_write.c — changing variables in place by the format's record protocol, and compaction.
 *
 * A new value:
 *
 *	old record 0x3F -> 0x3E, new record with its commit bytes erased  | barrier 1
 *	commit bytes (the state 0x3F)                                     | barrier 2
 *	old record 0x3E -> 0x3C                                             none
 *
 * Two fdatasync are the least: the commit must not reach the medium before the record that it
 * commits (1), and put promises that the value is durable (2). Either order of the writes before
 * barrier 1 leaves the old value, as 0x3F or as a 0x3E without a twin. The last write needs no
 * barrier of its own: until it is there, the 0x3E record has a 0x3F twin and is garbage. But two
 * 0x3E records of one key would be ambiguous (edk2's look-up takes the last, its reclaim the
 * first), so the next change of the same key first makes it durable: a third fdatasync, only when a
 * key is changed twice in a row. A key that is new costs two, a deletion one (two after a change of
 * the same key), a value that is the same already none.
 *
 * The commit bytes are the state, as in edk2. For a name that begins with U+55AA they are the start
 * id: edk2's walk goes on behind the header of a record in state 0xFF, into its name, and would
 * take such a name for the start of another record.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/edk2.h"

#define STATE_AT ((uint32_t)offsetof(struct edk2_wire_record, state))

static struct edk2_store *store_of(struct nv_store *nv)
{
	return (struct edk2_store *)nv; /* nv is the first member of the first member */
}

int edk2_put_bytes(struct edk2_store *s, uint32_t offset, const void *data, size_t n)
{
	int r = s->source->ops->write(s->source, data, n, s->base + offset);

	if (r < 0) {
		s->is_stale = true;
		return edk2_refuse(s, r, "writing failed: %s", strerror(-r));
	}
	memcpy(s->live + offset, data, n);
	return 0;
}

int edk2_sync(struct edk2_store *s)
{
	int r = s->source->ops->sync(s->source);

	if (r < 0) {
		s->is_stale = true;
		return edk2_refuse(s, r, "writing back failed: %s", strerror(-r));
	}
	s->is_unsettled = false;
	return 0;
}

static int set_state(struct edk2_store *s, uint32_t record, uint8_t state)
{
	int r = edk2_put_bytes(s, s->index.records[record].offset + STATE_AT, &state, 1);

	if (r == 0)
		edk2_index_set_state(&s->index, record, state);
	return r;
}

static uint8_t dead_state(uint8_t state)
{
	return state == EDK2_STATE_LIVE ? EDK2_STATE_DELETED : EDK2_STATE_REPLACED;
}

/* Makes the value's record the only one of its key, durably: dead twins stay dead. */
static int settle(struct edk2_store *s, uint32_t record)
{
	bool is_needed = s->is_unsettled && s->unsettled == s->index.keys[record];
	uint32_t twin = EDK2_NO_RECORD;
	int r;

	while ((twin = edk2_index_twin(&s->index, &s->geometry, s->live, record, twin)) !=
		EDK2_NO_RECORD) {
		r = set_state(s, twin, dead_state(s->index.records[twin].state));
		if (r < 0)
			return r;
		is_needed = true;
	}
	return is_needed ? edk2_sync(s) : 0;
}

/* Best effort after a failed append, so that the old value stands; the failure is what is told. */
static void take_back(struct edk2_store *s, uint32_t offset, size_t bytes, bool was_committing)
{
	CLEAN(free) uint8_t *erased = was_committing ? NULL : malloc(bytes);
	const uint8_t deleted = EDK2_STATE_DELETED;
	struct source *source = s->source;

	if (was_committing)
		(void)source->ops->write(source, &deleted, 1, s->base + offset + STATE_AT);
	else if (erased)
		(void)source->ops->write(source, memset(erased, EDK2_ERASED, bytes), bytes,
			s->base + offset);
	(void)source->ops->sync(source);
	s->is_stale = true;
}

/* The record in full at the end of the list, by the protocol above. old may be EDK2_NO_RECORD. */
static int write_record(struct edk2_store *s, const struct nv_variable *v, uint8_t *record,
	size_t bytes, uint32_t old)
{
	const bool is_like_header = v->name.units[0] == EDK2_START_ID;
	const uint32_t commit_at = is_like_header ? 0 : STATE_AT;
	const size_t commit_bytes = is_like_header ? 2 : 1;
	const uint32_t offset = s->index.end;
	uint8_t commit[2];
	int r = 0;

	edk2_record_encode(&s->geometry, v, EDK2_STATE_LIVE, record);
	memcpy(commit, record + commit_at, commit_bytes);
	memset(record + commit_at, EDK2_ERASED, commit_bytes);
	if (old != EDK2_NO_RECORD && s->index.records[old].state == EDK2_STATE_LIVE)
		r = set_state(s, old, EDK2_STATE_IN_TRANSITION);
	if (r < 0)
		return r;
	r = edk2_put_bytes(s, offset, record, bytes);
	if (r == 0)
		r = edk2_sync(s);
	if (r < 0) {
		take_back(s, offset, bytes, false);
		return r;
	}
	r = edk2_put_bytes(s, offset + commit_at, commit, commit_bytes);
	if (r == 0)
		r = edk2_sync(s);
	if (r < 0)
		take_back(s, offset, bytes, true);
	return r;
}

static int append(struct edk2_store *s, const struct nv_variable *v, size_t bytes, uint32_t old)
{
	CLEAN(free) uint8_t *record = malloc(bytes);
	int r;

	if (!record || edk2_index_reserve(&s->index, &s->geometry, s->live) < 0)
		return edk2_refuse(s, -ENOMEM, "out of memory");
	if (old != EDK2_NO_RECORD) {
		r = settle(s, old);
		if (r < 0)
			return r;
	}
	r = write_record(s, v, record, bytes, old);
	if (r < 0)
		return r;
	edk2_index_add(&s->index, &s->geometry, s->live);
	if (old != EDK2_NO_RECORD) {
		/* The new value is durable; where this fails the old one is garbage anyway. */
		(void)set_state(s, old, EDK2_STATE_REPLACED);
		s->is_unsettled = true;
		s->unsettled = s->index.keys[old];
	}
	return 0;
}

static bool is_same_time(const struct uefi_time *a, const struct uefi_time *b)
{
	return uefi_time_compare(a, b) == 0 && a->zone == b->zone && a->daylight == b->daylight &&
		a->pad1 == b->pad1 && a->pad2 == b->pad2;
}

static bool is_same_value(const struct edk2_store *s, uint32_t record, const struct nv_variable *v)
{
	struct nv_variable old;

	edk2_record_decode(&s->geometry, s->live, &s->index.records[record], &old);
	if (old.attributes != (v->attributes & ~UEFI_APPEND_WRITE) || old.size != v->size ||
		(v->size > 0 && memcmp(old.data, v->data, v->size) != 0))
		return false;
	return !s->geometry.is_authenticated ||
		(is_same_time(&old.time, &v->time) &&
			old.monotonic_count == v->monotonic_count &&
			old.public_key_index == v->public_key_index);
}

int edk2_put(struct nv_store *nv, const struct nv_variable *v, bool may_reclaim)
{
	struct edk2_store *s = store_of(nv);
	uint64_t bytes;
	uint32_t old;
	int r;

	r = edk2_make_ready(s);
	if (r < 0)
		return r;
	if (v->name.count == 0 || v->name.count > UEFI_NAME_MAX)
		return edk2_refuse(s, -EINVAL, "a variable's name has 1 to %d characters",
			UEFI_NAME_MAX);
	bytes = edk2_record_bytes(&s->geometry, v->name.count, v->size);
	if (bytes > s->geometry.end - s->geometry.first)
		return edk2_refuse(s, -ENOSPC, "the variable is larger than the store");
	old = edk2_index_find(&s->index, &s->geometry, s->live, &v->name, &v->vendor);
	if (old != EDK2_NO_RECORD && is_same_value(s, old, v))
		return 0;
	if (s->index.is_tail_erased && bytes <= s->geometry.end - s->index.end)
		return append(s, v, (size_t)bytes, old);
	if (!may_reclaim)
		return edk2_refuse(s, -ENOSPC, "no room left without reclaiming");
	return edk2_compact(s, v);
}

int edk2_remove(struct nv_store *nv, const struct uefi_name *name, const struct guid *vendor)
{
	struct edk2_store *s = store_of(nv);
	uint32_t record;
	uint8_t state;
	int r;

	r = edk2_make_ready(s);
	if (r < 0)
		return r;
	record = edk2_index_find(&s->index, &s->geometry, s->live, name, vendor);
	if (record == EDK2_NO_RECORD)
		return -ENOENT;
	r = settle(s, record);
	if (r < 0)
		return r;
	state = s->index.records[record].state;
	r = set_state(s, record, dead_state(state));
	if (r == 0)
		r = edk2_sync(s);
	if (r < 0) {
		/* Best effort: the old value stands. */
		(void)s->source->ops->write(s->source, &state, 1,
			s->base + s->index.records[record].offset + STATE_AT);
		(void)s->source->ops->sync(s->source);
		s->is_stale = true;
	}
	return r;
}

/* Copies the records in one state that stay; true while they fit. */
static bool copy_records(const struct edk2_geometry *g, const uint8_t *live,
	const struct edk2_index *index, uint8_t state, uint32_t left_out, uint8_t *image,
	uint32_t *at)
{
	for (uint32_t i = 0; i < index->count; i++) {
		const struct edk2_record *record = &index->records[i];
		/* A name that we cannot handle is a variable all the same. */
		bool is_foreign = record->is_sound && !record->is_nameable;

		if (record->state != state || i == left_out || (!index->live[i] && !is_foreign))
			continue;
		if (record->bytes > g->end - *at)
			return false;
		memcpy(image + *at, live + record->offset,
			record->header + record->name_bytes + record->data_bytes);
		if (!is_foreign)
			image[*at + STATE_AT] = EDK2_STATE_LIVE;
		*at += record->bytes;
	}
	return true;
}

int edk2_compact_image(const struct edk2_geometry *g, const uint8_t *live,
	const struct edk2_index *index, const struct nv_variable *addition, uint8_t *image)
{
	uint32_t left_out = EDK2_NO_RECORD, at = g->first;
	uint64_t bytes = 0;

	if (addition) {
		left_out = edk2_index_find(index, g, live, &addition->name, &addition->vendor);
		bytes = edk2_record_bytes(g, addition->name.count, addition->size);
	}
	memcpy(image, live, g->live);
	memset(image + g->first, EDK2_ERASED, g->end - g->first);
	if (!copy_records(g, live, index, EDK2_STATE_LIVE, left_out, image, &at) ||
		!copy_records(g, live, index, EDK2_STATE_IN_TRANSITION, left_out, image, &at) ||
		bytes > g->end - at)
		return -ENOSPC;
	if (addition)
		edk2_record_encode(g, addition, EDK2_STATE_LIVE, image + at);
	return 0;
}

int edk2_compact(struct edk2_store *s, const struct nv_variable *addition)
{
	CLEAN(free) uint8_t *image = malloc(s->geometry.live);
	int r;

	if (!image)
		return edk2_refuse(s, -ENOMEM, "out of memory");
	r = edk2_compact_image(&s->geometry, s->live, &s->index, addition, image);
	if (r < 0)
		return edk2_refuse(s, r, "no room left, even without deleted records");
	if (memcmp(image, s->live, s->geometry.live) == 0)
		return 0;
	return edk2_commit(s, image);
}
