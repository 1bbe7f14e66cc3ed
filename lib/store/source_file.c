/* SPDX-License-Identifier: MIT */
/*
 * source_file.c — an image in a file or on a block device; see source.h.
 *
 * The image is never mapped: a file that shrinks gives -EIO, not a signal. Locks are open-file-
 * description locks on single bytes, as QEMU's block/file-posix.c uses them, so that we and a
 * virtual machine see each other: byte 100 + n is read-locked for each permission n in use, byte
 * 200 + n for each permission that others may not have. Who wants a permission looks whether its
 * 200 byte is locked by somebody else, who withholds one looks at the 100 byte. Where the file
 * system has no such locks the image is used without, as QEMU does, and is then not exclusive.
 *
 * The image is looked up in its folder, which is held: a mount over that folder, our own above all,
 * is never asked where the image is.
 */
#include "store/source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/io.h"
#include "store/internal.h"

/* QEMU's permissions, by their bit number. */
#define PERMISSION_READ 0
#define PERMISSION_WRITE 1
#define PERMISSION_RESIZE 3
#define LOCK_USED 100
#define LOCK_WITHHELD 200

/* What tells one content of a file from another without reading it. */
struct stamp {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified;
};

struct file_source {
	struct source source;
	char *path;       /* owned */
	const char *name; /* what path ends with, in folder */
	int folder;       /* owned, O_PATH */
	int fd;           /* owned */
	bool is_block;
	struct stamp stamp; /* after our own last write, or when it was last looked at */
};

static struct file_source *file_of(struct source *s)
{
	return (struct file_source *)s;
}

static struct stamp stamp_of(const struct stat *st)
{
	return (struct stamp){st->st_dev, st->st_ino, st->st_size, st->st_mtim};
}

static bool is_same(const struct stamp *a, const struct stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
		a->modified.tv_sec == b->modified.tv_sec &&
		a->modified.tv_nsec == b->modified.tv_nsec;
}

static void remember(struct file_source *f)
{
	struct stat st;

	if (fstat(f->fd, &st) == 0)
		f->stamp = stamp_of(&st);
}

static int file_read(struct source *s, void *data, size_t n, uint64_t offset)
{
	ssize_t r = io_pread(file_of(s)->fd, data, n, offset);

	if (r < 0)
		return (int)r;
	return (size_t)r == n ? 0 : -EIO;
}

static int file_write(struct source *s, const void *data, size_t n, uint64_t offset)
{
	struct file_source *f = file_of(s);
	struct stat st;
	int r;

	if (!s->is_writable)
		return -EROFS;
	if (offset > s->size || n > s->size - offset)
		return -EIO;
	/* A file that was cut meanwhile must not grow again with a hole in it. */
	if (!f->is_block && (fstat(f->fd, &st) < 0 || (uint64_t)st.st_size < s->size))
		return -EIO;
	r = io_pwrite(f->fd, data, n, offset);
	remember(f);
	return r;
}

static int file_sync(struct source *s)
{
	struct file_source *f = file_of(s);
	int r = fdatasync(f->fd) < 0 ? -errno : 0;

	remember(f);
	return r;
}

static int lock_byte(int fd, short type, off_t at)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &lock) < 0 ? -errno : 0;
}

/* 1 when somebody else holds a lock on that byte. */
static int is_locked(int fd, off_t at)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};

	if (fcntl(fd, F_OFD_GETLK, &lock) < 0)
		return -errno;
	return lock.l_type != F_UNLCK;
}

static bool has_locks(int error)
{
	return error != -EINVAL && error != -ENOLCK && error != -EOPNOTSUPP && error != -ENOSYS;
}

/* One locking attempt. 0; 1 when locked; -EBUSY; -errno. */
static int lock_image(int fd, bool is_writable)
{
	static const struct {
		off_t take, look;
		bool is_writer_only;
	} bytes[] = {
		{LOCK_USED + PERMISSION_READ, LOCK_WITHHELD + PERMISSION_READ, false},
		{LOCK_USED + PERMISSION_WRITE, LOCK_WITHHELD + PERMISSION_WRITE, true},
		{LOCK_WITHHELD + PERMISSION_WRITE, LOCK_USED + PERMISSION_WRITE, true},
		{LOCK_WITHHELD + PERMISSION_RESIZE, LOCK_USED + PERMISSION_RESIZE, true},
	};
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		if (bytes[i].is_writer_only && !is_writable)
			continue;
		r = lock_byte(fd, F_RDLCK, bytes[i].take);
		if (r < 0)
			return has_locks(r) ? r : 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		if (bytes[i].is_writer_only && !is_writable)
			continue;
		r = is_locked(fd, bytes[i].look);
		if (r != 0)
			return r < 0 ? r : -EBUSY;
	}
	return 1;
}

static int take_locks(int fd, bool is_writable, bool *ret_is_exclusive, char **ret_error)
{
	int r = lock_image(fd, is_writable);

	if (r == -EBUSY || r == -EAGAIN || r == -EACCES)
		return store_fail(ret_error, -EBUSY, is_writable
			? "the image is in use by another process (a running virtual machine?)"
			: "another process holds the image for itself alone");
	if (r < 0)
		return store_fail(ret_error, r, "cannot lock the image: %s", strerror(-r));
	*ret_is_exclusive = r == 1 && is_writable;
	return 0;
}

/* The size of a regular file or block device; everything else is refused. */
static int image_size(int fd, const struct stat *st, uint64_t *ret, char **ret_error)
{
	uint64_t size = (uint64_t)st->st_size;

	if (S_ISDIR(st->st_mode))
		return store_fail(ret_error, -EISDIR, "is a directory, not an image");
	if (!S_ISREG(st->st_mode) && !S_ISBLK(st->st_mode))
		return store_fail(ret_error, -EINVAL, "is neither a file nor a block device");
	if (S_ISBLK(st->st_mode) && ioctl(fd, BLKGETSIZE64, &size) < 0)
		return store_fail(ret_error, -errno, "cannot find out the device's size: %s",
			strerror(errno));
	if (size > SOURCE_SIZE_MAX)
		return store_fail(ret_error, -EFBIG, "is larger than an image can be (%llu bytes)",
			(unsigned long long)SOURCE_SIZE_MAX);
	*ret = size;
	return 0;
}

/* Opens and locks; fills what belongs to the descriptor. f is changed only on success. */
static int open_image(struct file_source *f, bool is_writable, char **ret_error)
{
	/* Without O_NONBLOCK a FIFO would be waited for; it changes nothing for files. */
	CLEAN_FD int fd = openat(f->folder, f->name,
		(is_writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_exclusive = false;
	uint64_t size = 0;
	struct stat st;
	int r;

	if (fd < 0)
		return store_fail(ret_error, -errno, "cannot open: %s", strerror(errno));
	if (fstat(fd, &st) < 0)
		return store_fail(ret_error, -errno, "cannot stat: %s", strerror(errno));
	r = image_size(fd, &st, &size, ret_error);
	if (r < 0)
		return r;
	r = take_locks(fd, is_writable, &is_exclusive, ret_error);
	if (r < 0)
		return r;
	if (f->fd >= 0)
		(void)close(f->fd); /* drops the old locks; nothing was left to write */
	f->fd = TAKE_FD(fd);
	f->is_block = S_ISBLK(st.st_mode);
	f->stamp = stamp_of(&st);
	f->source.size = size;
	f->source.is_writable = is_writable;
	f->source.is_exclusive = is_exclusive;
	return 0;
}

static bool file_has_changed(struct source *s)
{
	struct file_source *f = file_of(s);
	struct stamp now;
	struct stat st;

	if (fstatat(f->folder, f->name, &st, 0) < 0)
		return false; /* unlinked, or for a moment not there: what is open stays valid */
	now = stamp_of(&st);
	if (is_same(&now, &f->stamp))
		return false;
	if (now.device != f->stamp.device || now.inode != f->stamp.inode) {
		/* Replaced by rename: go on with the new one. If that fails the old one can still
		 * be read, but what was written to it would be lost. */
		if (open_image(f, s->is_writable, NULL) < 0) {
			f->stamp = now;
			s->is_writable = false;
		}
		return true;
	}
	f->stamp = now;
	return true;
}

static int file_set_writable(struct source *s, bool is_writable, char **ret_error)
{
	struct file_source *f = file_of(s);
	int r;

	if (is_writable == s->is_writable)
		return 0;
	/* Our own read-only description shares everything, so it is not in its successor's way. */
	if (!is_writable && fdatasync(f->fd) < 0)
		return store_fail(ret_error, -errno, "cannot write back: %s", strerror(errno));
	r = open_image(f, is_writable, ret_error);
	return r == -EACCES || r == -EPERM ? -EROFS : r;
}

static void file_destroy(struct source *s)
{
	struct file_source *f = file_of(s);

	if (f->fd >= 0)
		(void)close(f->fd); /* every write that matters was synced */
	if (f->folder >= 0)
		(void)close(f->folder);
	free(f->path);
	free(f);
}

static const struct source_ops file_ops = {
	.read = file_read,
	.write = file_write,
	.sync = file_sync,
	.has_changed = file_has_changed,
	.set_writable = file_set_writable,
	.destroy = file_destroy,
};

/* Takes hold of the folder that the image is in. */
static int open_folder(struct file_source *f, const char *path, char **ret_error)
{
	char *slash;

	f->path = strdup(path);
	if (!f->path)
		return store_fail(ret_error, -ENOMEM, "out of memory");
	slash = strrchr(f->path, '/');
	if (!slash) {
		f->name = f->path;
		f->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	} else {
		/* "/name" is in "/", "//name" too; "folder/" names the folder itself. */
		f->name = slash[1] != '\0' ? slash + 1 : ".";
		*slash = '\0';
		f->folder = open(slash > f->path ? f->path : "/",
			O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	if (f->folder < 0)
		return store_fail(ret_error, -errno, "cannot open: %s", strerror(errno));
	return 0;
}

int source_open_file(struct source **ret, const char *path, bool is_writable, char **ret_error)
{
	struct file_source *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return store_fail(ret_error, -ENOMEM, "out of memory");
	f->fd = f->folder = -1;
	f->source.ops = &file_ops;
	r = open_folder(f, path, ret_error);
	if (r == 0)
		r = open_image(f, is_writable, ret_error);
	if (r < 0) {
		file_destroy(&f->source);
		return r;
	}
	*ret = &f->source;
	return 0;
}
