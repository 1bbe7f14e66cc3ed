/* SPDX-License-Identifier: MIT */
/*
 * mount_session.h — what a mount is made of, built from the ground: the image, its store and the
 * emulated firmware, or a directory; the file system; and the transport. `tacit mount` and `tacit
 * run` differ only in where the session is mounted.
 *
 *   new -> attach -> run -> free
 *
 * Threads: one, but for mount_session_stop. Live options are kept by the file system, which changes
 * and shows them on any thread.
 */
#pragma once

#include <stdbool.h>

#include "base/cleanup.h"
#include "tacit/mount_options.h"

struct mount_session;

/*
 * Opens `source`, a directory or a file or block device that holds UEFI variables. 0;
 * -EBUSY when a VM uses it, -ENODATA when it holds nothing known, -EOPNOTSUPP for a kind that is
 * not served, or another -errno; *ret_error is one line, owned by the caller.
 */
int mount_session_new(struct mount_session **ret, const char *source,
	const struct mount_options *options, char **ret_error) MUST_CHECK;

/* Ends the mount, writes everything and closes the image. */
struct mount_session *mount_session_free(struct mount_session *session);
DEFINE_CLEAN(struct mount_session *, mount_session_free)

/* Mounts at an absolute path without symbolic links. 0 or -errno as devfuse_mount_new. */
int mount_session_attach(struct mount_session *session, const char *mountpoint, char **ret_error)
	MUST_CHECK;

/*
 * Between attach and run: records the mount's options, and those of mount(8) in `others`, for
 * mount(8) and findmnt(8) to show, and each change of ours later; they are taken out at the end.
 */
void mount_session_record(struct mount_session *session, const char *others);

/* Serves until the mount is gone or stopped. on_ready is called when it answers. 0 or -errno. */
int mount_session_run(struct mount_session *session, void (*on_ready)(void *arg), void *arg)
	MUST_CHECK;

/* Makes run return. After attach; async-signal-safe; any thread. */
void mount_session_stop(struct mount_session *session);
