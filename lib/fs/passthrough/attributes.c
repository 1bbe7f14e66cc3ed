/* SPDX-License-Identifier: MIT */
/* attributes.c — what nodes look like, and changing it. */
#include <errno.h>
#include <linux/capability.h>
#include <sys/sysmacros.h>

#include "fs/passthrough/internal.h"

int stat_descriptor(int fd, struct statx *ret)
{
	struct statx stx = {0};

	if (statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_WANTED, &stx) < 0)
		return -errno;
	*ret = stx;
	return 0;
}

void node_see(struct node *node, const struct statx *stx)
{
	unsigned permissions = stx->stx_mode & 07777;

	if (atomic_load_explicit(&node->permissions, memory_order_relaxed) != permissions)
		atomic_store_explicit(&node->permissions, permissions, memory_order_relaxed);
}

static struct timespec time_of(struct statx_timestamp time)
{
	return (struct timespec){time.tv_sec, (long)time.tv_nsec};
}

/* 12 bits of major number inside 20 of the minor: linux/kdev_t.h, new_encode_dev. */
static uint32_t device_encode(uint32_t major, uint32_t minor)
{
	return (minor & 0xff) | major << 8 | (minor & ~0xffu) << 12;
}

dev_t device_decode(uint32_t encoded)
{
	return makedev(encoded >> 8 & 0xfff, (encoded & 0xff) | (encoded >> 12 & 0xfff00));
}

void attr_of_statx(const struct passthrough *pt, const struct statx *stx, struct fs_attr *ret)
{
	*ret = (struct fs_attr){
		.ino = stx->stx_ino,
		.size = stx->stx_size,
		.blocks = stx->stx_blocks,
		.atime = time_of(stx->stx_atime),
		.mtime = time_of(stx->stx_mtime),
		.ctime = time_of(stx->stx_ctime),
		.btime = time_of(stx->stx_btime),
		.has_btime = stx->stx_mask & STATX_BTIME,
		.mode = stx->stx_mode,
		.nlink = stx->stx_nlink,
		.uid = idmap_to_client(pt->uids, stx->stx_uid),
		.gid = idmap_to_client(pt->gids, stx->stx_gid),
		.rdev = device_encode(stx->stx_rdev_major, stx->stx_rdev_minor),
		.blksize = stx->stx_blksize,
	};
}

/*
 * A write takes set-id bits away without the client changing the mode that it remembers; and while
 * it remembers such a mode, nobody else's change of it may be missed.
 */
uint64_t attr_timeout_of(const struct passthrough *pt, const struct statx *stx)
{
	return S_ISREG(stx->stx_mode) && stx->stx_mode & (S_ISUID | S_ISGID) ? 0 :
		pt->attr_timeout;
}

/* Answers with what fd looks like now. */
static int reply_attr(struct passthrough *pt, struct fs_request *req, struct node *node, int fd)
{
	struct fs_attr attr;
	struct statx stx = {0};
	int r;

	r = stat_descriptor(fd, &stx);
	if (r < 0)
		return r;
	node_see(node, &stx);
	attr_of_statx(pt, &stx, &attr);
	fs_reply_attr(req, &attr, attr_timeout_of(pt, &stx));
	return 0;
}

int op_getattr(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
	uint64_t handle)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_FILE struct held_file file = {0};
	CLEAN_HELD struct held held = {0};
	int r;

	if (has_handle) {
		r = file_hold(pt, handle, &file);
		return r < 0 ? r : reply_attr(pt, req, file.file->node, file.file->fd);
	}
	r = node_hold(pt, node, &held);
	return r < 0 ? r : reply_attr(pt, req, held.node, held.fd);
}

/* ---- setattr ---- */

/* What a change of attributes works on. */
struct target {
	struct passthrough *pt;
	struct fs_request *req;
	struct node *node;
	int fd;       /* O_PATH, or an open file's */
	bool is_open; /* an open file's, for writing */
};

/* chmod(2) of a symbolic link is refused by every file system of Linux. */
static int change_mode(const struct target *t, const struct fs_setattr *set)
{
	if (t->node->type == S_IFLNK)
		return -EOPNOTSUPP;
	identity_keep_setid(t->pt, true); /* the client has judged by its caller */
	return chmod(proc_path(t->fd).text, set->attr.mode & 07777) < 0 ? -errno : 0;
}

/* The host's ids of a new owner and group; -1 for one that stays. */
static int find_owner(const struct target *t, const struct fs_setattr *set, uid_t *ret_uid,
	gid_t *ret_gid)
{
	uid_t uid = (uid_t)-1;
	gid_t gid = (gid_t)-1;
	int r = 0;

	if (set->valid & FS_SET_UID)
		r = idmap_to_host(t->pt->uids, set->attr.uid, &uid);
	if (r == 0 && set->valid & FS_SET_GID)
		r = idmap_to_host(t->pt->gids, set->attr.gid, &gid);
	*ret_uid = uid;
	*ret_gid = gid;
	return r;
}

/* chown takes set-id bits of files away, which ones depends on the caller and the group before. */
static int change_owner(const struct target *t, const struct fs_setattr *set)
{
	uid_t uid;
	gid_t gid;
	bool kill = t->node->type == S_IFREG &&
		    (set->valid & FS_SET_KILL_SUIDGID || !(t->pt->fs.agreed & FS_WANT_KILLPRIV_V2));
	struct fs_caller caller = fs_request_caller(t->req);
	struct statx before = {0}, after = {0};
	uint32_t left;
	int r;

	r = find_owner(t, set, &uid, &gid);
	if (r == 0)
		r = stat_descriptor(t->fd, &before);
	if (r < 0)
		return r;
	kill = kill && t->pt->is_privileged && before.stx_mode & (S_ISUID | S_ISGID);
	left = before.stx_mode & 07777u;
	if (kill)
		left = killpriv_left(t->pt, &caller, left, before.stx_gid);
	/* bits that go are a change of the mode, which is the owner's */
	if (left != (before.stx_mode & 07777u) &&
		caller.uid != idmap_to_client(t->pt->uids, before.stx_uid) &&
		!caller_has(t->pt, &caller, CAP_FOWNER))
		return -EPERM;
	r = killpriv_capability(t->pt, t->node, t->fd);
	if (r < 0)
		return r;
	identity_keep_setid(t->pt, true);
	if (fchownat(t->fd, "", uid, gid, AT_EMPTY_PATH) < 0)
		return -errno;
	if (!kill)
		return 0;
	r = stat_descriptor(t->fd, &after);
	if (r < 0 || (after.stx_mode & 07777) == left)
		return r;
	return chmod(proc_path(t->fd).text, left) < 0 ? -errno : 0;
}

static int change_size(const struct target *t, const struct fs_setattr *set)
{
	int r;

	if (t->node->type != S_IFREG)
		return t->node->type == S_IFDIR ? -EISDIR : -EINVAL;
	if (t->pt->fs.agreed & FS_WANT_KILLPRIV_V2)
		r = killpriv_before(t->pt, t->req, t->node, t->fd,
			set->valid & FS_SET_KILL_SUIDGID);
	else
		r = killpriv_before_unsaid(t->pt, t->req, t->node, t->fd);
	if (r < 0)
		return r;
	if (t->is_open)
		r = ftruncate(t->fd, (off_t)set->attr.size);
	else
		r = truncate(proc_path(t->fd).text, (off_t)set->attr.size);
	return r < 0 ? -errno : 0;
}

static struct timespec time_wanted(uint32_t valid, uint32_t flag, uint32_t now_flag,
	struct timespec time)
{
	if (valid & now_flag)
		return (struct timespec){.tv_nsec = UTIME_NOW};
	return valid & flag ? time : (struct timespec){.tv_nsec = UTIME_OMIT};
}

static int change_times(const struct target *t, const struct fs_setattr *set)
{
	struct timespec times[2] = {
		time_wanted(set->valid, FS_SET_ATIME, FS_SET_ATIME_NOW, set->attr.atime),
		time_wanted(set->valid, FS_SET_MTIME, FS_SET_MTIME_NOW, set->attr.mtime),
	};

	return utimensat(t->fd, "", times, AT_EMPTY_PATH) < 0 ? -errno : 0;
}

/*
 * A change of nothing is the client's way to say that privileges go, where its protocol has no
 * flag: before a write of somebody who lacks CAP_FSETID to a file with set-id bits; of anybody to a
 * file with capabilities, which it has removed just before; and for chown(-1, -1), which takes
 * set-id bits whoever asks.
 */
static int change_nothing(const struct target *t)
{
	struct fs_caller caller = fs_request_caller(t->req);
	bool kill;

	if (t->node->type != S_IFREG)
		return 0;
	kill = !atomic_exchange(&t->node->lost_capability, false) ||
		!caller_has(t->pt, &caller, CAP_FSETID);
	return killpriv_before(t->pt, t->req, t->node, t->fd, kill);
}

/* Changes one after the other, as the kernel would in one. */
static int change(const struct target *t, const struct fs_setattr *set)
{
	int r = 0;

	if ((set->valid & ~(uint32_t)FS_SET_KILL_SUIDGID) == 0)
		return change_nothing(t);
	if (set->valid & FS_SET_MODE)
		r = change_mode(t, set);
	if (r == 0 && set->valid & (FS_SET_UID | FS_SET_GID))
		r = change_owner(t, set);
	if (r == 0 && set->valid & FS_SET_SIZE)
		r = change_size(t, set);
	if (r == 0 && set->valid & (FS_SET_ATIME | FS_SET_MTIME | FS_SET_ATIME_NOW |
		FS_SET_MTIME_NOW))
		r = change_times(t, set);
	return r;
}

int op_setattr(struct fs *fs, struct fs_request *req, uint64_t node, const struct fs_setattr *set)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_FILE struct held_file file = {0};
	CLEAN_HELD struct held held = {0};
	struct target target = {.pt = pt, .req = req};
	int r;

	if (set->has_handle) {
		r = file_hold(pt, set->handle, &file);
		if (r < 0)
			return r;
		target.node = file.file->node;
		target.fd = file.file->fd;
		target.is_open = file.file->is_writable;
	} else {
		r = node_hold(pt, node, &held);
		if (r < 0)
			return r;
		target.node = held.node;
		target.fd = held.fd;
	}
	r = change(&target, set);
	return r < 0 ? r : reply_attr(pt, req, target.node, target.fd);
}
