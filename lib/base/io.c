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
	CLEAN_BUFFER struct buffer b = {.limit = limit + 65536};

	for (;;) {
		size_t before = b.size;
		uint8_t *to = buffer_grow(&b, 65536);
		ssize_t r;

		if (!to)
			return buffer_error(&b);
		do {
			r = read(fd, to, 65536);
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

static int write_temporary(const char *path, const struct stat *old, const void *data, size_t size)
{
	CLEAN_FD int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	mode_t mask;
	int r;

	if (fd < 0)
		return -errno;
	r = io_write(fd, data, size);
	if (r < 0)
		return r;
	if (old) {
		if (fchown(fd, old->st_uid, old->st_gid) < 0 && errno != EPERM)
			return -errno;
		r = fchmod(fd, old->st_mode & 07777);
	} else {
		mask = umask(0);
		umask(mask);
		r = fchmod(fd, 0666 & ~mask);
	}
	if (r < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

int io_replace_file(const char *path, const void *data, size_t size)
{
	CLEAN(free) char *real = realpath(path, NULL);
	CLEAN_BUFFER struct buffer temporary = BUFFER_INIT;
	CLEAN_BUFFER struct buffer folder = BUFFER_INIT;
	const char *target = real ? real : path;
	const char *slash = strrchr(target, '/');
	struct stat st;
	bool is_old;
	int r;

	if (!real && errno != ENOENT)
		return -errno;
	is_old = stat(target, &st) == 0;
	buffer_printf(&temporary, "%s.tacit-%ld", target, (long)getpid());
	if (slash)
		buffer_append(&folder, target, (size_t)(slash - target) + 1);
	else
		buffer_string(&folder, ".");
	if (buffer_error(&temporary) || buffer_error(&folder))
		return -ENOMEM;
	r = write_temporary(buffer_text(&temporary), is_old ? &st : NULL, data, size);
	if (r == 0 && rename(buffer_text(&temporary), target) < 0)
		r = -errno;
	if (r < 0) {
		if (r != -EEXIST)
			(void)unlink(buffer_text(&temporary));
		return r;
	}
	CLEAN_FD int dir = open(buffer_text(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0 || fsync(dir) < 0)
		return -errno;
	return 0;
}
