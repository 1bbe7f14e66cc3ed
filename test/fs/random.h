/* SPDX-License-Identifier: MIT */
/*
 * random.h — random operations that a seed repeats exactly.
 *
 * One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A run: the same seed and count do the same. */
struct random_run {
	const char *native;
	const char *mount;
	const char *behind; /* NULL: unknown */
	uint64_t state;
	unsigned count;
	bool is_verbose; /* each operation is printed as a comment before it is done */
};

/* A number from 0 to below limit. */
unsigned random_below(struct random_run *run, unsigned limit);

/* One file of the mount against its image in memory. Prints what differs; true if nothing does. */
bool random_file(struct random_run *run);

/* A tree of names, the same operations natively and on the mount. */
bool random_tree(struct random_run *run);
