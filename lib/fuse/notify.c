/* SPDX-License-Identifier: MIT */
/*
 * notify.c — what a file system tells the kernel outside a request: notifications (a header with
 * unique 0 and the code), and backing files.
 */
#include <errno.h>
#include <string.h>

#include "fuse/internal.h"

static int notify_send(struct fs *fs, int code, struct iovec *iov, size_t count)
{
	struct fuse_out_header header = {.len = sizeof(header), .error = code};
	struct fuse_session *session;

	if (!fs->notifier)
		return -ENOTCONN;
	session = fs->notifier->session;
	if (!session->channel || !fuse_session_is_ready(session))
		return -ENOTCONN;
	for (size_t i = 1; i < count; i++)
		header.len += (uint32_t)iov[i].iov_len;
	iov[0] = (struct iovec){&header, sizeof(header)};
	return session->channel->ops->notify(session->channel, iov, count);
}

int fs_notify_node(struct fs *fs, uint64_t node, int64_t offset, int64_t length)
{
	struct fuse_notify_inval_inode_out out = {.ino = node, .off = offset, .len = length};
	struct iovec iov[2] = {[1] = {&out, sizeof(out)}};

	return notify_send(fs, FUSE_NOTIFY_INVAL_INODE, iov, ARRAY_SIZE(iov));
}

int fs_notify_entry(struct fs *fs, uint64_t parent, const char *name)
{
	size_t length = strlen(name);
	struct fuse_notify_inval_entry_out out = {.parent = parent, .namelen = (uint32_t)length};
	char copy[FS_NAME_MAX + 1];
	struct iovec iov[3] = {[1] = {&out, sizeof(out)}, [2] = {copy, length + 1}};

	if (length == 0 || length > FS_NAME_MAX)
		return -EINVAL;
	memcpy(copy, name, length + 1); /* an iovec's memory is not const */
	return notify_send(fs, FUSE_NOTIFY_INVAL_ENTRY, iov, ARRAY_SIZE(iov));
}

/* The session's channel while it may be used, else NULL. */
static struct fuse_channel *channel_of(struct fs *fs)
{
	struct fuse_channel *channel = fs->notifier ? fs->notifier->session->channel : NULL;

	return channel && channel->ops->backing_open ? channel : NULL;
}

int fs_backing_open(struct fs *fs, int fd, uint32_t *ret_backing)
{
	struct fuse_channel *channel = channel_of(fs);

	if (!channel)
		return -EOPNOTSUPP;
	return channel->ops->backing_open(channel, fd, ret_backing);
}

void fs_backing_close(struct fs *fs, uint32_t backing)
{
	struct fuse_channel *channel = channel_of(fs);

	if (channel)
		channel->ops->backing_close(channel, backing);
}
