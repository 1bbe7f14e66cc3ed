/* SPDX-License-Identifier: MIT */
/* image.c — see image.h. */
#include "tacit/image.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/ratelimit.h"

#define PATIENCE_NS 500000000u
#define PAUSE_MIN_NS 5000000
#define PAUSE_SPREAD_NS 15000000u /* two that refuse each other must not meet again and again */

int image_open(struct source **ret, const char *path, bool is_writable, char **ret_error)
{
	const uint64_t end_ns = clock_now_ns() + PATIENCE_NS;

	for (;;) {
		struct timespec pause = {.tv_nsec = PAUSE_MIN_NS};
		char *error = NULL;
		int r = source_open_file(ret, path, is_writable, &error);

		if (r != -EBUSY || clock_now_ns() >= end_ns) {
			if (r < 0)
				*ret_error = error;
			return r;
		}
		free(error);
		pause.tv_nsec += (long)((uint64_t)getpid() * 7919u * 1000u % PAUSE_SPREAD_NS);
		(void)nanosleep(&pause, NULL); /* shorter is fine */
	}
}
