/* SPDX-License-Identifier: MIT */
/*
 * utab.h — the options that the kernel does not show, for mount(8) and findmnt(8) to show.
 *
 * libmount keeps options of user space in /run/mount/utab, a line a mount, and adds them to what
 * the kernel says. Its own functions write only those that its tables know (x-..., _netdev, user),
 * so the words of ours are written here, in its format and under its lock. Other mounts' lines stay
 * as they are. mount(8) leaves a line alone that its helper has written.
 *
 * All functions may be called by processes that may not write there: they return the -errno.
 */
#pragma once

#include "base/cleanup.h"

#define UTAB_DIRECTORY "/run/mount"
#define UTAB_PATH UTAB_DIRECTORY "/utab"

/*
 * A new mount of `source` at `target`: writes its line, of `words` of ours ("nostatfs,uid=7") and
 * `others` ("_netdev"), in the place of any old one; both may be "". 0 or -errno.
 */
int utab_add(const char *target, const char *source, const char *words, const char *others)
	MUST_CHECK;

/*
 * Puts `words` in the place of those of ours in a mount's line, and keeps the others; makes the
 * line when there is none. 0 or -errno.
 */
int utab_set(const char *target, const char *source, const char *words) MUST_CHECK;

/* Takes the mount's line out, unless the same source has been mounted there anew. 0 or -errno. */
int utab_remove(const char *target, const char *source) MUST_CHECK;
