/* SPDX-License-Identifier: MIT */
/* peer.c — see peer.h. */
#include "fuse/test/peer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void peer_complete(struct fuse_channel *channel, struct fs_request *req, size_t length)
{
	struct peer *peer = (struct peer *)channel;
	struct fuse_out_header header = {0};

	peer->completed++;
	peer->length = length;
	if (length >= sizeof(header))
		memcpy(&header, peer->out_bytes, sizeof(header));
	peer->error = header.error;
	peer->unique = header.unique;
	peer->data = peer->out_bytes + sizeof(header);
	peer->size = length >= sizeof(header) ? length - sizeof(header) : 0;
	if (length > 0 && header.len != length)
		abort(); /* a header that lies about its length would mislead every test */
}

static int peer_notify(struct fuse_channel *channel, const struct iovec *iov, size_t count)
{
	struct peer *peer = (struct peer *)channel;

	peer->notification_size = 0;
	for (size_t i = 0; i < count; i++) {
		memcpy(peer->notification + peer->notification_size, iov[i].iov_base,
			iov[i].iov_len);
		peer->notification_size += iov[i].iov_len;
	}
	return 0;
}

static const struct fuse_channel_ops peer_ops = {
	.complete = peer_complete,
	.notify = peer_notify,
};

void peer_open(struct peer *peer, uint32_t wants)
{
	memset(peer, 0, sizeof(*peer));
	peer->channel.ops = &peer_ops;
	peer->recorder.fs.ops = &recorder_ops;
	peer->recorder.fs.wants = wants;
	peer->next_unique = 2;
	if (fuse_session_new(&peer->session, &peer->recorder.fs, &peer->channel, NULL) < 0)
		abort();
}

void peer_close(struct peer *peer)
{
	fuse_session_free(peer->session);
}

void peer_prepare(struct peer *peer, size_t in_size, size_t out_size)
{
	size_t in_cut = in_size < 33 ? in_size : 33;
	size_t out_cut = out_size < 11 ? out_size : 11;
	size_t out_second = out_size - out_cut < 29 ? out_size - out_cut : 29;

	peer->in[0] = (struct iovec){peer->in_bytes, in_cut};
	peer->in[1] = (struct iovec){peer->in_bytes + in_cut, 0};
	peer->in[2] = (struct iovec){peer->in_bytes + in_cut, in_size - in_cut};
	peer->out[0] = (struct iovec){peer->out_bytes, out_cut};
	peer->out[1] = (struct iovec){peer->out_bytes + out_cut, 0};
	peer->out[2] = (struct iovec){peer->out_bytes + out_cut, out_second};
	peer->out[3] = (struct iovec){peer->out_bytes + out_cut + out_second,
		out_size - out_cut - out_second};
	memset(&peer->req, 0xa5, sizeof(peer->req)); /* the transport sets the rest */
	peer->req.channel = &peer->channel;
	peer->req.in = iov_reader_of(peer->in, 3);
	peer->req.out = peer->out;
	peer->req.out_count = 4;
	peer->req.out_size = out_size;
	peer->req.scratch = peer->scratch;
	peer->length = 0;
	peer->error = 0;
	peer->size = 0;
	peer->recorder.log[0] = '\0';
}

int peer_send_raw(struct peer *peer, const struct fuse_in_header *header, const void *bytes,
	size_t size, size_t out_size)
{
	if (sizeof(*header) + size > PEER_BYTES || out_size > PEER_BYTES)
		abort();
	memcpy(peer->in_bytes, header, sizeof(*header));
	if (size > 0)
		memcpy(peer->in_bytes + sizeof(*header), bytes, size);
	peer_prepare(peer, sizeof(*header) + size, out_size);
	fuse_session_handle(peer->session, &peer->req);
	return peer->error;
}

int peer_send(struct peer *peer, uint32_t opcode, uint64_t node, const void *bytes, size_t size)
{
	struct fuse_in_header header = {
		.len = (uint32_t)(sizeof(header) + size),
		.opcode = opcode,
		.unique = peer->next_unique,
		.nodeid = node,
		.uid = 1000,
		.gid = 100,
		.pid = 7,
	};

	peer->next_unique += 2;
	return peer_send_raw(peer, &header, bytes, size, PEER_BYTES);
}

int peer_init(struct peer *peer, uint32_t major, uint32_t minor, uint64_t flags)
{
	struct fuse_init_in in = {
		.major = major,
		.minor = minor,
		.max_readahead = 131072,
		.flags = (uint32_t)flags,
		.flags2 = (uint32_t)(flags >> 32),
	};

	return peer_send(peer, FUSE_INIT, 0, &in, sizeof(in));
}

/* ---- the file system ---- */

__attribute__((format(printf, 3, 4)))
static int record(struct fs *fs, struct fs_request *req, const char *format, ...)
{
	struct recorder *recorder = (struct recorder *)fs;
	va_list args;

	recorder->calls++;
	va_start(args, format);
	(void)vsnprintf(recorder->log, sizeof(recorder->log), format, args);
	va_end(args);
	recorder->kept = req;
	return recorder->is_keeper ? 1 : recorder->result;
}

/* Answers unless the recorder is to fail or to keep. */
#define ANSWER(answer, ...)                                                                        \
	do {                                                                                       \
		int answer_result_ = record(fs, req, __VA_ARGS__);                                 \
		if (answer_result_ != 0)                                                           \
			return answer_result_ < 0 ? answer_result_ : 0;                            \
		answer;                                                                            \
		return 0;                                                                          \
	} while (0)

/* Twice an initializer, where a constant object is not allowed. */
#define SOME_ATTR                                                                                  \
	{.ino = 42, .size = 4711, .blocks = 16, .atime = {1, 11}, .mtime = {2, 22},                \
	.ctime = {3, 33}, .mode = S_IFREG | 0640, .nlink = 3, .uid = 5, .gid = 6,                  \
	.rdev = 0x12345678, .blksize = 512}

static const struct fs_attr some_attr = SOME_ATTR;

static const struct fs_entry some_entry = {
	.node = 9,
	.generation = 8,
	.attr = SOME_ATTR,
	.entry_timeout = 1500000000u,
	.attr_timeout = FS_FOREVER,
};

static const struct fs_open some_open = {
	.handle = 77,
	.flags = FS_OPEN_DIRECT_IO | FS_OPEN_NOFLUSH | FS_OPEN_PARALLEL_WRITES,
};

static const struct fs_statfs some_statfs = {100, 50, 40, 30, 20, 4096, 1024, 255};

static void rec_destroy(struct fs *fs)
{
}

static int rec_lookup(struct fs *fs, struct fs_request *req, uint64_t node, const char *name)
{
	ANSWER(fs_reply_entry(req, &some_entry), "lookup %" PRIu64 " %s", node, name);
}

static void rec_forget(struct fs *fs, uint64_t node, uint64_t count)
{
	(void)record(fs, NULL, "forget %" PRIu64 " %" PRIu64, node, count);
	((struct recorder *)fs)->forgotten += count;
}

static int rec_getattr(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
	uint64_t handle)
{
	ANSWER(fs_reply_attr(req, &some_attr, 2000000001u), "getattr %" PRIu64 " %d %" PRIu64, node,
		has_handle, handle);
}

static int rec_setattr(struct fs *fs, struct fs_request *req, uint64_t node,
	const struct fs_setattr *set)
{
	ANSWER(fs_reply_attr(req, &some_attr, 0),
		"setattr %" PRIu64 " %#x %d %" PRIu64 " size=%" PRIu64
		" mode=%o uid=%u gid=%u mtime=%jd.%ld",
		node, set->valid, set->has_handle, set->handle, set->attr.size, set->attr.mode,
		set->attr.uid, set->attr.gid, (intmax_t)set->attr.mtime.tv_sec,
		set->attr.mtime.tv_nsec);
}

static int rec_readlink(struct fs *fs, struct fs_request *req, uint64_t node)
{
	ANSWER(fs_reply_data(req, "target", 6), "readlink %" PRIu64, node);
}

static int rec_mknod(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *create)
{
	ANSWER(fs_reply_entry(req, &some_entry), "mknod %" PRIu64 " %s %o %o %u", parent, name,
		create->mode, create->umask, create->rdev);
}

static int rec_mkdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *create)
{
	ANSWER(fs_reply_entry(req, &some_entry), "mkdir %" PRIu64 " %s %o %o", parent, name,
		create->mode, create->umask);
}

static int rec_symlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const char *target)
{
	ANSWER(fs_reply_entry(req, &some_entry), "symlink %" PRIu64 " %s %.60s", parent, name,
		target);
}

static int rec_link(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t parent,
	const char *name)
{
	ANSWER(fs_reply_entry(req, &some_entry), "link %" PRIu64 " %" PRIu64 " %s", node, parent,
		name);
}

static int rec_unlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name)
{
	ANSWER(fs_reply_ok(req), "unlink %" PRIu64 " %s", parent, name);
}

static int rec_rmdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name)
{
	ANSWER(fs_reply_ok(req), "rmdir %" PRIu64 " %s", parent, name);
}

static int rec_rename(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint64_t new_parent, const char *new_name, uint32_t flags)
{
	ANSWER(fs_reply_ok(req), "rename %" PRIu64 " %s %" PRIu64 " %s %u", parent, name,
		new_parent,
		new_name, flags);
}

static int rec_open(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags,
	bool kill_suidgid)
{
	ANSWER(fs_reply_open(req, &some_open), "open %" PRIu64 " %#x %d", node, flags,
		kill_suidgid);
}

static int rec_create(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint32_t flags, const struct fs_create *create, bool kill_suidgid)
{
	uint32_t group = 0;

	(void)fs_request_group(req, &group); /* 0 where there is none */
	ANSWER(fs_reply_create(req, &some_entry, &some_open),
		"create %" PRIu64 " %s %#x %o %o %d group=%u",
		parent, name, flags, create->mode, create->umask, kill_suidgid, group);
}

static int rec_tmpfile(struct fs *fs, struct fs_request *req, uint64_t parent, uint32_t flags,
	const struct fs_create *create)
{
	ANSWER(fs_reply_create(req, &some_entry, &some_open), "tmpfile %" PRIu64 " %#x %o", parent,
		flags,
		create->mode);
}

static int rec_read(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, uint32_t size, uint32_t open_flags)
{
	ANSWER(fs_reply_data(req, "0123456789abcdef", 16),
		"read %" PRIu64 " %" PRIu64 " %" PRIu64 " %u",
		node, handle, offset, size);
}

static int rec_write(struct fs *fs, struct fs_request *req, uint64_t node,
	const struct fs_write *write)
{
	struct iov_reader payload = fs_request_payload(req);
	size_t size = payload.remaining;
	char text[16] = "";

	(void)iov_reader_copy(&payload, text, size < 15 ? size : 15);
	ANSWER(fs_reply_written(req, size), "write %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %s",
		node,
		write->handle, write->offset, write->is_cached, write->kill_suidgid, text);
}

static int rec_flush(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t lock_owner)
{
	ANSWER(fs_reply_ok(req), "flush %" PRIu64 " %" PRIu64 " %" PRIu64, node, handle,
		lock_owner);
}

static int rec_release(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint32_t flags)
{
	ANSWER(fs_reply_ok(req), "release %" PRIu64 " %" PRIu64 " %#x", node, handle, flags);
}

static int rec_fsync(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	bool is_data_only)
{
	ANSWER(fs_reply_ok(req), "fsync %" PRIu64 " %" PRIu64 " %d", node, handle, is_data_only);
}

static int rec_opendir(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags)
{
	ANSWER(fs_reply_open(req, &some_open), "opendir %" PRIu64 " %#x", node, flags);
}

static int rec_readdir(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, bool is_plus)
{
	int r = record(fs, req, "readdir %" PRIu64 " %" PRIu64 " %" PRIu64 " %d", node, handle,
		offset,
		is_plus);

	if (r != 0)
		return r < 0 ? r : 0;
	for (uint64_t i = offset; i < 3; i++) {
		static const char *const names[] = {"a", "eight888", "c"};

		if (!(is_plus ? fs_reply_direntplus(req, names[i], &some_entry, i + 1) :
				fs_reply_dirent(req, names[i], 40 + i, 8, i + 1)))
			break;
	}
	fs_reply_dir_end(req);
	return 0;
}

static int rec_releasedir(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint32_t flags)
{
	ANSWER(fs_reply_ok(req), "releasedir %" PRIu64 " %" PRIu64, node, handle);
}

static int rec_fsyncdir(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	bool is_data_only)
{
	ANSWER(fs_reply_ok(req), "fsyncdir %" PRIu64 " %" PRIu64 " %d", node, handle, is_data_only);
}

static int rec_statfs(struct fs *fs, struct fs_request *req, uint64_t node)
{
	ANSWER(fs_reply_statfs(req, &some_statfs), "statfs %" PRIu64, node);
}

static int rec_access(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t mask)
{
	ANSWER(fs_reply_ok(req), "access %" PRIu64 " %u", node, mask);
}

static int rec_getxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	uint32_t size)
{
	ANSWER(size == 0 ? fs_reply_xattr_size(req, 5) : fs_reply_data(req, "value", 5),
		"getxattr %" PRIu64 " %s %u", node, name, size);
}

static int rec_listxattr(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t size)
{
	ANSWER(size == 0 ? fs_reply_xattr_size(req, 7) : fs_reply_data(req, "user.a", 7),
		"listxattr %" PRIu64 " %u", node, size);
}

static int rec_setxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	const void *value, size_t size, uint32_t flags)
{
	ANSWER(fs_reply_ok(req), "setxattr %" PRIu64 " %s %.*s %#x", node, name,
		size < 100 ? (int)size : 100, (const char *)value, flags);
}

static int rec_removexattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name)
{
	ANSWER(fs_reply_ok(req), "removexattr %" PRIu64 " %s", node, name);
}

static int rec_getlk(struct fs *fs, struct fs_request *req, uint64_t node,
	const struct fs_lock *lock)
{
	ANSWER(fs_reply_lock(req, lock), "getlk %" PRIu64 " %" PRIu64 " %" PRIu64 "-%" PRIu64 " %u",
		node,
		lock->handle, lock->start, lock->end, lock->type);
}

static int rec_setlk(struct fs *fs, struct fs_request *req, uint64_t node,
	const struct fs_lock *lock)
{
	ANSWER(fs_reply_ok(req), "setlk %" PRIu64 " %" PRIu64 " %d %d", node, lock->owner,
		lock->is_flock,
		lock->may_wait);
}

static int rec_ioctl(struct fs *fs, struct fs_request *req, uint64_t node,
	const struct fs_ioctl *ioctl)
{
	ANSWER(fs_reply_ioctl(req, 3, "output", 6),
		"ioctl %" PRIu64 " %" PRIu64 " %#x in=%zu out=%u %d",
		node, ioctl->handle, ioctl->command, fs_request_payload(req).remaining,
		ioctl->out_size, ioctl->is_directory);
}

static int rec_fallocate(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint32_t mode, uint64_t offset, uint64_t length)
{
	ANSWER(fs_reply_ok(req), "fallocate %" PRIu64 " %" PRIu64 " %u %" PRIu64 " %" PRIu64, node,
		handle,
		mode, offset, length);
}

static int rec_lseek(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, uint32_t whence)
{
	ANSWER(fs_reply_lseek(req, offset + 1), "lseek %" PRIu64 " %" PRIu64 " %" PRIu64 " %u",
		node,
		handle, offset, whence);
}

static int rec_copy_file_range(struct fs *fs, struct fs_request *req, const struct fs_copy *copy)
{
	ANSWER(fs_reply_written(req, copy->length),
		"copy %" PRIu64 " %" PRIu64 " %" PRIu64 " to %" PRIu64 " %" PRIu64
		" %" PRIu64 " %" PRIu64,
		copy->from_node, copy->from_handle, copy->from_offset, copy->to_node,
		copy->to_handle, copy->to_offset, copy->length);
}

static int rec_syncfs(struct fs *fs, struct fs_request *req, uint64_t node)
{
	ANSWER(fs_reply_ok(req), "syncfs %" PRIu64, node);
}

const struct fs_ops recorder_ops = {
	.name = "recorder",
	.destroy = rec_destroy,
	.lookup = rec_lookup,
	.forget = rec_forget,
	.getattr = rec_getattr,
	.setattr = rec_setattr,
	.readlink = rec_readlink,
	.mknod = rec_mknod,
	.mkdir = rec_mkdir,
	.symlink = rec_symlink,
	.link = rec_link,
	.unlink = rec_unlink,
	.rmdir = rec_rmdir,
	.rename = rec_rename,
	.open = rec_open,
	.create = rec_create,
	.tmpfile = rec_tmpfile,
	.read = rec_read,
	.write = rec_write,
	.flush = rec_flush,
	.release = rec_release,
	.fsync = rec_fsync,
	.opendir = rec_opendir,
	.readdir = rec_readdir,
	.releasedir = rec_releasedir,
	.fsyncdir = rec_fsyncdir,
	.statfs = rec_statfs,
	.access = rec_access,
	.getxattr = rec_getxattr,
	.listxattr = rec_listxattr,
	.setxattr = rec_setxattr,
	.removexattr = rec_removexattr,
	.getlk = rec_getlk,
	.setlk = rec_setlk,
	.ioctl = rec_ioctl,
	.fallocate = rec_fallocate,
	.lseek = rec_lseek,
	.copy_file_range = rec_copy_file_range,
	.syncfs = rec_syncfs,
};
