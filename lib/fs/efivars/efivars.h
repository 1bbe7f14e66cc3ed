/* SPDX-License-Identifier: MIT */
/*
 * efivars.h — Linux's efivarfs semantics over any runtime services.
 *
 * One directory, one file a variable: 4 bytes of attributes, then the content. doc/efivars.md is
 * the list of what each operation does.
 *
 * Threads: the services are called by one thread of the file system's own (the firmware thread), so
 * no transport worker ever waits for firmware; statfs under nostatfs touches neither it nor a lock.
 */
#pragma once

#include "base/option.h"
#include "fs/filesystem.h"
#include "uefi/services.h"

/* The options of the mount that this file system looks at. */
struct efivars_options {
	bool statfs; /* false: nostatfs */
	uint32_t uid;
	uint32_t gid;
	bool is_read_only;
};

struct efivars_config {
	struct efivars_options options;
	uint64_t reserve; /* bytes that statfs keeps back from "available" (5120) */
	/*
	 * The live option string (`trusted.tacit.options`): describe appends it; reconfigure
	 * changes it as a remount does. NULL: the attribute is not there. Any thread calls them,
	 * several at a time, and neither may wait for the services.
	 *
	 * reconfigure returns 0, or -errno with one line in *ret_error (owned by the caller). With
	 * may_wait it is on the firmware thread and may call efivars_set_read_only. A change that
	 * needs that is answered -EAGAIN without may_wait, nothing being changed, and comes again
	 * with it.
	 */
	void (*describe)(void *arg, struct buffer *out);
	int (*reconfigure)(void *arg, const char *text, bool may_wait, char **ret_error);
	void *arg;
	/* The callers are another machine's processes: their pids mean nothing here. */
	bool are_callers_remote;
};

#define EFIVARS_RESERVE 5120u
#define EFIVARS_XATTR_OPTIONS "trusted.tacit.options"
#define EFIVARS_XATTR_ERROR "user.tacit.error"
#define EFIVARS_XATTR_DUPLICATES "user.tacit.duplicates"

/*
 * Reads the list of variables and starts the firmware thread. take_services becomes the file
 * system's, also on failure. The firmware thread does not outlive a fork: after it, only the child
 * that calls this has one. 0; -EOPNOTSUPP when the services cannot list; -EIO, -ENOMEM.
 */
int efivars_new(struct fs **ret, struct uefi_services *take_services,
	const struct efivars_config *config) MUST_CHECK;

/* The live options. Any thread. */
struct efivars_options efivars_get_options(struct fs *fs);
/* Any thread; waits for nobody. */
void efivars_set_statfs(struct fs *fs, bool statfs);
/*
 * Turns writing on or off in the services, as uefi_services_ops.set_writable. From reconfigure with
 * may_wait alone.
 */
int efivars_set_read_only(struct fs *fs, bool is_read_only, char **ret_error) MUST_CHECK;

/* True when the running kernel is a real-time one: then nostatfs is the default. */
bool efivars_is_realtime_kernel(void);
