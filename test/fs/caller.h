/* SPDX-License-Identifier: MIT */
/*
 * caller.h — acting as somebody else, and being root again.
 *
 * Only effective ids and capabilities change, so one process makes calls as many callers. One
 * thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CALLER_GROUPS 4

struct caller {
	const char *name;
	uid_t uid;
	gid_t gid;
	gid_t groups[CALLER_GROUPS];
	size_t group_count;
	uint64_t gained; /* capabilities that uid would not have, as bits */
	uint64_t lost;   /* capabilities that uid 0 is to do without */
};

/* Ends the process if it is refused: the tests need root. */
void caller_become(const struct caller *caller);
void caller_return(void);
