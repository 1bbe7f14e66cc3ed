/* SPDX-License-Identifier: MIT */
/*
 * table.h — numbers for objects that a peer may name, found and held without a lock.
 *
 * base/slots.h does the same for those who have a lock anyway. Here a read or a write must find its
 * open file without touching a line that requests about other files touch too, so each slot counts
 * its own references.
 *
 *   slot   | get | what ends it
 *   -------+-----+-------------------------------------------
 *   free   | no  | table_add
 *   live   | yes | table_end
 *   ended  | no  | the last table_put: the slot is free again
 *
 * An id is generation << 32 | index, never below 2^32. Slots lie in chunks that are never moved nor
 * freed before table_fini. All functions may be called by any thread, but for init and fini.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

#define TABLE_FIRST 64u  /* slots of the first chunk; each further one has twice as many */
#define TABLE_CHUNKS 20u /* 2^26 slots in all */

struct table_slot;

struct table {
	_Atomic(struct table_slot *) chunks[TABLE_CHUNKS];
	pthread_mutex_t lock; /* of what follows */
	uint32_t used;        /* slots [0, used) were given out at least once */
	uint32_t free_list;   /* index + 1, 0 for none */
};

void table_init(struct table *table);

/* Frees the slots; the objects are the owner's, who has ended them all. */
void table_fini(struct table *table);

/* Gives object an id and its first reference, which table_end gives back. -ENFILE, -ENOMEM. */
int table_add(struct table *table, void *object, uint64_t *ret_id) MUST_CHECK;

/* The object with one more reference, or NULL when no live one has this id. */
void *table_get(struct table *table, uint64_t id);

/* Gives a reference back. The object when it was the last one: the caller frees it. Else NULL. */
void *table_put(struct table *table, uint64_t id) MUST_CHECK;

/* Makes get fail from now on; the first reference becomes the caller's to put. False: it was ended,
 * or never lived. */
bool table_end(struct table *table, uint64_t id) MUST_CHECK;

/* The id of a live object in slot `index`, which is held, or 0; false past the last slot. */
bool table_walk(struct table *table, uint32_t index, uint64_t *ret_id);
