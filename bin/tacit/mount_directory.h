/* SPDX-License-Identifier: MIT */
/*
 * mount_directory.h — a directory as a mount's source.
 */
#pragma once

#include "base/cleanup.h"
#include "fs/passthrough/passthrough.h"

/*
 * Whether source may be mounted at mountpoint, an absolute path without symbolic links: a server
 * that finds its own mount below its source would wait for itself. 0, or -errno with one line,
 * owned by the caller.
 */
int mount_directory_check(const char *source, const char *mountpoint, char **ret_error) MUST_CHECK;

/* The file system of a directory. 0, or -errno with one line, owned by the caller. */
int mount_directory_open(struct fs **ret, const char *source,
	const struct passthrough_config *config, char **ret_error) MUST_CHECK;
