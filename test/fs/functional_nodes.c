/* SPDX-License-Identifier: MIT */
/*
 * functional_nodes.c — cases of what a name stands for: special files, files without a name, times.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "functional.h"

static void special_files(const struct place *place)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
	char text[8] = "";
	pid_t child;
	int fd;

	CALL(mknod("char", S_IFCHR | 0640, makedev(1, 3)));
	CALL(mknod("block", S_IFBLK | 0640, makedev(7, 300)));
	CALL(mknod("big", S_IFCHR | 0640, makedev(4000, 1000000)));
	CALL(mknod("file", S_IFREG | 0640, 0));
	CALL(mknod("bad", S_IFDIR | 0640, 0));
	CALL(mkfifo("fifo", 0622));
	CALL(mkfifo("fifo", 0622));
	for (const char *name = "char\0block\0big\0file\0fifo\0"; *name; name += strlen(name) + 1)
		note_stat(name);
	CALL(bind(listener, (struct sockaddr *)&address, sizeof(address)));
	CALL(listen(listener, 1));
	CALL(connect(client, (struct sockaddr *)&address, sizeof(address)));
	note_stat("socket");
	OPEN(open("socket", O_RDONLY));
	OPEN(open("fifo", O_WRONLY | O_NONBLOCK));
	child = fork();
	if (child == 0) {
		fd = open("fifo", O_WRONLY);
		_exit(write(fd, "through", 7) == 7 ? 0 : 1);
	}
	fd = OPEN(open("fifo", O_RDONLY));
	CALL(read(fd, text, 7));
	note("it says %s", text);
	note_child(child, "writer");
	CALL(rename("fifo", "fifo2"));
	CALL(link("socket", "socket2"));
	CALL(truncate("fifo2", 0));
	CALL(chmod("char", 0600));
	CALL(chown("block", 5, 6));
	CALL(unlink("char"));
}

static void files_without_name(const struct place *place)
{
	char path[64];
	int fd = OPEN(open(".", O_TMPFILE | O_RDWR, 0640));

	note_fstat(fd);
	CALL(write(fd, "content", 7));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	note_result(linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW), "link by proc");
	note_fstat(fd);
	note_content("named");
	CALL(linkat(fd, "", AT_FDCWD, "named2", AT_EMPTY_PATH));
	CALL(linkat(fd, "", AT_FDCWD, "named2", AT_EMPTY_PATH));
	CALL(close(fd));
	fd = OPEN(open(".", O_TMPFILE | O_WRONLY | O_EXCL, 0640));
	CALL(linkat(fd, "", AT_FDCWD, "never", AT_EMPTY_PATH));
	CALL(close(fd));
	OPEN(open(".", O_TMPFILE | O_RDONLY, 0640));
	OPEN(open("named", O_TMPFILE | O_RDWR, 0640));
	OPEN(open("none", O_TMPFILE | O_RDWR, 0640));
	umask(077);
	fd = OPEN(open(".", O_TMPFILE | O_RDWR, 0666));
	note_fstat(fd);
	CALL(fsetxattr(fd, "user.name", "x", 1, 0));
	CALL(linkat(fd, "", AT_FDCWD, "with-xattr", AT_EMPTY_PATH));
	CALL(close(fd));
}

/* An open file that has lost its name is a file all the same. */
static void unlinked_while_open(const struct place *place)
{
	char text[16] = "", path[64];
	int fd, again;

	make_file("f", 100, 1);
	fd = OPEN(open("f", O_RDWR));
	CALL(unlink("f"));
	note_fstat(fd);
	CALL(write(fd, "hello", 5));
	CALL(pread(fd, text, 5, 0));
	note("it says %s", text);
	CALL(ftruncate(fd, 50));
	CALL(fchmod(fd, 0604));
	CALL(fchown(fd, 3, 4));
	CALL(fsetxattr(fd, "user.a", "b", 1, 0));
	CALL(fgetxattr(fd, "user.a", text, sizeof(text)));
	CALL(futimens(fd, NULL));
	CALL(fsync(fd));
	note_fstat(fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = note_open(open(path, O_RDWR), "open by proc");
	CALL(pread(again, text, 5, 0));
	CALL(fallocate(fd, 0, 0, 200));
	note_fstat(again);
	note_result(linkat(AT_FDCWD, path, AT_FDCWD, "back", AT_SYMLINK_FOLLOW), "link by proc");
	make_file("f", 7, 2);
	note_fstat(fd);
	note_stat("f");
	CALL(close(fd));
	CALL(close(again));
}

static void replaced_while_open(const struct place *place)
{
	char text[16] = "";
	int fd;

	make_file("old", 10, 1);
	make_file("new", 20, 2);
	fd = OPEN(open("old", O_RDWR));
	CALL(rename("new", "old"));
	note_fstat(fd);
	CALL(pread(fd, text, 10, 0));
	CALL(pwrite(fd, "written", 7, 0));
	note_content("old");
	CALL(close(fd));
	CALL(mkdir("d", 0700));
	fd = OPEN(open("d", O_RDONLY | O_DIRECTORY));
	CALL(rmdir("d"));
	note_fstat(fd);
	OPEN(openat(fd, "x", O_WRONLY | O_CREAT, 0600));
	CALL(mkdirat(fd, "x", 0700));
	CALL(fchdir(fd));
	OPEN(open("..", O_RDONLY | O_DIRECTORY));
	OPEN(open(".", O_RDONLY | O_DIRECTORY));
	CALL(mkdir("x", 0700));
}

static void note_time(const char *what, const struct statx_timestamp *time)
{
	note("%s: %lld.%09u", what, (long long)time->tv_sec, time->tv_nsec);
}

static void times(const struct place *place)
{
	static const struct timespec cases[][2] = {
		{{1, 2}, {3, 999999999}}, {{1000000000, 0}, {0, UTIME_OMIT}},
		{{0, UTIME_OMIT}, {5, 6}},
		{{-1, 500}, {-2000000000, 1}}, {{4294967296, 1}, {15032385535, 2}},
		{{0, 0}, {0, 0}}, {{2147483648, 0}, {2147483647, 0}}, {{0, 1000000000}, {0, 0}},
	};
	struct statx st;

	make_file("f", 10, 1);
	CALL(symlink("f", "s"));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CALL(utimensat(AT_FDCWD, "f", cases[i], 0));
		CALL(statx(AT_FDCWD, "f", 0, STATX_ATIME | STATX_MTIME, &st));
		note_time("atime", &st.stx_atime);
		note_time("mtime", &st.stx_mtime);
		CALL(utimensat(AT_FDCWD, "s", cases[i], AT_SYMLINK_NOFOLLOW));
		CALL(statx(AT_FDCWD, "s", AT_SYMLINK_NOFOLLOW, STATX_ATIME | STATX_MTIME, &st));
		note_time("mtime of link", &st.stx_mtime);
	}
	CALL(utimensat(AT_FDCWD, "none", NULL, 0));
}

/* A time in the past is set, something is done, and what has moved is noted. */
static void note_moved(const char *what, const char *path)
{
	static const struct timespec past[2] = {{1000, 0}, {2000, 0}};
	struct stat st;

	CALL(stat(path, &st));
	note("after %s: atime %s, mtime %s", what, st.st_atime == 1000 ? "as it was" : "moved",
		st.st_mtime == 2000 ? "as it was" : "moved");
	CALL(utimensat(AT_FDCWD, path, past, 0));
}

static void times_that_move(const struct place *place)
{
	char text[8];
	int fd;

	CALL(mkdir("d", 0755));
	make_file("d/f", 10, 1);
	note_moved("creation", "d");
	note_moved("creation", "d/f");
	fd = OPEN(open("d/f", O_RDWR));
	note_moved("opening", "d/f");
	CALL(read(fd, text, 5));
	note_moved("reading", "d/f");
	CALL(write(fd, text, 5));
	note_moved("writing", "d/f");
	CALL(ftruncate(fd, 10));
	note_moved("truncating to the same size", "d/f");
	CALL(ftruncate(fd, 5));
	note_moved("truncating", "d/f");
	CALL(truncate("d/f", 5));
	note_moved("truncating by name", "d/f");
	CALL(fallocate(fd, 0, 0, 100));
	note_moved("allocating", "d/f");
	CALL(write(fd, text, 0));
	note_moved("writing nothing", "d/f");
	CALL(close(fd));
	OPEN(open("d/f", O_WRONLY | O_TRUNC));
	note_moved("opening O_TRUNC", "d/f");
	OPEN(open("d/f", O_WRONLY | O_TRUNC));
	note_moved("opening the empty one O_TRUNC", "d/f");
	CALL(chmod("d/f", 0600));
	CALL(link("d/f", "d/g"));
	note_moved("chmod and link", "d/f");
	note_moved("link", "d");
	CALL(rename("d/g", "h"));
	note_moved("rename", "d");
	CALL(unlink("d/f"));
	note_moved("unlink", "d");
	CALL(access("d/f", F_OK));
	note_moved("a look-up", "d");
	CALL(setxattr("d", "user.a", "b", 1, 0));
	note_moved("setxattr", "d");
}

static bool is_before(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static void extended_stat(const struct place *place)
{
	struct statx before, after;

	make_file("f", 10, 1);
	CALL(statx(AT_FDCWD, "f", 0, STATX_BASIC_STATS | STATX_BTIME, &before));
	note("basic fields: %d", (before.stx_mask & STATX_BASIC_STATS) == STATX_BASIC_STATS);
	note("birth time: %d", (before.stx_mask & STATX_BTIME) != 0);
	note("set: %d", before.stx_btime.tv_sec > 1000000000);
	note("not after the change: %d", !is_before(&before.stx_ctime, &before.stx_btime));
	CALL(truncate("f", 100));
	CALL(utimensat(AT_FDCWD, "f", (struct timespec[]){{5, 0}, {5, 0}}, 0));
	CALL(rename("f", "g"));
	CALL(statx(AT_FDCWD, "g", AT_STATX_FORCE_SYNC, STATX_ALL, &after));
	note("birth time as it was: %d", after.stx_btime.tv_sec == before.stx_btime.tv_sec &&
		after.stx_btime.tv_nsec == before.stx_btime.tv_nsec);
	note("same inode: %d", after.stx_ino == before.stx_ino);
	note("changed: %d", !is_before(&after.stx_ctime, &before.stx_ctime));
	CALL(statx(AT_FDCWD, "none", 0, STATX_ALL, &after));
	CALL(statx(AT_FDCWD, "g", AT_STATX_DONT_SYNC, STATX_SIZE, &after));
	note("size %llu", (unsigned long long)after.stx_size);
	CALL(statx(AT_FDCWD, "g", AT_STATX_FORCE_SYNC | AT_STATX_DONT_SYNC, STATX_SIZE, &after));
	CALL(mkdir("d", 0700));
	CALL(statx(AT_FDCWD, "d", 0, STATX_BTIME, &after));
	note("birth time of a folder: %d", (after.stx_mask & STATX_BTIME) != 0);
	CALL(symlink("x", "s"));
	CALL(statx(AT_FDCWD, "s", AT_SYMLINK_NOFOLLOW, STATX_BTIME, &after));
	note("birth time of a link: %d", (after.stx_mask & STATX_BTIME) != 0);
}

/* What is on the disk by then, so that blocks can be compared. */
static void blocks(const struct place *place)
{
	struct stat st;
	int fd;

	make_file("f", 300000, 1);
	fd = OPEN(open("f", O_RDWR));
	CALL(fsync(fd));
	CALL(stat("f", &st));
	note("blocks %ld", (long)st.st_blocks);
	CALL(ftruncate(fd, 5000));
	CALL(fsync(fd));
	CALL(fstat(fd, &st));
	note("blocks %ld", (long)st.st_blocks);
	CALL(ftruncate(fd, 1 << 30));
	CALL(fsync(fd));
	CALL(fstat(fd, &st));
	note("blocks %ld", (long)st.st_blocks);
}

const struct case_entry node_cases[] = {
	{"special-files", special_files},
	{"files-without-name", files_without_name},
	{"unlinked-while-open", unlinked_while_open},
	{"replaced-while-open", replaced_while_open},
	{"times", times},
	{"times-that-move", times_that_move},
	{"extended-stat", extended_stat},
	{"blocks", blocks},
	{NULL, NULL},
};
