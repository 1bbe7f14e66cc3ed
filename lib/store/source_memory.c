/* SPDX-License-Identifier: MIT */
/* source_memory.c — an image in memory; see source.h. */
#include "store/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct memory_source {
	struct source source;
	uint8_t *data; /* owned */
};

static struct memory_source *memory_of(struct source *s)
{
	return (struct memory_source *)s;
}

static bool is_inside(const struct source *s, size_t n, uint64_t offset)
{
	return offset <= s->size && n <= s->size - offset;
}

static int memory_read(struct source *s, void *data, size_t n, uint64_t offset)
{
	if (!is_inside(s, n, offset))
		return -EIO;
	if (n > 0)
		memcpy(data, memory_of(s)->data + offset, n);
	return 0;
}

static int memory_write(struct source *s, const void *data, size_t n, uint64_t offset)
{
	if (!s->is_writable)
		return -EROFS;
	if (!is_inside(s, n, offset))
		return -EIO;
	if (n > 0)
		memcpy(memory_of(s)->data + offset, data, n);
	return 0;
}

static int memory_sync(struct source *s)
{
	return 0;
}

static bool memory_has_changed(struct source *s)
{
	return false;
}

static int memory_set_writable(struct source *s, bool is_writable, char **ret_error)
{
	s->is_writable = is_writable;
	return 0;
}

static void memory_destroy(struct source *s)
{
	free(memory_of(s)->data);
	free(s);
}

static const struct source_ops memory_ops = {
	.read = memory_read,
	.write = memory_write,
	.sync = memory_sync,
	.has_changed = memory_has_changed,
	.set_writable = memory_set_writable,
	.destroy = memory_destroy,
};

int source_new_memory(struct source **ret, const void *data, size_t size)
{
	CLEAN(free) uint8_t *copy = malloc(size > 0 ? size : 1);
	struct memory_source *m = calloc(1, sizeof(*m));

	if (!copy || !m) {
		free(m);
		return -ENOMEM;
	}
	if (size > 0)
		memcpy(copy, data, size);
	m->data = TAKE_PTR(copy);
	m->source = (struct source){
		.ops = &memory_ops,
		.size = size,
		.is_writable = true,
		.is_exclusive = true,
	};
	*ret = &m->source;
	return 0;
}
