/* SPDX-License-Identifier: MIT */
/*
 * mount.c — see devfuse.h: a mount's life, and whether the place in the tree is still ours.
 *
 * The place is known by the mount's number (a unique one where the kernel has it, since Linux 6.8)
 * and the device number of its file system. Both are read without a question to the file system
 * (AT_STATX_DONT_SYNC): the server would have to answer it itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "transport/devfuse/internal.h"

#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000u /* Linux 6.8 */
#endif

struct place {
	uint64_t mount_id;
	uint32_t device_major, device_minor;
	bool is_unique; /* mount_id is never used again */
};

struct devfuse_mount {
	int device; /* -1 once the server has ended the file system */
	char *path; /* absolute where the kernel told us */
	struct place place;
	bool is_user;        /* mounted, and so unmounted, through fusermount3 */
	bool is_attached;    /* under lock */
	bool stay_attached;
	pthread_mutex_t lock;
};

int mount_error(char **ret_error, int error, const char *format, ...)
{
	va_list args;

	free(*ret_error);
	va_start(args, format);
	if (vasprintf(ret_error, format, args) < 0)
		*ret_error = NULL;
	va_end(args);
	return error;
}

/* What is mounted at a descriptor (O_PATH). */
static int place_of(int fd, struct place *ret)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		    STATX_MNT_ID | STATX_MNT_ID_UNIQUE, &st) < 0)
		return -errno;
	*ret = (struct place){
		.mount_id = st.stx_mnt_id,
		.device_major = st.stx_dev_major,
		.device_minor = st.stx_dev_minor,
		.is_unique = st.stx_mask & STATX_MNT_ID_UNIQUE,
	};
	return 0;
}

static bool place_equal(const struct place *a, const struct place *b)
{
	return a->mount_id == b->mount_id && a->device_major == b->device_major &&
		a->device_minor == b->device_minor && a->is_unique == b->is_unique;
}

/* The path of an open directory as the kernel knows it; what the caller gave without /proc. */
static char *path_of(int fd, const char *given)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0 || path[0] != '/')
		return strdup(given);
	path[n] = '\0';
	return strdup(path);
}

static int mount_attach(struct devfuse_mount *mount, int target,
	const struct devfuse_mount_options *options, char **ret_error)
{
	CLEAN_FD int tree = -1;
	int r;

	r = attach_privileged(mount->path, target, options, &mount->device, &tree, ret_error);
	if (r == -EPERM && !*ret_error) {
		mount->is_user = true;
		r = fusermount_attach(mount->path, options, &mount->device, ret_error);
	}
	if (r < 0)
		return r;
	mount->is_attached = true;
	if (tree < 0)
		tree = open(mount->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	r = tree < 0 ? -errno : place_of(tree, &mount->place);
	if (r < 0)
		return mount_error(ret_error, r, "cannot find the new mount: %s", strerror(-r));
	return 0;
}

int devfuse_mount_new(struct devfuse_mount **ret, const char *mountpoint,
	const struct devfuse_mount_options *options, char **ret_error)
{
	CLEAN(devfuse_mount_free) struct devfuse_mount *mount = NULL;
	CLEAN_FD int target = -1;
	CLEAN(free) char *why = NULL;
	int r;

	target = open(mountpoint, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (target < 0)
		return mount_error(ret_error, -errno, "mount point %s: %s", mountpoint,
			strerror(errno));
	mount = calloc(1, sizeof(*mount));
	if (!mount)
		return -ENOMEM;
	mount->device = -1;
	mount->stay_attached = options->stay_attached;
	pthread_mutex_init(&mount->lock, NULL); /* a normal mutex: cannot fail */
	mount->path = path_of(target, mountpoint);
	if (!mount->path)
		return -ENOMEM;
	r = mount_attach(mount, target, options, &why);
	if (r < 0)
		return mount_error(ret_error, r, "mount point %s: %s", mountpoint,
			why ? why : strerror(-r));
	*ret = TAKE_PTR(mount);
	return 0;
}

struct devfuse_mount *devfuse_mount_free(struct devfuse_mount *mount)
{
	if (!mount)
		return NULL;
	if (!mount->stay_attached)
		(void)devfuse_mount_detach(mount); /* if it is not ours any more, it stays */
	mount_close_device(mount);
	pthread_mutex_destroy(&mount->lock);
	free(mount->path);
	free(mount);
	return NULL;
}

/* Detaches what is mounted at fd, and not what somebody puts over it meanwhile. */
static int detach_descriptor(int fd, const char *path)
{
	char link[32];

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (umount2(link, MNT_DETACH) == 0)
		return 0;
	if (errno != ENOENT)
		return -errno;
	return umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) < 0 ? -errno : 0; /* there is no /proc */
}

static int mount_detach_locked(struct devfuse_mount *mount)
{
	CLEAN_FD int fd = -1;
	struct place now;
	int r;

	if (!mount->is_attached)
		return 0;
	fd = open(mount->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = place_of(fd, &now);
	if (r < 0)
		return r;
	if (!place_equal(&now, &mount->place))
		return -EBUSY; /* unmounted already, moved, or something is mounted over it */
	if (mount->is_user) {
		clean_fd(&fd);
		fd = -1;
		r = fusermount_detach(mount->path);
	} else {
		r = detach_descriptor(fd, mount->path);
	}
	if (r == 0)
		mount->is_attached = false;
	return r;
}

int devfuse_mount_detach(struct devfuse_mount *mount)
{
	int r;

	pthread_mutex_lock(&mount->lock);
	r = mount_detach_locked(mount);
	pthread_mutex_unlock(&mount->lock);
	return r;
}

int devfuse_mount_fd(const struct devfuse_mount *mount)
{
	return mount->device;
}

void mount_close_device(struct devfuse_mount *mount)
{
	clean_fd(&mount->device);
	mount->device = -1;
}
