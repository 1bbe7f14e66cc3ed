/* SPDX-License-Identifier: MIT */
/*
 * passthrough.h — the file system that serves a directory of the host.
 *
 * Every operation is the host's own, made on a descriptor of the node it is about; doc/directory.md
 * says what each does. Nothing outside the directory can be reached: a name is one component,
 * looked up from its parent's descriptor, and no symbolic link is followed.
 *
 * As root, what is created belongs to the caller, and permissions are the FUSE client's to check
 * (default_permissions). As a user everything happens as that user.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "fs/filesystem.h"

/* How long the client may use what it was told. */
enum passthrough_cache {
	PASSTHROUGH_CACHE_AUTO,     /* names and attributes for a second; pages while open */
	PASSTHROUGH_CACHE_ALWAYS,   /* a day, and pages from open to open */
	PASSTHROUGH_CACHE_METADATA, /* a day; no pages */
	PASSTHROUGH_CACHE_NEVER,    /* nothing */
};

struct passthrough_options {
	uint32_t cache; /* enum passthrough_cache */
	bool writeback; /* the client gathers writes */
	bool killpriv;  /* set-id bits and capabilities are stripped here, not asked for */
	bool xattr;     /* extended attributes and access lists */
	bool flock;     /* flock(2) locks hold on the host too */
	bool posix_lock; /* fcntl(2) locks too */
	char *xattrmap;  /* other names for extended attributes (xattrmap.h); NULL: none */
	char *translate_uid; /* other ids for users (idmap.h), a translation a line; NULL: none */
	char *translate_gid; /* for groups */
};

/*
 * Whether the options that are texts can be understood. 0; -EINVAL with one line in *ret_error
 * (owned by the caller); -ENOMEM.
 */
int passthrough_options_check(
	const struct passthrough_options *options, char **ret_error) MUST_CHECK;

/* Extended attributes of the root that are the mount's, not the directory's. */
#define PASSTHROUGH_XATTR_OPTIONS "trusted.tacit.options"
#define PASSTHROUGH_XATTR_ERROR "user.tacit.error" /* why the last change of options was refused */

struct passthrough_config {
	struct passthrough_options options; /* checked; texts are read, not kept */
	/* The option string in force, appended to out. Any thread, one at a time. */
	void (*describe)(void *arg, struct buffer *out);
	/* Changes options as a remount does. 0, or -errno and a line that the caller owns. */
	int (*reconfigure)(void *arg, const char *text, char **ret_error);
	void *arg;
};

/*
 * Serves the directory that root_fd refers to (which it takes, on success), an O_PATH descriptor
 * will do. 0; -ENOTDIR; -EINVAL for options that are not understood; -ENOMEM; another -errno of the
 * first look at it.
 */
int passthrough_new(struct fs **ret, int take_root_fd, const struct passthrough_config *config)
	MUST_CHECK;
