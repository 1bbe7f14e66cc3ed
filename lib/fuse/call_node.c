/* SPDX-License-Identifier: MIT */
/*
 * call_node.c — requests about names, attributes and the file system as a whole: the decoded
 * message to one call of an operation.
 */
#include <errno.h>
#include <sys/stat.h>

#include "fuse/call.h"

#define READLINK_MAX 4095u /* PATH_MAX without the NUL: longer replies are refused by the kernel */

int call_lookup(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return session->fs->ops->lookup(session->fs, req, req->node, m->names[0]);
}

int call_forget(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	if (session->fs->ops->forget)
		session->fs->ops->forget(session->fs, req->node, m->args.forget.nlookup);
	request_finish(req, 0);
	return 0;
}

int call_batch_forget(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	uint32_t count = m->args.batch_forget.count;
	struct fuse_forget_one one;

	if (count != req->in.remaining / sizeof(one) || req->in.remaining % sizeof(one) != 0)
		return -EINVAL;
	for (uint32_t i = 0; i < count && iov_reader_copy(&req->in, &one, sizeof(one)); i++) {
		if (session->fs->ops->forget)
			session->fs->ops->forget(session->fs, one.nodeid, one.nlookup);
	}
	request_finish(req, 0);
	return 0;
}

int call_getattr(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_getattr_in *in = &m->args.getattr;
	bool has_handle = in->getattr_flags & FUSE_GETATTR_FH;

	return session->fs->ops->getattr(session->fs, req, req->node, has_handle,
		has_handle ? in->fh : 0);
}

int call_statx(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct tacit_statx_in *in = &m->args.statx;
	bool has_handle = in->getattr_flags & FUSE_GETATTR_FH;

	return session->fs->ops->getattr(session->fs, req, req->node, has_handle,
		has_handle ? in->fh : 0);
}

static uint32_t setattr_valid(uint32_t valid)
{
	static const struct {
		uint32_t from, to;
	} map[] = {
		{FATTR_MODE, FS_SET_MODE},
		{FATTR_UID, FS_SET_UID},
		{FATTR_GID, FS_SET_GID},
		{FATTR_SIZE, FS_SET_SIZE},
		{FATTR_ATIME, FS_SET_ATIME},
		{FATTR_MTIME, FS_SET_MTIME},
		{FATTR_ATIME_NOW, FS_SET_ATIME_NOW},
		{FATTR_MTIME_NOW, FS_SET_MTIME_NOW},
		{FATTR_CTIME, FS_SET_CTIME},
		{FATTR_KILL_SUIDGID, FS_SET_KILL_SUIDGID},
	};
	uint32_t out = 0;

	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		if (valid & map[i].from)
			out |= map[i].to;
	}
	return out;
}

/* A time as the wire has it; nanoseconds beyond a second make no time at all. */
static bool time_decode(uint64_t seconds, uint32_t nanoseconds, struct timespec *ret)
{
	if (nanoseconds >= 1000000000u)
		return false;
	*ret = (struct timespec){(time_t)seconds, (long)nanoseconds};
	return true;
}

int call_setattr(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_setattr_in *in = &m->args.setattr;
	struct fs_setattr set = {
		.valid = setattr_valid(in->valid),
		.has_handle = in->valid & FATTR_FH,
		.handle = in->valid & FATTR_FH ? in->fh : 0,
		.attr = {
			.size = in->size,
			.mode = in->mode,
			.uid = in->uid,
			.gid = in->gid,
		},
	};

	if ((set.valid & FS_SET_ATIME &&
		    !time_decode(in->atime, in->atimensec, &set.attr.atime)) ||
		(set.valid & FS_SET_MTIME &&
			!time_decode(in->mtime, in->mtimensec, &set.attr.mtime)) ||
		(set.valid & FS_SET_CTIME &&
			!time_decode(in->ctime, in->ctimensec, &set.attr.ctime)))
		return -EINVAL;
	if (set.valid & FS_SET_SIZE && in->size > INT64_MAX)
		return -EFBIG;
	return CALL(session->fs, setattr, req, req->node, &set);
}

int call_readlink(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	reply_ask(req, READLINK_MAX);
	return CALL(session->fs, readlink, req, req->node);
}

int call_symlink(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, symlink, req, req->node, m->names[0], m->names[1]);
}

int call_mknod(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_mknod_in *in = &m->args.mknod;
	struct fs_create create = {in->mode, in->umask, in->rdev};

	return CALL(session->fs, mknod, req, req->node, m->names[0], &create);
}

int call_mkdir(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_mkdir_in *in = &m->args.mkdir;
	struct fs_create create = {(in->mode & 07777) | S_IFDIR, in->umask, 0};

	return CALL(session->fs, mkdir, req, req->node, m->names[0], &create);
}

int call_unlink(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, unlink, req, req->node, m->names[0]);
}

int call_rmdir(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, rmdir, req, req->node, m->names[0]);
}

int call_rename(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, rename, req, req->node, m->names[0], m->args.rename.newdir,
		m->names[1], 0);
}

int call_rename2(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, rename, req, req->node, m->names[0], m->args.rename2.newdir,
		m->names[1], m->args.rename2.flags);
}

int call_link(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, link, req, m->args.link.oldnodeid, req->node, m->names[0]);
}

int call_statfs(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, statfs, req, req->node);
}

int call_access(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, access, req, req->node, m->args.access.mask);
}

int call_syncfs(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, syncfs, req, req->node);
}

int call_setxattr(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	const struct fuse_setxattr_in *in = &m->args.setxattr;
	uint32_t flags = in->flags;

	if (in->size != m->value_size || flags >= FS_XATTR_KILL_SETGID)
		return -EINVAL;
	if (in->setxattr_flags & FUSE_SETXATTR_ACL_KILL_SGID)
		flags |= FS_XATTR_KILL_SETGID;
	return CALL(session->fs, setxattr, req, req->node, m->names[0], m->value, m->value_size,
		flags);
}

int call_getxattr(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	reply_ask(req, m->args.getxattr.size);
	return CALL(session->fs, getxattr, req, req->node, m->names[0], (uint32_t)req->reply_max);
}

int call_listxattr(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	reply_ask(req, m->args.getxattr.size);
	return CALL(session->fs, listxattr, req, req->node, (uint32_t)req->reply_max);
}

int call_removexattr(struct fuse_session *session, struct fs_request *req, const struct message *m)
{
	return CALL(session->fs, removexattr, req, req->node, m->names[0]);
}
