/* SPDX-License-Identifier: MIT */
/*
 * random_tree_steps.c — what the steps on a tree are.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/falloc.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "compare.h"
#include "random_tree.h"

#define FILE_SIZE_MAX 20000u
#define OTHER_USER 1000u
#define OTHER_GROUP 1001u

enum kind {
	CREATE, WRITE, TRUNCATE, ALLOCATE, COPY, READ, UNLINK, MKDIR, RMDIR, RENAME, LINK, SYMLINK,
	READLINK, MKNOD, TMPFILE, CHMOD, CHOWN, SETXATTR, GETXATTR, LISTXATTR, REMOVEXATTR, READDIR,
	STAT, ACCESS, TIMES, HOLD, USE, RELEASE, LINK_HELD, HOLD_DIRECTORY, USE_DIRECTORY, KIND_COUNT
};
const char *const tree_kinds[] = {
	"create", "write", "truncate", "allocate", "copy", "read", "unlink", "mkdir", "rmdir",
	"rename", "link", "symlink", "readlink", "mknod", "tmpfile", "chmod", "chown", "setxattr",
	"getxattr", "listxattr", "removexattr", "readdir", "stat", "access", "times", "hold", "use",
	"release", "link-held", "hold-directory", "use-directory",
};
const unsigned tree_kind_count = KIND_COUNT;

static void draw_name(struct steps *steps, char *ret_name)
{
	unsigned depth = steps_random(steps, 3), at = 0;

	/* only c is often both a file and a part of paths */
	for (unsigned i = 0; i < depth; i++) {
		ret_name[at++] = (char)('a' + steps_random(steps, 3));
		ret_name[at++] = '/';
	}
	ret_name[at++] = (char)('b' + steps_random(steps, 8));
	ret_name[at] = 0;
	/* now and then a long one, of the longest length and one more */
	if (steps_random(steps, 40) == 0)
		snprintf(ret_name, STEP_NAME, "%s%u", "long", 254 + steps_random(steps, 3));
}

void tree_draw(struct steps *steps, struct step *step)
{
	step->kind = steps_random(steps, 12) == 0 ? MKDIR : steps_random(steps, KIND_COUNT);
	step->slot = steps_random(steps, OPEN_FILES);
	for (int i = 0; i < 3; i++)
		step->number[i] = steps_random(steps, 1u << 20);
	draw_name(steps, step->name[0]);
	draw_name(steps, step->name[1]);
	if (step->kind == MKDIR && steps_random(steps, 2) == 0)
		step->name[0][strlen(step->name[0]) - 1] = 'a';
}

/* "long255" stands for a name of that length. */
static const char *name_of(const struct step *step, int which)
{
	static char names[2][NAME_MAX + 16];
	unsigned length;

	if (sscanf(step->name[which], "long%u", &length) != 1 || length >= sizeof(names[0]))
		return step->name[which];
	memset(names[which], 'n', length);
	names[which][length] = 0;
	return names[which];
}

__attribute__((format(printf, 2, 3)))
static void add(char *text, const char *format, ...)
{
	size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, OUTCOME - length, format, args);
	va_end(args);
}

static void add_stat(char *text, const struct stat *st)
{
	add(text, " %o %lu %u:%u", st->st_mode, (unsigned long)st->st_nlink, st->st_uid, st->st_gid);
	if (S_ISREG(st->st_mode) || S_ISLNK(st->st_mode))
		add(text, " %lld", (long long)st->st_size);
	else if (S_ISCHR(st->st_mode))
		add(text, " %u:%u", major(st->st_rdev), minor(st->st_rdev));
}

static void add_bytes(char *text, const char *bytes, long length)
{
	unsigned hash = 0;

	for (long i = 0; i < length; i++)
		hash = hash * 31 + (unsigned char)bytes[i];
	add(text, " #%x", hash);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static long do_readdir(const struct tree *tree, const char *name, char *text)
{
	struct dirent **entries;
	int count = scandirat(tree->folder, name, &entries, NULL, by_bytes);

	for (int i = 0; i < count; i++) {
		add(text, " %.20s,%d", entries[i]->d_name, entries[i]->d_type);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return count;
}

/* Opens a file by name for one call. A FIFO does not make it wait. */
static int open_name(const struct tree *tree, const struct step *step, int which, int flags)
{
	return openat(tree->folder, name_of(step, which), flags | O_NONBLOCK | O_CLOEXEC, 0666);
}

static long do_content(const struct tree *tree, const struct step *step, char *text)
{
	char bytes[600];
	bool reads = step->kind == READ;
	CLEAN_FD int fd = open_name(tree, step, 0, (reads ? O_RDONLY : O_WRONLY) |
		(step->number[0] % 2 ? O_APPEND : 0) | (step->number[0] % 7 ? 0 : O_DSYNC));
	unsigned at = step->number[0] % 5000, length = step->number[1] % sizeof(bytes);
	long result;

	if (fd < 0)
		return -1;
	if (step->kind == ALLOCATE)
		return fallocate(fd, step->number[2] % 2 ? FALLOC_FL_KEEP_SIZE : 0, at, length + 1);
	if (!reads) {
		memset(bytes, (int)step->number[2], sizeof(bytes));
		return pwrite(fd, bytes, length, at);
	}
	result = pread(fd, bytes, length, at);
	add_bytes(text, bytes, result);
	return result;
}

static long do_copy(const struct tree *tree, const struct step *step)
{
	CLEAN_FD int from = open_name(tree, step, 0, O_RDONLY);
	CLEAN_FD int to = from < 0 ? -1 : open_name(tree, step, 1, O_WRONLY);
	off_t in = step->number[0] % 3000, out = step->number[1] % 3000;

	if (from < 0 || to < 0)
		return -1;
	return copy_file_range(from, &in, to, &out, step->number[2] % 6000, 0);
}

static long do_create(const struct tree *tree, const struct step *step)
{
	int fd = openat(tree->folder, name_of(step, 0), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK |
		(step->number[0] % 2 ? O_EXCL : O_TRUNC), step->number[1] & 07777);

	return fd < 0 ? -1 : close(fd);
}

/* A file without a name, which may get one. */
static long do_tmpfile(const struct tree *tree, const struct step *step)
{
	CLEAN_FD int fd = openat(tree->folder, name_of(step, 0), O_TMPFILE | O_RDWR | O_CLOEXEC |
		(step->number[0] % 3 ? 0 : O_EXCL), step->number[1] & 0777);
	char path[64];

	if (fd < 0)
		return -1;
	if (write(fd, "temporary", 9) != 9)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return step->number[2] % 2 ? 0 :
		linkat(AT_FDCWD, path, tree->folder, name_of(step, 1), AT_SYMLINK_FOLLOW);
}

static long do_hold(struct tree *tree, const struct step *step)
{
	int fd = open_name(tree, step, 0, O_RDWR | (step->number[0] % 2 ? O_CREAT : 0));

	if (fd < 0)
		return -1;
	if (tree->files[step->slot] >= 0)
		close(tree->files[step->slot]);
	tree->files[step->slot] = fd;
	return 0;
}

/* On a file that may have lost its name meanwhile. */
static long do_use(const struct tree *tree, const struct step *step, char *text)
{
	int fd = tree->files[step->slot];
	char bytes[100];
	struct stat st;
	long result;

	if (fd < 0)
		return 0;
	if (step->number[0] % 3 == 0 && pwrite(fd, "used", 4, step->number[1] % 9000) < 0)
		return -1;
	if (step->number[0] % 5 == 0 && ftruncate(fd, step->number[1] % 7000) < 0)
		return -1;
	if (step->number[0] % 7 == 0 && fchmod(fd, step->number[1] & 0777) < 0)
		return -1;
	if (step->number[0] % 11 == 0 && fsetxattr(fd, "user.held", "x", 1, 0) < 0)
		return -1;
	if (step->number[0] % 4 == 0 && fsync(fd) < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return -1;
	add_stat(text, &st);
	result = pread(fd, bytes, sizeof(bytes), step->number[1] % 4000);
	add_bytes(text, bytes, result);
	return result;
}

static long do_release(struct tree *tree, const struct step *step)
{
	int fd = tree->files[step->slot];

	tree->files[step->slot] = -1;
	return fd < 0 ? 0 : close(fd);
}

static long do_link_held(const struct tree *tree, const struct step *step)
{
	char path[64];

	if (tree->files[step->slot] < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", tree->files[step->slot]);
	return linkat(AT_FDCWD, path, tree->folder, name_of(step, 0), AT_SYMLINK_FOLLOW);
}

static long do_hold_directory(struct tree *tree, const struct step *step)
{
	DIR **slot = &tree->directories[step->slot % OPEN_DIRECTORIES];
	int fd = open_name(tree, step, 0, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return -1;
	if (*slot)
		closedir(*slot);
	*slot = fdopendir(fd);
	return *slot ? 0 : -1;
}

/* Reads an open directory from its begin: what it lists is what it has now. */
static long do_use_directory(struct tree *tree, const struct step *step, char *text)
{
	DIR *directory = tree->directories[step->slot % OPEN_DIRECTORIES];
	const struct dirent *entry;
	unsigned long sum = 0;
	long count = 0;
	struct stat st;

	if (!directory)
		return 0;
	rewinddir(directory);
	while ((entry = readdir(directory)) != NULL) {
		unsigned hash = 7;

		for (const char *at = entry->d_name; *at; at++)
			hash = hash * 31 + (unsigned char)*at;
		sum += hash;
		count++;
	}
	add(text, " %lx", sum);
	if (fstat(dirfd(directory), &st) < 0)
		return -1;
	add(text, " %o", st.st_mode);
	return count;
}

static const char *path_of(const struct tree *tree, const struct step *step)
{
	static char path[PATH_MAX + 2 * NAME_MAX];

	snprintf(path, sizeof(path), "%s/%s", tree->path, name_of(step, 0));
	return path;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_names(char *text, char *names, long length)
{
	char *sorted[32];
	size_t count = 0;

	for (char *at = names; at < names + length && count < ARRAY_SIZE(sorted); at += strlen(at) + 1)
		sorted[count++] = at;
	qsort(sorted, count, sizeof(sorted[0]), by_text);
	for (size_t i = 0; i < count; i++)
		add(text, " %s", sorted[i]);
}

/* A valid access list (linux/posix_acl_xattr.h), in which OTHER_USER has rights of his own. */
static size_t make_acl(const struct step *step, char *value)
{
	static const uint16_t tags[] = {ACL_USER_OBJ, ACL_USER, ACL_GROUP_OBJ, ACL_MASK, ACL_OTHER};
	struct posix_acl_xattr_header header = {.a_version = POSIX_ACL_XATTR_VERSION};

	memcpy(value, &header, sizeof(header));
	for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
		struct posix_acl_xattr_entry entry = {.e_tag = tags[i],
			.e_perm = step->number[1] >> 3 * i & 7,
			.e_id = tags[i] == ACL_USER ? OTHER_USER : (uint32_t)ACL_UNDEFINED_ID};

		memcpy(value + sizeof(header) + i * sizeof(entry), &entry, sizeof(entry));
	}
	return sizeof(header) + ARRAY_SIZE(tags) * sizeof(struct posix_acl_xattr_entry);
}

static size_t make_value(const struct step *step, const char *name, char *value, size_t size)
{
	struct vfs_cap_data capability = {.magic_etc = VFS_CAP_REVISION_2, .data[0].permitted = 1};

	if (strncmp(name, "system.", 7) == 0)
		return make_acl(step, value);
	if (strcmp(name, "security.capability") == 0) {
		memcpy(value, &capability, sizeof(capability));
		return sizeof(capability);
	}
	memset(value, (int)step->number[1], size);
	return step->number[1] % (step->number[2] % 9 ? 50 : (unsigned)size);
}

static long do_xattr(const struct tree *tree, const struct step *step, char *text)
{
	static const char *const names[] = {"user.a", "user.b", "trusted.c", "security.d", "user.",
		"nothing.e", "security.capability", "system.posix_acl_access",
		"system.posix_acl_default"};
	const char *path = path_of(tree, step), *name = names[step->number[0] % ARRAY_SIZE(names)];
	char value[3000];
	long result;

	switch (step->kind) {
	case SETXATTR:
		return lsetxattr(path, name, value, make_value(step, name, value, sizeof(value)),
			(int)(step->number[2] % 3));
	case REMOVEXATTR:
		return lremovexattr(path, name);
	case LISTXATTR:
		result = llistxattr(path, value, step->number[1] % 5 ? sizeof(value) : 0);
		if (step->number[1] % 5)
			add_names(text, value, result);
		return result;
	default:
		result = lgetxattr(path, name, value, step->number[1] % 5 ? sizeof(value) : 10);
		add_bytes(text, value, result);
		return result;
	}
}

static long do_attributes(const struct tree *tree, const struct step *step, char *text)
{
	struct timespec times[2] = {{step->number[0], 1}, {step->number[1], 2}};
	const char *name = name_of(step, 0);
	struct stat st;

	switch (step->kind) {
	case CHMOD:
		return fchmodat(tree->folder, name, step->number[0] & 07777, 0);
	case CHOWN:
		return fchownat(tree->folder, name, step->number[0] % 3 ? OTHER_USER : 0,
			step->number[1] % 3 ? OTHER_GROUP : 0, AT_SYMLINK_NOFOLLOW);
	case ACCESS:
		return faccessat(tree->folder, name, (int)(step->number[0] % 8), 0);
	case TRUNCATE:
		return truncate(path_of(tree, step), step->number[0] % FILE_SIZE_MAX);
	case TIMES:
		if (utimensat(tree->folder, name, times, AT_SYMLINK_NOFOLLOW) < 0 ||
			fstatat(tree->folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -1;
		add(text, " %lld %ld", (long long)st.st_mtime, st.st_mtim.tv_nsec);
		return 0;
	default:
		if (fstatat(tree->folder, name, &st,
			    step->number[0] % 2 ? AT_SYMLINK_NOFOLLOW : 0) < 0)
			return -1;
		add_stat(text, &st);
		return 0;
	}
}

static long do_mknod(const struct tree *tree, const struct step *step)
{
	static const mode_t types[] = {S_IFREG, S_IFIFO, S_IFSOCK, S_IFCHR};

	return mknodat(tree->folder, name_of(step, 0),
		types[step->number[0] % ARRAY_SIZE(types)] | (step->number[1] & 07777), 0);
}

static long do_name(const struct tree *tree, const struct step *step, char *text)
{
	static const unsigned flags[] = {0, 0, 0, RENAME_NOREPLACE, RENAME_EXCHANGE,
		RENAME_NOREPLACE | RENAME_EXCHANGE, RENAME_WHITEOUT};
	const char *name = name_of(step, 0), *other = name_of(step, 1);

	switch (step->kind) {
	case UNLINK:
		return unlinkat(tree->folder, name, 0);
	case MKDIR:
		return mkdirat(tree->folder, name, 0700 | (step->number[0] & 03077));
	case RMDIR:
		return unlinkat(tree->folder, name, AT_REMOVEDIR);
	case RENAME:
		return renameat2(tree->folder, name, tree->folder, other,
			flags[step->number[0] % ARRAY_SIZE(flags)]);
	case LINK:
		return linkat(tree->folder, name, tree->folder, other,
			step->number[0] % 2 ? AT_SYMLINK_FOLLOW : 0);
	case SYMLINK:
		return symlinkat(other, tree->folder, name);
	case MKNOD:
		return do_mknod(tree, step);
	default: {
		char target[PATH_MAX] = "";
		long length = readlinkat(tree->folder, name, target, sizeof(target) - 1);

		add(text, " %s", target);
		return length;
	}
	}
}

static long do_step(struct tree *tree, const struct step *step, char *text)
{
	switch ((enum kind)step->kind) {
	case CREATE:
		return do_create(tree, step);
	case WRITE:
	case READ:
	case ALLOCATE:
		return do_content(tree, step, text);
	case COPY:
		return do_copy(tree, step);
	case TMPFILE:
		return do_tmpfile(tree, step);
	case SETXATTR:
	case GETXATTR:
	case LISTXATTR:
	case REMOVEXATTR:
		return do_xattr(tree, step, text);
	case CHMOD:
	case CHOWN:
	case ACCESS:
	case TRUNCATE:
	case TIMES:
	case STAT:
		return do_attributes(tree, step, text);
	case READDIR:
		return do_readdir(tree, name_of(step, 0), text);
	case HOLD:
		return do_hold(tree, step);
	case USE:
		return do_use(tree, step, text);
	case RELEASE:
		return do_release(tree, step);
	case LINK_HELD:
		return do_link_held(tree, step);
	case HOLD_DIRECTORY:
		return do_hold_directory(tree, step);
	case USE_DIRECTORY:
		return do_use_directory(tree, step, text);
	case UNLINK:
	case MKDIR:
	case RMDIR:
	case RENAME:
	case LINK:
	case SYMLINK:
	case READLINK:
	case MKNOD:
	case KIND_COUNT:
		break;
	}
	return do_name(tree, step, text);
}

/* One step in four is another user's, without the capabilities of files. */
static bool is_by_other(const struct step *step)
{
	return (step->number[0] ^ step->number[1] ^ step->number[2]) % 4 == 0;
}

void tree_do(struct tree *tree, const struct step *step, char *ret_text)
{
	char text[OUTCOME] = "";
	int error;
	long result;

	if (is_by_other(step)) {
		setfsgid(OTHER_GROUP);
		setfsuid(OTHER_USER);
	}
	errno = 0;
	result = do_step(tree, step, text);
	error = errno;
	setfsuid(0);
	setfsgid(0);
	if (result < 0)
		snprintf(ret_text, OUTCOME, "%s", strerrorname_np(error));
	else
		snprintf(ret_text, OUTCOME, "%ld%.2000s", result, text);
}

bool tree_open(struct tree *tree, const char *top, const char *name)
{
	*tree = (struct tree){0};
	for (int i = 0; i < OPEN_FILES; i++)
		tree->files[i] = -1;
	snprintf(tree->path, sizeof(tree->path), "%s/%s", top, name);
	remove_tree(AT_FDCWD, tree->path);
	if (mkdir(tree->path, 0755) < 0 || chmod(tree->path, 0777) < 0)
		return false;
	tree->folder = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return tree->folder >= 0;
}

void tree_close(struct tree *tree)
{
	for (int i = 0; i < OPEN_FILES; i++)
		if (tree->files[i] >= 0)
			close(tree->files[i]);
	for (int i = 0; i < OPEN_DIRECTORIES; i++)
		if (tree->directories[i])
			closedir(tree->directories[i]);
	(void)syncfs(tree->folder); /* so that the host sees what is there */
	close(tree->folder);
}
