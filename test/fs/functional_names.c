/* SPDX-License-Identifier: MIT */
/*
 * functional_names.c — cases of names: made, looked up, renamed, linked, removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "functional.h"

static void close_noted(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void create_and_remove(const struct place *place)
{
	close_noted(OPEN(open("f", O_RDWR | O_CREAT | O_EXCL, 0640)));
	note_stat("f");
	close_noted(OPEN(open("f", O_RDWR | O_CREAT | O_EXCL, 0640)));
	close_noted(OPEN(open("f", O_RDWR | O_CREAT, 0600)));
	close_noted(OPEN(open("f/x", O_RDWR | O_CREAT, 0600)));
	close_noted(OPEN(open("f/", O_RDONLY)));
	close_noted(OPEN(open("f", O_RDONLY | O_DIRECTORY)));
	close_noted(OPEN(open("none", O_RDONLY)));
	close_noted(OPEN(open("none/x", O_RDONLY | O_CREAT, 0600)));
	close_noted(OPEN(open("", O_RDONLY)));
	close_noted(OPEN(open("new/", O_RDWR | O_CREAT, 0600)));
	CALL(unlink("none"));
	CALL(unlink("f/x"));
	CALL(unlink("f/"));
	CALL(rmdir("f"));
	CALL(unlink("f"));
	CALL(unlink("f"));
	CALL(mkdir("d", 0751));
	note_stat("d");
	CALL(mkdir("d", 0751));
	CALL(mkdir("d/e/f", 0751));
	CALL(mkdir("d/e/", 0751));
	note_stat("d");
	CALL(unlink("d"));
	CALL(rmdir("d"));
	CALL(rmdir("d/."));
	CALL(rmdir("d/e/.."));
	CALL(rmdir("d/e"));
	note_stat("d");
	close_noted(OPEN(open("d", O_RDWR)));
	close_noted(OPEN(open("d", O_WRONLY | O_CREAT, 0600)));
	close_noted(OPEN(open("d", O_RDONLY | O_TRUNC)));
	close_noted(OPEN(open("d", O_RDONLY | O_CREAT | O_DIRECTORY, 0600)));
	CALL(mkdir(".", 0700));
	CALL(mkdir("..", 0700));
	CALL(mknod("d", S_IFREG | 0600, 0));
	CALL(rmdir("d"));
}

/* Each byte that may be in a name, alone and in the middle; and text that is no UTF-8. */
static void odd_bytes(const struct place *place)
{
	static const char *const names[] = {
		"\xc3\xa4\xc3\xb6\xc3\xbc", "a\xcc\x88", "\xe2\x82\xac", "\xf0\x9f\x90\x9f",
		"\xff\xfe", "\xc3", "\xed\xa0\x80", "a b", " ", "...", ".hidden", "a\nb", "\\",
		"%s%n", "-rf", "UPPER", "upper", "trailing.", "trailing ", "CON", "a:b", "*?",
	};

	for (int byte = 1; byte < 256; byte++) {
		char name[4] = {(char)byte, 0, 0, 0}, longer[4] = {'x', (char)byte, 'y', 0};

		if (byte == '/')
			continue;
		if (byte != '.')
			close_noted(OPEN(open(name, O_WRONLY | O_CREAT | O_EXCL, 0600)));
		CALL(mkdir(longer, 0700));
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		note_result(open(names[i], O_WRONLY | O_CREAT, 0600) < 0 ? -1 : 0, names[i]);
	note_stat("a\xcc\x88");
	note_stat("\xc3\xa4");
}

static void long_names(const struct place *place)
{
	char longest[257];

	memset(longest, 'n', 256);
	longest[256] = 0;
	note_open(open(longest, O_WRONLY | O_CREAT, 0600), "256 bytes");
	CALL(mkdir(longest, 0700));
	CALL(symlink("x", longest));
	CALL(unlink(longest));
	CALL(access(longest, F_OK));
	longest[255] = 0;
	note_open(open(longest, O_WRONLY | O_CREAT | O_EXCL, 0600), "255 bytes");
	CALL(rename(longest, "short"));
	CALL(link("short", longest));
	CALL(unlink("short"));
	CALL(rename(longest, longest));
	CALL(symlink(longest, "to-longest"));
	note_content("to-longest");
	CALL(access("to-longest", F_OK));
	/* 255 bytes of 85 characters */
	for (int i = 0; i < 85; i++)
		memcpy(longest + 3 * i, "\xe2\x82\xac", 3);
	CALL(mkdir(longest, 0700));
	CALL(rmdir(longest));
}

/* Forty folders of 200 bytes are twice what a path may have. */
static void deep_paths(const struct place *place)
{
	char name[201], *where;
	int top = open(".", O_RDONLY | O_DIRECTORY), fd;

	memset(name, 'd', 200);
	name[200] = 0;
	for (int i = 0; i < 40; i++) {
		CALL(mkdir(name, 0700));
		CALL(chdir(name));
	}
	make_file("bottom", 100, 1);
	note_content("bottom");
	where = getcwd(NULL, 0);
	note("getcwd: %s", where ? "short" : strerrorname_np(errno));
	free(where);
	CALL(rename("bottom", "floor"));
	CALL(linkat(AT_FDCWD, "floor", top, "above", 0));
	fd = open("floor", O_RDWR);
	CALL(fchdir(top));
	note_content("above");
	note_fstat(fd);
	CALL(write(fd, "deep", 4));
	CALL(close(fd));
	note_content("above");
	CALL(unlink("above"));
}

static void hard_links(const struct place *place)
{
	struct stat a, b;

	make_file("f", 10, 1);
	CALL(link("f", "g"));
	note_stat("f");
	CALL(stat("f", &a));
	CALL(stat("g", &b));
	note("same inode: %d", a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	CALL(link("f", "g"));
	CALL(link("none", "h"));
	CALL(link("f", "none/h"));
	CALL(mkdir("d", 0700));
	CALL(link("d", "e"));
	CALL(link("f", "d/h"));
	CALL(symlink("f", "s"));
	CALL(linkat(AT_FDCWD, "s", AT_FDCWD, "link-of-link", 0));
	CALL(linkat(AT_FDCWD, "s", AT_FDCWD, "link-of-file", AT_SYMLINK_FOLLOW));
	CALL(linkat(AT_FDCWD, "/proc/self/status", AT_FDCWD, "x", 0));
	CALL(chmod("g", 0611));
	CALL(truncate("d/h", 5));
	note_stat("f");
	CALL(unlink("f"));
	note_stat("g");
	CALL(rename("g", "d/h"));
	note_stat("g");
	CALL(unlink("g"));
	for (int i = 0; i < 200; i++) {
		char name[16];

		snprintf(name, sizeof(name), "many%d", i);
		CALL(link("d/h", name));
	}
	note_stat("d/h");
}

static void renames(const struct place *place)
{
	make_file("f", 10, 1);
	make_file("g", 20, 2);
	CALL(mkdir("d", 0700));
	CALL(mkdir("e", 0700));
	make_file("e/inside", 1, 3);
	CALL(rename("f", "g"));
	note_content("g");
	CALL(rename("f", "g"));
	CALL(rename("g", "d"));
	CALL(rename("d", "g"));
	CALL(rename("d", "e"));
	CALL(rename("e", "d"));
	note_stat("d");
	CALL(rename("d", "d/below"));
	CALL(rename("d", "d"));
	CALL(rename("d/.", "x"));
	CALL(rename("d/..", "x"));
	CALL(rename("g", "none/x"));
	CALL(rename("g", "g/x"));
	CALL(rename("g", ""));
	CALL(rename("g", "/proc/x"));
	CALL(rename("g", "d/g"));
	CALL(rename("d/g", "d/inside"));
	CALL(rename("d", "renamed/"));
	CALL(link("renamed/inside", "same"));
	CALL(rename("renamed/inside", "same"));
	note_stat("same");
	CALL(symlink("none", "s"));
	CALL(rename("s", "same"));
	note_stat("same");
	CALL(mkdir("parent", 0700));
	CALL(rename("renamed", "parent/child"));
	note_stat("parent");
	note_stat(".");
	note_stat("parent/child/..");
}

static void renames_with_flags(const struct place *place)
{
	make_file("f", 10, 1);
	make_file("g", 20, 2);
	CALL(mkdir("d", 0700));
	make_file("d/inside", 1, 3);
	CALL(renameat2(AT_FDCWD, "f", AT_FDCWD, "g", RENAME_NOREPLACE));
	CALL(renameat2(AT_FDCWD, "f", AT_FDCWD, "h", RENAME_NOREPLACE));
	CALL(renameat2(AT_FDCWD, "h", AT_FDCWD, "h", RENAME_NOREPLACE));
	CALL(renameat2(AT_FDCWD, "d", AT_FDCWD, "g", RENAME_NOREPLACE));
	CALL(renameat2(AT_FDCWD, "g", AT_FDCWD, "h", RENAME_EXCHANGE));
	note_content("g");
	note_content("h");
	CALL(renameat2(AT_FDCWD, "g", AT_FDCWD, "d", RENAME_EXCHANGE));
	note_stat("g");
	note_stat("d");
	CALL(renameat2(AT_FDCWD, "g", AT_FDCWD, "none", RENAME_EXCHANGE));
	CALL(renameat2(AT_FDCWD, "none", AT_FDCWD, "g", RENAME_EXCHANGE));
	CALL(renameat2(AT_FDCWD, "g", AT_FDCWD, "g/inside", RENAME_EXCHANGE));
	CALL(renameat2(AT_FDCWD, "g/inside", AT_FDCWD, "g", RENAME_EXCHANGE));
	CALL(renameat2(AT_FDCWD, "g/inside", AT_FDCWD, "h", RENAME_EXCHANGE));
	CALL(renameat2(AT_FDCWD, "h", AT_FDCWD, "white", RENAME_WHITEOUT));
	note_stat("h");
	CALL(renameat2(AT_FDCWD, "white", AT_FDCWD, "g/white", RENAME_WHITEOUT | RENAME_NOREPLACE));
	note_stat("white");
	CALL(renameat2(AT_FDCWD, "d", AT_FDCWD, "g/white", RENAME_WHITEOUT));
	CALL(renameat2(AT_FDCWD, "g", AT_FDCWD, "h", RENAME_EXCHANGE | RENAME_NOREPLACE));
	CALL(renameat2(AT_FDCWD, "g", AT_FDCWD, "h", RENAME_EXCHANGE | RENAME_WHITEOUT));
	CALL(renameat2(AT_FDCWD, "g", AT_FDCWD, "h", 1u << 10));
}

static void symbolic_links(const struct place *place)
{
	static char target[PATH_MAX + 1];
	char text[PATH_MAX + 1];

	make_file("f", 10, 1);
	CALL(symlink("f", "s"));
	note_stat("s");
	CALL(symlink("f", "s"));
	CALL(symlink("", "empty"));
	CALL(readlink("s", text, 1));
	CALL(readlink("s", text, sizeof(text)));
	CALL(readlink("f", text, sizeof(text)));
	CALL(readlink("none", text, sizeof(text)));
	memset(target, 't', PATH_MAX - 1);
	CALL(symlink(target, "longest"));
	CALL(readlink("longest", text, sizeof(text)));
	note("as it was: %d", memcmp(text, target, PATH_MAX - 1) == 0);
	CALL(access("longest", F_OK));
	target[PATH_MAX - 1] = 't';
	CALL(symlink(target, "too-long"));
	CALL(symlink("loop-b", "loop-a"));
	CALL(symlink("loop-a", "loop-b"));
	close_noted(OPEN(open("loop-a", O_RDONLY)));
	CALL(symlink("dangling-target", "dangling"));
	close_noted(OPEN(open("dangling", O_RDONLY)));
	close_noted(OPEN(open("dangling", O_WRONLY | O_CREAT | O_EXCL, 0600)));
	close_noted(OPEN(open("dangling", O_WRONLY | O_CREAT, 0600)));
	note_stat("dangling-target");
	close_noted(OPEN(open("s", O_RDONLY | O_NOFOLLOW)));
	close_noted(OPEN(open("s", O_PATH | O_NOFOLLOW)));
	close_noted(OPEN(open("s", O_RDONLY | O_DIRECTORY)));
	CALL(mkdir("d", 0700));
	CALL(symlink("d", "to-d"));
	make_file("to-d/inside", 3, 3);
	note_stat("to-d");
	note_stat("to-d/");
	CALL(rmdir("to-d"));
	CALL(unlink("to-d/"));
	CALL(symlink("../../../../../../../../../../../../etc", "up"));
	CALL(symlink("/etc", "root"));
	CALL(access("root/passwd", F_OK));
	CALL(lchown("s", 11, 12));
	note_stat("s");
	note_stat("f");
	CALL(fchmodat(AT_FDCWD, "s", 0600, AT_SYMLINK_NOFOLLOW));
	CALL(chmod("s", 0604));
	note_stat("f");
	CALL(unlink("s"));
}

static void many_symbolic_links(const struct place *place)
{
	char name[16], next[16];

	make_file("link0", 5, 1);
	for (int i = 1; i <= 42; i++) {
		snprintf(name, sizeof(name), "link%d", i);
		snprintf(next, sizeof(next), "link%d", i - 1);
		CALL(symlink(next, name));
		CALL(access(name, F_OK));
	}
}

const struct case_entry name_cases[] = {
	{"create-and-remove", create_and_remove},
	{"odd-bytes", odd_bytes},
	{"long-names", long_names},
	{"deep-paths", deep_paths},
	{"hard-links", hard_links},
	{"renames", renames},
	{"renames-with-flags", renames_with_flags},
	{"symbolic-links", symbolic_links},
	{"many-symbolic-links", many_symbolic_links},
	{NULL, NULL},
};
