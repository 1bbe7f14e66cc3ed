/* SPDX-License-Identifier: MIT */
/*
 * caller.c — see caller.h.
 *
 * The saved uid stays 0, so the permitted capabilities stay too; what a file system asks for are
 * the effective ones.
 */
#include "caller.h"

#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void demand(long result, const char *what)
{
	if (result < 0) {
		perror(what);
		_exit(1);
	}
}

/* Adds to the effective capabilities, as far as they are permitted, and takes away. */
static void set_effective(uint64_t added, uint64_t removed)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	demand(syscall(SYS_capget, &header, data), "capget");
	for (int i = 0; i < 2; i++) {
		data[i].effective |= (uint32_t)(added >> (32 * i)) & data[i].permitted;
		data[i].effective &= ~(uint32_t)(removed >> (32 * i));
	}
	demand(syscall(SYS_capset, &header, data), "capset");
}

void caller_become(const struct caller *caller)
{
	demand(setgroups(caller->group_count, caller->groups), "setgroups");
	demand(setresgid(caller->gid, caller->gid, 0), "setresgid");
	demand(setresuid(caller->uid, caller->uid, 0), "setresuid");
	if (caller->gained != 0 || caller->lost != 0)
		set_effective(caller->gained, caller->lost);
}

void caller_return(void)
{
	demand(setresuid(0, 0, 0), "setresuid");
	demand(setresgid(0, 0, 0), "setresgid");
	demand(setgroups(0, NULL), "setgroups");
	/* root to root changes no capabilities */
	set_effective(UINT64_MAX, 0);
}
