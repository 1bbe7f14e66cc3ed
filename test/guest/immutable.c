/* SPDX-License-Identifier: MIT */
/*
 * immutable.c — "immutable +|- FILE...": sets or clears the immutable flag.
 *
 * The kernel's efivarfs sets it on most variables' files, and BusyBox has no chattr.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* 0 or -1 and errno. */
static int set_immutable(const char *path, bool is_immutable)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int flags = 0;
	int r;

	if (fd < 0)
		return -1;
	r = ioctl(fd, FS_IOC_GETFLAGS, &flags);
	if (r == 0) {
		flags = is_immutable ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
		r = ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	close(fd);
	return r;
}

int main(int argc, char **argv)
{
	bool is_immutable;
	int status = 0;

	if (argc < 3 || (strcmp(argv[1], "+") != 0 && strcmp(argv[1], "-") != 0)) {
		fprintf(stderr, "usage: immutable +|- FILE...\n");
		return 2;
	}
	is_immutable = argv[1][0] == '+';
	for (int i = 2; i < argc; i++) {
		if (set_immutable(argv[i], is_immutable) < 0) {
			fprintf(stderr, "immutable: %s: %s\n", argv[i], strerror(errno));
			status = 1;
		}
	}
	return status;
}
