/* SPDX-License-Identifier: MIT */
/*
 * mount_remount.c — see mount_remount.h.
 *
 * The kernel refuses to set an attribute on a read-only mount. So the server of one is reached
 * through a private copy of the mount that is not read-only, while the super block is writable for
 * that moment; the mount that others see stays read-only all the time.
 *
 *   to read-only | the kernel first: it refuses while a file is open for writing; then the server
 *   to writable  | the server first: it refuses when the image cannot be written; then the kernel
 */
#include "tacit/mount_remount.h"

#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/log.h"
#include "fs/efivars/efivars.h"
#include "tacit/program.h"

#define ERROR_TEXT_MAX 1024
#define PATH_OF_FD "/proc/self/fd/%d"

struct live_mount {
	const char *path;     /* borrowed */
	unsigned long flags;  /* MS_*, read-only when the mount or the super block is */
	bool is_super_read_only;
};

static bool has_option(const char *options, const char *name)
{
	return options && mnt_optstr_get_option(options, name, NULL, NULL) == 0;
}

static void read_live_mount(struct live_mount *ret, struct libmnt_fs *fs, const char *path)
{
	const char *vfs = mnt_fs_get_vfs_options(fs);
	bool is_super_read_only = has_option(mnt_fs_get_fs_options(fs), "ro");

	*ret = (struct live_mount){
		.path = path,
		.flags = mount_words_change_flags(0, vfs ? vfs : "") |
			(is_super_read_only ? MS_RDONLY : 0),
		.is_super_read_only = is_super_read_only,
	};
}

/* The mount at path, from the kernel's own table. 0 or -errno with the line. */
static int find_live_mount(struct live_mount *ret, const char *path, char **ret_error)
{
	struct libmnt_table *table = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_fs *fs = table ? mnt_table_find_target(table, path, MNT_ITER_BACKWARD) : NULL;
	const char *type = fs ? mnt_fs_get_fstype(fs) : NULL;
	int r = -EINVAL;

	if (!table) {
		*ret_error = program_text("/proc/self/mountinfo cannot be read");
	} else if (!type) {
		*ret_error = program_text("%s: nothing is mounted there", path);
	} else if (strcmp(type, "fuse.tacit") != 0) {
		*ret_error = program_text("%s: the mount there is of type %s, not fuse.tacit", path,
			type);
	} else {
		read_live_mount(ret, fs, path);
		r = 0;
	}
	mnt_unref_table(table);
	return r;
}

/* ---- the kernel's part ---- */

static int set_kernel_flags(const struct live_mount *live, unsigned long flags, char **ret_error)
{
	if (mount(NULL, live->path, NULL, MS_REMOUNT | flags, NULL) == 0)
		return 0;
	if (errno == EBUSY)
		*ret_error = program_text("%s: a file is open for writing", live->path);
	else
		*ret_error = program_text("%s: the kernel does not change the mount: %m",
			live->path);
	return -errno;
}

/* Turns the super block, not the mount, read-only or writable. */
static int set_super_read_only(const struct live_mount *live, bool is_read_only)
{
	CLEAN_FD int fd = fspick(AT_FDCWD, live->path, FSPICK_CLOEXEC);

	if (fd < 0 || fsconfig(fd, FSCONFIG_SET_FLAG, is_read_only ? "ro" : "rw", NULL, 0) < 0 ||
		fsconfig(fd, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0) < 0)
		return -errno;
	return 0;
}

/* A copy of the mount that only this process has, and that is writable. Descriptor or -errno. */
static int open_writable_view(const struct live_mount *live)
{
	struct mount_attr writable = {.attr_clr = MOUNT_ATTR_RDONLY};
	CLEAN_FD int fd = open_tree(AT_FDCWD, live->path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	if (fd < 0 || mount_setattr(fd, "", AT_EMPTY_PATH, &writable, sizeof(writable)) < 0)
		return -errno;
	return TAKE_FD(fd);
}

/* ---- the server's part ---- */

/* The server's own words about why it refused, or those of the errno. */
static char *refusal(const char *root, const char *shown, int error)
{
	char text[ERROR_TEXT_MAX];
	ssize_t size = getxattr(root, EFIVARS_XATTR_ERROR, text, sizeof(text));

	if (size > 0 && error != EPERM && error != ENOTCONN)
		return program_text("%s: %.*s", shown, (int)size, text);
	if (error == EPERM)
		return program_text("%s: only root may change the options of a live mount", shown);
	if (error == ENODATA || error == EOPNOTSUPP)
		return program_text("%s: the server there has no options to change", shown);
	return program_text("%s: the server did not change its options: %s", shown,
		strerror(error));
}

static int set_server_options(const char *root, const char *shown, const char *text,
	char **ret_error)
{
	if (!*text || setxattr(root, EFIVARS_XATTR_OPTIONS, text, strlen(text), 0) == 0)
		return 0;
	*ret_error = refusal(root, shown, errno);
	return -errno;
}

static int tell_through_view(const struct live_mount *live, const char *text, char **ret_error)
{
	char path[sizeof(PATH_OF_FD) + 3 * sizeof(int)];
	CLEAN_FD int view = open_writable_view(live);
	int r = view < 0 ? view : set_super_read_only(live, false);

	if (r < 0) {
		*ret_error = program_text("%s: the server cannot be reached, for the mount is "
			"read-only: %s", live->path, strerror(-r));
		return r;
	}
	(void)snprintf(path, sizeof(path), PATH_OF_FD, view);
	r = set_server_options(path, live->path, text, ret_error);
	/* Nobody else could write meanwhile: the mounts stayed read-only. */
	if (set_super_read_only(live, true) < 0)
		log_warn("%s: the super block stays writable: %s", live->path, strerror(errno));
	return r;
}

static int tell_server(const struct live_mount *live, bool is_super_read_only, const char *text,
	char **ret_error)
{
	if (is_super_read_only && *text)
		return tell_through_view(live, text, ret_error);
	return set_server_options(live->path, live->path, text, ret_error);
}

/* ---- both ---- */

static int to_read_only(const struct live_mount *live, unsigned long flags, const char *text,
	char **ret_error)
{
	CLEAN(free) char *undo_error = NULL;
	int r;

	r = set_kernel_flags(live, flags, ret_error);
	if (r < 0)
		return r;
	r = tell_server(live, true, text, ret_error);
	if (r < 0 && set_kernel_flags(live, live->flags, &undo_error) < 0)
		log_warn("%s", undo_error ? undo_error : "the mount stays read-only");
	return r;
}

static int server_first(const struct live_mount *live, unsigned long flags, const char *text,
	char **ret_error)
{
	CLEAN(free) char *undo_error = NULL;
	int r;

	r = tell_server(live, live->is_super_read_only, text, ret_error);
	if (r < 0 || flags == live->flags)
		return r;
	r = set_kernel_flags(live, flags, ret_error);
	if (r < 0 && (live->flags & MS_RDONLY) && !(flags & MS_RDONLY) &&
		tell_server(live, live->is_super_read_only, "ro", &undo_error) < 0)
		log_warn("%s", undo_error ? undo_error : "the server stays writable");
	return r;
}

int mount_remount(const char *mountpoint, const struct mount_words *words, char **ret_error)
{
	struct live_mount live;
	unsigned long flags;
	int r;

	r = find_live_mount(&live, mountpoint, ret_error);
	if (r < 0)
		return r;
	flags = mount_words_change_flags(live.flags, words->vfs);
	if (!(live.flags & MS_RDONLY) && (flags & MS_RDONLY))
		return to_read_only(&live, flags, words->ours, ret_error);
	return server_first(&live, flags, words->ours, ret_error);
}
