/* SPDX-License-Identifier: MIT */
/*
 * space.c — fallocate, lseek, copy_file_range.
 *
 * The protocol does not say whether fallocate and copy_file_range take set-id bits away, so the
 * caller's own capabilities are looked at.
 */
#include <errno.h>

#include "fs/passthrough/internal.h"

int op_fallocate(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint32_t mode, uint64_t offset, uint64_t length)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_FILE struct held_file held = {0};
	int r;

	r = file_hold(pt, handle, &held);
	if (r == 0)
		r = killpriv_before_unsaid(pt, req, held.file->node, held.file->fd);
	if (r < 0)
		return r;
	if (fallocate(held.file->fd, (int)mode, (off_t)offset, (off_t)length) < 0)
		return -errno;
	fs_reply_ok(req);
	return 0;
}

int op_lseek(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle, uint64_t offset,
	uint32_t whence)
{
	CLEAN_FILE struct held_file held = {0};
	off_t found;
	int r;

	r = file_hold(passthrough_of(fs), handle, &held);
	if (r < 0)
		return r;
	if (held.file->listing)
		return -EINVAL; /* its position is readdir's */
	/* moves the descriptor's position too, which nobody uses */
	found = lseek(held.file->fd, (off_t)offset, (int)whence);
	if (found < 0)
		return -errno;
	fs_reply_lseek(req, (uint64_t)found);
	return 0;
}

int op_copy_file_range(struct fs *fs, struct fs_request *req, const struct fs_copy *copy)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_FILE struct held_file from = {0};
	CLEAN_FILE struct held_file to = {0};
	off_t from_offset = (off_t)copy->from_offset;
	off_t to_offset = (off_t)copy->to_offset;
	ssize_t n;
	int r;

	r = file_hold(pt, copy->from_handle, &from);
	if (r == 0)
		r = file_hold(pt, copy->to_handle, &to);
	if (r == 0)
		r = killpriv_before_unsaid(pt, req, to.file->node, to.file->fd);
	if (r < 0)
		return r;
	n = copy_file_range(from.file->fd, &from_offset, to.file->fd, &to_offset, copy->length,
		copy->flags);
	if (n < 0)
		return -errno;
	fs_reply_written(req, (size_t)n);
	return 0;
}
