/* SPDX-License-Identifier: MIT */
/*
 * fuse_request.c — a hostile FUSE client: a stream of requests into one session over a small file
 * system in memory.
 *
 * An input is one byte (bit 0: INIT has been agreed already, with every promise) and then requests:
 * a byte of flags (bit 0: the header is given its true length, bit 1: little room for the reply,
 * bit 2: cut into two iovecs), the length as le16, and the bytes from the header on.
 *
 * What must hold: each request is completed once; an answer fits its place and tells its length;
 * the file system sees only names, ranges and sizes as fs/filesystem.h promises them; nothing is
 * left.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "fuse/protocol.h"
#include "fuse/session.h"
#include "target.h"

#define KEPT_MAX 8u
#define REQUEST_SIZE 4096u
#define REPLY_SIZE 8192u

static void hold(bool condition)
{
	if (!condition)
		abort();
}

/* A request and its memory; guards lie behind the place for the reply. */
struct slot {
	struct fs_request req; /* first */
	bool is_busy;
	bool is_kept; /* counted in kept_count */
	uint8_t bytes[REQUEST_SIZE];
	uint8_t reply[REPLY_SIZE + 16];
	uint8_t scratch[FUSE_SCRATCH_SIZE];
	struct iovec in[2], out[2];
	size_t out_size;
};

static struct slot slots[KEPT_MAX + 1];
static unsigned kept_count;

/* ---- the file system ---- */

static uint8_t file_data[4096];

static struct fs_attr attr_of(uint64_t node)
{
	return (struct fs_attr){
		.ino = node,
		.mode = node == FS_ROOT ? S_IFDIR | 0755 : S_IFREG | 0644,
		.size = sizeof(file_data),
		.nlink = 1,
	};
}

static void name_holds(const char *name)
{
	size_t length = strlen(name);

	hold(length > 0 && length <= FS_NAME_MAX && !strchr(name, '/'));
}

static void made_name_holds(const char *name)
{
	name_holds(name);
	hold(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
}

static void mem_destroy(struct fs *fs)
{
}

static int mem_lookup(struct fs *fs, struct fs_request *req, uint64_t node, const char *name)
{
	struct fs_entry entry = {.node = 2, .attr = attr_of(2)};

	name_holds(name);
	if (name[0] == 'n')
		return -ENOENT;
	fs_reply_entry(req, &entry);
	return 0;
}

static void mem_forget(struct fs *fs, uint64_t node, uint64_t count)
{
}

static int mem_getattr(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
	uint64_t handle)
{
	struct fs_attr attr = attr_of(node);

	fs_reply_attr(req, &attr, 1);
	return 0;
}

static int mem_setattr(struct fs *fs, struct fs_request *req, uint64_t node,
	const struct fs_setattr *set)
{
	hold(!(set->valid & FS_SET_MTIME) || set->attr.mtime.tv_nsec < 1000000000);
	return mem_getattr(fs, req, node, set->has_handle, set->handle);
}

static int mem_readlink(struct fs *fs, struct fs_request *req, uint64_t node)
{
	fs_reply_data(req, file_data, sizeof(file_data));
	return 0;
}

static int mem_mkdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *create)
{
	made_name_holds(name);
	return mem_lookup(fs, req, parent, name);
}

static int mem_symlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const char *target)
{
	made_name_holds(name);
	hold(strlen(target) > 0 && strlen(target) < 4096);
	return mem_lookup(fs, req, parent, name);
}

static int mem_rename(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint64_t new_parent, const char *new_name, uint32_t flags)
{
	made_name_holds(name);
	made_name_holds(new_name);
	fs_reply_ok(req);
	return 0;
}

static int mem_create(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint32_t flags, const struct fs_create *create, bool kill_suidgid)
{
	struct fs_entry entry = {.node = 3, .attr = attr_of(3)};
	uint32_t group;

	made_name_holds(name);
	(void)fs_request_group(req, &group); /* reads it where there is one */
	fs_reply_create(req, &entry, &(struct fs_open){.handle = 1});
	return 0;
}

static int mem_read(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, uint32_t size, uint32_t open_flags)
{
	struct iovec iov[4];
	int n = fs_reply_buffer(req, size, iov, 4);
	size_t sum = 0;

	hold(n >= 0 && offset <= INT64_MAX);
	for (int i = 0; i < n; i++) {
		memset(iov[i].iov_base, 'r', iov[i].iov_len);
		sum += iov[i].iov_len;
	}
	hold(sum == size);
	if (node % 2 == 0)
		fs_reply_filled(req, size);
	else
		fs_reply_data(req, file_data, sizeof(file_data));
	return 0;
}

static int mem_write(struct fs *fs, struct fs_request *req, uint64_t node,
	const struct fs_write *write)
{
	struct iov_reader payload = fs_request_payload(req);
	size_t size = payload.remaining;
	uint8_t byte;

	hold(size <= FS_WRITE_MAX && write->offset <= INT64_MAX - size);
	while (payload.remaining > 0)
		hold(iov_reader_copy(&payload, &byte, 1));
	fs_reply_written(req, size);
	return 0;
}

static int mem_readdir(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, bool is_plus)
{
	struct fs_entry entry = {.node = 2, .attr = attr_of(2)};
	uint64_t next = 0;
	bool has_room = true;

	for (; has_room && next < 100; next++)
		has_room = is_plus && next % 2 ? fs_reply_direntplus(req, "plus", &entry, next) :
			fs_reply_dirent(req, "directory entry", 2, 8, next);
	fs_reply_dir_end(req);
	return 0;
}

static int mem_statfs(struct fs *fs, struct fs_request *req, uint64_t node)
{
	fs_reply_statfs(req, &(struct fs_statfs){0});
	return 0;
}

static int mem_getxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	uint32_t size)
{
	hold(strlen(name) > 0 && strlen(name) <= 255);
	if (size == 0)
		fs_reply_xattr_size(req, 100);
	else
		fs_reply_data(req, file_data, 100);
	return 0;
}

static int mem_setxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	const void *value, size_t size, uint32_t flags)
{
	hold(strlen(name) > 0 && strlen(name) <= 255 && size <= 65536);
	for (size_t i = 0; i < size; i++)
		file_data[i % sizeof(file_data)] = ((const uint8_t *)value)[i];
	fs_reply_ok(req);
	return 0;
}

static void mem_interrupted(void *arg)
{
	fs_reply_error(arg, -EINTR);
}

/* Waits for its interrupt, as far as there are slots for it. */
static int mem_setlk(struct fs *fs, struct fs_request *req, uint64_t node,
	const struct fs_lock *lock)
{
	hold(lock->start <= lock->end);
	if (!lock->may_wait || kept_count == KEPT_MAX)
		return -EAGAIN;
	kept_count++;
	((struct slot *)req)->is_kept = true;
	if (!fs_request_on_interrupt(req, mem_interrupted, req))
		return 0;
	return -EINTR;
}

static int mem_ioctl(struct fs *fs, struct fs_request *req, uint64_t node,
	const struct fs_ioctl *ioctl)
{
	fs_reply_ioctl(req, 0, file_data, sizeof(file_data));
	return 0;
}

static int mem_copy(struct fs *fs, struct fs_request *req, const struct fs_copy *copy)
{
	hold(copy->from_offset <= INT64_MAX - copy->length &&
		copy->to_offset <= INT64_MAX - copy->length);
	fs_reply_written(req, copy->length);
	return 0;
}

static const struct fs_ops mem_ops = {
	.name = "memory",
	.destroy = mem_destroy,
	.lookup = mem_lookup,
	.forget = mem_forget,
	.getattr = mem_getattr,
	.setattr = mem_setattr,
	.readlink = mem_readlink,
	.mknod = mem_mkdir,
	.mkdir = mem_mkdir,
	.symlink = mem_symlink,
	.rename = mem_rename,
	.create = mem_create,
	.read = mem_read,
	.write = mem_write,
	.readdir = mem_readdir,
	.statfs = mem_statfs,
	.getxattr = mem_getxattr,
	.setxattr = mem_setxattr,
	.setlk = mem_setlk,
	.ioctl = mem_ioctl,
	.copy_file_range = mem_copy,
};

/* ---- the client ---- */

static void client_complete(struct fuse_channel *channel, struct fs_request *req, size_t length)
{
	struct slot *slot = (struct slot *)req;
	struct fuse_out_header header;

	hold(slot->is_busy);
	slot->is_busy = false;
	if (slot->is_kept)
		kept_count--;
	hold(length <= slot->out_size);
	for (size_t i = 0; i < 16; i++)
		hold(slot->reply[slot->out_size + i] == 0x5a);
	if (length == 0)
		return;
	hold(length >= sizeof(header));
	memcpy(&header, slot->reply, sizeof(header));
	hold(header.len == length && header.error <= 0 && header.error > -512);
	hold(header.error == 0 || length == sizeof(header));
}

static struct slot *slot_free(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
		if (!slots[i].is_busy)
			return &slots[i];
	}
	abort(); /* one more than may be kept */
}

static void send(struct fuse_session *session, struct fuse_channel *channel, uint8_t flags,
	const uint8_t *bytes, size_t size)
{
	struct slot *slot = slot_free();
	uint32_t length = (uint32_t)size;
	size_t cut = flags & 4 ? size / 2 : 0;

	memcpy(slot->bytes, bytes, size);
	if (flags & 1 && size >= sizeof(length))
		memcpy(slot->bytes, &length, sizeof(length));
	slot->out_size = flags & 2 ? size % 200 : REPLY_SIZE;
	memset(slot->reply + slot->out_size, 0x5a, 16);
	slot->in[0] = (struct iovec){slot->bytes, cut};
	slot->in[1] = (struct iovec){slot->bytes + cut, size - cut};
	slot->out[0] = (struct iovec){slot->reply, slot->out_size / 3};
	slot->out[1] = (struct iovec){slot->reply + slot->out_size / 3,
		slot->out_size - slot->out_size / 3};
	slot->req = (struct fs_request){
		.channel = channel,
		.in = iov_reader_of(slot->in, 2),
		.out = slot->out,
		.out_count = 2,
		.out_size = slot->out_size,
		.scratch = slot->scratch,
	};
	slot->is_busy = true;
	slot->is_kept = false;
	fuse_session_handle(session, &slot->req);
}

static void send_init(struct fuse_session *session, struct fuse_channel *channel)
{
	struct {
		struct fuse_in_header header;
		struct fuse_init_in in;
	} init = {
		.header = {.opcode = FUSE_INIT},
		.in = {.major = 7, .minor = 45, .flags = UINT32_MAX, .flags2 = UINT32_MAX},
	};

	send(session, channel, 1, (const uint8_t *)&init, sizeof(init));
	hold(fuse_session_is_ready(session));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct fuse_channel_ops ops = {.complete = client_complete};
	struct fuse_channel channel = {&ops};
	struct reader r = reader_of(data, size);
	struct fs fs = {.ops = &mem_ops, .wants = UINT32_MAX & ~FS_WANT_NO_OPEN};
	struct fuse_session *session;

	log_set_level(LOG_LEVEL_OFF);
	kept_count = 0;
	if (fuse_session_new(&session, &fs, &channel, NULL) < 0)
		return 0;
	if (reader_u8(&r) & 1)
		send_init(session, &channel);
	while (reader_remaining(&r) > 0) {
		uint8_t flags = reader_u8(&r);
		size_t length = reader_le16(&r);
		const uint8_t *bytes;

		if (length > REQUEST_SIZE)
			length = REQUEST_SIZE;
		if (length > reader_remaining(&r))
			length = reader_remaining(&r);
		bytes = reader_take(&r, length);
		if (bytes)
			send(session, &channel, flags, bytes, length);
	}
	fuse_session_interrupt_all(session);
	hold(fuse_session_pending(session) == 0);
	for (size_t i = 0; i < ARRAY_SIZE(slots); i++)
		hold(!slots[i].is_busy);
	fuse_session_free(session);
	return 0;
}
