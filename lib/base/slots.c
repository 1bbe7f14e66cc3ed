/* SPDX-License-Identifier: MIT */
/* slots.c — see slots.h. */
#include "base/slots.h"

#include <errno.h>
#include <stdlib.h>

struct slot {
	void *object;        /* NULL: free */
	uint32_t generation; /* of the present or next object; never 0 */
	uint32_t next_free;  /* index + 1; only for a free slot */
};

void slots_fini(struct slots *s)
{
	free(s->slots);
	*s = (struct slots){0};
}

static int slots_extend(struct slots *s)
{
	uint32_t capacity = s->capacity ? s->capacity * 2 : 16;
	struct slot *grown;

	if (s->capacity >= 1u << 31)
		return -ENFILE;
	grown = realloc(s->slots, capacity * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->slots = grown;
	s->capacity = capacity;
	return 0;
}

int slots_add(struct slots *s, void *object, uint64_t *ret_id)
{
	uint32_t index;
	int r;

	if (s->limit && s->live >= s->limit)
		return -ENFILE;
	if (s->free_list) {
		index = s->free_list - 1;
		s->free_list = s->slots[index].next_free;
	} else {
		if (s->used == s->capacity) {
			r = slots_extend(s);
			if (r < 0)
				return r;
		}
		index = s->used++;
		s->slots[index].generation = 1;
	}
	s->slots[index].object = object;
	s->live++;
	*ret_id = (uint64_t)s->slots[index].generation << 32 | index;
	return 0;
}

static struct slot *slots_find(const struct slots *s, uint64_t id)
{
	uint32_t index = (uint32_t)id;

	if (index >= s->used || !s->slots[index].object ||
		s->slots[index].generation != (uint32_t)(id >> 32))
		return NULL;
	return &s->slots[index];
}

void *slots_get(const struct slots *s, uint64_t id)
{
	struct slot *slot = slots_find(s, id);

	return slot ? slot->object : NULL;
}

void *slots_remove(struct slots *s, uint64_t id)
{
	struct slot *slot = slots_find(s, id);
	void *object;

	if (!slot)
		return NULL;
	object = slot->object;
	slot->object = NULL;
	if (++slot->generation == 0)
		slot->generation = 1;
	slot->next_free = s->free_list;
	s->free_list = (uint32_t)(slot - s->slots) + 1;
	s->live--;
	return object;
}

void *slots_at(const struct slots *s, uint32_t index)
{
	return index < s->used ? s->slots[index].object : NULL;
}
