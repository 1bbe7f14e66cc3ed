/* SPDX-License-Identifier: MIT */
/*
 * functional_access.c — cases of who may do what, and whose what he makes is.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "caller.h"
#include "functional.h"

#define TEAM 2000
#define BIT(capability) (1ull << (capability))

static const struct caller owner = {.name = "owner", .uid = 1000, .gid = 1000};
static const struct caller other = {.name = "other", .uid = 1001, .gid = 1001};
static const struct caller member = {.name = "member", .uid = 1002, .gid = 1002,
	.groups = {7, TEAM}, .group_count = 2};

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* What somebody may do to a file and a folder. */
static void try_all(const struct caller *caller)
{
	note("as %s", caller->name);
	caller_become(caller);
	close_if(OPEN(open("file", O_RDONLY)));
	close_if(OPEN(open("file", O_WRONLY)));
	close_if(OPEN(open("file", O_WRONLY | O_TRUNC)));
	close_if(OPEN(open("file", O_RDONLY | O_NOATIME)));
	CALL(access("file", R_OK));
	CALL(faccessat(AT_FDCWD, "file", R_OK, AT_EACCESS));
	CALL(faccessat(AT_FDCWD, "file", W_OK, AT_EACCESS));
	CALL(faccessat(AT_FDCWD, "file", X_OK, AT_EACCESS));
	CALL(truncate("file", 5));
	CALL(chmod("file", 0640));
	CALL(chown("file", 1000, (gid_t)-1));
	CALL(chown("file", (uid_t)-1, TEAM));
	CALL(chown("file", 1, 1));
	CALL(utimensat(AT_FDCWD, "file", NULL, 0));
	CALL(utimensat(AT_FDCWD, "file", (struct timespec[]){{5, 0}, {6, 0}}, 0));
	CALL(link("file", "linked"));
	CALL(rename("file", "folder/file"));
	CALL(mkdir("folder/made", 0700));
	close_if(OPEN(open("folder/new", O_WRONLY | O_CREAT | O_EXCL, 0600)));
	CALL(symlink("x", "folder/link"));
	CALL(mkfifo("folder/fifo", 0600));
	CALL(mknod("folder/device", S_IFCHR | 0600, makedev(1, 3)));
	CALL(access("folder/inside", F_OK));
	close_if(OPEN(open("folder", O_RDONLY | O_DIRECTORY)));
	CALL(unlink("folder/inside"));
	if (CALL(chdir("folder")) == 0)
		CALL(chdir(".."));
	CALL(chmod("folder", 0711));
	caller_return();
}

static void permissions(const struct place *place)
{
	static const mode_t modes[] = {0777, 0750, 0705, 0640, 0711, 0733, 0};
	static const struct caller *const callers[] = {&owner, &other, &member};
	char name[32];

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		for (size_t c = 0; c < ARRAY_SIZE(callers); c++) {
			snprintf(name, sizeof(name), "%03o-%s", modes[i], callers[c]->name);
			note("folder %s", name);
			CALL(mkdir(name, 0755));
			CALL(chdir(name));
			make_file("file", 10, 1);
			CALL(mkdir("folder", 0700));
			make_file("folder/inside", 10, 1);
			CALL(chown("file", 1000, TEAM));
			CALL(chown("folder", 1000, TEAM));
			CALL(chmod("file", modes[i]));
			CALL(chmod("folder", modes[i]));
			try_all(callers[c]);
			CALL(chdir(".."));
		}
}

static void capabilities(const struct place *place)
{
	static const struct caller cases[] = {
		{.name = "root without DAC", .lost = BIT(CAP_DAC_OVERRIDE) |
			BIT(CAP_DAC_READ_SEARCH)},
		{.name = "root without FOWNER", .lost = BIT(CAP_FOWNER)},
		{.name = "root without CHOWN", .lost = BIT(CAP_CHOWN)},
		{.name = "root without MKNOD", .lost = BIT(CAP_MKNOD)},
		{.name = "reader", .uid = 1001, .gid = 1001, .gained = BIT(CAP_DAC_READ_SEARCH)},
		{.name = "overrider", .uid = 1001, .gid = 1001, .gained = BIT(CAP_DAC_OVERRIDE)},
		{.name = "chowner", .uid = 1001, .gid = 1001, .gained = BIT(CAP_CHOWN)},
		{.name = "as-owner", .uid = 1001, .gid = 1001, .gained = BIT(CAP_FOWNER)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CALL(mkdir(cases[i].name, 0755));
		CALL(chdir(cases[i].name));
		make_file("file", 10, 1);
		CALL(mkdir("folder", 0700));
		make_file("folder/inside", 10, 1);
		CALL(chown("file", 1000, TEAM));
		CALL(chown("folder", 1000, TEAM));
		CALL(chmod("file", 0600));
		try_all(&cases[i]);
		CALL(chdir(".."));
	}
}

/* Who owns what is made in a folder that passes its group on, and what stays of set-gid. */
static void make_as(const struct caller *caller)
{
	char name[64];
	int fd;

	caller_become(caller);
	umask(0);
	snprintf(name, sizeof(name), "%s-file", caller->name);
	close_if(OPEN(open(name, O_WRONLY | O_CREAT | O_EXCL, 0666)));
	note_stat(name);
	snprintf(name, sizeof(name), "%s-sgid-file", caller->name);
	close_if(OPEN(open(name, O_WRONLY | O_CREAT | O_EXCL, 06777)));
	note_stat(name);
	snprintf(name, sizeof(name), "%s-sgid-no-exec", caller->name);
	close_if(OPEN(open(name, O_WRONLY | O_CREAT | O_EXCL, 02767)));
	note_stat(name);
	snprintf(name, sizeof(name), "%s-sgid-node", caller->name);
	CALL(mknod(name, S_IFREG | 02777, 0));
	note_stat(name);
	snprintf(name, sizeof(name), "%s-fifo", caller->name);
	CALL(mkfifo(name, 02777));
	note_stat(name);
	snprintf(name, sizeof(name), "%s-folder", caller->name);
	CALL(mkdir(name, 0777));
	note_stat(name);
	snprintf(name, sizeof(name), "%s-link", caller->name);
	CALL(symlink("x", name));
	note_stat(name);
	fd = OPEN(open(".", O_TMPFILE | O_RDWR, 02777));
	note_fstat(fd);
	CALL(fchmod(fd, 02777));
	note_fstat(fd);
	close_if(fd);
	caller_return();
}

static void group_of_folder(const struct place *place)
{
	static const struct caller callers[] = {
		{.name = "root"},
		{.name = "owner", .uid = 1000, .gid = 1000},
		{.name = "other", .uid = 1001, .gid = 1001},
		{.name = "member", .uid = 1002, .gid = 1002, .groups = {7, TEAM},
			.group_count = 2},
		{.name = "team", .uid = 1003, .gid = TEAM},
		{.name = "fsetid", .uid = 1001, .gid = 1001, .gained = BIT(CAP_FSETID)},
	};
	static const mode_t modes[] = {0777, 02777, 03777};
	char name[16];

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		snprintf(name, sizeof(name), "mode-%o", modes[i]);
		CALL(mkdir(name, 0755));
		CALL(chown(name, 1000, TEAM));
		CALL(chmod(name, modes[i]));
		CALL(chdir(name));
		for (size_t c = 0; c < ARRAY_SIZE(callers); c++)
			make_as(&callers[c]);
		CALL(chdir(".."));
	}
}

/* A folder that only the supplementary group may write. */
static void supplementary_group(const struct place *place)
{
	CALL(mkdir("team", 0700));
	CALL(chown("team", 0, TEAM));
	CALL(chmod("team", 0770));
	CALL(chdir("team"));
	make_as(&member);
	CALL(chmod(".", 02770));
	caller_become(&member);
	CALL(mkdir("below", 0700));
	close_if(OPEN(open("below/f", O_WRONLY | O_CREAT, 0600)));
	CALL(rename("below/f", "moved"));
	CALL(unlink("moved"));
	caller_return();
	CALL(chdir(".."));
	note_tree("team");
}

static void user_of_file_system(const struct place *place)
{
	CALL(chmod(".", 0777));
	CALL(setfsgid(1001));
	CALL(setfsuid(1000));
	close_if(OPEN(open("f", O_WRONLY | O_CREAT, 0600)));
	CALL(mkdir("d", 0700));
	CALL(setfsuid(0));
	CALL(setfsgid(0));
	note_stat("f");
	note_stat("d");
}

static void masks(const struct place *place)
{
	static const mode_t values[] = {0, 022, 077, 0777, 0137};
	char name[32];

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		umask(values[i]);
		snprintf(name, sizeof(name), "file-%03o", values[i]);
		close_if(OPEN(open(name, O_WRONLY | O_CREAT, 0777)));
		note_stat(name);
		snprintf(name, sizeof(name), "folder-%03o", values[i]);
		CALL(mkdir(name, 01777));
		note_stat(name);
		snprintf(name, sizeof(name), "fifo-%03o", values[i]);
		CALL(mkfifo(name, 0666));
		note_stat(name);
		snprintf(name, sizeof(name), "link-%03o", values[i]);
		CALL(symlink("x", name));
		note_stat(name);
	}
}

static void sticky_folder(const struct place *place)
{
	CALL(mkdir("d", 0755));
	CALL(chmod("d", 01777));
	for (const char *name = "d/a\0d/b\0d/c\0"; *name; name += strlen(name) + 1) {
		make_file(name, 1, 1);
		CALL(chown(name, 1000, 1000));
	}
	CALL(chmod("d/a", 0666));
	caller_become(&other);
	CALL(unlink("d/a"));
	CALL(rename("d/a", "d/x"));
	close_if(OPEN(open("d/mine", O_WRONLY | O_CREAT, 0600)));
	CALL(rename("d/mine", "d/b"));
	CALL(renameat2(AT_FDCWD, "d/mine", AT_FDCWD, "d/b", RENAME_EXCHANGE));
	CALL(link("d/a", "d/linked"));
	CALL(unlink("d/mine"));
	caller_return();
	caller_become(&owner);
	CALL(unlink("d/a"));
	CALL(rename("d/b", "d/x"));
	caller_return();
	CALL(chown("d", 1001, 1001));
	caller_become(&other);
	CALL(unlink("d/c"));
	caller_return();
}

/* What a rename leaves in a name's place is the caller's, in the group of a set-group-id folder. */
static void whiteouts(const struct place *place)
{
	CALL(mkdir("d", 0777));
	CALL(chmod("d", 0777));
	CALL(mkdir("shared", 0777));
	CALL(chown("shared", 0, TEAM));
	CALL(chmod("shared", 02777));
	caller_become(&owner);
	CALL(close(open("d/f", O_WRONLY | O_CREAT, 0600)));
	CALL(renameat2(AT_FDCWD, "d/f", AT_FDCWD, "shared/f", RENAME_WHITEOUT));
	CALL(renameat2(AT_FDCWD, "shared/f", AT_FDCWD, "d/g", RENAME_WHITEOUT));
	caller_return();
	note_stat("d/f");
	note_stat("shared/f");
}

/* An execve may sleep too, before the file is denied to writers: its name tells that it is over. */
static void wait_until_runs(pid_t child, const char *program)
{
	char path[64], name[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)child);
	for (int i = 0; i < 10000 && strcmp(name, program) != 0; i++) {
		usleep(1000);
		file = fopen(path, "re");
		if (!file || fscanf(file, "%63s", name) != 1)
			name[0] = 0;
		if (file)
			fclose(file);
	}
}

/* What the mode says of running it, and a program that runs is not written. */
static void programs(const struct place *place)
{
	static char content[1 << 20];
	int from = open("/bin/sleep", O_RDONLY), fd;
	ssize_t length = read(from, content, sizeof(content));
	pid_t child;

	close_if(from);
	fd = OPEN(open("program", O_WRONLY | O_CREAT, 0644));
	note("copied: %d", length > 0 && write(fd, content, (size_t)length) == length);
	close_if(fd);
	for (int pass = 0; pass < 2; pass++) {
		child = fork();
		if (child == 0) {
			execl("./program", "sleep", "0", NULL);
			_exit(errno);
		}
		note_child(child, "program");
		CALL(chmod("program", 0755));
	}
	child = fork();
	if (child == 0) {
		execl("./program", "sleep", "20", NULL);
		_exit(errno);
	}
	wait_until_runs(child, "program");
	close_if(OPEN(open("program", O_WRONLY)));
	CALL(truncate("program", 10));
	CALL(kill(child, 9));
	note_child(child, "program");
	close_if(OPEN(open("program", O_WRONLY)));
}

const struct case_entry access_cases[] = {
	{"permissions", permissions},
	{"capabilities", capabilities},
	{"group-of-folder", group_of_folder},
	{"supplementary-group", supplementary_group},
	{"user-of-file-system", user_of_file_system},
	{"masks", masks},
	{"sticky-folder", sticky_folder},
	{"programs", programs},
	{"whiteouts", whiteouts},
	{NULL, NULL},
};
