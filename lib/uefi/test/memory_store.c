/* SPDX-License-Identifier: MIT */
/* memory_store.c — see memory_store.h. */
#include "uefi/test/memory_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct memory_store *memory_of(struct nv_store *s)
{
	return (struct memory_store *)s;
}

static uint64_t memory_record_size(struct nv_store *s, const struct uefi_name *name, size_t size)
{
	return (MEMORY_RECORD_HEADER + 2 * (name->count + 1) + size + 3) & ~UINT64_C(3);
}

static struct memory_record *find_live(
	const struct memory_store *m, const struct uefi_name *name, const struct guid *vendor)
{
	for (size_t i = 0; i < m->count; i++) {
		struct memory_record *r = &m->records[i];

		if (r->is_live && guid_equal(&r->variable.vendor, vendor) &&
			uefi_name_equal(&r->variable.name, name))
			return r;
	}
	return NULL;
}

static int memory_find(struct nv_store *s, const struct uefi_name *name, const struct guid *vendor,
	struct nv_variable *ret)
{
	struct memory_record *r = find_live(memory_of(s), name, vendor);

	if (!r)
		return -ENOENT;
	*ret = r->variable;
	return 0;
}

/* Duplicates come out too: a firmware must live with a store that has them. */
static int memory_next(struct nv_store *s, uint64_t *cursor, struct nv_variable *ret)
{
	struct memory_store *m = memory_of(s);

	m->next_calls++;
	while (*cursor < m->count) {
		struct memory_record *r = &m->records[(*cursor)++];

		if (r->is_live) {
			*ret = r->variable;
			return 1;
		}
	}
	return 0;
}

static void memory_space(struct nv_store *s, struct nv_space *ret)
{
	struct memory_store *m = memory_of(s);
	struct nv_space space = {.capacity = m->capacity};

	for (size_t i = 0; i < m->count; i++) {
		struct memory_record *r = &m->records[i];
		uint64_t bytes = memory_record_size(s, &r->variable.name, r->variable.size);

		space.all_bytes += bytes;
		space.live_bytes += r->is_live ? bytes : 0;
		space.live += r->is_live;
		space.dead += !r->is_live;
	}
	*ret = space;
}

static int memory_reclaim(struct nv_store *s)
{
	struct memory_store *m = memory_of(s);
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (m->records[i].is_live)
			m->records[kept++] = m->records[i];
		else
			free(m->records[i].data);
	}
	m->count = kept;
	m->reclaims++;
	return 0;
}

static int append_record(struct memory_store *m, const struct nv_variable *v)
{
	uint8_t *data = malloc(v->size + 1);

	if (!data || m->count == MEMORY_RECORDS_MAX) {
		free(data);
		return -ENOMEM;
	}
	if (v->size > 0)
		memcpy(data, v->data, v->size);
	m->records[m->count] =
		(struct memory_record){.variable = *v, .data = data, .is_live = true};
	m->records[m->count++].variable.data = data;
	return 0;
}

static int memory_put(struct nv_store *s, const struct nv_variable *v, bool may_reclaim)
{
	struct memory_store *m = memory_of(s);
	const uint64_t bytes = memory_record_size(s, &v->name, v->size);
	struct memory_record *old;
	struct nv_space space;
	int r;

	m->put_calls++;
	if (m->error)
		return m->error;
	memory_space(s, &space);
	if (space.all_bytes + bytes > m->capacity) {
		if (!may_reclaim || space.live_bytes + bytes > m->capacity)
			return -ENOSPC;
		(void)memory_reclaim(s); /* cannot fail here */
	}
	old = find_live(m, &v->name, &v->vendor);
	r = append_record(m, v);
	if (r == 0 && old)
		old->is_live = false;
	return r;
}

static int memory_remove(
	struct nv_store *s, const struct uefi_name *name, const struct guid *vendor)
{
	struct memory_store *m = memory_of(s);
	struct memory_record *r = find_live(m, name, vendor);

	m->remove_calls++;
	if (m->error)
		return m->error;
	if (!r)
		return -ENOENT;
	r->is_live = false;
	return 0;
}

static bool memory_is_writable(struct nv_store *s)
{
	return memory_of(s)->is_writable;
}

static int memory_set_writable(struct nv_store *s, bool is_writable, char **ret_error)
{
	struct memory_store *m = memory_of(s);

	if (m->error) {
		*ret_error = strdup("another process has it");
		return -EROFS;
	}
	m->is_writable = is_writable;
	m->nv.is_exclusive = is_writable;
	return 0;
}

static bool memory_has_changed(struct nv_store *s)
{
	struct memory_store *m = memory_of(s);
	bool has_changed = m->has_changed;

	m->has_changed = false;
	return has_changed;
}

static const char *memory_reason(struct nv_store *s)
{
	return memory_of(s)->reason;
}

static void memory_destroy(struct nv_store *s)
{
	struct memory_store *m = memory_of(s);

	for (size_t i = 0; i < m->count; i++)
		free(m->records[i].data);
	free(m->records);
	free(m);
}

static const struct nv_store_ops memory_ops = {
	.find = memory_find,
	.next = memory_next,
	.put = memory_put,
	.remove = memory_remove,
	.space = memory_space,
	.record_size = memory_record_size,
	.reclaim = memory_reclaim,
	.is_writable = memory_is_writable,
	.set_writable = memory_set_writable,
	.has_changed = memory_has_changed,
	.reason = memory_reason,
	.destroy = memory_destroy,
};

struct memory_store *memory_store_new(uint64_t capacity)
{
	struct memory_store *m = calloc(1, sizeof(*m));
	struct memory_record *records = calloc(MEMORY_RECORDS_MAX, sizeof(*records));

	if (!m || !records) {
		free(m);
		free(records);
		return NULL;
	}
	*m = (struct memory_store){
		.nv = {.ops = &memory_ops,
			.is_exclusive = true,
			.limits = {.record_header = MEMORY_RECORD_HEADER,
				.max_variable = 0x2000,
				.max_auth_variable = 0x2800,
				.max_volatile_variable = 0x2000,
				.max_hardware_error = 0x8000}},
		.records = records,
		.capacity = capacity,
		.is_writable = true,
		.reason = "",
	};
	return m;
}

bool memory_store_add(struct memory_store *m, const char *name, const struct guid *vendor,
	uint32_t attributes, const void *data, size_t size)
{
	struct nv_variable v = {
		.vendor = *vendor, .attributes = attributes, .data = data, .size = size};

	return uefi_name_from_utf8(&v.name, name, strlen(name)) == 0 && append_record(m, &v) == 0;
}

const struct nv_variable *memory_store_look(const struct memory_store *m, const char *name)
{
	struct uefi_name wanted;

	if (uefi_name_from_utf8(&wanted, name, strlen(name)) < 0)
		return NULL;
	for (size_t i = 0; i < m->count; i++) {
		if (m->records[i].is_live && uefi_name_equal(&m->records[i].variable.name, &wanted))
			return &m->records[i].variable;
	}
	return NULL;
}
