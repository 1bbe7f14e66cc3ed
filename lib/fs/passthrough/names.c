/* SPDX-License-Identifier: MIT */
/*
 * names.c — what is done with names: lookup, creation, removal, links.
 *
 * A name is one component (the session has checked it) and is used with its parent's descriptor
 * alone, never followed when it is a symbolic link.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>

#include "fs/passthrough/internal.h"

static bool is_elsewhere(const struct statx *stx, const struct node *parent)
{
	struct node_key key = node_key_of(stx);

	return S_ISDIR(stx->stx_mode) &&
		(key.device != parent->key.device || key.mount != parent->key.mount);
}

/* An entry of what an O_PATH descriptor refers to; takes the descriptor. */
static int entry_of(const struct held *parent, int take_descriptor, struct fs_entry *ret)
{
	struct passthrough *pt = parent->pt;
	struct fs_entry entry = {.entry_timeout = pt->entry_timeout};
	struct statx stx = {0};
	int r;

	r = node_adopt(pt, take_descriptor, &entry.node, &stx);
	if (r < 0)
		return r;
	attr_of_statx(pt, &stx, &entry.attr);
	entry.attr.is_mount_root = is_elsewhere(&stx, parent->node);
	entry.attr_timeout = attr_timeout_of(pt, &stx);
	*ret = entry;
	return 0;
}

int entry_lookup(const struct held *parent, const char *name, struct fs_entry *ret)
{
	int fd = openat(parent->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : entry_of(parent, fd, ret);
}

static int reply_entry(const struct held *parent, struct fs_request *req, const char *name)
{
	struct fs_entry entry;
	int r;

	r = entry_lookup(parent, name, &entry);
	if (r < 0)
		return r;
	fs_reply_entry(req, &entry);
	return 0;
}

int op_lookup(struct fs *fs, struct fs_request *req, uint64_t node, const char *name)
{
	CLEAN_HELD struct held parent = {0};
	int r;

	r = node_hold(passthrough_of(fs), node, &parent);
	return r < 0 ? r : reply_entry(&parent, req, name);
}

void op_forget(struct fs *fs, uint64_t node, uint64_t count)
{
	node_forget(passthrough_of(fs), node, count);
}

int op_readlink(struct fs *fs, struct fs_request *req, uint64_t node)
{
	CLEAN_HELD struct held held = {0};
	char target[PATH_MAX];
	ssize_t n;
	int r;

	r = node_hold(passthrough_of(fs), node, &held);
	if (r < 0)
		return r;
	if (held.node->type != S_IFLNK)
		return -EINVAL;
	n = readlinkat(held.fd, "", target, sizeof(target));
	if (n < 0)
		return -errno;
	fs_reply_data(req, target, (size_t)n);
	return 0;
}

/* ---- creation ---- */

/* What is to be made. */
struct creation {
	uint32_t mode;
	uint32_t rdev;
	const char *target; /* of a symbolic link */
};

static int make(int parent, const char *name, const struct creation *c)
{
	if (c->target)
		return symlinkat(c->target, parent, name);
	if (S_ISDIR(c->mode))
		return mkdirat(parent, name, c->mode & 07777);
	return mknodat(parent, name, c->mode & (S_IFMT | 07777), device_decode(c->rdev));
}

static int create(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct creation *creation, uint32_t mask)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held held = {0};
	struct identity identity;
	int r;

	r = node_hold(pt, parent, &held);
	if (r < 0)
		return r;
	r = identity_begin(pt, req, creation->mode, mask, &identity);
	if (r < 0)
		return r;
	r = make(held.fd, name, creation) < 0 ? -errno : 0;
	identity_end(&identity);
	return r < 0 ? r : reply_entry(&held, req, name);
}

int op_mknod(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *c)
{
	return create(fs, req, parent, name, &(struct creation){c->mode, c->rdev, NULL}, c->umask);
}

int op_mkdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const struct fs_create *c)
{
	return create(fs, req, parent, name,
		&(struct creation){S_IFDIR | (c->mode & 07777), 0, NULL}, c->umask);
}

int op_symlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	const char *target)
{
	return create(fs, req, parent, name, &(struct creation){S_IFLNK, 0, target}, 0);
}

int op_link(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t parent, const char *name)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held held = {0};
	CLEAN_HELD struct held target = {0};
	int r;

	r = node_hold(pt, parent, &held);
	if (r == 0)
		r = node_hold(pt, node, &target);
	if (r < 0)
		return r;
	if (linkat(AT_FDCWD, proc_path(target.fd).text, held.fd, name, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	return reply_entry(&held, req, name);
}

/* ---- removal ---- */

static int unlink_name(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	int flags)
{
	CLEAN_HELD struct held held = {0};
	int r;

	r = node_hold(passthrough_of(fs), parent, &held);
	if (r < 0)
		return r;
	if (unlinkat(held.fd, name, flags) < 0)
		return -errno;
	fs_reply_ok(req);
	return 0;
}

int op_unlink(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name)
{
	return unlink_name(fs, req, parent, name, 0);
}

int op_rmdir(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name)
{
	return unlink_name(fs, req, parent, name, AT_REMOVEDIR);
}

int op_rename(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint64_t new_parent, const char *new_name, uint32_t flags)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held from = {0};
	CLEAN_HELD struct held to = {0};
	struct identity identity = {0};
	int r;

	r = node_hold(pt, parent, &from);
	if (r == 0)
		r = node_hold(pt, new_parent, &to);
	if (r == 0 && flags & RENAME_WHITEOUT)
		r = identity_begin(pt, req, S_IFCHR, 0, &identity); /* what is left is a new node */
	if (r < 0)
		return r;
	r = syscall(SYS_renameat2, from.fd, name, to.fd, new_name, flags) < 0 ? -errno : 0;
	identity_end(&identity);
	if (r == 0)
		fs_reply_ok(req);
	return r;
}

/* ---- creation of what is opened at once ---- */

/* The entry of a file that was just opened for real. */
static int entry_of_open(const struct held *parent, int fd, struct fs_entry *ret)
{
	int path_fd = open(proc_path(fd).text, O_PATH | O_CLOEXEC);

	return path_fd < 0 ? -errno : entry_of(parent, path_fd, ret);
}

/* Answers with an entry and an open file; takes the descriptor. */
static int reply_create(const struct held *parent, struct fs_request *req, int take_descriptor,
	int flags, const struct fs_entry *entry)
{
	struct passthrough *pt = parent->pt;
	CLEAN_FD int fd = take_descriptor;
	struct fs_open opened = {0};
	struct node *node = node_get(pt, entry->node);
	int r;

	if (!node)
		return -ESTALE;
	r = file_new(pt, node, TAKE_FD(fd), flags, NULL, &opened);
	node_put(pt, node);
	if (r < 0) {
		node_forget(pt, entry->node, 1);
		return r;
	}
	fs_reply_create(req, entry, &opened);
	return 0;
}

/* CREATE of a name that somebody else has made meanwhile: opens what is there. */
static int open_existing(const struct held *parent, struct fs_request *req, const char *name,
	int flags, bool kill)
{
	struct passthrough *pt = parent->pt;
	CLEAN_HELD struct held held = {0};
	struct fs_entry entry;
	int r;

	r = entry_lookup(parent, name, &entry);
	if (r < 0)
		return r;
	r = node_hold(pt, entry.node, &held);
	if (r == 0 && flags & O_TRUNC)
		r = killpriv_before(pt, req, held.node, held.fd, kill);
	if (r == 0)
		r = node_open(&held, flags);
	if (r < 0) {
		node_forget(pt, entry.node, 1);
		return r;
	}
	if (flags & O_TRUNC)
		entry.attr.size = entry.attr.blocks = 0;
	return reply_create(parent, req, r, flags, &entry);
}

/* Opens a name that must be new (or, with O_TMPFILE, none). A descriptor or -errno. */
static int open_new(const struct held *parent, struct fs_request *req, const char *name, int flags,
	const struct fs_create *c)
{
	struct identity identity;
	int fd;
	int r;

	r = identity_begin(parent->pt, req, c->mode, c->umask, &identity);
	if (r < 0)
		return r;
	fd = openat(parent->fd, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, c->mode & 07777);
	r = fd < 0 ? -errno : fd;
	identity_end(&identity);
	return r;
}

static int reply_new(const struct held *parent, struct fs_request *req, int take_descriptor,
	int flags)
{
	CLEAN_FD int fd = take_descriptor;
	struct fs_entry entry;
	int r;

	r = entry_of_open(parent, fd, &entry);
	return r < 0 ? r : reply_create(parent, req, TAKE_FD(fd), flags, &entry);
}

int op_create(struct fs *fs, struct fs_request *req, uint64_t parent, const char *name,
	uint32_t flags, const struct fs_create *c, bool kill_suidgid)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held held = {0};
	int host = file_host_flags(pt, flags);
	int r;

	r = node_hold(pt, parent, &held);
	if (r < 0)
		return r;
	r = open_new(&held, req, name, (host & ~O_TRUNC) | O_CREAT | O_EXCL, c);
	if (r == -EEXIST && !(flags & O_EXCL))
		return open_existing(&held, req, name, host, kill_suidgid);
	return r < 0 ? r : reply_new(&held, req, r, host);
}

int op_tmpfile(struct fs *fs, struct fs_request *req, uint64_t parent, uint32_t flags,
	const struct fs_create *c)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held held = {0};
	int host = file_host_flags(pt, flags) & ~O_TRUNC;
	int r;

	r = node_hold(pt, parent, &held);
	if (r < 0)
		return r;
	r = open_new(&held, req, ".", host | O_TMPFILE | (int)(flags & O_EXCL), c);
	return r < 0 ? r : reply_new(&held, req, r, host);
}
