/* SPDX-License-Identifier: MIT */
/* directory.c — look-up, listing and removal; see internal.h. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "fs/efivars/internal.h"

#define PLACE_SELF 1   /* of ".", ".." and, from 3 on, of the nodes: what comes after them */
#define PLACE_PARENT 2

/* From memory: 1 with the entry, -ENOENT, or 0 when the services must be asked. */
static int lookup_known(struct efivars *e, const char *canonical, struct fs_entry *ret)
{
	struct node *node;
	int r = 0;

	pthread_mutex_lock(&e->lock);
	node = nodes_find(&e->nodes, canonical);
	if (node && efivars_knows(e, node)) {
		efivars_fill_entry(node, ret);
		r = 1;
	} else if (!node) {
		r = -ENOENT;
	}
	pthread_mutex_unlock(&e->lock);
	return r;
}

static void run_lookup(struct task *task)
{
	struct efivars *e = task->e;
	struct fs_entry entry;
	int r;

	listing_refresh(e);
	r = listing_find_missing(e, &task->key);
	if (r < 0) {
		fs_reply_error(task_end(task), r);
		return;
	}
	variable_load_named(e, task->name);
	r = lookup_known(e, task->name, &entry);
	if (r > 0)
		fs_reply_entry(task_end(task), &entry);
	else
		fs_reply_error(task_end(task), r < 0 ? r : -EIO);
}

int efivars_lookup(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name)
{
	struct efivars *e = efivars_of(fs);
	char canonical[FILE_NAME_SIZE];
	struct variable_key key;
	struct fs_entry entry;
	struct task *task;
	int r = 0;

	if (parent != FS_ROOT)
		return -ENOTDIR;
	if (key_parse(&key, name) < 0 || key_format(&key, canonical) < 0)
		return -ENOENT;
	if (e->is_exclusive)
		r = lookup_known(e, canonical, &entry);
	if (r > 0) {
		fs_reply_entry(req, &entry);
		return 0;
	}
	if (r < 0 && !atomic_load_explicit(&e->is_list_cut, memory_order_relaxed))
		return r;
	task = task_new(e, req, run_lookup);
	if (!task)
		return -ENOMEM;
	task->key = key;
	memcpy(task->name, canonical, sizeof(canonical));
	return task_submit(task);
}

void efivars_forget(struct fs *fs, uint64_t id, uint64_t count)
{
	struct efivars *e = efivars_of(fs);
	struct node *node;

	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, id);
	if (node)
		nodes_forget(&e->nodes, node, count);
	pthread_mutex_unlock(&e->lock);
}

/* One entry; false when the answer is full. With is_plus the kernel looks it up itself. */
static bool list_one(struct fs_request *req, const char *name, uint64_t number, uint32_t mode,
	uint64_t next, bool is_plus)
{
	struct fs_entry entry = {.attr = {.ino = number, .mode = mode}};

	if (is_plus)
		return fs_reply_direntplus(req, name, &entry, next);
	return fs_reply_dirent(req, name, number, S_ISDIR(mode) ? DT_DIR : DT_REG, next);
}

static void list_from(struct efivars *e, struct fs_request *req, uint64_t offset, bool is_plus)
{
	const struct nodes *nodes = &e->nodes;
	bool has_room = true;

	if (offset < PLACE_SELF)
		has_room = list_one(req, ".", FS_ROOT, S_IFDIR, PLACE_SELF, is_plus);
	if (has_room && offset < PLACE_PARENT)
		has_room = list_one(req, "..", FS_ROOT, S_IFDIR, PLACE_PARENT, is_plus);
	pthread_mutex_lock(&e->lock);
	for (size_t i = nodes_after(nodes, offset); has_room && i < nodes->count; i++) {
		const struct node *node = nodes->listed[i];

		has_room = list_one(req, node->shown, node->number, S_IFREG, node->number, is_plus);
	}
	pthread_mutex_unlock(&e->lock);
	fs_reply_dir_end(req);
}

static void run_readdir(struct task *task)
{
	listing_refresh(task->e);
	list_from(task->e, task_end(task), task->offset, task->is_plus);
}

int efivars_readdir(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, bool is_plus)
{
	struct efivars *e = efivars_of(fs);
	struct task *task;

	if (node != FS_ROOT)
		return -ENOTDIR;
	if (e->is_exclusive || offset > 0) {
		list_from(e, req, offset, is_plus);
		return 0;
	}
	task = task_new(e, req, run_readdir);
	if (!task)
		return -ENOMEM;
	task->is_plus = is_plus;
	return task_submit(task);
}

/*
 * Whether a listed file may be removed, and what that takes. 1: the services must be asked, with
 * the node's id and key; 0: it is gone; -errno.
 */
static int begin_unlink(struct efivars *e, struct task *task)
{
	struct node *node;
	int r = 1;

	pthread_mutex_lock(&e->lock);
	node = nodes_find(&e->nodes, task->name);
	if (!node) {
		r = -ENOENT;
	} else if (node->is_immutable) {
		r = -EPERM;
	} else if (node->state == NODE_REMOVED ||
		(node->state == NODE_CREATED && e->is_exclusive)) {
		nodes_remove(&e->nodes, node);
		efivars_touch_root(e);
		r = 0;
	} else {
		task->node = node->id;
		task->key = node->key;
	}
	pthread_mutex_unlock(&e->lock);
	return r;
}

static int unlink_variable(struct efivars *e, struct task *task)
{
	enum uefi_status status = variable_set(e, &task->key, 0, NULL, 0);
	struct node *node;

	if (status != UEFI_SUCCESS && status != UEFI_NOT_FOUND)
		return variable_refused(e, task->name, "cannot be deleted", status);
	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, task->node);
	if (node)
		nodes_remove(&e->nodes, node);
	efivars_touch_root(e);
	pthread_mutex_unlock(&e->lock);
	return 0;
}

static void run_unlink(struct task *task)
{
	struct efivars *e = task->e;
	int r;

	listing_refresh(e);
	r = efivars_check_writable(e);
	if (r == 0)
		r = listing_find_missing(e, &task->key);
	if (r == 0)
		r = begin_unlink(e, task);
	if (r > 0)
		r = unlink_variable(e, task);
	else
		r = efivars_refuse(e, task->name, "cannot be deleted", r);
	if (r < 0)
		fs_reply_error(task_end(task), r);
	else
		fs_reply_ok(task_end(task));
}

int efivars_unlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name)
{
	struct efivars *e = efivars_of(fs);
	CLEAN(task_free) struct task *task = NULL;

	if (parent != FS_ROOT)
		return -ENOTDIR;
	task = task_new(e, req, run_unlink);
	if (!task)
		return -ENOMEM;
	if (key_parse(&task->key, name) < 0 || key_format(&task->key, task->name) < 0)
		return -ENOENT;
	return task_submit(TAKE_PTR(task));
}

/* There is one directory, and it stays: what is there is a file. */
int efivars_rmdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name)
{
	return -ENOTDIR;
}

int efivars_mkdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *create)
{
	return -EPERM;
}

int efivars_symlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const char *target)
{
	return -EPERM;
}

int efivars_link(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t parent,
	const char *name)
{
	return -EPERM;
}

/* A variable's name is its key: there is no way to change it but a new variable. */
int efivars_rename(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint64_t new_parent, const char *new_name, uint32_t flags)
{
	return -EPERM;
}
