/* SPDX-License-Identifier: MIT */
/*
 * functional_directories.c — cases of reading directories: whole, with seeks, while they change.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "functional.h"

#define MANY 20000
#define SOME 500

static void make_numbered(const char *folder, unsigned from, unsigned to)
{
	char name[64];

	for (unsigned i = from; i < to; i++) {
		snprintf(name, sizeof(name), "%s/entry-%05u", folder, i);
		if (mknod(name, S_IFREG | 0600, 0) < 0)
			note("%s: %s", name, strerrorname_np(errno));
	}
}

/* How often each number below count was read from the stream until its end. */
static void read_numbered(DIR *stream, unsigned char *seen, unsigned count)
{
	const struct dirent *entry;
	unsigned number;

	errno = 0;
	while ((entry = readdir(stream)) != NULL)
		if (sscanf(entry->d_name, "entry-%u", &number) == 1 && number < count)
			seen[number]++;
	if (errno != 0)
		note("readdir: %s", strerrorname_np(errno));
}

static void note_seen(const char *what, const unsigned char *seen, unsigned from, unsigned to)
{
	unsigned once = 0, often = 0;

	for (unsigned i = from; i < to; i++) {
		once += seen[i] == 1;
		often += seen[i] > 1;
	}
	note("%s: of %u entries %u once, %u more than once", what, to - from, once, often);
}

static void many_entries(const struct place *place)
{
	static unsigned char seen[MANY];
	DIR *stream;

	CALL(mkdir("d", 0755));
	/* from behind where that is known, which is quick: the reading is what matters */
	CALL(chdir(place->behind ? place->behind : place->folder));
	make_numbered("d", 0, MANY);
	CALL(chdir(place->folder));
	stream = opendir("d");
	if (!stream)
		return;
	read_numbered(stream, seen, MANY);
	note_seen("many", seen, 0, MANY);
	rewinddir(stream);
	memset(seen, 0, sizeof(seen));
	read_numbered(stream, seen, MANY);
	note_seen("many, again", seen, 0, MANY);
	closedir(stream);
	CALL(chdir(place->behind ? place->behind : place->folder));
	remove_tree(AT_FDCWD, "d");
}

static void types_and_inodes(const struct place *place)
{
	struct dirent **entries;
	int count;

	make_file("file", 3, 1);
	CALL(mkdir("folder", 0700));
	CALL(symlink("x", "link"));
	CALL(mkfifo("fifo", 0600));
	CALL(mknod("char", S_IFCHR | 0600, makedev(1, 3)));
	CALL(mknod("socket", S_IFSOCK | 0600, 0));
	CALL(link("file", "file2"));
	count = scandir(".", &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		struct stat st;

		note_result(lstat(entries[i]->d_name, &st), entries[i]->d_name);
		note("type %d, right %d, inode as stat says: %d", entries[i]->d_type,
			entries[i]->d_type == IFTODT(st.st_mode),
			strcmp(entries[i]->d_name, "..") == 0 || entries[i]->d_ino == st.st_ino);
		free(entries[i]);
	}
	free(entries);
}

/* The positions of all entries, then the stream is put to each in turn, backwards. */
static void seeks(const struct place *place)
{
	static long positions[SOME + 10];
	static char names[SOME + 10][32];
	const struct dirent *entry;
	unsigned count = 0, right = 0;
	DIR *stream;

	CALL(mkdir("d", 0755));
	make_numbered("d", 0, SOME);
	stream = opendir("d");
	if (!stream)
		return;
	while (count < ARRAY_SIZE(positions)) {
		positions[count] = telldir(stream);
		entry = readdir(stream);
		if (!entry)
			break;
		snprintf(names[count++], sizeof(names[0]), "%.31s", entry->d_name);
	}
	note("%u entries with . and ..", count);
	if (count == ARRAY_SIZE(positions)) {
		closedir(stream);
		return; /* more than were made: the note differs */
	}
	seekdir(stream, positions[count]);
	note("at the end: %s", readdir(stream) ? "an entry" : "nothing");
	for (unsigned i = count; i-- > 0;) {
		seekdir(stream, positions[i]);
		entry = readdir(stream);
		right += entry && strcmp(entry->d_name, names[i]) == 0;
	}
	note("%u seeks went right", right);
	/* what is gone does not matter to a position behind it */
	for (unsigned i = 0; i < count / 2; i++)
		(void)unlinkat(dirfd(stream), names[i], 0);
	seekdir(stream, positions[count - 10]);
	entry = readdir(stream);
	note("after removals: %s", entry && strcmp(entry->d_name, names[count - 10]) == 0 ?
		"right" : "wrong");
	closedir(stream);
}

/* As rm -r does: each entry is removed when it was read. */
static void remove_while_reading(const struct place *place)
{
	const struct dirent *entry;
	unsigned count = 0;
	DIR *stream;

	CALL(mkdir("d", 0755));
	make_numbered("d", 0, 2 * SOME);
	stream = opendir("d");
	if (!stream)
		return;
	while ((entry = readdir(stream)) != NULL)
		count += unlinkat(dirfd(stream), entry->d_name, 0) == 0;
	closedir(stream);
	note("%u removed", count);
	CALL(rmdir("d"));
}

/* Entries that are there all the time are read once, whatever comes and goes beside them. */
static void change_while_reading(const struct place *place)
{
	static unsigned char seen[4 * SOME];
	const struct dirent *entry;
	unsigned number;
	char name[64];
	DIR *stream;

	CALL(mkdir("d", 0755));
	make_numbered("d", 0, 2 * SOME);
	stream = opendir("d");
	if (!stream)
		return;
	for (unsigned i = 0; i < 100 && (entry = readdir(stream)) != NULL; i++)
		if (sscanf(entry->d_name, "entry-%u", &number) == 1)
			seen[number]++;
	make_numbered("d", 2 * SOME, 3 * SOME);
	for (unsigned i = 0; i < SOME; i++) {
		snprintf(name, sizeof(name), "d/entry-%05u", i);
		if (unlink(name) < 0)
			note("%s: %s", name, strerrorname_np(errno));
	}
	read_numbered(stream, seen, 4 * SOME);
	note_seen("those that stayed", seen, SOME, 2 * SOME);
	rewinddir(stream);
	memset(seen, 0, sizeof(seen));
	read_numbered(stream, seen, 4 * SOME);
	note_seen("gone", seen, 0, SOME);
	note_seen("stayed", seen, SOME, 2 * SOME);
	note_seen("new", seen, 2 * SOME, 3 * SOME);
	closedir(stream);
}

static void raw_reads(const struct place *place)
{
	char buffer[4096];
	int fd, file;
	off_t end;

	CALL(mkdir("d", 0755));
	make_file("d/f", 1, 1);
	fd = OPEN(open("d", O_RDONLY | O_DIRECTORY));
	file = OPEN(open("d/f", O_RDONLY));
	CALL(syscall(SYS_getdents64, fd, buffer, 8));
	CALL(syscall(SYS_getdents64, file, buffer, sizeof(buffer)));
	note("something: %d", syscall(SYS_getdents64, fd, buffer, sizeof(buffer)) > 0);
	CALL(syscall(SYS_getdents64, fd, buffer, sizeof(buffer)));
	CALL(syscall(SYS_getdents64, fd, buffer, sizeof(buffer)));
	CALL(lseek(fd, 0, SEEK_SET));
	note("something: %d", syscall(SYS_getdents64, fd, buffer, sizeof(buffer)) > 0);
	CALL(read(fd, buffer, 10));
	CALL(pread(fd, buffer, 10, 0));
	CALL(write(fd, buffer, 10));
	CALL(ftruncate(fd, 0));
	CALL(truncate("d", 0));
	CALL(fsync(fd));
	CALL(fdatasync(fd));
	CALL(syncfs(fd));
	CALL(lseek(fd, -1, SEEK_SET));
	end = lseek(fd, 0, SEEK_CUR);
	note("position kept: %d", lseek(fd, end, SEEK_SET) == end);
	CALL(rmdir("d"));
	CALL(unlink("d/f"));
	CALL(rmdir("d"));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(syscall(SYS_getdents64, fd, buffer, sizeof(buffer)));
}

/* Two streams of one directory keep their own places. */
static void two_streams(const struct place *place)
{
	static unsigned char seen[2][SOME];
	DIR *a, *b;

	CALL(mkdir("d", 0755));
	make_numbered("d", 0, SOME);
	a = opendir("d");
	b = opendir("d");
	if (!a || !b)
		return;
	for (int i = 0; i < 50; i++)
		(void)readdir(a);
	read_numbered(b, seen[1], SOME);
	note_seen("second", seen[1], 0, SOME);
	rewinddir(a);
	read_numbered(a, seen[0], SOME);
	note_seen("first", seen[0], 0, SOME);
	closedir(a);
	closedir(b);
}

static void working_directory(const struct place *place)
{
	char *where;

	CALL(mkdir("d", 0755));
	CALL(mkdir("d/e", 0755));
	CALL(chdir("d/e"));
	CALL(rename("../../d", "../../moved"));
	where = getcwd(NULL, 0);
	note("getcwd ends: %s", where ? where + strlen(where) - 7 : strerrorname_np(errno));
	free(where);
	CALL(rename("../e", "../../e"));
	CALL(chdir(".."));
	CALL(access("e", F_OK));
	CALL(access("moved", F_OK));
	CALL(chdir("moved"));
	CALL(rmdir("../moved"));
	where = getcwd(NULL, 0);
	note("getcwd: %s", where ? "there" : strerrorname_np(errno));
	free(where);
	CALL(chdir(".."));
	CALL(chdir("."));
}

/* What this kernel's own calls change, inotify tells. */
static void notification(const struct place *place)
{
	char buffer[8192] __attribute__((aligned(8)));
	int fd = inotify_init1(IN_NONBLOCK);
	ssize_t length;

	CALL(inotify_add_watch(fd, ".", IN_ALL_EVENTS & ~(unsigned)(IN_ACCESS | IN_OPEN)));
	make_file("f", 3, 1);
	CALL(rename("f", "g"));
	CALL(chmod("g", 0600));
	CALL(unlink("g"));
	length = read(fd, buffer, sizeof(buffer));
	for (const char *at = buffer; at < buffer + length;) {
		const struct inotify_event *event = (const void *)at;

		note("event %x %s", event->mask, event->len > 0 ? event->name : "");
		at += sizeof(*event) + event->len;
	}
}

const struct case_entry directory_cases[] = {
	{"many-entries", many_entries},
	{"types-and-inodes", types_and_inodes},
	{"seeks", seeks},
	{"remove-while-reading", remove_while_reading},
	{"change-while-reading", change_while_reading},
	{"raw-reads", raw_reads},
	{"two-streams", two_streams},
	{"working-directory", working_directory},
	{"notification", notification},
	{NULL, NULL},
};
