/* SPDX-License-Identifier: MIT */
/*
 * attach.c — mounting with privilege: by fsopen(2) and its kin, or by mount(2) on a kernel without.
 *
 * fsopen takes each option by itself, so a source may hold commas; mount(2) takes the source apart
 * from the options, which hold only numbers and words of ours.
 *
 * Specification: Linux Documentation/filesystems/fuse.rst, "Mount options".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "transport/devfuse/internal.h"

#ifndef MS_NOSYMFOLLOW
#define MS_NOSYMFOLLOW 256
#endif
#ifndef MOUNT_ATTR_NOSYMFOLLOW
#define MOUNT_ATTR_NOSYMFOLLOW 0x00200000u /* Linux 5.14 */
#endif

static int device_open(int *ret_device, char **ret_error)
{
	int fd = open(DEVFUSE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return mount_error(ret_error, -errno, "%s: %s%s", DEVFUSE_DEVICE, strerror(errno),
			errno == ENOENT || errno == ENODEV ? " (is the module fuse loaded?)" : "");
	*ret_device = fd;
	return 0;
}

static unsigned attributes_of(const struct devfuse_mount_options *options)
{
	static const struct {
		unsigned long flag;
		unsigned attribute;
	} map[] = {
		{MS_RDONLY, MOUNT_ATTR_RDONLY},
		{MS_NOSUID, MOUNT_ATTR_NOSUID},
		{MS_NODEV, MOUNT_ATTR_NODEV},
		{MS_NOEXEC, MOUNT_ATTR_NOEXEC},
		{MS_NOATIME, MOUNT_ATTR_NOATIME},
		{MS_NODIRATIME, MOUNT_ATTR_NODIRATIME},
		{MS_STRICTATIME, MOUNT_ATTR_STRICTATIME},
		{MS_NOSYMFOLLOW, MOUNT_ATTR_NOSYMFOLLOW},
	};
	unsigned attributes = options->is_read_only ? MOUNT_ATTR_RDONLY : 0;
	unsigned long flags = options->flags;

	/* Of these two fsmount takes one, and mount(2) the first. */
	if (flags & MS_STRICTATIME)
		flags &= ~(unsigned long)MS_NOATIME;
	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		if (flags & map[i].flag)
			attributes |= map[i].attribute;
	}
	return attributes;
}

/* One option of the file system; after an error it does nothing. */
static void configure(int context, int *error, const char *key, const char *value)
{
	unsigned command = value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG;

	if (*error == 0 && fsconfig(context, command, key, value, 0) < 0)
		*error = -errno;
}

static void configure_number(int context, int *error, const char *key, unsigned number)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%u", number); /* cannot be longer */
	configure(context, error, key, text);
}

static int configure_all(int context, int device, const struct devfuse_mount_options *options)
{
	int error = 0;

	configure(context, &error, "source", options->source);
	if (options->subtype)
		configure(context, &error, "subtype", options->subtype);
	configure_number(context, &error, "fd", (unsigned)device);
	configure(context, &error, "rootmode", "40000");
	configure_number(context, &error, "user_id", geteuid());
	configure_number(context, &error, "group_id", getegid());
	if (options->allow_other)
		configure(context, &error, "allow_other", NULL);
	if (options->default_permissions)
		configure(context, &error, "default_permissions", NULL);
	if (options->is_read_only)
		configure(context, &error, "ro", NULL);
	if (options->flags & MS_SYNCHRONOUS)
		configure(context, &error, "sync", NULL);
	if (options->flags & MS_DIRSYNC)
		configure(context, &error, "dirsync", NULL);
	if (options->flags & MS_LAZYTIME)
		configure(context, &error, "lazytime", NULL);
	if (error == 0 && fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		error = -errno;
	return error;
}

/* The kernel's own words about what it refused ("e fuse: ..."), or "". */
static void context_message(int context, char *text, size_t size)
{
	ssize_t n = read(context, text, size - 1);

	if (n < 2)
		n = 0;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (n > 0)
		memmove(text, text + 2, strlen(text + 2) + 1);
}

static int attach_fsopen(int target, int device, const struct devfuse_mount_options *options,
	int *ret_mount, char **ret_error)
{
	CLEAN_FD int context = fsopen("fuse", FSOPEN_CLOEXEC);
	CLEAN_FD int mount = -1;
	char message[256];
	int r;

	if (context < 0)
		return errno == ENOSYS || errno == EPERM ? -errno :
			mount_error(ret_error, -errno, "the kernel has no FUSE: %s",
				strerror(errno));
	r = configure_all(context, device, options);
	if (r < 0) {
		context_message(context, message, sizeof(message));
		return mount_error(ret_error, r, "%s%s%s", message, message[0] ? ": " : "",
			strerror(-r));
	}
	mount = fsmount(context, FSMOUNT_CLOEXEC, attributes_of(options));
	if (mount < 0)
		return mount_error(ret_error, -errno, "fsmount: %s", strerror(errno));
	if (move_mount(mount, "", target, "",
		MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return mount_error(ret_error, -errno, "%s", strerror(errno));
	*ret_mount = TAKE_FD(mount);
	return 0;
}

/* mount(2), on a kernel without fsopen or where a filter forbids it. */
static int attach_mount(const char *path, int device, const struct devfuse_mount_options *options,
	char **ret_error)
{
	char data[160], type[64];
	unsigned long flags = options->flags | (options->is_read_only ? MS_RDONLY : 0);
	int n;

	n = snprintf(type, sizeof(type), "fuse%s%s", options->subtype ? "." : "",
		options->subtype ? options->subtype : "");
	if (n < 0 || (size_t)n >= sizeof(type))
		return mount_error(ret_error, -ENAMETOOLONG, "the subtype is too long");
	(void)snprintf(data, sizeof(data), "fd=%d,rootmode=40000,user_id=%u,group_id=%u%s%s",
		device, geteuid(), getegid(), options->allow_other ? ",allow_other" : "",
		options->default_permissions ? ",default_permissions" : "");
	if (mount(options->source, path, type, flags, data) == 0)
		return 0;
	return errno == EPERM ? -EPERM : mount_error(ret_error, -errno, "%s", strerror(errno));
}

int attach_privileged(const char *path, int target, const struct devfuse_mount_options *options,
	int *ret_device, int *ret_mount, char **ret_error)
{
	CLEAN_FD int device = -1;
	int r = device_open(&device, ret_error);

	if (r < 0)
		return r;
	*ret_mount = -1;
	r = attach_fsopen(target, device, options, ret_mount, ret_error);
	if (r == -ENOSYS || (r == -EPERM && !*ret_error))
		r = attach_mount(path, device, options, ret_error);
	if (r == 0)
		*ret_device = TAKE_FD(device);
	return r;
}
