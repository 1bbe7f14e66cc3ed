/* SPDX-License-Identifier: MIT */
/* nodes.c — see nodes.h. */
#include "fs/efivars/nodes.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/le.h"

#define FIRST_NUMBER 3 /* 1 and 2 are the places of "." and ".." */
#define FIRST_BUCKETS 256

static struct node **nodes_bucket(const struct nodes *nodes, const char *canonical)
{
	return &nodes->buckets[hash_bytes(canonical, strlen(canonical)) &
		(nodes->bucket_count - 1)];
}

int nodes_init(struct nodes *nodes)
{
	*nodes = (struct nodes){
		.root = {.id = FS_ROOT, .number = 1, .is_listed = true},
		.slots = {.limit = NODES_MAX},
		.handles = {.limit = HANDLES_MAX},
		.bucket_count = FIRST_BUCKETS,
		.next_number = FIRST_NUMBER,
	};
	nodes->buckets = calloc(FIRST_BUCKETS, sizeof(struct node *));
	return nodes->buckets ? 0 : -ENOMEM;
}

static void node_free(struct node *node)
{
	content_unref(node->content);
	free(node);
}

void nodes_fini(struct nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->handles.used; i++)
		free(slots_at(&nodes->handles, i));
	for (uint32_t i = 0; i < nodes->slots.used; i++) {
		struct node *node = slots_at(&nodes->slots, i);

		if (node)
			node_free(node);
	}
	slots_fini(&nodes->handles);
	slots_fini(&nodes->slots);
	free(nodes->buckets);
	free(nodes->listed);
}

/* Twice the buckets; without memory the chains only grow longer. */
static void nodes_grow_buckets(struct nodes *nodes)
{
	size_t count = nodes->bucket_count * 2;
	struct node **grown = calloc(count, sizeof(*grown));

	if (!grown)
		return;
	free(nodes->buckets);
	nodes->buckets = grown;
	nodes->bucket_count = count;
	for (size_t i = 0; i < nodes->count; i++) {
		struct node **bucket = nodes_bucket(nodes, nodes->listed[i]->canonical);

		nodes->listed[i]->next = *bucket;
		*bucket = nodes->listed[i];
	}
}

static int nodes_reserve(struct nodes *nodes)
{
	size_t capacity = nodes->capacity ? nodes->capacity * 2 : 64;
	struct node **grown;

	if (nodes->count < nodes->capacity)
		return 0;
	grown = realloc(nodes->listed, capacity * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	nodes->listed = grown;
	nodes->capacity = capacity;
	return 0;
}

int nodes_add(struct nodes *nodes, const struct variable_key *key, const char *shown,
	struct node **ret)
{
	CLEAN(free) struct node *node = calloc(1, sizeof(*node));
	struct node **bucket;
	int r;

	if (!node)
		return -ENOMEM;
	node->key = *key;
	r = key_format(key, node->canonical);
	if (r < 0)
		return r;
	if (nodes_find(nodes, node->canonical))
		return -EEXIST;
	file_name_copy(node->shown, shown ? shown : node->canonical);
	r = nodes_reserve(nodes);
	if (r < 0)
		return r;
	r = slots_add(&nodes->slots, node, &node->id);
	if (r < 0)
		return r == -ENFILE ? -ENOSPC : r;
	if (nodes->count >= nodes->bucket_count)
		nodes_grow_buckets(nodes);
	node->number = nodes->next_number++;
	node->is_listed = true;
	nodes->listed[nodes->count++] = node;
	bucket = nodes_bucket(nodes, node->canonical);
	node->next = *bucket;
	*bucket = node;
	*ret = TAKE_PTR(node);
	return 0;
}

struct node *nodes_get(struct nodes *nodes, uint64_t id)
{
	return id == FS_ROOT ? &nodes->root : slots_get(&nodes->slots, id);
}

struct node *nodes_find(const struct nodes *nodes, const char *canonical)
{
	struct node *node = *nodes_bucket(nodes, canonical);

	while (node && strcmp(node->canonical, canonical) != 0)
		node = node->next;
	return node;
}

size_t nodes_after(const struct nodes *nodes, uint64_t number)
{
	size_t low = 0, high = nodes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (nodes->listed[middle]->number > number)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void nodes_unlist(struct nodes *nodes, struct node *node)
{
	struct node **link = nodes_bucket(nodes, node->canonical);
	size_t index = nodes_after(nodes, node->number - 1);

	if (!node->is_listed)
		return;
	while (*link != node)
		link = &(*link)->next;
	*link = node->next;
	node->next = NULL;
	nodes->count--;
	memmove(&nodes->listed[index], &nodes->listed[index + 1],
		(nodes->count - index) * sizeof(nodes->listed[0]));
	node->is_listed = false;
}

static void nodes_free_unused(struct nodes *nodes, struct node *node)
{
	if (node->is_listed || node->lookups > 0 || node->handles > 0)
		return;
	slots_remove(&nodes->slots, node->id);
	node_free(node);
}

static void node_set_removed(struct node *node)
{
	node_forget_content(node);
	node->state = NODE_REMOVED;
	clock_gettime(CLOCK_REALTIME, &node->ctime);
}

void nodes_remove(struct nodes *nodes, struct node *node)
{
	node_set_removed(node);
	nodes_unlist(nodes, node);
	nodes_free_unused(nodes, node);
}

void nodes_remove_at_close(struct nodes *nodes, struct node *node)
{
	if (node->handles == 0) {
		nodes_remove(nodes, node);
		return;
	}
	node_set_removed(node);
}

void nodes_forget(struct nodes *nodes, struct node *node, uint64_t count)
{
	node->lookups -= count < node->lookups ? count : node->lookups;
	nodes_free_unused(nodes, node);
}

int nodes_open(struct nodes *nodes, struct node *node, struct handle **ret)
{
	CLEAN(free) struct handle *handle = calloc(1, sizeof(*handle));
	int r;

	if (!handle)
		return -ENOMEM;
	handle->node = node;
	r = slots_add(&nodes->handles, handle, &handle->id);
	if (r < 0)
		return r;
	node->handles++;
	*ret = TAKE_PTR(handle);
	return 0;
}

struct handle *nodes_get_handle(const struct nodes *nodes, uint64_t node, uint64_t id)
{
	struct handle *handle = slots_get(&nodes->handles, id);

	return handle && handle->node->id == node ? handle : NULL;
}

void nodes_close(struct nodes *nodes, struct handle *handle)
{
	struct node *node = handle->node;

	slots_remove(&nodes->handles, handle->id);
	free(handle);
	node->handles--;
	if (node->handles == 0 && node->state == NODE_REMOVED)
		nodes_unlist(nodes, node);
	nodes_free_unused(nodes, node);
}

void node_forget_content(struct node *node)
{
	node->content = content_unref(node->content);
	node->is_size_known = false;
	node->is_readable = false;
	node->size = 0;
	node->attributes = 0;
}

void node_set_content(struct node *node, struct content *content, bool is_kept)
{
	node_forget_content(node);
	node->is_size_known = true;
	node->size = ATTRIBUTES_SIZE;
	if (!content)
		return;
	node->is_readable = true;
	node->size = content->size;
	node->attributes = content->attributes;
	/* Firmware makes volatile variables from others: a write to one changes another. */
	if (is_kept && (content->attributes & UEFI_NON_VOLATILE))
		node->content = content_ref(content);
}

struct content *content_new(uint32_t attributes, const void *data, size_t size)
{
	le32 wire = le32_of(attributes);
	struct content *content;
	size_t total;

	if (__builtin_add_overflow(size, sizeof(*content) + ATTRIBUTES_SIZE, &total))
		return NULL;
	content = malloc(total);
	if (!content)
		return NULL;
	atomic_init(&content->references, 1);
	content->attributes = attributes;
	content->size = ATTRIBUTES_SIZE + size;
	memcpy(content->bytes, &wire, ATTRIBUTES_SIZE);
	if (size > 0)
		memcpy(content->bytes + ATTRIBUTES_SIZE, data, size);
	return content;
}

struct content *content_ref(struct content *content)
{
	atomic_fetch_add_explicit(&content->references, 1, memory_order_relaxed);
	return content;
}

struct content *content_unref(struct content *content)
{
	/* acq_rel: whoever frees it sees all that others did with it. */
	if (content &&
		atomic_fetch_sub_explicit(&content->references, 1, memory_order_acq_rel) == 1)
		free(content);
	return NULL;
}
