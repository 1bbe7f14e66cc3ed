/* SPDX-License-Identifier: MIT */
/*
 * reply.c — the answers of fs/filesystem.h as bytes in the peer's place for them.
 *
 * Nothing is written past the place or past what was asked for. Readers are told in the header of a
 * reply how long it is; that is written last.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "fuse/internal.h"

#define NS_PER_SECOND 1000000000u

/* The kernel refuses numbers from 512 on: they are its own (ERESTARTSYS ...). */
#define ERRNO_LAST 511

/* Copies into the out iovecs from `offset` on; what does not fit is the caller's mistake. */
static void out_write(const struct fs_request *req, size_t offset, const void *data, size_t size)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < req->out_count && size > 0; i++) {
		size_t here = req->out[i].iov_len;

		if (offset >= here) {
			offset -= here;
			continue;
		}
		here -= offset;
		if (here > size)
			here = size;
		memcpy((uint8_t *)req->out[i].iov_base + offset, p, here);
		p += here;
		size -= here;
		offset = 0;
	}
}

static void header_send(struct fs_request *req, int error, size_t size)
{
	struct fuse_out_header header = {
		.len = (uint32_t)(sizeof(header) + size),
		.error = error,
		.unique = req->unique,
	};

	if (req->out_size < sizeof(header)) {
		request_finish(req, 0); /* there is no place for an answer */
		return;
	}
	out_write(req, 0, &header, sizeof(header));
	request_finish(req, header.len);
}

size_t reply_room(const struct fs_request *req)
{
	size_t room = req->out_size;

	/* a request asks for less than 2^32, so its reply is shorter than that too */
	if (room > UINT32_MAX)
		room = UINT32_MAX;
	return room > sizeof(struct fuse_out_header) ? room - sizeof(struct fuse_out_header) : 0;
}

void reply_put(struct fs_request *req, size_t offset, const void *data, size_t size)
{
	out_write(req, sizeof(struct fuse_out_header) + offset, data, size);
}

void reply_finish(struct fs_request *req, size_t size)
{
	header_send(req, 0, size);
}

void reply_send(struct fs_request *req, const void *data, size_t size)
{
	if (size > reply_room(req)) {
		header_send(req, -EIO, 0);
		return;
	}
	reply_put(req, 0, data, size);
	header_send(req, 0, size);
}

void fs_reply_error(struct fs_request *req, int error)
{
	header_send(req, error < 0 && error >= -ERRNO_LAST ? error : -EIO, 0);
}

void fs_reply_ok(struct fs_request *req)
{
	header_send(req, 0, 0);
}

static void attr_encode(const struct fs_attr *attr, struct fuse_attr *out)
{
	*out = (struct fuse_attr){
		.ino = attr->ino,
		.size = attr->size,
		.blocks = attr->blocks,
		.atime = (uint64_t)attr->atime.tv_sec,
		.mtime = (uint64_t)attr->mtime.tv_sec,
		.ctime = (uint64_t)attr->ctime.tv_sec,
		.atimensec = (uint32_t)attr->atime.tv_nsec,
		.mtimensec = (uint32_t)attr->mtime.tv_nsec,
		.ctimensec = (uint32_t)attr->ctime.tv_nsec,
		.mode = attr->mode,
		.nlink = attr->nlink,
		.uid = attr->uid,
		.gid = attr->gid,
		.rdev = attr->rdev,
		.blksize = attr->blksize,
		/* the kernel looks at it only where FUSE_SUBMOUNTS was agreed */
		.flags = attr->is_mount_root ? FUSE_ATTR_SUBMOUNT : 0,
	};
}

void entry_encode(const struct fs_entry *entry, struct fuse_entry_out *out)
{
	*out = (struct fuse_entry_out){
		.nodeid = entry->node,
		.generation = entry->generation,
		.entry_valid = entry->entry_timeout / NS_PER_SECOND,
		.entry_valid_nsec = (uint32_t)(entry->entry_timeout % NS_PER_SECOND),
		.attr_valid = entry->attr_timeout / NS_PER_SECOND,
		.attr_valid_nsec = (uint32_t)(entry->attr_timeout % NS_PER_SECOND),
	};
	attr_encode(&entry->attr, &out->attr);
}

static uint32_t open_flags_encode(uint32_t flags)
{
	static const struct {
		uint32_t from, to;
	} map[] = {
		{FS_OPEN_DIRECT_IO, FOPEN_DIRECT_IO},
		{FS_OPEN_KEEP_CACHE, FOPEN_KEEP_CACHE},
		{FS_OPEN_NONSEEKABLE, FOPEN_NONSEEKABLE},
		{FS_OPEN_CACHE_DIR, FOPEN_CACHE_DIR},
		{FS_OPEN_NOFLUSH, FOPEN_NOFLUSH},
		{FS_OPEN_PARALLEL_WRITES, FOPEN_PARALLEL_DIRECT_WRITES},
		{FS_OPEN_PASSTHROUGH, FOPEN_PASSTHROUGH},
	};
	uint32_t out = 0;

	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		if (flags & map[i].from)
			out |= map[i].to;
	}
	return out;
}

static struct tacit_open_out open_encode(const struct fs_open *open)
{
	return (struct tacit_open_out){
		.fh = open->handle,
		.open_flags = open_flags_encode(open->flags),
		.backing_id = open->flags & FS_OPEN_PASSTHROUGH ? open->backing : 0,
	};
}

void fs_reply_entry(struct fs_request *req, const struct fs_entry *entry)
{
	struct fuse_entry_out out;

	entry_encode(entry, &out);
	reply_send(req, &out, sizeof(out));
}

void fs_reply_create(struct fs_request *req, const struct fs_entry *entry,
	const struct fs_open *open)
{
	struct {
		struct fuse_entry_out entry;
		struct tacit_open_out open;
	} out = {.open = open_encode(open)};

	entry_encode(entry, &out.entry);
	reply_send(req, &out, sizeof(out));
}

static struct tacit_statx_time statx_time(struct timespec time)
{
	return (struct tacit_statx_time){time.tv_sec, (uint32_t)time.tv_nsec, 0};
}

/* The kernel's 32-bit device number: 12 bits of major inside 20 of minor (linux/kdev_t.h). */
static void statx_reply(struct fs_request *req, const struct fs_attr *attr, uint64_t timeout)
{
	struct tacit_statx_out out = {
		.attr_valid = timeout / NS_PER_SECOND,
		.attr_valid_nsec = (uint32_t)(timeout % NS_PER_SECOND),
		.mask = STATX_BASIC_STATS | (attr->has_btime ? STATX_BTIME : 0),
		.blksize = attr->blksize,
		.nlink = attr->nlink,
		.uid = attr->uid,
		.gid = attr->gid,
		.mode = (uint16_t)attr->mode,
		.ino = attr->ino,
		.size = attr->size,
		.blocks = attr->blocks,
		.atime = statx_time(attr->atime),
		.ctime = statx_time(attr->ctime),
		.mtime = statx_time(attr->mtime),
		.btime = statx_time(attr->btime),
		.rdev_major = attr->rdev >> 8 & 0xfff,
		.rdev_minor = (attr->rdev & 0xff) | (attr->rdev >> 12 & 0xfff00),
	};

	reply_send(req, &out, sizeof(out));
}

void fs_reply_attr(struct fs_request *req, const struct fs_attr *attr, uint64_t attr_timeout)
{
	struct fuse_attr_out out = {
		.attr_valid = attr_timeout / NS_PER_SECOND,
		.attr_valid_nsec = (uint32_t)(attr_timeout % NS_PER_SECOND),
	};

	if (req->opcode == FUSE_OPCODE_STATX) {
		statx_reply(req, attr, attr_timeout);
		return;
	}
	attr_encode(attr, &out.attr);
	reply_send(req, &out, sizeof(out));
}

void fs_reply_open(struct fs_request *req, const struct fs_open *open)
{
	struct tacit_open_out out = open_encode(open);

	reply_send(req, &out, sizeof(out));
}

void fs_reply_written(struct fs_request *req, size_t size)
{
	struct fuse_write_out out = {.size = (uint32_t)size};
	struct tacit_copy_file_range_out copied = {.bytes_copied = size};

	if (req->opcode == FUSE_OPCODE_COPY_FILE_RANGE_64)
		reply_send(req, &copied, sizeof(copied));
	else
		reply_send(req, &out, sizeof(out));
}

void fs_reply_data(struct fs_request *req, const void *data, size_t size)
{
	bool is_xattr = req->opcode == FUSE_GETXATTR || req->opcode == FUSE_LISTXATTR;

	if (size > req->reply_max && is_xattr) {
		header_send(req, -ERANGE, 0);
		return;
	}
	if (size > req->reply_max)
		size = req->reply_max;
	reply_put(req, 0, data, size);
	reply_finish(req, size);
}

int fs_reply_buffer(struct fs_request *req, size_t size, struct iovec *iov, size_t max)
{
	size_t skip = sizeof(struct fuse_out_header);
	size_t used = 0;

	if (size > req->reply_max)
		return -ERANGE;
	for (size_t i = 0; size > 0; i++) {
		size_t here = req->out[i].iov_len;

		if (skip >= here) {
			skip -= here;
			continue;
		}
		here -= skip;
		if (here > size)
			here = size;
		if (used == max)
			return -EMSGSIZE;
		iov[used].iov_base = (uint8_t *)req->out[i].iov_base + skip;
		iov[used].iov_len = here;
		used++;
		size -= here;
		skip = 0;
	}
	return (int)used;
}

void fs_reply_filled(struct fs_request *req, size_t size)
{
	reply_finish(req, size < req->reply_max ? size : req->reply_max);
}

void fs_reply_statfs(struct fs_request *req, const struct fs_statfs *statfs)
{
	struct fuse_statfs_out out = {.st = {
		.blocks = statfs->blocks,
		.bfree = statfs->bfree,
		.bavail = statfs->bavail,
		.files = statfs->files,
		.ffree = statfs->ffree,
		.bsize = statfs->bsize,
		.namelen = statfs->namelen,
		.frsize = statfs->frsize,
	}};

	reply_send(req, &out, sizeof(out));
}

void fs_reply_xattr_size(struct fs_request *req, size_t size)
{
	struct fuse_getxattr_out out = {.size = (uint32_t)size};

	reply_send(req, &out, sizeof(out));
}

void fs_reply_lseek(struct fs_request *req, uint64_t offset)
{
	struct fuse_lseek_out out = {.offset = offset};

	reply_send(req, &out, sizeof(out));
}

void fs_reply_lock(struct fs_request *req, const struct fs_lock *lock)
{
	struct fuse_lk_out out = {.lk = {
		.start = lock->start,
		.end = lock->end,
		.type = lock->type,
		.pid = lock->pid,
	}};

	reply_send(req, &out, sizeof(out));
}

void fs_reply_ioctl(struct fs_request *req, int result, const void *data, size_t size)
{
	struct fuse_ioctl_out out = {.result = result};

	if (sizeof(out) > reply_room(req)) {
		header_send(req, -EIO, 0);
		return;
	}
	if (size > req->reply_max)
		size = req->reply_max;
	reply_put(req, sizeof(out), data, size);
	reply_put(req, 0, &out, sizeof(out));
	reply_finish(req, sizeof(out) + size);
}
