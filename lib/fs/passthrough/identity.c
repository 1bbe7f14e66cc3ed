/* SPDX-License-Identifier: MIT */
/*
 * identity.c — for whom a thread acts; what a caller may.
 *
 * Credentials, umask and capabilities belong to a thread on Linux when they are set by the system
 * call itself (libc's functions set them for all). A thread that comes here for the first time
 * leaves the supplementary groups (with them it would create set-group-id files in directories of
 * groups that the caller is not in: CVE-2022-0358), gets a umask of its own, and keeps its
 * capabilities when its file system user changes: permissions are checked by the client, and a
 * caller may reach a directory through a group that only the client knows of.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "fs/passthrough/internal.h"

#define STATUS_SIZE 16384 /* /proc/PID/status; 64 Ki groups would not fit, and are not looked at */

struct thread {
	bool is_ready;
	bool has_umask;   /* of its own */
	bool lacks_setid; /* CAP_FSETID was dropped */
	mode_t umask;
};

static _Thread_local struct thread thread;

/* Each of these may be refused in a container; creation then does what the host lets it. */
static void thread_prepare(const struct passthrough *pt)
{
	if (thread.is_ready)
		return;
	thread.is_ready = true;
	thread.has_umask = unshare(CLONE_FS) == 0;
	if (thread.has_umask)
		(void)umask(0); /* tells the former one, never an error */
	if (!pt->is_privileged)
		return;
	(void)syscall(SYS_setgroups, 0, NULL);
	(void)prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0);
}

static void thread_set_umask(mode_t mask)
{
	if (!thread.has_umask || thread.umask == mask)
		return;
	(void)umask(mask); /* tells the former one, never an error */
	thread.umask = mask;
}

/* ---- CAP_FSETID of the thread ---- */

void identity_keep_setid(struct passthrough *pt, bool keep)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	const uint32_t bit = 1u << CAP_FSETID;

	if (!pt->is_privileged || thread.lacks_setid == !keep)
		return;
	thread_prepare(pt);
	if (syscall(SYS_capget, &header, data) < 0)
		return; /* cannot fail for the thread itself */
	if (keep)
		data[0].effective |= bit & data[0].permitted;
	else
		data[0].effective &= ~bit;
	if (syscall(SYS_capset, &header, data) == 0)
		thread.lacks_setid = !keep;
}

/* ---- creation ---- */

/* What the caller is called on the host. */
struct host_ids {
	uint32_t uid, gid;
	uint32_t group; /* with has_group: another that counts */
	bool has_group;
};

static int find_ids(const struct passthrough *pt, const struct fs_request *req,
	const struct fs_caller *caller, struct host_ids *ret)
{
	struct host_ids ids = {0};
	uint32_t group = 0;
	int r;

	if (caller->uid == (uint32_t)-1 || caller->gid == (uint32_t)-1)
		return -EOVERFLOW; /* as for a user who has no number on this file system */
	ids.has_group = fs_request_group(req, &group);
	r = idmap_to_host(pt->uids, caller->uid, &ids.uid);
	if (r == 0)
		r = idmap_to_host(pt->gids, caller->gid, &ids.gid);
	if (r == 0 && ids.has_group)
		r = idmap_to_host(pt->gids, group, &ids.group);
	*ret = ids;
	return r;
}

int identity_begin(struct passthrough *pt, const struct fs_request *req, uint32_t mode,
	uint32_t mask, struct identity *ret)
{
	struct fs_caller caller = fs_request_caller(req);
	struct host_ids ids;
	int r;

	*ret = (struct identity){0};
	r = find_ids(pt, req, &caller, &ids);
	if (r < 0)
		return r;
	thread_prepare(pt);
	thread_set_umask(mask & 0777);
	if (!pt->is_privileged)
		return 0;
	identity_keep_setid(pt, caller.uid == 0 ||
		(mode & S_ISGID && caller_has(pt, &caller, CAP_FSETID)));
	if (ids.uid == 0 && ids.gid == 0)
		return 0;
	if (ids.has_group)
		ret->has_group = syscall(SYS_setgroups, 1, &ids.group) == 0;
	ret->is_changed = true;
	(void)syscall(SYS_setfsgid, ids.gid); /* tells the former one, never an error */
	(void)syscall(SYS_setfsuid, ids.uid);
	return 0;
}

void identity_end(const struct identity *identity)
{
	int saved = errno;

	if (identity->is_changed) {
		(void)syscall(SYS_setfsuid, 0);
		(void)syscall(SYS_setfsgid, 0);
	}
	if (identity->has_group)
		(void)syscall(SYS_setgroups, 0, NULL); /* root's own right */
	errno = saved;
}

/* ---- callers ---- */

/* Reads /proc/PID/status; false when there is no such process among ours. */
static bool status_read(const struct fs_caller *caller, char *text, size_t size)
{
	CLEAN_FD int fd = -1;
	char path[32];
	ssize_t n;

	if (caller->pid == 0)
		return false;
	(void)snprintf(path, sizeof(path), "/proc/%u/status", caller->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

/* What follows "\nNAME:" in a status, or NULL. */
static const char *status_field(const char *text, const char *name)
{
	const char *found = strstr(text, name);

	return found ? found + strlen(name) : NULL;
}

/* Capabilities of another user namespace count for nothing here. */
static bool is_our_user_namespace(const struct passthrough *pt, const struct fs_caller *caller)
{
	char path[32];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%u/ns/user", caller->pid);
	return stat(path, &st) == 0 && st.st_ino == pt->user_namespace;
}

bool caller_has(const struct passthrough *pt, const struct fs_caller *caller, unsigned capability)
{
	char text[STATUS_SIZE];
	const char *field;

	if (!status_read(caller, text, sizeof(text)))
		return caller->uid == 0;
	field = status_field(text, "\nCapEff:");
	return field && strtoull(field, NULL, 16) & 1ull << capability &&
		is_our_user_namespace(pt, caller);
}

bool caller_is_member(const struct passthrough *pt, const struct fs_caller *caller, uint32_t gid)
{
	char text[STATUS_SIZE];
	const char *field;
	char *end;

	if (caller->gid == gid)
		return true;
	if (!status_read(caller, text, sizeof(text)))
		return false;
	field = status_field(text, "\nGroups:");
	while (field) {
		unsigned long group = strtoul(field, &end, 10);

		if (end == field || strcspn(field, "\n") < (size_t)(end - field))
			return false; /* the line is over */
		if (group == gid)
			return true;
		field = end;
	}
	return false;
}
