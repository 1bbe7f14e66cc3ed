/* SPDX-License-Identifier: MIT */
/* attributes.c — getattr and setattr; see internal.h. What is set is kept in memory only. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "fs/efivars/internal.h"

/* From memory: 0, -ESTALE, or 1 when the services must be asked. */
static int get_known(struct efivars *e, uint64_t id, struct fs_attr *ret)
{
	const struct node *node;
	int r = 0;

	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, id);
	if (!node)
		r = -ESTALE;
	else if (!efivars_knows(e, node))
		r = 1;
	else
		efivars_fill_attr(node, ret);
	pthread_mutex_unlock(&e->lock);
	return r;
}

static void run_getattr(struct task *task)
{
	struct fs_attr attr;
	int r;

	listing_refresh(task->e);
	variable_load(task->e, task->node);
	r = get_known(task->e, task->node, &attr);
	if (r == 0)
		fs_reply_attr(task_end(task), &attr, 0);
	else
		fs_reply_error(task_end(task), r < 0 ? r : -EIO);
}

int efivars_getattr(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
	uint64_t handle)
{
	struct efivars *e = efivars_of(fs);
	struct fs_attr attr;
	struct task *task;
	int r = 1;

	if (e->is_exclusive || node == FS_ROOT)
		r = get_known(e, node, &attr);
	if (r < 0)
		return r;
	if (r == 0) {
		fs_reply_attr(req, &attr, 0);
		return 0;
	}
	task = task_new(e, req, run_getattr);
	if (!task)
		return -ENOMEM;
	task->node = node;
	return task_submit(task);
}

static void set_times(struct node *node, const struct fs_setattr *set)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (set->valid & FS_SET_ATIME)
		node->atime = set->valid & FS_SET_ATIME_NOW ? now : set->attr.atime;
	if (set->valid & FS_SET_MTIME)
		node->mtime = set->valid & FS_SET_MTIME_NOW ? now : set->attr.mtime;
	node->ctime = set->valid & FS_SET_CTIME ? set->attr.ctime : now;
}

/* An immutable file changes for nobody, but for the descriptor that it was created with. */
static bool is_refused(struct efivars *e, const struct node *node, const struct fs_setattr *set)
{
	const struct handle *handle;

	if (!node->is_immutable)
		return false;
	if (set->valid & (FS_SET_MODE | FS_SET_UID | FS_SET_GID))
		return true;
	handle = set->has_handle ? nodes_get_handle(&e->nodes, node->id, set->handle) : NULL;
	return !(set->valid & FS_SET_SIZE) || !handle || !handle->can_write;
}

/* Under the lock. */
static int set_attributes(struct efivars *e, struct node *node, const struct fs_setattr *set)
{
	int r;

	if (!node)
		return -ESTALE;
	r = efivars_check_writable(e);
	if (r < 0)
		return r;
	if (is_refused(e, node, set))
		return -EPERM;
	if (set->valid & FS_SET_KILL_SUIDGID)
		efivars_kill_suidgid(node);
	if (set->valid & FS_SET_MODE)
		node->mode = (node->mode & S_IFMT) | (set->attr.mode & 07777);
	if (set->valid & FS_SET_UID)
		node->uid = set->attr.uid;
	if (set->valid & FS_SET_GID)
		node->gid = set->attr.gid;
	/* A size is no business of a variable: its content stays, and with it its true size. */
	set_times(node, set);
	return 0;
}

int efivars_setattr(struct fs *fs, struct fs_request *req, uint64_t id,
	const struct fs_setattr *set)
{
	struct efivars *e = efivars_of(fs);
	char shown[FILE_NAME_SIZE] = "";
	struct node *node;
	int r;

	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, id);
	r = set_attributes(e, node, set);
	if (node)
		memcpy(shown, node->shown, sizeof(shown));
	pthread_mutex_unlock(&e->lock);
	if (r < 0)
		return efivars_refuse(e, shown, "cannot be changed", r);
	return efivars_getattr(fs, req, id, false, 0);
}
