/* SPDX-License-Identifier: MIT */
/*
 * compare.c — see compare.h.
 */
#include "compare.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/test/tap.h"

#define RECORD_SIZE (4u << 20)
#define CASE_SECONDS 60
#define DIFFERENCES_SHOWN 12
#define PATH_LENGTH 4096
#define XATTR_LENGTH (64u << 10)
#define HASH_START 0xcbf29ce484222325ull /* FNV-1a */
#define HASH_PRIME 0x100000001b3ull

struct record {
	size_t length;
	bool is_full;
	char text[RECORD_SIZE];
};

static struct record *current;

static struct record *record_map(void)
{
	struct record *record = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (record == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return record;
}

void note(const char *format, ...)
{
	int saved = errno, length;
	size_t room = RECORD_SIZE - current->length;
	va_list args;

	va_start(args, format);
	length = vsnprintf(current->text + current->length, room, format, args);
	va_end(args);
	if (length < 0 || (size_t)length + 2 > room) {
		current->is_full = true;
	} else {
		current->length += (size_t)length;
		current->text[current->length++] = '\n';
	}
	errno = saved;
}

long note_result(long result, const char *what)
{
	if (result < 0)
		note("%s: %s", what, strerrorname_np(errno));
	else
		note("%s: %ld", what, result);
	return result;
}

int note_open(int fd, const char *what)
{
	note("%s: %s", what, fd < 0 ? strerrorname_np(errno) : "open");
	return fd;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * HASH_PRIME;
	return hash;
}

static void note_fields(const char *what, const struct stat *st)
{
	note("%s: mode %06o nlink %lu uid %u gid %u size %lld rdev %lx blksize %ld", what,
		st->st_mode, (unsigned long)st->st_nlink, st->st_uid, st->st_gid,
		(long long)st->st_size, (unsigned long)st->st_rdev, (long)st->st_blksize);
}

void note_stat(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		note("stat %s: %s", path, strerrorname_np(errno));
	else
		note_fields(path, &st);
}

void note_fstat(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		note("fstat: %s", strerrorname_np(errno));
	else
		note_fields("fstat", &st);
}

void note_content(const char *path)
{
	CLEAN_FD int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	static unsigned char buffer[1u << 17];
	uint64_t hash = HASH_START;
	long long total = 0;
	ssize_t length = 0;

	if (fd < 0) {
		note("content of %s: %s", path, strerrorname_np(errno));
		return;
	}
	while ((length = read(fd, buffer, sizeof(buffer))) > 0) {
		hash = hash_bytes(hash, buffer, (size_t)length);
		total += length;
	}
	note("content of %s: %lld bytes, %016llx%s%s", path, total, (unsigned long long)hash,
		length < 0 ? ", " : "", length < 0 ? strerrorname_np(errno) : "");
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void note_xattrs(const char *path)
{
	static char names[XATTR_LENGTH], value[XATTR_LENGTH];
	ssize_t length = llistxattr(path, names, sizeof(names));
	const char *sorted[256];
	size_t count = 0;

	if (length < 0) {
		note("xattrs of %s: %s", path, strerrorname_np(errno));
		return;
	}
	for (const char *at = names; at < names + length && count < ARRAY_SIZE(sorted);
		at += strlen(at) + 1)
		sorted[count++] = at;
	qsort(sorted, count, sizeof(sorted[0]), compare_names);
	for (size_t i = 0; i < count; i++) {
		ssize_t size = lgetxattr(path, sorted[i], value, sizeof(value));

		if (size < 0)
			note("xattr %s of %s: %s", sorted[i], path, strerrorname_np(errno));
		else
			note("xattr %s of %s: %zd bytes, %016llx", sorted[i], path, size,
				(unsigned long long)hash_bytes(HASH_START, value, (size_t)size));
	}
}

static void note_entry(const char *path)
{
	char target[PATH_LENGTH];
	ssize_t length;
	struct stat st;

	note_stat(path);
	note_xattrs(path);
	if (lstat(path, &st) < 0)
		return;
	if (S_ISREG(st.st_mode) && st.st_size < (64 << 20)) {
		note_content(path);
	} else if (S_ISLNK(st.st_mode)) {
		length = readlink(path, target, sizeof(target));
		note("link %s: %.*s", path, length < 0 ? 0 : (int)length, target);
	}
}

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* In the byte order of the names, whatever the locale says. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Goes down by chdir, for a path may be longer than PATH_MAX. */
static void note_below(unsigned depth)
{
	struct dirent **entries;
	int count = scandir(".", &entries, is_entry, by_bytes);

	if (count < 0) {
		note("directory at depth %u: %s", depth, strerrorname_np(errno));
		return;
	}
	note("directory at depth %u: %d entries", depth, count);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		struct stat st;

		note_entry(name);
		if (lstat(name, &st) == 0 && S_ISDIR(st.st_mode)) {
			CLEAN_FD int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

			if (chdir(name) == 0)
				note_below(depth + 1);
			if (fchdir(here) < 0)
				note("way back: %s", strerrorname_np(errno));
		}
		free(entries[i]);
	}
	free(entries);
}

void note_tree(const char *path)
{
	CLEAN_FD int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (note_result(chdir(path), "chdir to the tree") == 0)
		note_below(0);
	if (here >= 0 && fchdir(here) < 0)
		note("way back: %s", strerrorname_np(errno));
}

static void remove_below(int fd)
{
	DIR *stream = fdopendir(fd);
	const struct dirent *entry;

	if (!stream) {
		close(fd);
		return;
	}
	while ((entry = readdir(stream)) != NULL)
		if (is_entry(entry))
			remove_tree(dirfd(stream), entry->d_name);
	closedir(stream);
}

void remove_tree(int directory, const char *name)
{
	int fd;

	if (unlinkat(directory, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
		return;
	fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		remove_below(fd);
	(void)unlinkat(directory, name, AT_REMOVEDIR); /* what stays is seen by the next case */
}

/* The child of run_on: the case, and what it left on the mount and behind it. */
static void run_child(const struct place *place, const struct case_entry *entry)
{
	alarm(CASE_SECONDS);
	umask(022);
	if (chdir(place->folder) < 0) {
		note("chdir: %s", strerrorname_np(errno));
		_exit(1);
	}
	entry->run(place);
	umask(022);
	if (chdir(place->folder) == 0) {
		note("what is left:");
		note_tree(".");
	}
	if (place->behind) {
		note("what is left behind the mount:");
		note_tree(place->behind);
	}
	_exit(0);
}

static void run_in(const struct place *place, const struct case_entry *entry)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		setpgid(0, 0);
		run_child(place, entry);
	}
	note_child(child, "the case");
	(void)kill(-child, SIGKILL); /* what a case that was ended has left */
}

/* In a fresh folder of the case's name. */
static void run_on(const char *top, const char *behind, bool is_mount,
	const struct case_entry *entry)
{
	char folder[PATH_LENGTH], folder_behind[PATH_LENGTH];
	struct place place = {.folder = folder, .is_mount = is_mount};

	snprintf(folder, sizeof(folder), "%s/%s", top, entry->name);
	if (behind) {
		snprintf(folder_behind, sizeof(folder_behind), "%s/%s", behind, entry->name);
		place.behind = folder_behind;
	}
	remove_tree(AT_FDCWD, folder);
	note_result(mkdir(folder, 0755), "mkdir of the folder");
	run_in(&place, entry);
	remove_tree(AT_FDCWD, folder);
}

static void run_both(const struct sides *sides, const struct case_entry *entry,
	struct record *native, struct record *mount)
{
	struct place place = {.folder = sides->native};

	current = native;
	if (sides->is_readonly)
		run_in(&place, entry);
	else
		run_on(sides->native, sides->behind ? sides->native : NULL, false, entry);
	current = mount;
	place = (struct place){.folder = sides->mount, .is_mount = true};
	if (sides->is_readonly)
		run_in(&place, entry);
	else
		run_on(sides->mount, sides->behind, true, entry);
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

static void print_line(const char *side, const char *line)
{
	int length = (int)strcspn(line, "\n");

	printf("#   %s %.*s%s\n", side, length > 400 ? 400 : length, line,
		*line ? "" : "(nothing)");
}

/* Line by line: cases note the same number of lines on both sides, or something is very wrong. */
static unsigned print_differences(const char *native, const char *mount)
{
	unsigned count = 0;

	while (*native || *mount) {
		size_t a = strcspn(native, "\n"), b = strcspn(mount, "\n");

		if ((a != b || memcmp(native, mount, a) != 0) && ++count <= DIFFERENCES_SHOWN) {
			print_line("native:", native);
			print_line("mount: ", mount);
		}
		native = next_line(native);
		mount = next_line(mount);
	}
	return count;
}

bool compare_case(const struct sides *sides, const struct case_entry *entry)
{
	struct record *native = record_map(), *mount = record_map();
	unsigned differences;
	bool passed;

	run_both(sides, entry, native, mount);
	passed = native->length == mount->length && !native->is_full && !mount->is_full &&
		memcmp(native->text, mount->text, native->length) == 0;
	ok(passed, "%s", entry->name);
	if (!passed) {
		differences = print_differences(native->text, mount->text);
		printf("#   %u lines differ%s\n", differences,
			native->is_full || mount->is_full ? ", and a record is full" : "");
	}
	munmap(native, sizeof(*native));
	munmap(mount, sizeof(*mount));
	return passed;
}

static void note_tree_in(struct record *record, const char *top, const char *name)
{
	char path[PATH_LENGTH];

	current = record;
	snprintf(path, sizeof(path), "%s/%s", top, name);
	note_tree(path);
}

bool compare_trees(const char *native, const char *mount, const char *name)
{
	struct record *a = record_map(), *b = record_map();
	unsigned differences;

	note_tree_in(a, native, name);
	note_tree_in(b, mount, name);
	differences = print_differences(a->text, b->text);
	if (differences > 0)
		printf("#   the trees differ in %u lines\n", differences);
	munmap(a, sizeof(*a));
	munmap(b, sizeof(*b));
	return differences == 0;
}

int compare_done(void)
{
	return tap_done();
}

static bool is_wanted(const char *name, char *const *words)
{
	if (!words || !*words)
		return true;
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

void compare_cases(const struct sides *sides, const struct case_entry *entries, size_t count,
	char *const *words)
{
	for (size_t i = 0; i < count; i++)
		if (is_wanted(entries[i].name, words))
			(void)compare_case(sides, &entries[i]);
}

void fill_pattern(void *memory, size_t length, unsigned seed)
{
	unsigned char *at = memory;

	for (size_t i = 0; i < length; i++)
		at[i] = (unsigned char)((i * 131 + (i >> 8) * 7 + seed * 29 + 1) & 0xff);
}

void make_file(const char *path, size_t length, unsigned seed)
{
	CLEAN_FD int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	CLEAN(free) void *content = malloc(length + 1);

	if (fd >= 0 && content) {
		fill_pattern(content, length, seed);
		if (write(fd, content, length) == (ssize_t)length)
			return;
	}
	note("the file %s cannot be made: %s", path, strerrorname_np(errno));
	_exit(1);
}

static char process_state(pid_t pid)
{
	char path[64], line[512], state = '?';
	const char *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return state;
	if (fgets(line, sizeof(line), file)) {
		end = strrchr(line, ')');
		if (end && end[1] == ' ')
			state = end[2];
	}
	fclose(file);
	return state;
}

void wait_until_asleep(pid_t pid)
{
	for (int i = 0; i < 10000; i++) {
		char state = process_state(pid);

		if (state == 'S' || state == 'D' || state == '?')
			return;
		usleep(1000);
	}
	note("process does not sleep");
}

void note_child(pid_t pid, const char *what)
{
	int status = 0;

	if (waitpid(pid, &status, 0) < 0)
		note("%s: %s", what, strerrorname_np(errno));
	else if (WIFSIGNALED(status))
		note("%s: killed by signal %d", what, WTERMSIG(status));
	else
		note("%s: status %d", what, WEXITSTATUS(status));
}
