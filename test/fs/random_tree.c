/* SPDX-License-Identifier: MIT */
/*
 * random_tree.c — names made, moved and removed, in the same order on both sides.
 *
 * An operation's outcome is a line of text; the two must be the same, and so must the trees at the
 * end. Names come from a small set, so that they meet each other.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "compare.h"
#include "random.h"

#define OPEN_FILES 6
#define OUTCOME 512

/* One side: its folder, and files that stay open. */
struct tree {
	int folder;
	int files[OPEN_FILES];
};

/* What an operation is to do: drawn once, done twice. */
struct step {
	unsigned kind;
	char name[64], other[64];
	unsigned number, slot;
};

enum kind {
	CREATE, WRITE, TRUNCATE, UNLINK, MKDIR, RMDIR, RENAME, LINK, SYMLINK, READLINK, MKNOD,
	CHMOD, CHOWN, SETXATTR, REMOVEXATTR, READDIR, STAT, HOLD, USE, RELEASE, TIMES, KIND_COUNT
};
static const char *const kind_names[KIND_COUNT] = {
	"create", "write", "truncate", "unlink", "mkdir", "rmdir", "rename", "link", "symlink",
	"readlink", "mknod", "chmod", "chown", "setxattr", "removexattr", "readdir", "stat", "hold",
	"use", "release", "times",
};

static void draw_name(struct random_run *run, char *ret_name)
{
	unsigned depth = random_below(run, 3);

	*ret_name = 0;
	for (unsigned i = 0; i <= depth; i++)
		sprintf(ret_name + strlen(ret_name), "%s%c", i > 0 ? "/" : "",
			(char)('a' + random_below(run, i < depth ? 3 : 7)));
}

static void draw(struct random_run *run, struct step *step)
{
	step->kind = random_below(run, KIND_COUNT);
	draw_name(run, step->name);
	draw_name(run, step->other);
	step->number = random_below(run, 1u << 20);
	step->slot = random_below(run, OPEN_FILES);
}

static void describe_stat(const struct stat *st, char *text)
{
	bool is_folder = S_ISDIR(st->st_mode);

	sprintf(text, "%o %lu %u:%u %lld", st->st_mode, (unsigned long)st->st_nlink, st->st_uid,
		st->st_gid, is_folder ? 0ll : (long long)st->st_size);
}

static int is_any(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static long do_readdir(const struct tree *tree, const struct step *step, char *text)
{
	struct dirent **entries;
	int count = scandirat(tree->folder, step->name, &entries, is_any, alphasort);

	for (int i = 0; i < count; i++) {
		sprintf(text + strlen(text), "%s,%d ", entries[i]->d_name, entries[i]->d_type);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return count;
}

static long do_write(const struct tree *tree, const struct step *step, char *text)
{
	CLEAN_FD int fd = openat(tree->folder, step->name, O_WRONLY | O_NONBLOCK | O_CLOEXEC |
		(step->number & 1 ? O_APPEND : 0));

	if (fd < 0)
		return -1;
	return pwrite(fd, step->other, strlen(step->other), step->number % 5000);
}

/* On a file that may have lost its name meanwhile. */
static long do_use(const struct tree *tree, const struct step *step, char *text)
{
	int fd = tree->files[step->slot];
	struct stat st;

	if (fd < 0)
		return 0;
	if (step->number % 3 == 0 && pwrite(fd, "used", 4, step->number % 9000) < 0)
		return -1;
	if (step->number % 5 == 0 && ftruncate(fd, step->number % 7000) < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return -1;
	describe_stat(&st, text);
	return pread(fd, text + strlen(text) + 1, 100, step->number % 4000);
}

static long do_hold(struct tree *tree, const struct step *step)
{
	int fd = openat(tree->folder, step->name, O_RDWR | O_NONBLOCK | O_CLOEXEC |
		(step->number & 1 ? O_CREAT : 0), 0644);

	if (fd < 0)
		return -1;
	if (tree->files[step->slot] >= 0)
		close(tree->files[step->slot]);
	tree->files[step->slot] = fd;
	return 0;
}

static long do_release(struct tree *tree, const struct step *step)
{
	int fd = tree->files[step->slot];

	tree->files[step->slot] = -1;
	return fd < 0 ? 0 : close(fd);
}

static long do_path_xattr(const struct tree *tree, const struct step *step)
{
	char path[PATH_MAX], name[16];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", tree->folder, step->name);
	snprintf(name, sizeof(name), "user.%u", step->number % 3);
	if (step->kind == REMOVEXATTR)
		return lremovexattr(path, name);
	return lsetxattr(path, name, step->other, strlen(step->other),
		(int)(step->number / 3 % 3));
}

static long do_create(const struct tree *tree, const struct step *step)
{
	int fd = openat(tree->folder, step->name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK |
		(step->number & 1 ? O_EXCL : O_TRUNC), step->number & 07777);

	return fd < 0 ? -1 : close(fd);
}

/* Operations on names, that need nothing else. */
static long do_name(const struct tree *tree, const struct step *step, char *text)
{
	static const unsigned flags[] = {0, 0, 0, RENAME_NOREPLACE, RENAME_EXCHANGE};
	struct timespec times[2] = {{step->number, 1}, {step->number + 1, 2}};
	struct stat st;
	char path[PATH_MAX];

	switch (step->kind) {
	case TRUNCATE:
		snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", tree->folder, step->name);
		return truncate(path, step->number % 20000);
	case UNLINK:
		return unlinkat(tree->folder, step->name, 0);
	case MKDIR:
		return mkdirat(tree->folder, step->name, 0700 | (step->number & 03077));
	case RMDIR:
		return unlinkat(tree->folder, step->name, AT_REMOVEDIR);
	case RENAME:
		return renameat2(tree->folder, step->name, tree->folder, step->other,
			flags[step->number % ARRAY_SIZE(flags)]);
	case LINK:
		return linkat(tree->folder, step->name, tree->folder, step->other,
			step->number & 1 ? AT_SYMLINK_FOLLOW : 0);
	case SYMLINK:
		return symlinkat(step->other, tree->folder, step->name);
	case READLINK:
		return readlinkat(tree->folder, step->name, text, OUTCOME - 1);
	case MKNOD:
		return mknodat(tree->folder, step->name,
			(step->number & 1 ? S_IFIFO : S_IFREG) | (step->number >> 4 & 0777), 0);
	case CHMOD:
		return fchmodat(tree->folder, step->name, 0700 | (step->number & 07077), 0);
	case CHOWN:
		return fchownat(tree->folder, step->name, step->number % 5,
			step->number / 5 % 5, AT_SYMLINK_NOFOLLOW);
	case TIMES:
		if (utimensat(tree->folder, step->name, times, AT_SYMLINK_NOFOLLOW) < 0 ||
			fstatat(tree->folder, step->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -1;
		sprintf(text, "%lld", (long long)st.st_mtime);
		return 0;
	default:
		if (fstatat(tree->folder, step->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -1;
		describe_stat(&st, text);
		return 0;
	}
}

static long do_step(struct tree *tree, const struct step *step, char *text)
{
	switch (step->kind) {
	case CREATE:
		return do_create(tree, step);
	case WRITE:
		return do_write(tree, step, text);
	case SETXATTR:
	case REMOVEXATTR:
		return do_path_xattr(tree, step);
	case READDIR:
		return do_readdir(tree, step, text);
	case HOLD:
		return do_hold(tree, step);
	case USE:
		return do_use(tree, step, text);
	case RELEASE:
		return do_release(tree, step);
	default:
		return do_name(tree, step, text);
	}
}

/* The outcome as text, and all that the operation wrote behind it. */
static void outcome(struct tree *tree, const struct step *step, char *ret_text)
{
	long result;

	memset(ret_text, 0, OUTCOME + 64);
	errno = 0;
	result = do_step(tree, step, ret_text + 64);
	if (result < 0)
		snprintf(ret_text, 64, "%s", strerrorname_np(errno));
	else
		snprintf(ret_text, 64, "%ld", result);
}

static bool tree_open(struct tree *tree, const char *top)
{
	char path[PATH_MAX];

	for (int i = 0; i < OPEN_FILES; i++)
		tree->files[i] = -1;
	snprintf(path, sizeof(path), "%s/random-tree", top);
	remove_tree(AT_FDCWD, path);
	if (mkdir(path, 0755) < 0)
		return false;
	tree->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return tree->folder >= 0;
}

static void tree_close(struct tree *tree, const char *top)
{
	char path[PATH_MAX];

	for (int i = 0; i < OPEN_FILES; i++)
		if (tree->files[i] >= 0)
			close(tree->files[i]);
	close(tree->folder);
	snprintf(path, sizeof(path), "%s/random-tree", top);
	remove_tree(AT_FDCWD, path);
}

static bool run_steps(struct random_run *run, struct tree *native, struct tree *mount)
{
	static char native_text[OUTCOME + 64], mount_text[OUTCOME + 64];
	struct step step;

	for (unsigned i = 1; i <= run->count; i++) {
		draw(run, &step);
		if (run->is_verbose)
			printf("# %u: %s %s %s %u\n", i, kind_names[step.kind], step.name,
				step.other, step.number);
		outcome(native, &step, native_text);
		outcome(mount, &step, mount_text);
		if (memcmp(native_text, mount_text, sizeof(native_text)) != 0) {
			printf("#   operation %u, %s %s %s %u slot %u\n#   native: %s %s\n"
			       "#   mount:  %s %s\n", i, kind_names[step.kind], step.name,
				step.other, step.number, step.slot, native_text,
				native_text + 64, mount_text, mount_text + 64);
			return false;
		}
	}
	return true;
}

bool random_tree(struct random_run *run)
{
	struct tree native, mount;
	bool same;

	if (!tree_open(&native, run->native) || !tree_open(&mount, run->mount)) {
		printf("#   the folders cannot be made: %s\n", strerrorname_np(errno));
		return false;
	}
	same = run_steps(run, &native, &mount);
	if (same) {
		same = compare_trees(run->native, run->mount, "random-tree");
		if (run->behind)
			same &= compare_trees(run->native, run->behind, "random-tree");
	}
	tree_close(&native, run->native);
	tree_close(&mount, run->mount);
	return same;
}
