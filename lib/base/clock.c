/* SPDX-License-Identifier: MIT */
/* clock.c — the monotonic clock of ratelimit.h. */
#include <time.h>

#include "base/ratelimit.h"

uint64_t clock_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
