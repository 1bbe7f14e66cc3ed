/* SPDX-License-Identifier: MIT */
/*
 * write_payloads.c — "write-payloads DIR EFIVARFS <LIST": writes what auth-payloads made, each file
 * by one write(2), and prints a line for each: its number and the errno.
 *
 * Runs on the host and, linked statically, in the guest.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static unsigned char data[1 << 20];

static ssize_t read_payload(const char *directory, const char *number)
{
	char path[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, data, sizeof(data));
	close(fd);
	return n;
}

static void clear_immutable(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int flags = 0;

	if (fd < 0)
		return; /* it is not there yet */
	/* what is immutable all the same shows as the write's error */
	(void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
	close(fd);
}

/* 0 or errno. */
static int write_variable(const char *directory, const char *name, size_t size)
{
	char path[4096];
	int error = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	clear_immutable(path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return errno;
	if (write(fd, data, size) < 0)
		error = errno;
	close(fd);
	return error;
}

int main(int argc, char **argv)
{
	char number[16], name[256];
	ssize_t size;

	if (argc != 3) {
		fprintf(stderr, "usage: write-payloads DIR EFIVARFS <LIST\n");
		return 2;
	}
	while (scanf("%15s %255s%*[^\n]", number, name) == 2) {
		size = read_payload(argv[1], number);
		if (size < 0) {
			perror(number);
			return 1;
		}
		printf("%s %d\n", number, write_variable(argv[2], name, (size_t)size));
	}
	return 0;
}
