/* SPDX-License-Identifier: MIT */
/* mount.c — the verb `mount`: its arguments. */
#include <getopt.h>
#include <stddef.h>

#include "tacit/mount_command.h"
#include "tacit/mount_options.h"
#include "tacit/program.h"

static const struct option long_options[] = {
	{"type", required_argument, NULL, 't'},
	{"types", required_argument, NULL, 't'},
	{"options", required_argument, NULL, 'o'},
	{"foreground", no_argument, NULL, 'f'},
	{"verbose", no_argument, NULL, 'v'},
	{"no-mtab", no_argument, NULL, 'n'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

static int print_help(void)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	buffer_string(&out,
		"Usage: tacit mount [-t TYPE] [-o OPT,...] [-f] SOURCE MOUNTPOINT\n"
		"       tacit mount -o remount,OPT,... MOUNTPOINT\n\n"
		"Mounts what SOURCE holds: the variables of a UEFI variable store (OVMF_VARS.fd,\n"
		"...) as files, as the kernel's efivarfs shows those of a machine; or a\n"
		"directory. Returns when the mount answers, and serves it in the background.\n"
		"Unmount with umount(8) or fusermount3 -u.\n\n"
		"Options:\n"
		"  -t, --type TYPE        what SOURCE is: efivars or dir; without it, by itself\n"
		"  -o, --options OPT,...  options of the mount, below; may be repeated\n"
		"  -f, --foreground       serve in the foreground\n"
		"  -n, --no-mtab          do not record options for mount(8) to show\n"
		"  -v, --verbose          say what was done\n"
		"  -h, --help             print this help\n"
		"  -V, --version          print the version\n");
	mount_options_help(&out, true);
	buffer_string(&out, "\nFor more details see tacit-mount(1).\n");
	return program_print(&out) < 0 ? MOUNT_SYSTEM : MOUNT_OK;
}

/* -1 to go on, or the exit status. */
static int read_options(struct mount_command *command, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "t:o:fnvhV", long_options, NULL)) != -1) {
		switch (option) {
		case 't':
			command->type = optarg;
			break;
		case 'o':
			mount_command_add_options(command, optarg);
			break;
		case 'f':
			command->is_foreground = true;
			break;
		case 'n':
			command->is_unrecorded = true;
			break;
		case 'v':
			command->is_verbose = true;
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

static int run(struct mount_command *command, int count, char **operands)
{
	if (count > 2) {
		program_usage_error("'%s' is too much: one source and one mount point are wanted",
			operands[2]);
		return MOUNT_USAGE;
	}
	if (count < 1) {
		program_usage_error("a source and a mount point are wanted");
		return MOUNT_USAGE;
	}
	/* One operand is enough for a remount; mount_command_run knows whether it is one. */
	command->source = count == 2 ? operands[0] : NULL;
	command->mountpoint = operands[count - 1];
	return mount_command_run(command);
}

int verb_mount(int argc, char **argv)
{
	struct mount_command command = {0};
	int status;

	status = read_options(&command, argc, argv);
	if (status < 0)
		status = run(&command, argc - optind, argv + optind);
	mount_command_fini(&command);
	return status;
}
