/* SPDX-License-Identifier: MIT */
/*
 * files.c — open files: their life, reads, writes.
 *
 * A read goes from the host into the reply's own place, a write from the request's, and neither
 * takes a lock or allocates. Positions are explicit, so the descriptor's own is never used.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "fs/passthrough/internal.h"

/* Not zeroed at each call: a read or write of one piece uses one of many. */
#define UNINITIALIZED __attribute__((uninitialized))

#define IOVECS_MAX 272 /* FS_WRITE_MAX in pages, and what an odd start and end may add */

/* Flags of open(2) that make sense on the host. Appending is a matter of each write. */
#define HOST_FLAGS (O_ACCMODE | O_TRUNC | O_DIRECT | O_SYNC | O_DSYNC | O_NOATIME)

struct file *file_get(struct passthrough *pt, uint64_t handle)
{
	return table_get(&pt->files, handle);
}

static void file_free(struct passthrough *pt, struct file *file)
{
	(void)close(file->fd); /* errors of writing were told by flush and fsync */
	node_put(pt, file->node);
	if (file->listing)
		pthread_mutex_destroy(&file->listing->lock);
	free(file->listing);
	free(file);
}

void file_put(struct passthrough *pt, struct file *file)
{
	if (table_put(&pt->files, file->id))
		file_free(pt, file);
}

int file_hold(struct passthrough *pt, uint64_t handle, struct held_file *ret)
{
	struct file *file = file_get(pt, handle);

	if (!file)
		return -EBADF;
	*ret = (struct held_file){pt, file};
	return 0;
}

uint32_t file_open_flags(const struct passthrough *pt)
{
	switch (pt->config.options.cache) {
	case PASSTHROUGH_CACHE_ALWAYS:
		return FS_OPEN_KEEP_CACHE;
	case PASSTHROUGH_CACHE_METADATA:
	case PASSTHROUGH_CACHE_NEVER:
		return FS_OPEN_DIRECT_IO | FS_OPEN_PARALLEL_WRITES;
	default:
		return 0;
	}
}

int file_host_flags(const struct passthrough *pt, uint32_t flags)
{
	int host = (int)flags & HOST_FLAGS;

	/* the client reads pages that are written in part */
	if (pt->fs.agreed & FS_WANT_WRITEBACK && (host & O_ACCMODE) == O_WRONLY)
		host = (host & ~O_ACCMODE) | O_RDWR;
	return host;
}

int file_new(struct passthrough *pt, struct node *node, int take_descriptor, int flags,
	struct listing *take_listing, struct fs_open *ret)
{
	CLEAN_FD int fd = take_descriptor;
	struct file *file = calloc(1, sizeof(*file));
	int r = file ? 0 : -ENOMEM;

	if (r == 0) {
		*file = (struct file){
			.fd = fd,
			.node = node,
			.is_direct = flags & O_DIRECT,
			.is_writable = (flags & O_ACCMODE) != O_RDONLY,
			.listing = take_listing,
		};
		r = table_add(&pt->files, file, &file->id);
	}
	if (r < 0) {
		free(take_listing);
		free(file);
		return r;
	}
	(void)TAKE_FD(fd);
	(void)node_get(pt, node->id); /* the caller has it: not NULL */
	*ret = (struct fs_open){
		.handle = file->id,
		.flags = take_listing ? 0 : file_open_flags(pt),
	};
	return 0;
}

/* A handle ends; its file when nobody is reading or writing any more. */
static void file_end(struct passthrough *pt, struct file *file, uint64_t handle)
{
	if (table_end(&pt->files, handle))
		file_put(pt, file);
}

void files_fini(struct passthrough *pt)
{
	uint64_t id;

	for (uint32_t i = 0; table_walk(&pt->files, i, &id); i++) {
		struct file *file = id != 0 ? file_get(pt, id) : NULL;

		if (!file)
			continue;
		locks_drop_handle(pt, file->node, id);
		file_end(pt, file, id);
		file_put(pt, file);
		file_put(pt, file); /* table_walk's */
	}
	table_fini(&pt->files);
}

/*
 * Writing back may need to read, but a user may write files that he cannot read. A file that can
 * only be appended to is only opened so.
 */
static int open_as_can(const struct held *held, int flags, uint32_t wanted)
{
	int r = node_open(held, flags);

	if (r == -EPERM && wanted & O_APPEND)
		return node_open(held, flags | O_APPEND);
	if (r == -EACCES && (flags & O_ACCMODE) == O_RDWR && (wanted & O_ACCMODE) == O_WRONLY)
		r = node_open(held, (flags & ~O_ACCMODE) | O_WRONLY);
	return r;
}

int op_open(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags, bool kill_suidgid)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held held = {0};
	int host = file_host_flags(pt, flags);
	struct fs_open opened;
	int r;

	r = node_hold(pt, node, &held);
	if (r < 0)
		return r;
	if (held.node->type == S_IFDIR)
		return -EISDIR;
	if (host & O_TRUNC) {
		r = killpriv_before(pt, req, held.node, held.fd, kill_suidgid);
		if (r < 0)
			return r;
	}
	r = open_as_can(&held, host, flags);
	if (r >= 0)
		r = file_new(pt, held.node, r, host, NULL, &opened);
	if (r < 0)
		return r;
	fs_reply_open(req, &opened);
	return 0;
}

int op_read(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle, uint64_t offset,
	uint32_t size, uint32_t open_flags)
{
	CLEAN_FILE struct held_file held = {0};
	struct iovec iov[IOVECS_MAX] UNINITIALIZED;
	ssize_t n;
	int r;

	r = file_hold(passthrough_of(fs), handle, &held);
	if (r < 0)
		return r;
	r = fs_reply_buffer(req, size, iov, IOVECS_MAX);
	if (r < 0)
		return r;
	n = preadv(held.file->fd, iov, r, (off_t)offset);
	if (n < 0)
		return -errno;
	fs_reply_filled(req, (size_t)n);
	return 0;
}

/* Pages of a file that was opened with O_DIRECT, which the end of the file may cut anywhere. */
static ssize_t write_page(const struct file *file, const struct iovec *iov, int count, off_t offset)
{
	CLEAN_FD int fd = open(proc_path(file->fd).text, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -1 : pwritev(fd, iov, count, offset);
}

int op_write(struct fs *fs, struct fs_request *req, uint64_t node, const struct fs_write *write)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_FILE struct held_file held = {0};
	struct iov_reader payload = fs_request_payload(req);
	bool appends = write->open_flags & O_APPEND && !write->is_cached;
	struct iovec iov[IOVECS_MAX] UNINITIALIZED;
	ssize_t n;
	int count, r;

	r = file_hold(pt, write->handle, &held);
	if (r < 0)
		return r;
	count = iov_reader_iovecs(&payload, iov, IOVECS_MAX);
	if (count < 0)
		return -EINVAL;
	r = killpriv_before(pt, req, held.file->node, held.file->fd, write->kill_suidgid);
	if (r < 0)
		return r;
	n = pwritev2(held.file->fd, iov, count, (off_t)write->offset, appends ? RWF_APPEND : 0);
	if (n < 0 && errno == EINVAL && held.file->is_direct && write->is_cached)
		n = write_page(held.file, iov, count, (off_t)write->offset);
	if (n < 0)
		return -errno;
	fs_reply_written(req, (size_t)n);
	return 0;
}

/* What close(2) of a duplicate reports is what the file system has to say (a quota, NFS). */
static int flush_errors(const struct file *file)
{
	int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return errno == EMFILE ? 0 : -errno;
	return close(fd) < 0 ? -errno : 0;
}

int op_flush(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t lock_owner)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_FILE struct held_file held = {0};
	int r;

	r = file_hold(pt, handle, &held);
	if (r < 0)
		return r;
	locks_drop_owner(pt, held.file->node, lock_owner);
	r = held.file->is_writable ? flush_errors(held.file) : 0;
	if (r < 0)
		return r;
	fs_reply_ok(req);
	return 0;
}

int op_release(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint32_t flags)
{
	struct passthrough *pt = passthrough_of(fs);
	struct file *file = file_get(pt, handle);

	if (!file)
		return -EBADF;
	locks_drop_handle(pt, file->node, handle);
	file_end(pt, file, handle);
	file_put(pt, file);
	locks_changed(pt);
	fs_reply_ok(req);
	return 0;
}

int op_fsync(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	bool is_data_only)
{
	CLEAN_FILE struct held_file held = {0};
	int r;

	r = file_hold(passthrough_of(fs), handle, &held);
	if (r < 0)
		return r;
	r = is_data_only ? fdatasync(held.file->fd) : fsync(held.file->fd);
	if (r < 0)
		return -errno;
	fs_reply_ok(req);
	return 0;
}
