/* SPDX-License-Identifier: MIT */
/*
 * killpriv.c — set-id bits that an operation takes away.
 *
 * The host strips them itself when the writing thread lacks CAP_FSETID, at no cost, and also when
 * somebody else has just set them. So a thread keeps that capability or not by whom it last wrote
 * for (identity_keep_setid), which costs a system call only when the kind of caller changes.
 *
 * Two things the host cannot know: whether the caller is in the file's group (it sees root's
 * groups), and, on a network or FUSE back end, that our thread lacks the capability. So a file that
 * was last seen with set-id bits is looked at, and they are taken away by chmod(2) before the
 * operation. It is seen without them then, and the next write costs nothing more than the write.
 *
 * security.capability goes with the operation itself: the host takes it from whoever writes. But a
 * map of attributes' names may give it one that means nothing to the host (CVE-2021-20263); then it
 * is removed here, before the operation. That costs nothing as long as the file is known to have
 * none, which is believed for a second: the host or another server may give it one.
 *
 * The rule (Linux, fs/attr.c): set-user-id goes; set-group-id goes where the group may execute, and
 * else only when the caller is neither in the group nor has CAP_FSETID.
 */
#include <errno.h>
#include <linux/capability.h>
#include <sys/xattr.h>
#include <time.h>

#include "fs/passthrough/internal.h"

#define SET_ID (S_ISUID | S_ISGID)
#define BELIEF_NS 1000000000ull /* for how long a file is believed to have no capability */

/* ---- capabilities under another name ---- */

/* Without a system call. */
static uint64_t now_ns(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now); /* there is such a clock */
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

void killpriv_see_capability(struct node *node)
{
	atomic_store(&node->no_capability_until, 0);
}

int killpriv_capability(const struct passthrough *pt, struct node *node, int fd)
{
	const char *name = pt->capability_name;
	uint64_t now;

	if (!name || node->type != S_IFREG)
		return 0;
	now = now_ns();
	if (now < atomic_load_explicit(&node->no_capability_until, memory_order_relaxed))
		return 0;
	/* first: one that is set from here on takes the belief back */
	atomic_store(&node->no_capability_until, now + BELIEF_NS);
	if (getxattr(proc_path(fd).text, name, NULL, 0) >= 0 &&
		removexattr(proc_path(fd).text, name) == 0)
		return 0;
	if (errno == ENODATA || errno == EOPNOTSUPP)
		return 0;
	killpriv_see_capability(node);
	return -errno;
}

/* ---- set-id bits ---- */

uint32_t killpriv_left(const struct passthrough *pt, const struct fs_caller *caller, uint32_t mode,
	uint32_t gid)
{
	uint32_t left = mode & ~(uint32_t)S_ISUID;

	if (!(mode & S_ISGID))
		return left;
	if (mode & S_IXGRP)
		return left & ~(uint32_t)S_ISGID;
	if (caller_is_member(pt, caller, idmap_to_client(pt->gids, gid)) || caller_has(pt, caller, CAP_FSETID))
		return left;
	return left & ~(uint32_t)S_ISGID;
}

int killpriv_before(struct passthrough *pt, const struct fs_request *req, struct node *node, int fd,
	bool kill)
{
	struct fs_caller caller = fs_request_caller(req);
	struct statx stx = {0};
	uint32_t left;
	int r;

	r = killpriv_capability(pt, node, fd);
	if (r < 0)
		return r;
	if (!pt->is_privileged)
		return 0; /* the host judges this process, which is the caller's own */
	if (!kill || node->type != S_IFREG ||
		!(atomic_load_explicit(&node->permissions, memory_order_relaxed) & SET_ID)) {
		identity_keep_setid(pt, !kill);
		return 0;
	}
	r = stat_descriptor(fd, &stx);
	if (r < 0)
		return r;
	left = killpriv_left(pt, &caller, stx.stx_mode & 07777u, stx.stx_gid);
	/* what is left stays, whatever the host thinks of us */
	identity_keep_setid(pt, left & SET_ID);
	if (left != (stx.stx_mode & 07777u)) {
		if (chmod(proc_path(fd).text, left) < 0)
			return -errno;
		stx.stx_mode = (uint16_t)((stx.stx_mode & S_IFMT) | left);
	}
	node_see(node, &stx);
	return 0;
}

int killpriv_before_unsaid(struct passthrough *pt, const struct fs_request *req, struct node *node,
	int fd)
{
	struct fs_caller caller = fs_request_caller(req);

	return killpriv_before(pt, req, node, fd,
		pt->is_privileged && !caller_has(pt, &caller, CAP_FSETID));
}
