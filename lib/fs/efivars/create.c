/* SPDX-License-Identifier: MIT */
/*
 * create.c — new files; see internal.h.
 *
 * Creating asks nothing of the firmware: a file is there, empty, until something is written to it,
 * and it stays when it is closed before that (fwupd creates, clears the immutable flag, and writes
 * later).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "fs/efivars/internal.h"

void efivars_kill_suidgid(struct node *node)
{
	node->mode &= ~(uint32_t)S_ISUID;
	if (node->mode & S_IXGRP)
		node->mode &= ~(uint32_t)S_ISGID;
}

static int open_handle(struct efivars *e, struct node *node, uint32_t flags, struct fs_open *ret)
{
	uint32_t access = flags & O_ACCMODE;
	struct handle *handle;
	int r;

	r = nodes_open(&e->nodes, node, &handle);
	if (r < 0)
		return r;
	handle->can_read = access != O_WRONLY;
	handle->can_write = access != O_RDONLY;
	/* Direct I/O: one write is one request, and a read is never older than the variable. */
	*ret = (struct fs_open){
		.handle = handle->id,
		.flags = FS_OPEN_DIRECT_IO | FS_OPEN_NOFLUSH,
	};
	return 0;
}

int efivars_open_node(struct efivars *e, struct node *node, uint32_t flags, struct fs_open *ret)
{
	bool is_change = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
	int r;

	if (node->id == FS_ROOT)
		return -EISDIR;
	if (is_change) {
		r = efivars_check_writable(e);
		if (r < 0)
			return r;
		if (node->is_immutable)
			return -EPERM;
	}
	return open_handle(e, node, flags, ret);
}

/* A new node, open if ret_open is given: for writing too, though it is immutable for others. */
static int create_new(struct efivars *e, const struct task *task, struct fs_entry *ret_entry,
	struct fs_open *ret_open)
{
	struct node *node;
	int r;

	r = efivars_check_writable(e);
	if (r < 0)
		return r;
	r = efivars_add_node(e, &task->key, task->name, task->create.mode & ~task->create.umask,
		&node);
	if (r < 0)
		return r;
	node->state = NODE_CREATED;
	efivars_touch_root(e);
	if (ret_open)
		r = open_handle(e, node, task->flags, ret_open);
	if (r < 0) {
		nodes_remove(&e->nodes, node);
		return r;
	}
	efivars_fill_entry(node, ret_entry);
	return 0;
}

/* 0; -errno; 1 when the file is there already and must be read first. */
static int create_or_open(struct efivars *e, const struct task *task, const char *canonical,
	struct fs_entry *ret_entry, struct fs_open *ret_open)
{
	struct node *node;
	int r;

	pthread_mutex_lock(&e->lock);
	node = nodes_find(&e->nodes, canonical);
	if (!node) {
		r = create_new(e, task, ret_entry, ret_open);
	} else if (!ret_open || (task->flags & O_EXCL)) {
		r = -EEXIST;
	} else if (!efivars_knows(e, node)) {
		r = 1;
	} else {
		r = efivars_open_node(e, node, task->flags, ret_open);
		if (r == 0 && task->kill_suidgid)
			efivars_kill_suidgid(node);
		if (r == 0)
			efivars_fill_entry(node, ret_entry);
	}
	pthread_mutex_unlock(&e->lock);
	return r;
}

static void reply_created(struct fs_request *req, int r, const struct fs_entry *entry,
	const struct fs_open *open)
{
	if (r < 0)
		fs_reply_error(req, r);
	else if (open)
		fs_reply_create(req, entry, open);
	else
		fs_reply_entry(req, entry);
}

static void create_with_services(struct task *task, struct fs_open *open)
{
	struct efivars *e = task->e;
	char canonical[FILE_NAME_SIZE];
	struct fs_entry entry;
	int r;

	listing_refresh(e);
	r = key_format(&task->key, canonical);
	if (r == 0)
		r = listing_find_missing(e, &task->key);
	if (r == 0) {
		variable_load_named(e, canonical);
		r = create_or_open(e, task, canonical, &entry, open);
	}
	(void)efivars_refuse(e, task->name, "cannot be created", r); /* only the note is wanted */
	reply_created(task_end(task), r > 0 ? -EIO : r, &entry, open);
}

static void run_create(struct task *task)
{
	struct fs_open open;

	create_with_services(task, &open);
}

static void run_mknod(struct task *task)
{
	create_with_services(task, NULL);
}

static int create_file(struct efivars *e, struct fs_request *req, struct task *take_task,
	const char *name, struct fs_open *open)
{
	CLEAN(task_free) struct task *task = take_task;
	char canonical[FILE_NAME_SIZE];
	struct fs_entry entry;
	int r;

	if (!task)
		return -ENOMEM;
	r = key_parse(&task->key, name);
	if (r < 0) {
		notes_refuse(&e->notes, "%s: cannot be created: a file's name is Name-GUID", name);
		return r;
	}
	if (rules_is_hidden(&task->key.vendor)) {
		notes_refuse(&e->notes, "%s: cannot be created: only the kernel uses it", name);
		return -EPERM;
	}
	r = key_format(&task->key, canonical);
	if (r < 0)
		return r;
	file_name_copy(task->name, name);
	if (!e->is_exclusive || atomic_load_explicit(&e->is_list_cut, memory_order_relaxed))
		return task_submit(TAKE_PTR(task));
	r = create_or_open(e, task, canonical, &entry, open);
	if (r > 0)
		return task_submit(TAKE_PTR(task));
	if (r < 0)
		return efivars_refuse(e, name, "cannot be created", r);
	reply_created(req, 0, &entry, open);
	return 0;
}

int efivars_create(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint32_t flags, const struct fs_create *create, bool kill_suidgid)
{
	struct efivars *e = efivars_of(fs);
	struct fs_open open;
	struct task *task;

	if (parent != FS_ROOT)
		return -ENOTDIR;
	task = task_new(e, req, run_create);
	if (task) {
		task->flags = flags;
		task->kill_suidgid = kill_suidgid;
		task->create = *create;
	}
	return create_file(e, req, task, name, &open);
}

int efivars_mknod(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *create)
{
	struct efivars *e = efivars_of(fs);
	struct task *task;

	if (parent != FS_ROOT)
		return -ENOTDIR;
	if ((create->mode & S_IFMT) != S_IFREG && (create->mode & S_IFMT) != 0)
		return -EPERM;
	task = task_new(e, req, run_mknod);
	if (task)
		task->create = *create;
	return create_file(e, req, task, name, NULL);
}

int efivars_tmpfile(struct fs *fs, struct fs_request *req, uint64_t parent, uint32_t flags,
	const struct fs_create *create)
{
	return -EOPNOTSUPP;
}
