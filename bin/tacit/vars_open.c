/* SPDX-License-Identifier: MIT */
/*
 * vars_open.c — opening images, and changing them as a whole.
 *
 * One variable is changed in place: the format's own protocol makes that one step. Several at once
 * are changed in a copy that then takes the image's place by a rename.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "tacit/image.h"
#include "tacit/program.h"
#include "tacit/vars.h"

#define COMPARE_CHUNK 65536u

int vars_open_source(const char *path, bool is_writable, struct source **ret)
{
	CLEAN(free) char *error = NULL;
	int r = image_open(ret, path, is_writable, &error);

	if (r < 0)
		program_error("%s: %s", path, error ? error : strerror(-r));
	return r;
}

static int open_in_source(const struct vars_call *call, struct source *take_source,
	struct store **ret)
{
	CLEAN(free) char *error = NULL;
	int r = store_open(ret, take_source, call->profile, &error);

	if (r < 0)
		program_error("%s: %s", call->operands[0], error ? error : strerror(-r));
	return r;
}

int vars_open_store(const struct vars_call *call, bool is_writable, struct store **ret)
{
	struct source *source;
	int r = vars_open_source(call->operands[0], is_writable, &source);

	return r < 0 ? r : open_in_source(call, source, ret);
}

int vars_open_input(const char *path)
{
	CLEAN_FD int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_SETFL, 0) < 0)
		return -errno;
	return TAKE_FD(fd);
}

const char *vars_reason(struct store *store, int r)
{
	const char *reason = store->nv.ops->reason(&store->nv);

	return *reason ? reason : strerror(-r);
}

/* Copies an image into memory. */
static int copy_source(struct source *source, uint8_t **ret_data)
{
	CLEAN(free) uint8_t *data = NULL;
	int r;

	if (source->size > VARS_IMAGE_MAX)
		return -EFBIG;
	data = malloc(source->size ? source->size : 1);
	if (!data)
		return -ENOMEM;
	r = source->ops->read(source, data, source->size, 0);
	if (r < 0)
		return r;
	*ret_data = TAKE_PTR(data);
	return 0;
}

/* Brings bytes up to what the memory source holds now; 1 when they changed, 0 when not. */
static int refresh_copy(struct source *memory, uint8_t *bytes)
{
	CLEAN(free) uint8_t *chunk = malloc(COMPARE_CHUNK);
	int changed = 0;

	if (!chunk)
		return -ENOMEM;
	for (uint64_t at = 0; at < memory->size; at += COMPARE_CHUNK) {
		size_t n = memory->size - at < COMPARE_CHUNK ? memory->size - at : COMPARE_CHUNK;
		int r = memory->ops->read(memory, chunk, n, at);

		if (r < 0)
			return r;
		if (memcmp(bytes + at, chunk, n) == 0)
			continue;
		memcpy(bytes + at, chunk, n);
		changed = 1;
	}
	return changed;
}

struct transaction {
	const struct vars_call *call;
	int (*change)(struct store *store, void *context);
	void *context;
};

/* Changes the store in a copy of `source`; *ret_data is the new image when it returns 1. */
static int change_copy(const struct transaction *t, struct source *source, uint8_t **ret_data)
{
	CLEAN(free) uint8_t *data = NULL;
	CLEAN(store_free) struct store *store = NULL;
	struct source *memory;
	int r = copy_source(source, &data);

	if (r == 0)
		r = source_new_memory(&memory, data, source->size);
	if (r < 0) {
		program_error("%s: %s", t->call->operands[0], strerror(-r));
		return r;
	}
	r = open_in_source(t->call, memory, &store);
	if (r < 0)
		return r;
	r = t->change(store, t->context);
	if (r < 0)
		return r;
	r = refresh_copy(memory, data);
	if (r < 0)
		program_error("%s: %s", t->call->operands[0], strerror(-r));
	if (r > 0)
		*ret_data = TAKE_PTR(data);
	return r;
}

static bool is_block_device(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISBLK(st.st_mode);
}

static int change_in_place(const struct transaction *t, struct source *take_source)
{
	CLEAN(store_free) struct store *store = NULL;
	int r = open_in_source(t->call, take_source, &store);

	return r < 0 ? r : t->change(store, t->context);
}

int vars_transact(const struct vars_call *call, int (*change)(struct store *store, void *context),
	void *context)
{
	const struct transaction t = {.call = call, .change = change, .context = context};
	const char *path = call->operands[0];
	CLEAN(source_free) struct source *source = NULL; /* holds the lock until the end */
	CLEAN(free) uint8_t *data = NULL;
	uint64_t size;
	int r = vars_open_source(path, true, &source);

	if (r < 0)
		return r;
	size = source->size;
	r = change_copy(&t, source, &data);
	if (r <= 0)
		return r;
	if (is_block_device(path))
		return change_in_place(&t, TAKE_PTR(source));
	return vars_replace(path, source, data, size);
}

int vars_replace(const char *path, struct source *source, const void *data, size_t size)
{
	int r;

	if (!is_block_device(path)) {
		r = io_replace_file(path, data, size);
	} else {
		r = source->ops->write(source, data, size, 0);
		if (r == 0)
			r = source->ops->sync(source);
	}
	if (r < 0)
		program_error("%s: %s", path, strerror(-r));
	return r;
}

int vars_write_image(const char *path, const void *data, size_t size, bool may_replace)
{
	CLEAN(source_free) struct source *old = NULL;
	struct stat st;
	int r;

	if (lstat(path, &st) == 0) {
		if (!may_replace) {
			program_error("%s: is there already; --force replaces it", path);
			return -EEXIST;
		}
		r = vars_open_source(path, true, &old);
		if (r < 0)
			return r;
		if (is_block_device(path)) {
			program_error("%s: a block device cannot be replaced", path);
			return -EINVAL;
		}
	}
	r = io_replace_file(path, data, size);
	if (r < 0)
		program_error("%s: %s", path, strerror(-r));
	return r;
}
