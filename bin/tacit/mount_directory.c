/* SPDX-License-Identifier: MIT */
/* mount_directory.c — see mount_directory.h. */
#include "tacit/mount_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tacit/program.h"

/* True when path is folder or below it; both absolute and without symbolic links. */
static bool is_within(const char *path, const char *folder)
{
	size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

	return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

int mount_directory_check(const char *source, const char *mountpoint, char **ret_error)
{
	CLEAN(free) char *path = realpath(source, NULL);

	if (!path) {
		*ret_error = program_text("%s: %m", source);
		return -errno;
	}
	if (is_within(mountpoint, path)) {
		*ret_error = program_text("mount point %s is %s directory %s, which would contain "
			"itself", mountpoint, strcmp(mountpoint, path) == 0 ? "the" : "inside the",
			path);
		return -EINVAL;
	}
	if (is_within(path, mountpoint)) {
		*ret_error = program_text("the directory %s is inside the mount point %s, which "
			"would hide it", path, mountpoint);
		return -EINVAL;
	}
	return 0;
}

int mount_directory_open(struct fs **ret, const char *source,
	const struct passthrough_config *config, char **ret_error)
{
	CLEAN_FD int fd = open(source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 ? -errno : 0;

	if (r == 0)
		r = passthrough_new(ret, fd, config);
	if (r < 0) {
		*ret_error = program_text("%s: %s", source, strerror(-r));
		return r;
	}
	(void)TAKE_FD(fd);
	return 0;
}
