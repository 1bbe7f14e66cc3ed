/* SPDX-License-Identifier: MIT */
/*
 * mount_command.h — what is to be mounted, whichever way it was said: `tacit mount` and the helper
 * of mount(8) read their arguments into the same structure and run it here.
 */
#pragma once

#include <stdbool.h>

#include "base/buffer.h"

/* Exit statuses, those of mount(8). */
enum mount_status {
	MOUNT_OK = 0,
	MOUNT_USAGE = 1,  /* wrong usage, or not permitted */
	MOUNT_SYSTEM = 2, /* out of memory, processes, descriptors */
	MOUNT_FAILED = 32,
};

struct mount_command {
	const char *source;     /* NULL: none was given */
	const char *mountpoint;
	const char *type;       /* NULL: by the source's content */
	struct buffer options;  /* as given, joined by commas */
	bool is_foreground;
	bool is_verbose;
	bool is_sloppy;         /* unknown options are skipped */
	bool is_fake;           /* everything but the mount */
	bool is_unrecorded;     /* nothing is written into utab */
};

void mount_command_fini(struct mount_command *command);

/* Adds an option text to those before it. */
void mount_command_add_options(struct mount_command *command, const char *text);

/* Mounts or remounts. Returns the exit status; what went wrong is on standard error. */
int mount_command_run(const struct mount_command *command);
