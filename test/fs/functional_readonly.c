/* SPDX-License-Identifier: MIT */
/*
 * functional_readonly.c — cases of a read-only mount: everything is seen, nothing changes.
 *
 * Both sides hold: file, folder/inside, link (to file), fifo.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "functional.h"

static void refusals(const struct place *place)
{
	OPEN(open("file", O_WRONLY));
	OPEN(open("file", O_RDWR));
	OPEN(open("file", O_RDONLY | O_TRUNC));
	OPEN(open("file", O_RDONLY | O_CREAT, 0600));
	OPEN(open("file", O_RDONLY | O_CREAT | O_EXCL, 0600));
	OPEN(open("new", O_RDONLY | O_CREAT, 0600));
	OPEN(open(".", O_TMPFILE | O_RDWR, 0600));
	CALL(truncate("file", 0));
	CALL(mkdir("new", 0700));
	CALL(mkdir("folder", 0700));
	CALL(mkfifo("new", 0700));
	CALL(mknod("new", S_IFREG | 0600, 0));
	CALL(symlink("x", "new"));
	CALL(link("file", "new"));
	CALL(link("file", "link"));
	CALL(rename("file", "new"));
	CALL(rename("none", "new"));
	CALL(renameat2(AT_FDCWD, "file", AT_FDCWD, "link", RENAME_EXCHANGE));
	CALL(unlink("file"));
	CALL(unlink("none"));
	CALL(rmdir("folder"));
	CALL(chmod("file", 0600));
	CALL(chown("file", 0, 0));
	CALL(utimensat(AT_FDCWD, "file", NULL, 0));
	CALL(setxattr("file", "user.a", "b", 1, 0));
	CALL(removexattr("file", "user.a"));
	CALL(access("file", W_OK));
	CALL(access("folder", W_OK));
	CALL(access("fifo", W_OK));
}

static void reading(const struct place *place)
{
	int fd = OPEN(open("file", O_RDONLY));

	note_content("link");
	CALL(access("file", R_OK));
	CALL(flock(fd, LOCK_EX | LOCK_NB));
	CALL(ftruncate(fd, 0));
	CALL(fchmod(fd, 0600));
	CALL(fsetxattr(fd, "user.a", "b", 1, 0));
	CALL(fsync(fd));
	CALL(fallocate(fd, 0, 0, 10));
	CALL(lseek(fd, 0, SEEK_HOLE));
	OPEN(open("fifo", O_RDONLY | O_NONBLOCK));
	OPEN(open("fifo", O_RDWR | O_NONBLOCK));
}

const struct case_entry readonly_cases[] = {
	{"readonly-refusals", refusals},
	{"readonly-reading", reading},
	{NULL, NULL},
};
