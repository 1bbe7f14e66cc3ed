/* SPDX-License-Identifier: MIT */
/* files.c — open, read and close; see internal.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "fs/efivars/internal.h"

static int open_now(struct efivars *e, uint64_t id, uint32_t flags, bool kill_suidgid,
	struct fs_open *ret)
{
	char shown[FILE_NAME_SIZE] = "";
	struct node *node;
	int r;

	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, id);
	r = node ? efivars_open_node(e, node, flags, ret) : -ESTALE;
	if (r == 0 && kill_suidgid)
		efivars_kill_suidgid(node);
	if (node)
		memcpy(shown, node->shown, sizeof(shown));
	pthread_mutex_unlock(&e->lock);
	return efivars_refuse(e, shown, "cannot be opened for writing", r);
}

static void run_open(struct task *task)
{
	struct fs_open open;
	int r;

	listing_refresh(task->e);
	r = open_now(task->e, task->node, task->flags, task->kill_suidgid, &open);
	if (r < 0)
		fs_reply_error(task_end(task), r);
	else
		fs_reply_open(task_end(task), &open);
}

int efivars_open(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags,
	bool kill_suidgid)
{
	struct efivars *e = efivars_of(fs);
	struct fs_open open;
	struct task *task;
	int r;

	if (e->is_exclusive) {
		r = open_now(e, node, flags, kill_suidgid, &open);
		if (r == 0)
			fs_reply_open(req, &open);
		return r;
	}
	task = task_new(e, req, run_open);
	if (!task)
		return -ENOMEM;
	task->node = node;
	task->flags = flags;
	task->kill_suidgid = kill_suidgid;
	return task_submit(task);
}

static void reply_slice(struct fs_request *req, const struct content *content, uint64_t offset,
	uint32_t size)
{
	size_t left = offset < content->size ? content->size - (size_t)offset : 0;

	fs_reply_data(req, content->bytes + (content->size - left), left < size ? left : size);
}

/* The node's content from the services. A variable that is gone reads as empty. */
static int read_variable(struct efivars *e, struct task *task, struct content **ret)
{
	CLEAN(content_unref) struct content *content = NULL;
	char shown[FILE_NAME_SIZE];
	enum uefi_status status = UEFI_NOT_FOUND;
	struct node *node;

	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, task->node);
	if (node && node->state == NODE_STORED) {
		task->key = node->key;
		memcpy(shown, node->shown, sizeof(shown));
		if (node->content)
			content = content_ref(node->content);
		status = UEFI_SUCCESS;
	}
	pthread_mutex_unlock(&e->lock);
	if (status == UEFI_SUCCESS && !content)
		status = variable_get(e, &task->key, &content);
	if (status == UEFI_SUCCESS || status == UEFI_NOT_FOUND) {
		pthread_mutex_lock(&e->lock);
		node = nodes_get(&e->nodes, task->node);
		if (node && node->state == NODE_STORED && !content)
			nodes_remove(&e->nodes, node);
		else if (node && node->state == NODE_STORED && node->content != content)
			node_set_content(node, content, e->is_exclusive);
		pthread_mutex_unlock(&e->lock);
		*ret = TAKE_PTR(content);
		return 0;
	}
	return variable_refused(e, shown, "cannot be read", status);
}

static void run_read(struct task *task)
{
	CLEAN(content_unref) struct content *content = NULL;
	int r = read_variable(task->e, task, &content);

	if (r < 0)
		fs_reply_error(task_end(task), r);
	else if (content)
		reply_slice(task_end(task), content, task->offset, task->size);
	else
		fs_reply_data(task_end(task), NULL, 0);
}

int efivars_read(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, uint32_t size, uint32_t open_flags)
{
	struct efivars *e = efivars_of(fs);
	CLEAN(content_unref) struct content *content = NULL;
	const struct handle *open;
	bool is_stored = false;
	struct task *task;

	pthread_mutex_lock(&e->lock);
	open = nodes_get_handle(&e->nodes, node, handle);
	if (!open || !open->can_read) {
		pthread_mutex_unlock(&e->lock);
		return -EBADF;
	}
	is_stored = open->node->state == NODE_STORED;
	if (open->node->content)
		content = content_ref(open->node->content);
	pthread_mutex_unlock(&e->lock);
	if (content) {
		reply_slice(req, content, offset, size);
		return 0;
	}
	if (!is_stored) {
		fs_reply_data(req, NULL, 0);
		return 0;
	}
	task = task_new(e, req, run_read);
	if (!task)
		return -ENOMEM;
	task->node = node;
	task->offset = offset;
	task->size = size;
	return task_submit(task);
}

int efivars_release(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t id,
	uint32_t flags)
{
	struct efivars *e = efivars_of(fs);
	struct handle *handle;

	pthread_mutex_lock(&e->lock);
	handle = nodes_get_handle(&e->nodes, node, id);
	if (handle)
		nodes_close(&e->nodes, handle);
	pthread_mutex_unlock(&e->lock);
	if (!handle)
		return -EBADF;
	fs_reply_ok(req);
	return 0;
}

/* Linux's efivarfs has none, and says so; a write has reached the store when it returns. */
int efivars_fsync(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	bool is_data_only)
{
	return -EINVAL;
}
