/* SPDX-License-Identifier: MIT */
/*
 * statfs_time.c — "statfs-time [-n CALLS] DIR": how long statfs(2) takes there.
 *
 * Prints one JSON object, times in microseconds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/ratelimit.h"

#define CALLS_MAX 10000000

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int measure(const char *path, uint64_t *times, size_t count, struct statfs *ret_last)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t start = clock_now_ns();

		if (statfs(path, ret_last) < 0)
			return -1;
		times[i] = clock_now_ns() - start;
	}
	return 0;
}

int main(int argc, char **argv)
{
	CLEAN(free) uint64_t *times = NULL;
	struct statfs last = {0};
	long calls = 1000;
	size_t count;
	int option;

	while ((option = getopt(argc, argv, "n:")) == 'n')
		calls = strtol(optarg, NULL, 10);
	if (option != -1 || optind != argc - 1 || calls < 1 || calls > CALLS_MAX) {
		fprintf(stderr, "usage: statfs-time [-n CALLS] DIR\n");
		return 1;
	}
	count = (size_t)calls;
	times = calloc(count, sizeof(*times));
	if (!times || measure(argv[optind], times, count, &last) < 0) {
		perror(argv[optind]);
		return 1;
	}
	qsort(times, count, sizeof(*times), compare);
	printf("{\"calls\": %zu, \"min\": %.2f, \"median\": %.2f, \"p99\": %.2f, \"max\": %.2f, "
	       "\"blocks\": %lu}\n",
		count, (double)times[0] / 1e3, (double)times[count / 2] / 1e3,
		(double)times[count * 99 / 100] / 1e3, (double)times[count - 1] / 1e3,
		(unsigned long)last.f_blocks);
	return 0;
}
