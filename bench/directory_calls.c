/* SPDX-License-Identifier: MIT */
/*
 * directory_calls.c — "directory-calls VERB DIR [COUNT]": how long calls on names take there.
 *
 * create, stat and unlink take COUNT files of DIR, named by their numbers; list reads DIR with the
 * attributes of each entry, walk all that is below it. Prints the number of entries and the
 * seconds. It is C because a script's own time would be half of what is measured.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/ratelimit.h"

#define COUNT_MAX 10000000
#define DEPTH_MAX 64

static int create_file(int folder, const char *name)
{
	int fd = openat(folder, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);

	return fd < 0 ? -errno : close(fd) < 0 ? -errno : 0;
}

static int stat_file(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static int unlink_file(int folder, const char *name)
{
	return unlinkat(folder, name, 0) < 0 ? -errno : 0;
}

static int each_file(int folder, long count, int (*call)(int folder, const char *name))
{
	char name[32];

	for (long i = 0; i < count; i++) {
		int r;

		(void)snprintf(name, sizeof(name), "file-%06ld", i);
		r = call(folder, name);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Takes take_fd. Adds to count each entry whose attributes can be had. */
static int list_folder(int take_fd, int depth, bool is_recursive, long *count)
{
	DIR *stream = fdopendir(take_fd);
	int r = 0;

	if (!stream || depth > DEPTH_MAX) {
		r = stream ? -ELOOP : -errno;
		if (stream)
			(void)closedir(stream);
		else
			(void)close(take_fd);
		return r;
	}
	for (struct dirent *entry; r == 0 && (errno = 0, entry = readdir(stream));) {
		struct stat st;
		int fd;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (fstatat(dirfd(stream), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			r = -errno;
			break;
		}
		(*count)++;
		if (!is_recursive || !S_ISDIR(st.st_mode))
			continue;
		fd = openat(dirfd(stream), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		r = fd < 0 ? -errno : list_folder(fd, depth + 1, true, count);
	}
	if (r == 0)
		r = -errno;
	(void)closedir(stream);
	return r;
}

static int measure(const char *verb, int take_folder, long *count)
{
	CLEAN_FD int folder = take_folder;

	if (strcmp(verb, "create") == 0)
		return each_file(folder, *count, create_file);
	if (strcmp(verb, "stat") == 0)
		return each_file(folder, *count, stat_file);
	if (strcmp(verb, "unlink") == 0)
		return each_file(folder, *count, unlink_file);
	*count = 0;
	return list_folder(TAKE_FD(folder), 0, strcmp(verb, "walk") == 0, count);
}

/* Whether the arguments are as they should be. */
static bool parse(int argc, char **argv, long *ret_count)
{
	static const char *const counted[] = {"create", "stat", "unlink"};
	bool has_count = argc == 4;

	if (argc < 3 || argc > 4)
		return false;
	*ret_count = has_count ? strtol(argv[3], NULL, 10) : 1;
	if (*ret_count < 1 || *ret_count > COUNT_MAX)
		return false;
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (strcmp(argv[1], counted[i]) == 0)
			return has_count;
	return !has_count && (strcmp(argv[1], "list") == 0 || strcmp(argv[1], "walk") == 0);
}

int main(int argc, char **argv)
{
	uint64_t start;
	long count;
	int folder, r;

	if (!parse(argc, argv, &count)) {
		fprintf(stderr, "usage: directory-calls create|stat|unlink DIR COUNT\n"
				"       directory-calls list|walk DIR\n");
		return 1;
	}
	start = clock_now_ns();
	folder = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = folder < 0 ? -errno : measure(argv[1], folder, &count);
	if (r < 0) {
		fprintf(stderr, "%s %s: %s\n", argv[1], argv[2], strerror(-r));
		return 1;
	}
	printf("%ld %.6f\n", count, (double)(clock_now_ns() - start) / 1e9);
	return 0;
}
