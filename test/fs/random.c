/* SPDX-License-Identifier: MIT */
/*
 * random.c — two random tests of a mount: the content of a file, and a tree of names.
 *
 * Each run is repeated exactly by its seed and count; a failure prints both, and --verbose prints
 * every operation, so the last one before the difference is known.
 *
 * usage: random [--seed N] [--count N] [--verbose] [--only file|tree] NATIVE MOUNT [BEHIND]
 * Needs root.
 */
#include "random.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test/tap.h"

static uint64_t arg_seed = 1;
static unsigned arg_count = 2000;
static bool arg_verbose;
static const char *arg_only;

/* xorshift64* of S. Vigna, "An experimental exploration of Marsaglia's xorshift generators". */
unsigned random_below(struct random_run *run, unsigned limit)
{
	run->state ^= run->state >> 12;
	run->state ^= run->state << 25;
	run->state ^= run->state >> 27;
	return (unsigned)((run->state * 2685821657736338717ull) >> 33) % limit;
}

static void usage(void)
{
	fputs("usage: random [--seed N] [--count N] [--verbose] [--only file|tree] NATIVE MOUNT "
	      "[BEHIND]\n", stderr);
	exit(1);
}

static void parse_options(int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 's'},
		{"count", required_argument, NULL, 'c'},
		{"verbose", no_argument, NULL, 'v'},
		{"only", required_argument, NULL, 'o'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			arg_seed = strtoull(optarg, NULL, 0);
		else if (option == 'c')
			arg_count = (unsigned)strtoul(optarg, NULL, 0);
		else if (option == 'v')
			arg_verbose = true;
		else if (option == 'o')
			arg_only = optarg;
		else
			usage();
	}
}

static void run_one(const char *name, bool (*test)(struct random_run *), char **sides)
{
	struct random_run run = {
		.native = sides[0], .mount = sides[1], .behind = sides[2],
		.state = arg_seed * 0x9e3779b97f4a7c15ull + 1, .count = arg_count,
		.is_verbose = arg_verbose,
	};

	if (arg_only && strcmp(arg_only, name) != 0)
		return;
	ok(test(&run), "%s: --seed %llu --count %u", name, (unsigned long long)arg_seed,
		arg_count);
}

int main(int argc, char **argv)
{
	parse_options(argc, argv);
	if (argc - optind < 2)
		usage();
	if (geteuid() != 0)
		tap_skip_all("needs root");
	umask(0);
	run_one("file", random_file, argv + optind);
	run_one("tree", random_tree, argv + optind);
	return tap_done();
}
