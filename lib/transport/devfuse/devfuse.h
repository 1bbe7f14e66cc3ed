/* SPDX-License-Identifier: MIT */
/*
 * devfuse.h — the transport of the kernel's own client: /dev/fuse, and the mount that goes with it.
 *
 * A mount owns the device descriptor and the place in the tree; a server owns the worker threads,
 * one cloned descriptor each. Both work for a file system they know nothing about.
 *
 *   mount state  | what happens
 *   -------------+------------------------------------------------------------------------
 *   mounted      | devfuse_mount_new returned 0; the kernel waits for INIT
 *   serving      | devfuse_server_run reads requests
 *   gone         | unmounted, lazily or not, or aborted: reads end with ENODEV, run returns 0
 *
 * Specification: Linux Documentation/filesystems/fuse.rst, fs/fuse mount options; fsopen(2).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "fuse/session.h"

struct devfuse_mount_options {
	const char *source;   /* shown as the mount's source; commas and spaces are fine */
	const char *subtype;  /* type is fuse.SUBTYPE */
	bool is_read_only;
	bool allow_other;
	bool default_permissions;
	unsigned long flags;  /* MS_NOSUID and friends, beside the read-only one */
	bool stay_attached;   /* devfuse_mount_free does not unmount (another process will) */
};

struct devfuse_mount;

/*
 * Mounts at `mountpoint` (an absolute path without symbolic links, or relative to the caller): by
 * fsopen(2) where the kernel has it, mount(2) else, and through fusermount3 when the caller may not
 * mount. 0; -EPERM, -EACCES, -ENOENT, -ENOTDIR, -EBUSY ...; -EPROTO when fusermount3 failed (it has
 * told the user why on standard error). *ret_error, owned by the caller, is one line on failure.
 */
int devfuse_mount_new(struct devfuse_mount **ret, const char *mountpoint,
	const struct devfuse_mount_options *options, char **ret_error) MUST_CHECK;

/* Unmounts if the mount is still where it was put, lazily when it is busy; closes the device. */
struct devfuse_mount *devfuse_mount_free(struct devfuse_mount *mount);
DEFINE_CLEAN(struct devfuse_mount *, devfuse_mount_free)

/*
 * Detaches the mount from the tree now (lazily when busy). 0, or -errno when it stays. Any thread.
 */
int devfuse_mount_detach(struct devfuse_mount *mount);

/* The device descriptor; borrowed. */
int devfuse_mount_fd(const struct devfuse_mount *mount);

struct devfuse_server;

/*
 * `threads` workers (1 to DEVFUSE_THREADS_MAX; 0: as many as processors, 4 at most). fs is
 * borrowed. 0 or -errno.
 */
#define DEVFUSE_THREADS_MAX 64
int devfuse_server_new(struct devfuse_server **ret, struct devfuse_mount *mount, struct fs *fs,
	unsigned threads, const struct fuse_session_config *config) MUST_CHECK;
struct devfuse_server *devfuse_server_free(struct devfuse_server *server);
DEFINE_CLEAN(struct devfuse_server *, devfuse_server_free)

/*
 * Starts the workers and calls on_ready(arg) (may be NULL) once the kernel's INIT was answered: the
 * mount answers from then on. Returns when the mount is gone (0), or when the device fails
 * (-errno); all requests are completed by then. Blocks the calling thread, which handles no
 * request. Takes the signal SIGRTMIN+5 for its workers, which have every other one blocked.
 */
int devfuse_server_run(struct devfuse_server *server, void (*on_ready)(void *arg), void *arg)
	MUST_CHECK;

/*
 * Makes devfuse_server_run detach the mount, finish what is under way and return: also when the
 * mount is still used (its users get ENOTCONN). Async-signal-safe; any thread.
 */
void devfuse_server_stop(struct devfuse_server *server);

struct fuse_session *devfuse_server_session(struct devfuse_server *server);
