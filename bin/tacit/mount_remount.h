/* SPDX-License-Identifier: MIT */
/*
 * mount_remount.h — changes the options of a live mount: of its server, through the extended
 * attribute of the root, and of the kernel.
 */
#pragma once

#include "tacit/mount_options.h"

/*
 * Applies words to the mount at `mountpoint` (an absolute path without symbolic links). All or
 * nothing. 0 or -errno with one line in *ret_error (owned by the caller).
 */
int mount_remount(const char *mountpoint, const struct mount_words *words, char **ret_error)
	MUST_CHECK;
