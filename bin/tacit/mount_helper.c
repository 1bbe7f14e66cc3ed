/* SPDX-License-Identifier: MIT */
/*
 * mount_helper.c — /sbin/mount.fuse.tacit: how mount(8) calls us.
 *
 *	mount.fuse.tacit SPEC DIR [-sfnv] [-N namespace] [-o options] [-t type.subtype]
 *
 * Specification: mount(8), "External helpers".
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tacit/mount_command.h"
#include "tacit/program.h"

static int enter_namespace(const char *path)
{
	CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && setns(fd, CLONE_NEWNS) == 0)
		return MOUNT_OK;
	program_error("-N %s: %s", path, strerror(errno));
	return MOUNT_SYSTEM;
}

static int print_help(void)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	buffer_string(&out,
		"Usage: mount.fuse.tacit SOURCE MOUNTPOINT [-sfnv] [-N NAMESPACE] [-o OPT,...]\n"
		"                        [-t TYPE]\n\n"
		"Called by mount(8) for 'mount -t fuse.tacit' and for lines of fstab(5).\n"
		"For more details see tacit-mount(1).\n");
	return program_print(&out) < 0 ? MOUNT_SYSTEM : MOUNT_OK;
}

/* -1 to go on, or the exit status. */
static int read_options(struct mount_command *command, const char **ret_namespace, int argc,
	char **argv)
{
	static const struct option long_options[] = {
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "sfnvN:o:t:hV", long_options, NULL)) != -1) {
		switch (option) {
		case 's':
			command->is_sloppy = true;
			break;
		case 'f':
			command->is_fake = true;
			break;
		case 'n':
			command->is_unrecorded = true;
			break;
		case 'v':
			command->is_verbose = true;
			break;
		case 'N':
			*ret_namespace = optarg;
			break;
		case 'o':
			mount_command_add_options(command, optarg);
			break;
		case 't': /* always fuse.tacit: what the source is shows its content */
			break;
		case 'h':
			return print_help();
		case 'V':
			return program_print_version() < 0 ? MOUNT_SYSTEM : MOUNT_OK;
		default:
			program_try_help();
			return MOUNT_USAGE;
		}
	}
	return -1;
}

static int run(struct mount_command *command, const char *namespace, int count, char **operands)
{
	if (count != 2) {
		program_usage_error("a source and a mount point are wanted");
		return MOUNT_USAGE;
	}
	command->source = operands[0];
	command->mountpoint = operands[1];
	if (namespace && enter_namespace(namespace) != MOUNT_OK)
		return MOUNT_SYSTEM;
	return mount_command_run(command);
}

int mount_helper(int argc, char **argv)
{
	struct mount_command command = {0};
	const char *namespace = NULL;
	int status;

	program_set_name("mount.fuse.tacit");
	status = read_options(&command, &namespace, argc, argv);
	if (status < 0)
		status = run(&command, namespace, argc - optind, argv + optind);
	mount_command_fini(&command);
	return status;
}
