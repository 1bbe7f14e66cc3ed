/* SPDX-License-Identifier: MIT */
/*
 * write.c — one write is one SetVariable; see internal.h.
 *
 * 4 bytes of attributes, then the whole content; without content the variable is deleted. The
 * offset means nothing, with one exception: a program that hands a variable over in pieces sends
 * the second piece right behind the first. Its bytes are no attributes, and must not be taken for
 * some.
 */
#include <errno.h>
#include <string.h>

#include "base/le.h"
#include "fs/efivars/internal.h"
#include "fs/efivars/validate.h"

/*
 * A write right behind an earlier one through the same handle is a value of its own only if it
 * begins with the variable's attributes: firmware would refuse others, but takes 0 for a deletion.
 */
static bool is_second_piece(const struct node *node, const struct handle *handle,
	const struct task *task)
{
	return handle && handle->has_written && handle->write_end == task->offset &&
		node->is_readable && node->attributes != (task->attributes & ~UEFI_APPEND_WRITE);
}

/* What can be said without the services. */
static int begin_write(struct efivars *e, struct task *task)
{
	const struct handle *handle;
	const struct node *node;
	const char *refusal = NULL;
	int r = 0;

	r = efivars_check_writable(e);
	if (r < 0)
		return efivars_refuse(e, task->name, "cannot be written", r);
	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, task->node);
	handle = nodes_get_handle(&e->nodes, task->node, task->handle);
	if (!node || node->state == NODE_REMOVED) {
		r = -EIO;
		refusal = "it was removed while it was open";
	} else if (is_second_piece(node, handle, task)) {
		r = -EINVAL;
		refusal = "a variable is written in one piece, and this is the second";
	}
	pthread_mutex_unlock(&e->lock);
	if (refusal)
		notes_refuse(&e->notes, "%s: cannot be written: %s", task->name, refusal);
	return r;
}

/* Takes over what the variable is now. */
static void end_write(struct efivars *e, struct task *task)
{
	CLEAN(content_unref) struct content *content = NULL;
	enum uefi_status status = variable_get(e, &task->key, &content);
	struct handle *handle;
	struct node *node;

	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, task->node);
	handle = nodes_get_handle(&e->nodes, task->node, task->handle);
	if (handle) {
		handle->has_written = true;
		handle->write_end = task->offset + ATTRIBUTES_SIZE + task->data_size;
	}
	if (node && status == UEFI_NOT_FOUND) {
		nodes_remove_at_close(&e->nodes, node);
	} else if (node && node->state != NODE_REMOVED) {
		node->state = NODE_STORED;
		node_set_content(node, content, e->is_exclusive);
		clock_gettime(CLOCK_REALTIME, &node->mtime);
		node->ctime = node->mtime;
	}
	pthread_mutex_unlock(&e->lock);
}

/* The old value stands; but a device that failed may have left anything. */
static void forget_content(struct efivars *e, uint64_t id)
{
	struct node *node;

	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, id);
	if (node && node->state == NODE_STORED)
		node_forget_content(node);
	pthread_mutex_unlock(&e->lock);
}

static void run_write(struct task *task)
{
	struct efivars *e = task->e;
	enum uefi_status status;
	int r;

	r = begin_write(e, task);
	if (r < 0) {
		fs_reply_error(task_end(task), r);
		return;
	}
	status = variable_set(e, &task->key, task->attributes, task->data, task->data_size);
	if (status != UEFI_SUCCESS) {
		r = variable_refused(e, task->name, "cannot be written", status);
		forget_content(e, task->node);
		fs_reply_error(task_end(task), r);
		return;
	}
	end_write(e, task);
	fs_reply_written(task_end(task), ATTRIBUTES_SIZE + task->data_size);
}

/* Copies attributes and data out of the request and checks them, in Linux's order. */
static int take_payload(struct task *task)
{
	struct iov_reader payload = fs_request_payload(task->job.req);
	size_t size = payload.remaining;
	const char *refusal = NULL;
	le32 attributes;
	int r = -EINVAL;

	if (payload.failed || size < ATTRIBUTES_SIZE) {
		refusal = "4 bytes of attributes come first";
	} else if (size > WRITE_MAX) {
		r = -EFBIG;
		refusal = "it is too big for one write";
	} else {
		iov_reader_copy(&payload, &attributes, sizeof(attributes));
		task->attributes = le32_get(attributes);
		if (task->attributes & ~UEFI_ATTRIBUTES_KNOWN)
			refusal = "unknown attributes";
	}
	if (!refusal && size > ATTRIBUTES_SIZE) {
		task->data_size = size - ATTRIBUTES_SIZE;
		task->data = malloc(task->data_size);
		if (!task->data)
			return -ENOMEM;
		iov_reader_copy(&payload, task->data, task->data_size);
		refusal = validate_content(&task->key, task->data, task->data_size);
	}
	if (!refusal)
		return 0;
	notes_refuse(&task->e->notes, "%s: cannot be written: %s", task->name, refusal);
	return r;
}

int efivars_write(struct fs *fs, struct fs_request *req, uint64_t id,
	const struct fs_write *write)
{
	struct efivars *e = efivars_of(fs);
	CLEAN(task_free) struct task *task = task_new(e, req, run_write);
	const struct handle *handle;
	int r = 0;

	/* A page of a shared mapping is a part of a variable, not the whole. */
	if (write->is_cached)
		return -EIO;
	if (!task)
		return -ENOMEM;
	task->node = id;
	task->handle = write->handle;
	task->offset = write->offset;
	pthread_mutex_lock(&e->lock);
	handle = nodes_get_handle(&e->nodes, id, write->handle);
	if (!handle || !handle->can_write) {
		r = -EBADF;
	} else {
		task->key = handle->node->key;
		memcpy(task->name, handle->node->shown, sizeof(task->name));
		if (write->kill_suidgid)
			efivars_kill_suidgid(handle->node);
	}
	pthread_mutex_unlock(&e->lock);
	if (r < 0)
		return r;
	r = take_payload(task);
	if (r < 0)
		return r;
	return task_submit(TAKE_PTR(task));
}
