/* SPDX-License-Identifier: MIT */
/*
 * slots.h — a slot map: numbers for objects that a peer may name, checked at each use.
 *
 * An id is generation << 32 | index. A slot that is freed and used again has another generation, so
 * an old or invented id finds nothing; id 0 is never given out. Ids 1 to 2^32-1 are never given out
 * either, so a file system may use FUSE's root id (1) beside them. Embedded by its owner, who also
 * does the locking.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct slot;

struct slots {
	struct slot *slots; /* owned */
	uint32_t capacity;
	uint32_t used;      /* slots [0, used) were given out at least once */
	uint32_t free_list; /* index + 1 of the first free slot, 0 for none */
	uint32_t live;
	uint32_t limit; /* most live slots at a time; 0: 2^31 */
};

void slots_fini(struct slots *s); /* the objects are the owner's */

/* Gives object (not NULL) an id. 0, -ENFILE at the limit, -ENOMEM. */
int slots_add(struct slots *s, void *object, uint64_t *ret_id) MUST_CHECK;

/* The object of an id, or NULL. */
void *slots_get(const struct slots *s, uint64_t id);

/* Takes the object out and ends its id; NULL when the id finds nothing. */
void *slots_remove(struct slots *s, uint64_t id);

/* The object in slot `index` (0 .. used-1), or NULL: for walking all. */
void *slots_at(const struct slots *s, uint32_t index);
