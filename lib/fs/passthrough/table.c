/* SPDX-License-Identifier: MIT */
/* table.c — see table.h. */
#include "fs/passthrough/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A slot's state: generation << 32 | ENDED | references. */
#define ENDED (1ull << 31)
#define REFERENCES (ENDED - 1)

struct table_slot {
	_Atomic uint64_t state;
	void *object;       /* written before state makes the slot live (release) */
	uint32_t next_free; /* index + 1; only for a free slot */
};

void table_init(struct table *table)
{
	memset(table, 0, sizeof(*table));
	pthread_mutex_init(&table->lock, NULL); /* a normal mutex: cannot fail */
}

void table_fini(struct table *table)
{
	for (unsigned i = 0; i < TABLE_CHUNKS; i++)
		free(atomic_load_explicit(&table->chunks[i], memory_order_relaxed));
	pthread_mutex_destroy(&table->lock);
}

/* Chunk c holds the indices from TABLE_FIRST * (2^c - 1) on. */
static unsigned chunk_of(uint32_t index, uint32_t *ret_offset)
{
	uint32_t n = index / TABLE_FIRST + 1;
	unsigned chunk = 31u - (unsigned)__builtin_clz(n);

	*ret_offset = index - TABLE_FIRST * ((1u << chunk) - 1);
	return chunk;
}

/* The slot of an index that was given out. */
static struct table_slot *slot_at(struct table *table, uint32_t index)
{
	uint32_t offset;
	unsigned chunk = chunk_of(index, &offset);

	return &atomic_load_explicit(&table->chunks[chunk], memory_order_acquire)[offset];
}

/* The slot of any index; NULL where there never was one. */
static struct table_slot *slot_find(struct table *table, uint64_t id)
{
	uint32_t offset;
	unsigned chunk = chunk_of((uint32_t)id, &offset);
	struct table_slot *slots;

	if (chunk >= TABLE_CHUNKS)
		return NULL;
	slots = atomic_load_explicit(&table->chunks[chunk], memory_order_acquire);
	return slots ? &slots[offset] : NULL;
}

/* The next slot that was never used, its chunk made if need be. Called with the lock. */
static int slot_new(struct table *table, uint32_t *ret_index)
{
	uint32_t offset;
	unsigned chunk = chunk_of(table->used, &offset);
	struct table_slot *slots;

	if (chunk >= TABLE_CHUNKS)
		return -ENFILE;
	if (!atomic_load_explicit(&table->chunks[chunk], memory_order_relaxed)) {
		slots = calloc((size_t)TABLE_FIRST << chunk, sizeof(*slots));
		if (!slots)
			return -ENOMEM;
		atomic_store_explicit(&table->chunks[chunk], slots, memory_order_release);
	}
	*ret_index = table->used++;
	return 0;
}

int table_add(struct table *table, void *object, uint64_t *ret_id)
{
	struct table_slot *slot;
	uint64_t generation;
	uint32_t index = 0;
	int r = 0;

	pthread_mutex_lock(&table->lock);
	if (table->free_list > 0) {
		index = table->free_list - 1;
		table->free_list = slot_at(table, index)->next_free;
	} else {
		r = slot_new(table, &index);
	}
	pthread_mutex_unlock(&table->lock);
	if (r < 0)
		return r;
	slot = slot_at(table, index);
	slot->object = object;
	generation = (atomic_load_explicit(&slot->state, memory_order_relaxed) >> 32) + 1;
	if (generation > UINT32_MAX)
		generation = 1;
	atomic_store_explicit(&slot->state, generation << 32 | 1, memory_order_release);
	*ret_id = generation << 32 | index;
	return 0;
}

void *table_get(struct table *table, uint64_t id)
{
	struct table_slot *slot = slot_find(table, id);
	uint64_t state;

	if (!slot)
		return NULL;
	state = atomic_load_explicit(&slot->state, memory_order_relaxed);
	do {
		if (state >> 32 != id >> 32 || state & ENDED || (state & REFERENCES) == 0)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1,
		memory_order_acquire, memory_order_relaxed));
	return slot->object;
}

void *table_put(struct table *table, uint64_t id)
{
	struct table_slot *slot = slot_at(table, (uint32_t)id);
	void *object = slot->object;
	uint64_t before = atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel);

	if ((before & REFERENCES) > 1)
		return NULL;
	pthread_mutex_lock(&table->lock);
	slot->next_free = table->free_list;
	table->free_list = (uint32_t)id + 1;
	pthread_mutex_unlock(&table->lock);
	return object;
}

bool table_end(struct table *table, uint64_t id)
{
	struct table_slot *slot = slot_find(table, id);
	uint64_t state;

	if (!slot)
		return false;
	state = atomic_load_explicit(&slot->state, memory_order_relaxed);
	do {
		if (state >> 32 != id >> 32 || state & ENDED || (state & REFERENCES) == 0)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&slot->state, &state, state | ENDED,
		memory_order_acq_rel, memory_order_relaxed));
	return true;
}

bool table_walk(struct table *table, uint32_t index, uint64_t *ret_id)
{
	struct table_slot *slot;
	uint32_t used;
	uint64_t id;

	pthread_mutex_lock(&table->lock);
	used = table->used;
	pthread_mutex_unlock(&table->lock);
	if (index >= used)
		return false;
	slot = slot_at(table, index);
	id = (atomic_load_explicit(&slot->state, memory_order_relaxed) >> 32) << 32 | index;
	*ret_id = table_get(table, id) ? id : 0;
	return true;
}
