/* SPDX-License-Identifier: MIT */
/*
 * functional_host.c — cases in which the host changes what the mount shows, and back.
 *
 * Natively both are the same folder. A mount may take its time before it shows a change; so a case
 * waits, bounded, until it sees what it looks for, and notes whether it did.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "functional.h"

#define PATIENCE 3000 /* milliseconds; cache=auto may show a second's age */

static const char *behind(const struct place *place, const char *name)
{
	static char path[2][PATH_MAX];
	static int next;

	next = !next;
	snprintf(path[next], PATH_MAX, "%s/%s", place->behind, name);
	return path[next];
}

/* What the file says, through a new descriptor; an error's name if it cannot be read. */
static void read_text(const char *path, char *ret_text, size_t size)
{
	CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0) {
		snprintf(ret_text, size, "%s", strerrorname_np(errno));
		return;
	}
	length = read(fd, ret_text, size - 1);
	if (length < 0)
		snprintf(ret_text, size, "%s", strerrorname_np(errno));
	else
		ret_text[length] = 0;
}

static void expect_text(const char *path, const char *wanted)
{
	char text[256] = "";

	for (int i = 0; i < PATIENCE; i++) {
		read_text(path, text, sizeof(text));
		if (strcmp(text, wanted) == 0)
			break;
		/* stale for a while is what a cache may be; an error of staleness is not */
		if (strcmp(text, "ESTALE") == 0 || strcmp(text, "EIO") == 0)
			break;
		usleep(1000);
	}
	note("%s says: %s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path, text);
}

static void write_text(const char *path, const char *text)
{
	CLEAN_FD int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		note("%s: %s", path, strerrorname_np(errno));
}

static void host_changes_content(const struct place *place)
{
	int fd;
	char text[16] = "";

	write_text("f", "first");
	expect_text(behind(place, "f"), "first");
	expect_text("f", "first");
	write_text(behind(place, "f"), "second, longer");
	expect_text("f", "second, longer");
	write_text(behind(place, "f"), "3rd");
	expect_text("f", "3rd");
	fd = OPEN(open("f", O_RDWR));
	write_text(behind(place, "f"), "while open");
	for (int i = 0; i < PATIENCE && pread(fd, text, 10, 0) != 10; i++)
		usleep(1000);
	note("through the open file: %s", text);
	CALL(pwrite(fd, "WHILE", 5, 0));
	CALL(close(fd));
	expect_text(behind(place, "f"), "WHILE open");
}

static void host_changes_names(const struct place *place)
{
	CALL(access("f", F_OK));
	write_text(behind(place, "f"), "made by the host");
	expect_text("f", "made by the host");
	CALL(rename(behind(place, "f"), behind(place, "g")));
	expect_text("g", "made by the host");
	expect_text("f", "ENOENT");
	/* an editor's way: a new file takes the old one's place */
	for (int i = 0; i < 2; i++) {
		char text[16];

		snprintf(text, sizeof(text), "version %d", i);
		write_text(behind(place, "tmp"), text);
		CALL(rename(behind(place, "tmp"), behind(place, "g")));
		expect_text("g", text);
	}
	CALL(unlink(behind(place, "g")));
	expect_text("g", "ENOENT");
	CALL(mkdir(behind(place, "g"), 0755));
	write_text(behind(place, "g/inside"), "in a folder now");
	expect_text("g/inside", "in a folder now");
	CALL(unlink(behind(place, "g/inside")));
	CALL(rmdir(behind(place, "g")));
	expect_text("g", "ENOENT");
	write_text("g", "made here");
	expect_text(behind(place, "g"), "made here");
}

static void host_changes_attributes(const struct place *place)
{
	struct statx st;

	write_text("f", "text");
	CALL(chmod(behind(place, "f"), 0640));
	CALL(chown(behind(place, "f"), 5, 6));
	CALL(setxattr(behind(place, "f"), "user.a", "b", 1, 0));
	CALL(statx(AT_FDCWD, "f", AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &st));
	note("mode %o of %u:%u", st.stx_mode, st.stx_uid, st.stx_gid);
	note_xattrs("f");
	CALL(chmod("f", 0604));
	CALL(chdir(place->behind));
	note_stat("f");
}

static void host_removes_folder(const struct place *place)
{
	int fd;

	CALL(mkdir("d", 0755));
	write_text("d/f", "text");
	CALL(chdir("d"));
	fd = OPEN(open("f", O_RDWR));
	CALL(unlink(behind(place, "d/f")));
	CALL(rmdir(behind(place, "d")));
	CALL(write(fd, "still", 5));
	CALL(fchmod(fd, 0600));
	note_fstat(fd);
	OPEN(open("g", O_WRONLY | O_CREAT, 0600));
	CALL(mkdir("g", 0700));
	CALL(close(fd));
	CALL(chdir(place->folder));
	expect_text("d/f", "ENOENT");
}

static void host_lists(const struct place *place)
{
	char name[64];
	int count = 0;
	struct dirent **entries;

	CALL(mkdir("d", 0755));
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "d/entry%d", i);
		write_text(behind(place, name), name);
	}
	for (int i = 0; i < PATIENCE; i++) {
		count = scandir("d", &entries, NULL, NULL);
		for (int j = 0; j < count; j++)
			free(entries[j]);
		free(entries);
		if (count == 102)
			break;
		usleep(1000);
	}
	note("%d entries", count);
}

/* Held by a process of the host, seen by one of the mount. */
static void host_locks(const struct place *place)
{
	struct flock what = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 10};
	int host, fd, status;
	pid_t child;

	write_text("f", "text");
	host = note_open(open(behind(place, "f"), O_RDWR), "the host's");
	fd = OPEN(open("f", O_RDWR));
	CALL(flock(host, LOCK_EX));
	CALL(flock(fd, LOCK_SH | LOCK_NB));
	CALL(fcntl(host, F_OFD_SETLK, &what));
	CALL(fcntl(fd, F_SETLK, &what));
	CALL(fcntl(fd, F_OFD_SETLK, &what));
	child = fork();
	if (child == 0)
		_exit(flock(fd, LOCK_EX) == 0 ? 7 : errno);
	wait_until_asleep(child);
	note("still waiting: %d", waitpid(child, &status, WNOHANG) == 0);
	CALL(flock(host, LOCK_UN));
	note_child(child, "waiter");
	CALL(flock(host, LOCK_EX | LOCK_NB));
	CALL(close(fd));
	CALL(flock(host, LOCK_EX)); /* the kernel tells a server of a close when it likes */
}

static void host_sees_maps(const struct place *place)
{
	char *map;
	int fd;

	write_text("f", "0123456789");
	fd = OPEN(open("f", O_RDWR));
	map = mmap(NULL, 10, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		note("mmap: %s", strerrorname_np(errno));
		return;
	}
	memcpy(map, "map", 3);
	CALL(msync(map, 10, MS_SYNC));
	expect_text(behind(place, "f"), "map3456789");
	CALL(munmap(map, 10));
	CALL(pwrite(fd, "wr", 2, 3));
	CALL(fsync(fd));
	expect_text(behind(place, "f"), "mapwr56789");
	CALL(ftruncate(fd, 4));
	expect_text(behind(place, "f"), "mapw");
}

const struct case_entry host_cases[] = {
	{"host-changes-content", host_changes_content},
	{"host-changes-names", host_changes_names},
	{"host-changes-attributes", host_changes_attributes},
	{"host-removes-folder", host_removes_folder},
	{"host-lists", host_lists},
	{"host-sees-maps", host_sees_maps},
	{"locks-of-the-host", host_locks},
	{NULL, NULL},
};
