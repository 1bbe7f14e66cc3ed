/* SPDX-License-Identifier: MIT */
/*
 * promise.c — INIT: what we promise the kernel, so that it need not ask.
 *
 * Each row of the table is one promise: made when the file system wants it (or always) and the peer
 * offers it. What is not in the table is never agreed to: splice (slower than a copy, measured),
 * the first HANDLE_KILLPRIV (other rules than the VFS), idmapped mounts (hide who the caller is).
 *
 * Specification: linux/fuse.h 7.45, FUSE_INIT.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "fuse/internal.h"

#define TIME_GRANULARITY_NS 1u
#define PAGE 4096u
#define STACK_DEPTH_MAX 2u /* the kernel's FILESYSTEM_MAX_STACK_DEPTH */

struct promise {
	const char *name;
	uint64_t flag;
	uint32_t want;   /* FS_WANT_* that asks for it; 0: always */
	uint32_t unless; /* FS_WANT_* that excludes it */
	const char *reason;
};

static const struct promise promises[] = {
	{"INIT_EXT", FUSE_INIT_EXT, 0, 0, "flags beyond the 31st exist"},
	{"ASYNC_READ", FUSE_ASYNC_READ, 0, 0, "reads of one file may overlap"},
	{"BIG_WRITES", FUSE_BIG_WRITES, 0, 0, "a write may be larger than a page"},
	{"MAX_PAGES", FUSE_MAX_PAGES, 0, 0, "a request may carry max_write bytes"},
	{"ASYNC_DIO", FUSE_ASYNC_DIO, 0, 0, "direct I/O is sent in parallel: twice the writes"},
	{"PARALLEL_DIROPS", FUSE_PARALLEL_DIROPS, 0, 0, "operations are called by many threads"},
	{"ABORT_ERROR", FUSE_ABORT_ERROR, 0, 0, "an abort can be told from an unmount"},
	{"HAS_IOCTL_DIR", FUSE_HAS_IOCTL_DIR, 0, 0, "ioctl of a directory is an operation"},
	{"DIRECT_IO_ALLOW_MMAP", FUSE_DIRECT_IO_ALLOW_MMAP, 0, 0,
		"a file opened without page cache may be mapped"},
	{"AUTO_INVAL_DATA", FUSE_AUTO_INVAL_DATA, 0, FS_WANT_EXPLICIT_INVAL,
		"pages of a file that changed are dropped"},
	{"EXPLICIT_INVAL_DATA", FUSE_EXPLICIT_INVAL_DATA, FS_WANT_EXPLICIT_INVAL, 0,
		"pages are dropped by notification only"},
	{"ATOMIC_O_TRUNC", FUSE_ATOMIC_O_TRUNC, FS_WANT_ATOMIC_TRUNCATE, 0,
		"opening truncates: no SETATTR after it"},
	{"HANDLE_KILLPRIV_V2", FUSE_HANDLE_KILLPRIV_V2, FS_WANT_KILLPRIV_V2, 0,
		"we strip set-id bits and capabilities: no GETXATTR before a write"},
	{"WRITEBACK_CACHE", FUSE_WRITEBACK_CACHE, FS_WANT_WRITEBACK, 0,
		"writes are gathered in the page cache"},
	{"DO_READDIRPLUS", FUSE_DO_READDIRPLUS, FS_WANT_READDIRPLUS, 0,
		"a directory is read with its attributes: no LOOKUP for each entry"},
	{"READDIRPLUS_AUTO", FUSE_READDIRPLUS_AUTO, FS_WANT_READDIRPLUS_AUTO, 0,
		"only where the attributes are used"},
	{"POSIX_LOCKS", FUSE_POSIX_LOCKS, FS_WANT_POSIX_LOCKS, 0, "fcntl locks are ours"},
	{"FLOCK_LOCKS", FUSE_FLOCK_LOCKS, FS_WANT_FLOCK, 0, "flock locks are ours"},
	{"POSIX_ACL", FUSE_POSIX_ACL, FS_WANT_POSIX_ACL, 0, "the kernel checks access lists"},
	{"SETXATTR_EXT", FUSE_SETXATTR_EXT, FS_WANT_POSIX_ACL, 0,
		"an access list says whether set-group-id goes"},
	{"DONT_MASK", FUSE_DONT_MASK, FS_WANT_DONT_MASK, 0, "the umask is ours to apply"},
	{"EXPORT_SUPPORT", FUSE_EXPORT_SUPPORT, FS_WANT_EXPORT, 0,
		"\".\" and \"..\" may be looked up"},
	{"CACHE_SYMLINKS", FUSE_CACHE_SYMLINKS, FS_WANT_SYMLINK_CACHE, 0,
		"a link's target is asked once"},
	{"SUBMOUNTS", FUSE_SUBMOUNTS, FS_WANT_SUBMOUNTS, 0, "file systems below are announced"},
	{"NO_OPEN_SUPPORT", FUSE_NO_OPEN_SUPPORT, FS_WANT_NO_OPEN, 0, "files need no OPEN"},
	{"NO_OPENDIR_SUPPORT", FUSE_NO_OPENDIR_SUPPORT, FS_WANT_NO_OPENDIR, 0,
		"directories need no OPENDIR"},
	{"CREATE_SUPP_GROUP", FUSE_CREATE_SUPP_GROUP, FS_WANT_CREATE_GROUP, 0,
		"creation carries the parent's group"},
	{"PASSTHROUGH", FUSE_PASSTHROUGH, FS_WANT_PASSTHROUGH, FS_WANT_WRITEBACK,
		"the kernel reads and writes an open file's backing file itself"},
};

static bool is_wanted(const struct promise *p, uint32_t wants)
{
	return (p->want == 0 || wants & p->want) && !(wants & p->unless);
}

static void promises_keep(struct agreement *a, uint32_t wants)
{
	a->flags = 0;
	a->wants = wants;
	for (size_t i = 0; i < ARRAY_SIZE(promises); i++) {
		const struct promise *p = &promises[i];

		if (is_wanted(p, wants) && a->offered & p->flag)
			a->flags |= p->flag;
		else if (p->want != 0)
			a->wants &= ~p->want;
	}
}

static uint64_t offered_flags(const struct fuse_init_in *in)
{
	uint64_t flags = in->flags;

	if (flags & FUSE_INIT_EXT)
		flags |= (uint64_t)in->flags2 << 32;
	return flags;
}

int promise_agree(const struct fuse_init_in *in, uint32_t wants, uint32_t stack_depth,
	const struct fuse_session_config *config, struct agreement *ret,
	struct fuse_init_out *ret_out)
{
	struct tacit_init_tail tail = {0};
	struct agreement a = {.peer_minor = in->minor};

	if (in->major > FUSE_MAJOR) {
		*ret_out = (struct fuse_init_out){.major = FUSE_MAJOR, .minor = FUSE_MINOR};
		return 0;
	}
	if (in->major < FUSE_MAJOR || in->minor < FUSE_MINOR_OLDEST)
		return -EPROTO;
	a.minor = in->minor < FUSE_MINOR ? in->minor : FUSE_MINOR;
	a.offered = offered_flags(in);
	promises_keep(&a, wants);
	/* without MAX_PAGES the kernel sends 32 pages at the most, whatever max_write says */
	a.max_pages = (uint16_t)((config->max_write + PAGE - 1) / PAGE);
	a.max_write = config->max_write;
	a.max_readahead = in->max_readahead;
	a.max_background = (uint16_t)config->max_background;
	a.congestion_threshold = (uint16_t)(config->max_background - config->max_background / 4);
	*ret = a;
	*ret_out = (struct fuse_init_out){
		.major = FUSE_MAJOR,
		.minor = a.minor,
		.max_readahead = a.max_readahead,
		.flags = (uint32_t)a.flags,
		.max_background = a.max_background,
		.congestion_threshold = a.congestion_threshold,
		.max_write = a.max_write,
		.time_gran = TIME_GRANULARITY_NS,
		.max_pages = a.flags & FUSE_MAX_PAGES ? a.max_pages : 0,
		.flags2 = (uint32_t)(a.flags >> 32),
	};
	if (a.flags & FUSE_PASSTHROUGH) {
		tail.max_stack_depth = stack_depth < STACK_DEPTH_MAX ? stack_depth + 1 : STACK_DEPTH_MAX;
		memcpy((char *)ret_out + TACIT_INIT_TAIL, &tail, sizeof(tail));
	}
	return 1;
}

static const char *promise_state(const struct agreement *a, const struct promise *p, uint32_t wants)
{
	if (a->flags & p->flag)
		return "yes";
	return is_wanted(p, wants) ? "not offered" : "not wanted";
}

void fuse_session_describe(const struct fuse_session *session, struct buffer *out)
{
	const struct agreement *a = &session->agreed;
	uint32_t wants = session_wants(session);

	if (!fuse_session_is_ready(session)) {
		buffer_string(out, "FUSE: INIT has not been answered\n");
		return;
	}
	buffer_printf(out, "FUSE %u.%u (the client: %u.%u), max_write %u, max_background %u\n",
		FUSE_MAJOR, a->minor, FUSE_MAJOR, a->peer_minor, a->max_write, a->max_background);
	buffer_printf(out, "offered: %#" PRIx64 "\n", a->offered);
	for (size_t i = 0; i < ARRAY_SIZE(promises); i++)
		buffer_printf(out, "%s: %s (%s)\n", promises[i].name,
			promise_state(a, &promises[i], wants), promises[i].reason);
}
