/* SPDX-License-Identifier: MIT */
/*
 * call_file.c — requests about open files and directories: the decoded message to one call of an
 * operation.
 *
 * File positions are checked here once: none is beyond what off_t holds, at its end neither.
 */
#include <errno.h>
#include <unistd.h>

#include "fuse/call.h"

/* True when the bytes [offset, offset + size) lie within what a file can have. */
static bool is_range_possible(uint64_t offset, uint64_t size)
{
	return offset <= INT64_MAX && size <= INT64_MAX - offset;
}

static int reply_handle_zero(struct fs_request *req)
{
	fs_reply_open(req, &(struct fs_open){0});
	return 0;
}

int call_open(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_open_in *in = &m->args.open;

	if (!session->fs->ops->open)
		return session->agreed.flags & FUSE_NO_OPEN_SUPPORT ? -ENOSYS :
			reply_handle_zero(req);
	return session->fs->ops->open(session->fs, req, req->node, in->flags,
		in->open_flags & FUSE_OPEN_KILL_SUIDGID);
}

int call_opendir(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	if (!session->fs->ops->opendir)
		return session->agreed.flags & FUSE_NO_OPENDIR_SUPPORT ? -ENOSYS :
			reply_handle_zero(req);
	return session->fs->ops->opendir(session->fs, req, req->node, m->args.open.flags);
}

int call_create(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_create_in *in = &m->args.create;
	struct fs_create create = {in->mode, in->umask, 0};

	return CALL(session->fs, create, req, req->node, m->names[0], in->flags, &create,
		in->open_flags & FUSE_OPEN_KILL_SUIDGID);
}

int call_tmpfile(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_create_in *in = &m->args.create;
	struct fs_create create = {in->mode, in->umask, 0};

	return CALL(session->fs, tmpfile, req, req->node, in->flags, &create);
}

int call_read(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_read_in *in = &m->args.read;

	if (!is_range_possible(in->offset, in->size))
		return -EINVAL;
	reply_ask(req, in->size);
	return CALL(session->fs, read, req, req->node, in->fh, in->offset,
		(uint32_t)req->reply_max, in->flags);
}

int call_write(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_write_in *in = &m->args.write;
	struct fs_write write = {
		.handle = in->fh,
		.offset = in->offset,
		.open_flags = in->flags,
		.is_cached = in->write_flags & FUSE_WRITE_CACHE,
		.kill_suidgid = in->write_flags & FUSE_WRITE_KILL_SUIDGID,
	};

	if (in->size != req->in.remaining || in->size > session->agreed.max_write ||
		!is_range_possible(in->offset, in->size))
		return -EINVAL;
	return CALL(session->fs, write, req, req->node, &write);
}

int call_flush(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, flush, req, req->node, m->args.flush.fh, m->args.flush.lock_owner);
}

int call_release(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_release_in *in = &m->args.release;

	if (session->fs->ops->release)
		return session->fs->ops->release(session->fs, req, req->node, in->fh, in->flags);
	fs_reply_ok(req);
	return 0;
}

int call_releasedir(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_release_in *in = &m->args.release;

	if (session->fs->ops->releasedir)
		return session->fs->ops->releasedir(session->fs, req, req->node, in->fh, in->flags);
	fs_reply_ok(req);
	return 0;
}

int call_fsync(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, fsync, req, req->node, m->args.fsync.fh,
		m->args.fsync.fsync_flags & FUSE_FSYNC_FDATASYNC);
}

int call_fsyncdir(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, fsyncdir, req, req->node, m->args.fsync.fh,
		m->args.fsync.fsync_flags & FUSE_FSYNC_FDATASYNC);
}

int call_readdir(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_read_in *in = &m->args.read;

	reply_ask(req, in->size);
	return CALL(session->fs, readdir, req, req->node, in->fh, in->offset,
		req->opcode == FUSE_READDIRPLUS);
}

static struct fs_lock lock_decode(const struct fs_request *req, const struct fuse_lk_in *in)
{
	return (struct fs_lock){
		.handle = in->fh,
		.owner = in->owner,
		.start = in->lk.start,
		/* the kernel's end of file is that of off_t */
		.end = in->lk.end >= INT64_MAX ? UINT64_MAX : in->lk.end,
		.type = in->lk.type,
		.pid = in->lk.pid,
		.is_flock = in->lk_flags & FUSE_LK_FLOCK,
		.may_wait = req->opcode == FUSE_SETLKW,
	};
}

int call_getlk(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	struct fs_lock lock = lock_decode(req, &m->args.lock);

	if (lock.start > lock.end)
		return -EINVAL;
	return CALL(session->fs, getlk, req, req->node, &lock);
}

int call_setlk(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	struct fs_lock lock = lock_decode(req, &m->args.lock);

	if (lock.start > lock.end)
		return -EINVAL;
	return CALL(session->fs, setlk, req, req->node, &lock);
}

int call_ioctl(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_ioctl_in *in = &m->args.ioctl;
	struct fs_ioctl ioctl = {
		.handle = in->fh,
		.command = in->cmd,
		.is_directory = in->flags & FUSE_IOCTL_DIR,
	};

	if (in->in_size != req->in.remaining)
		return -EINVAL;
	if (!session->fs->ops->ioctl)
		return -ENOTTY;
	reply_ask(req, sizeof(struct fuse_ioctl_out) + (size_t)in->out_size);
	if (req->reply_max < sizeof(struct fuse_ioctl_out))
		return -EIO;
	req->reply_max -= sizeof(struct fuse_ioctl_out);
	ioctl.out_size = (uint32_t)req->reply_max;
	return session->fs->ops->ioctl(session->fs, req, req->node, &ioctl);
}

int call_fallocate(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_fallocate_in *in = &m->args.fallocate;

	if (!is_range_possible(in->offset, in->length))
		return -EFBIG;
	return CALL(session->fs, fallocate, req, req->node, in->fh, in->mode, in->offset,
		in->length);
}

int call_lseek(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_lseek_in *in = &m->args.lseek;

	if (in->whence != SEEK_DATA && in->whence != SEEK_HOLE)
		return -EINVAL;
	if (in->offset > INT64_MAX)
		return -ENXIO;
	return CALL(session->fs, lseek, req, req->node, in->fh, in->offset, in->whence);
}

int call_copy_file_range(struct fuse_session *session, struct fs_request *req,
	const struct message *m)
{
	const struct fuse_copy_file_range_in *in = &m->args.copy;
	struct fs_copy copy = {
		.from_node = req->node,
		.from_handle = in->fh_in,
		.from_offset = in->off_in,
		.to_node = in->nodeid_out,
		.to_handle = in->fh_out,
		.to_offset = in->off_out,
		.length = in->len,
		.flags = (uint32_t)in->flags,
	};

	/* a reply of the older opcode holds 32 bits; a copy may be shorter than asked */
	if (req->opcode == FUSE_COPY_FILE_RANGE && copy.length > UINT32_MAX)
		copy.length = UINT32_MAX & ~(uint64_t)4095;
	if (in->flags > UINT32_MAX || !is_range_possible(in->off_in, copy.length) ||
		!is_range_possible(in->off_out, copy.length))
		return -EINVAL;
	return CALL(session->fs, copy_file_range, req, &copy);
}
