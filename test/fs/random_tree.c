/* SPDX-License-Identifier: MIT */
/*
 * random_tree.c — the same random steps on a native directory and on a mount: all that they give
 * must be the same, and the trees at the end, also as the host sees the mount's.
 *
 * usage: random_tree [--seed N] [--count N] [--log FILE] [--replay FILE] [--verbose] NATIVE MOUNT
 *        [BEHIND]
 * Needs root.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test/tap.h"
#include "compare.h"
#include "random_tree.h"

#define NAME "random-tree"
#define USAGE                                                                                      \
	"random_tree [--seed N] [--count N] [--log FILE] [--replay FILE] [--verbose] NATIVE "      \
	"MOUNT [BEHIND]"

static bool run_steps(struct steps *steps, struct tree *native, struct tree *mount)
{
	static char native_text[OUTCOME], mount_text[OUTCOME];
	struct step step;

	while (steps_next(steps, &step)) {
		tree_do(native, &step, native_text);
		if (steps->is_verbose)
			printf("#   gives %s\n", native_text);
		tree_do(mount, &step, mount_text);
		if (strcmp(native_text, mount_text) != 0) {
			printf("#   step %u\n#   native: %s\n#   mount:  %s\n", steps->number,
				native_text, mount_text);
			return false;
		}
	}
	return true;
}

static bool run(struct steps *steps, char **sides)
{
	struct tree native, mount;
	bool same;

	if (!tree_open(&native, sides[0], NAME) || !tree_open(&mount, sides[1], NAME)) {
		printf("#   the folders cannot be made: %s\n", strerrorname_np(errno));
		return false;
	}
	same = run_steps(steps, &native, &mount);
	tree_close(&native);
	tree_close(&mount);
	if (same) {
		same = compare_trees(sides[0], sides[1], NAME);
		if (sides[2])
			same &= compare_trees(sides[0], sides[2], NAME);
	}
	if (same) {
		remove_tree(AT_FDCWD, native.path);
		remove_tree(AT_FDCWD, mount.path);
	}
	return same;
}

int main(int argc, char **argv)
{
	struct steps steps = {.kinds = tree_kinds, .kind_count = tree_kind_count, .draw = tree_draw};
	bool same;

	steps_parse_options(&steps, argc, argv, USAGE, 2, 3);
	if (geteuid() != 0)
		tap_skip_all("needs root");
	umask(0);
	steps_begin(&steps);
	same = run(&steps, argv + optind);
	if (!same)
		steps_print_tail(&steps);
	ok(same, "%u steps, seed %llu", steps.number, (unsigned long long)steps.seed);
	steps_end(&steps);
	return tap_done();
}
