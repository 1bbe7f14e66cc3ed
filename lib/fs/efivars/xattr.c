/* SPDX-License-Identifier: MIT */
/*
 * xattr.c — the extended attributes of the root, through which the file system speaks of itself:
 * its options (and their change), the reason of the last refusal, and duplicate variables.
 */
#include <errno.h>
#include <string.h>
#include <sys/xattr.h>

#include "fs/efivars/internal.h"

#define OPTIONS_MAX 4096 /* bytes of an option text */

static int reply_value(struct fs_request *req, const void *value, size_t length, uint32_t size)
{
	if (size == 0)
		fs_reply_xattr_size(req, length);
	else if (length > size)
		return -ERANGE;
	else
		fs_reply_data(req, value, length);
	return 0;
}

static int get_options(struct efivars *e, struct fs_request *req, uint32_t size)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;
	int r;

	if (!e->config.describe)
		return -EOPNOTSUPP;
	e->config.describe(e->config.arg, &text);
	r = buffer_error(&text);
	return r < 0 ? r : reply_value(req, buffer_text(&text), text.size, size);
}

int efivars_getxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	uint32_t size)
{
	struct efivars *e = efivars_of(fs);
	CLEAN(free) char *text = NULL;
	int r = -EOPNOTSUPP;

	if (node != FS_ROOT)
		return r;
	if (strcmp(name, EFIVARS_XATTR_OPTIONS) == 0)
		return get_options(e, req, size);
	if (strcmp(name, EFIVARS_XATTR_ERROR) == 0)
		r = notes_get_refusal(&e->notes, &text);
	else if (strcmp(name, EFIVARS_XATTR_DUPLICATES) == 0)
		r = notes_get_duplicates(&e->notes, &text);
	return r < 0 ? r : reply_value(req, text, strlen(text), size);
}

static void add_name(struct buffer *list, const char *name)
{
	buffer_append(list, name, strlen(name) + 1);
}

int efivars_listxattr(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t size)
{
	struct efivars *e = efivars_of(fs);
	CLEAN_BUFFER struct buffer list = BUFFER_INIT;
	CLEAN(free) char *refusal = NULL;
	CLEAN(free) char *duplicates = NULL;
	int r;

	if (node == FS_ROOT) {
		if (e->config.describe && fs_request_caller(req).uid == 0)
			add_name(&list, EFIVARS_XATTR_OPTIONS);
		if (notes_get_refusal(&e->notes, &refusal) == 0)
			add_name(&list, EFIVARS_XATTR_ERROR);
		if (notes_get_duplicates(&e->notes, &duplicates) == 0)
			add_name(&list, EFIVARS_XATTR_DUPLICATES);
	}
	r = buffer_error(&list);
	return r < 0 ? r : reply_value(req, list.data, list.size, size);
}

/* 0, -errno with the reason noted, or without may_wait -EAGAIN: the firmware thread must do it. */
static int reconfigure(struct efivars *e, const char *text, bool may_wait)
{
	CLEAN(free) char *error = NULL;
	int r = e->config.reconfigure(e->config.arg, text, may_wait, &error);

	if (r < 0 && (may_wait || r != -EAGAIN))
		notes_refuse(&e->notes, "remount: %s", error ? error : strerror(-r));
	return r;
}

static void run_reconfigure(struct task *task)
{
	int r = reconfigure(task->e, (const char *)task->data, true);

	if (r < 0)
		fs_reply_error(task_end(task), r);
	else
		fs_reply_ok(task_end(task));
}

/* Firmware that hangs is when nostatfs is wanted most: only what needs it goes to its thread. */
static int set_options(struct efivars *e, struct fs_request *req, const char *text, size_t size)
{
	CLEAN(task_free) struct task *task = NULL;
	CLEAN(free) char *options = NULL;
	int r;

	/* A tool may have left the end of a string or of a line in it. */
	while (size > 0 && (text[size - 1] == 0 || text[size - 1] == '\n'))
		size--;
	if (size > OPTIONS_MAX)
		return -E2BIG;
	if (size > 0 && memchr(text, 0, size))
		return -EINVAL;
	options = strndup(size > 0 ? text : "", size);
	if (!options)
		return -ENOMEM;
	r = reconfigure(e, options, false);
	if (r == 0)
		fs_reply_ok(req);
	if (r != -EAGAIN)
		return r;
	task = task_new(e, req, run_reconfigure);
	if (!task)
		return -ENOMEM;
	task->data = (uint8_t *)TAKE_PTR(options);
	return task_submit(TAKE_PTR(task));
}

int efivars_setxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	const void *value, size_t size, uint32_t flags)
{
	struct efivars *e = efivars_of(fs);

	if (node != FS_ROOT || strcmp(name, EFIVARS_XATTR_OPTIONS) != 0 || !e->config.reconfigure)
		return -EOPNOTSUPP;
	if (flags & XATTR_CREATE)
		return -EEXIST;
	return set_options(e, req, value, size);
}

int efivars_removexattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name)
{
	return -EOPNOTSUPP;
}
