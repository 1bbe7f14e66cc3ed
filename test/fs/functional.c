/* SPDX-License-Identifier: MIT */
/*
 * functional.c — a file system's operations, in a native directory and on a mount point.
 *
 * Every case runs on both sides (compare.h); results, error numbers, attributes and content must be
 * the same. Runs over any mount point.
 *
 * usage: functional [--readonly] [--no-locks] NATIVE MOUNT [BEHIND|-] [WORD...]
 * --readonly: both are read-only and hold the same; --no-locks: the mount's locks are its own, and
 * the host's are not seen; WORD: only the cases whose names contain one. Needs root.
 */
#include "functional.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/test/tap.h"

static bool arg_readonly, arg_own_locks;

static const struct case_entry *const tables[] = {
	name_cases, node_cases, directory_cases, data_cases, space_cases, access_cases,
	attribute_cases, lock_cases, host_cases,
};

static void usage(void)
{
	fputs("usage: functional [--readonly] [--no-locks] NATIVE MOUNT [BEHIND|-] [WORD...]\n",
		stderr);
	exit(1);
}

static void parse_options(int argc, char **argv)
{
	static const struct option options[] = {
		{"readonly", no_argument, NULL, 'r'},
		{"no-locks", no_argument, NULL, 'l'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'r')
			arg_readonly = true;
		else if (option == 'l')
			arg_own_locks = true;
		else
			usage();
	}
}

static char *absolute(const char *path)
{
	char *real = realpath(path, NULL);

	if (!real) {
		perror(path);
		exit(1);
	}
	return real;
}

static void run_table(const struct sides *sides, const struct case_entry *table, char **words)
{
	size_t count = 0;

	if ((table == host_cases && !sides->behind) || (table == lock_cases && arg_own_locks))
		return;
	while (table[count].name)
		count++;
	compare_cases(sides, table, count, words);
}

int main(int argc, char **argv)
{
	CLEAN(free) char *native = NULL, *mount = NULL, *behind = NULL;
	struct sides sides;
	char **words;

	parse_options(argc, argv);
	argv += optind;
	if (argc - optind < 2)
		usage();
	if (geteuid() != 0)
		tap_skip_all("needs root");
	native = absolute(argv[0]);
	mount = absolute(argv[1]);
	if (argv[2] && strcmp(argv[2], "-") != 0)
		behind = absolute(argv[2]);
	words = argv[2] ? argv + 3 : argv + 2;
	sides = (struct sides){.native = native, .mount = mount, .behind = behind};
	if (arg_readonly) {
		sides.is_readonly = true;
		run_table(&sides, readonly_cases, words);
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
			run_table(&sides, tables[i], words);
	}
	return compare_done();
}
