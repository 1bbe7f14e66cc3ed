/* SPDX-License-Identifier: MIT */
/*
 * main.c — tacit: finds the verb and calls it.
 *
 * The program has other names too: mount(8) calls it mount.fuse.tacit.
 */
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "tacit/program.h"

struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *program; /* for messages */
	const char *help;
};

static const struct verb verbs[] = {
	{"mount", verb_mount, "tacit mount", "mount a UEFI variable store"},
	{"run", verb_run, "tacit run", "run a command on a UEFI variable store"},
	{"vars", verb_vars, "tacit vars", "look at and change variable stores"},
	{0},
};

static const struct verb *find_verb(const char *name)
{
	for (const struct verb *v = verbs; v->name; v++) {
		if (strcmp(v->name, name) == 0)
			return v;
	}
	return NULL;
}

static int print_help(void)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	buffer_string(&out,
		"Usage: tacit VERB [OPTION...] ...\n\n"
		"A file-system server: mounts, changes and examines UEFI variable stores, the\n"
		"images in which virtual machines keep their variables.\n\n"
		"Verbs:\n");
	for (const struct verb *v = verbs; v->name; v++)
		buffer_printf(&out, "  %-8s %s\n", v->name, v->help);
	buffer_string(&out,
		"\nOptions:\n"
		"  -h, --help     print this help\n"
		"  -V, --version  print the version\n\n"
		"'tacit VERB --help' describes a verb. For more details see tacit(1).\n");
	return program_print(&out) < 0;
}

static bool is_mount_helper(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	return strncmp(base, "mount.", strlen("mount.")) == 0;
}

int main(int argc, char **argv)
{
	const struct verb *verb;

	program_hold_standard_descriptors();
	log_open("tacit");
	if (argc > 0 && is_mount_helper(argv[0]))
		return mount_helper(argc, argv);
	if (argc < 2) {
		program_usage_error("a verb is missing");
		return 1;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_help();
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return program_print_version() < 0;
	verb = find_verb(argv[1]);
	if (!verb) {
		program_usage_error("there is no verb '%s'", argv[1]);
		return 1;
	}
	program_set_name(verb->program);
	argv[1] = (char *)verb->program; /* getopt speaks under this name, and only reads it */
	return verb->run(argc - 1, argv + 1);
}
