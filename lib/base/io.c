/* SPDX-License-Identifier: MIT */
/* io.c — see io.h. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"

#define CHUNK 65536u        /* bytes of one read */
#define TEMPORARY_NAMES 100 /* that are tried: others may lie there after a crash */

ssize_t io_pread(int fd, void *data, size_t n, uint64_t offset)
{
	uint8_t *p = data;
	size_t done = 0;

	while (done < n) {
		ssize_t r = pread(fd, p + done, n - done, (off_t)(offset + done));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (r == 0)
			break;
		done += (size_t)r;
	}
	return (ssize_t)done;
}

int io_pwrite(int fd, const void *data, size_t n, uint64_t offset)
{
	const uint8_t *p = data;

	while (n > 0) {
		ssize_t r = pwrite(fd, p, n, (off_t)offset);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -errno : -EIO;
		p += r;
		n -= (size_t)r;
		offset += (uint64_t)r;
	}
	return 0;
}

int io_write(int fd, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n > 0) {
		ssize_t r = write(fd, p, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -errno : -EIO;
		p += r;
		n -= (size_t)r;
	}
	return 0;
}

int io_read_all(int fd, size_t limit, uint8_t **ret_data, size_t *ret_size)
{
	CLEAN_BUFFER struct buffer b = BUFFER_INIT;

	for (;;) {
		size_t before = b.size;
		uint8_t *to = buffer_grow(&b, CHUNK);
		ssize_t r;

		if (!to)
			return buffer_error(&b);
		do {
			r = read(fd, to, CHUNK);
		} while (r < 0 && errno == EINTR);
		if (r < 0)
			return -errno;
		b.size = before + (size_t)r;
		if (b.size > limit)
			return -EFBIG;
		if (r == 0)
			break;
	}
	*ret_size = b.size;
	*ret_data = TAKE_PTR(b.data);
	return 0;
}

/*
 * Gives the new file the old one's owner and mode. Where the owner may not be set, the set-id bits
 * are dropped and the group, which is another one now, gets no more than everybody.
 */
static int copy_owner_and_mode(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 07777;

	if (fchown(fd, old->st_uid, old->st_gid) < 0) {
		if (errno != EPERM)
			return -errno;
		mode = (mode & 01707) | (mode & (mode & 07) << 3);
	}
	return fchmod(fd, mode) < 0 ? -errno : 0;
}

static int write_temporary(int fd, const struct stat *old, const void *data, size_t size)
{
	int r = io_write(fd, data, size);

	if (r == 0 && old)
		r = copy_owner_and_mode(fd, old);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	return r;
}

/* Makes a file beside target; its name goes to *name. The descriptor or -errno. */
static int create_temporary(const char *target, mode_t mode, struct buffer *name)
{
	for (int i = 0; i < TEMPORARY_NAMES; i++) {
		int fd;

		name->size = 0;
		buffer_printf(name, "%s.tacit-%ld-%d", target, (long)getpid(), i);
		if (buffer_error(name))
			return buffer_error(name);
		fd = open(buffer_text(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

static int open_folder_of(const char *path)
{
	CLEAN_BUFFER struct buffer folder = BUFFER_INIT;
	const char *slash = strrchr(path, '/');
	int fd;

	if (slash)
		buffer_append(&folder, path, (size_t)(slash - path) + 1);
	else
		buffer_string(&folder, ".");
	if (buffer_error(&folder))
		return buffer_error(&folder);
	fd = open(buffer_text(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

/* Puts a new file at target, which is no symbolic link; old is what is there, or NULL. */
static int replace(const char *target, const struct stat *old, const void *data, size_t size)
{
	CLEAN_BUFFER struct buffer temporary = BUFFER_INIT;
	CLEAN_FD int folder = open_folder_of(target);
	CLEAN_FD int fd = -1;
	int r;

	if (folder < 0)
		return folder;
	fd = create_temporary(target, old ? 0600 : 0666, &temporary);
	if (fd < 0)
		return fd;
	r = write_temporary(fd, old, data, size);
	if (r == 0 && rename(buffer_text(&temporary), target) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlink(buffer_text(&temporary)); /* the first error is the one to tell */
		return r;
	}
	/* EINVAL: this file system knows no sync of folders. */
	return fsync(folder) < 0 && errno != EINVAL ? -errno : 0;
}

int io_replace_file(const char *path, const void *data, size_t size)
{
	CLEAN(free) char *real = realpath(path, NULL);
	struct stat st;

	if (!real && errno != ENOENT)
		return -errno;
	if (lstat(real ? real : path, &st) < 0)
		return errno == ENOENT ? replace(path, NULL, data, size) : -errno;
	if (!real)
		return -ENOENT; /* a symbolic link to nothing */
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return replace(real, &st, data, size);
}
