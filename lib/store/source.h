/* SPDX-License-Identifier: MIT */
/*
 * source.h — where the bytes of an image are: a file, a block device, memory.
 *
 * The variable store writes through this and orders its writes with sync, so that a test can put a
 * recorder or a failing device in its place. Offsets and sizes are bytes. One call at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct source;

struct source_ops {
	/* Exactly n bytes, or -EIO when the source ends before (it shrank), or -errno. */
	int (*read)(struct source *s, void *data, size_t n, uint64_t offset);
	/* n bytes within the size; -EROFS, -ENOSPC, -EIO, ... Bytes of a write may reach the
	 * medium in any order until sync returns. */
	int (*write)(struct source *s, const void *data, size_t n, uint64_t offset);
	/* A barrier: what was written before is on the medium when it returns 0. */
	int (*sync)(struct source *s);
	/* True when somebody else may have written since the last call. */
	bool (*has_changed)(struct source *s);
	/* As nv_store_ops.set_writable: reopens and locks. */
	int (*set_writable)(struct source *s, bool is_writable, char **ret_error);
	void (*destroy)(struct source *s);
};

struct source {
	const struct source_ops *ops;
	uint64_t size;
	bool is_writable;
	bool is_exclusive; /* a writer's lock is held: nobody else writes */
};

static inline void source_free(struct source *s)
{
	if (s)
		s->ops->destroy(s);
}
DEFINE_CLEAN(struct source *, source_free)

/* Largest image that is opened. */
#define SOURCE_SIZE_MAX (1ull << 32)

/*
 * Opens a regular file or block device. For writing it takes the locks that QEMU's raw driver takes
 * for a guest's drive (OFD read locks on the bytes 100+n for each permission in use and 200+n for
 * each that is not shared: consistent read 0, write 1, write unchanged 2, resize 3), so that
 * neither opens what the other writes; read-only it shares everything and looks only whether
 * reading is shared. 0; -EBUSY when another process writes it; -EISDIR, -EINVAL for what is no file
 * (a FIFO is not waited for), -EACCES, ...; *ret_error (owned by the caller) is one line on
 * failure.
 */
int source_open_file(struct source **ret, const char *path, bool is_writable, char **ret_error)
	MUST_CHECK;

/* Bytes in memory, copied; for tests, fuzzing and new images. Writable and exclusive. */
int source_new_memory(struct source **ret, const void *data, size_t size) MUST_CHECK;
