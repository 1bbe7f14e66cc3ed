/* SPDX-License-Identifier: MIT */
/* testfs.c — see testfs.h. */
#include "transport/devfuse/test/testfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct testfs *testfs_of(struct fs *fs)
{
	return (struct testfs *)fs;
}

static void tfs_destroy(struct fs *fs)
{
	struct testfs *testfs = testfs_of(fs);

	sem_destroy(&testfs->slow_event);
	sem_destroy(&testfs->kept_event);
	pthread_mutex_destroy(&testfs->lock);
	free(testfs);
}

static struct fs_attr attr_of(struct testfs *testfs, uint64_t node)
{
	return (struct fs_attr){
		.ino = node,
		.size = node == TESTFS_FILE ? atomic_load(&testfs->size) : 0,
		.mode = node == FS_ROOT ? S_IFDIR | 0755 : S_IFREG | 0666,
		.nlink = 1,
		.blksize = 4096,
	};
}

static int tfs_lookup(struct fs *fs, struct fs_request *req, uint64_t node, const char *name)
{
	struct fs_entry entry = {.entry_timeout = FS_FOREVER, .attr_timeout = FS_FOREVER};

	if (node != FS_ROOT)
		return -ENOTDIR;
	if (strcmp(name, "file") == 0)
		entry.node = TESTFS_FILE;
	else if (strcmp(name, "wait") == 0)
		entry.node = TESTFS_WAIT;
	else if (strcmp(name, "slow") == 0)
		entry.node = TESTFS_SLOW;
	else
		return -ENOENT;
	entry.attr = attr_of(testfs_of(fs), entry.node);
	fs_reply_entry(req, &entry);
	return 0;
}

static int tfs_getattr(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
	uint64_t handle)
{
	struct fs_attr attr = attr_of(testfs_of(fs), node);

	atomic_fetch_add(&testfs_of(fs)->getattrs, 1);
	fs_reply_attr(req, &attr, FS_FOREVER);
	return 0;
}

static int tfs_open(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags,
	bool kill_suidgid)
{
	struct fs_open open = {.flags = FS_OPEN_PASSTHROUGH | FS_OPEN_NOFLUSH};
	struct testfs *testfs = testfs_of(fs);

	if (node == TESTFS_FILE && testfs->backing_fd >= 0 && fs->agreed & FS_WANT_PASSTHROUGH) {
		int r = fs_backing_open(fs, testfs->backing_fd, &open.backing);

		if (r < 0)
			return r;
		atomic_store(&testfs->backing, open.backing);
		fs_reply_open(req, &open);
		return 0;
	}
	/* past the page cache: each read is a request that a signal interrupts; without FLUSH, for
	 * which the end of a test that failed would wait for ever */
	fs_reply_open(req, &(struct fs_open){.flags = FS_OPEN_DIRECT_IO | FS_OPEN_NOFLUSH});
	return 0;
}

static int tfs_release(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint32_t flags)
{
	if (node == TESTFS_FILE && atomic_load(&testfs_of(fs)->backing) != 0)
		fs_backing_close(fs, atomic_load(&testfs_of(fs)->backing));
	fs_reply_ok(req);
	return 0;
}

static void tfs_interrupted(void *arg)
{
	struct testfs_kept *kept = arg;
	struct fs_request *req;

	pthread_mutex_lock(&kept->testfs->lock);
	req = TAKE_PTR(kept->req);
	pthread_mutex_unlock(&kept->testfs->lock);
	if (req) {
		atomic_fetch_add(&kept->testfs->interrupted, 1);
		fs_reply_error(req, -EINTR);
	}
}

static int tfs_keep(struct testfs *testfs, struct fs_request *req)
{
	int r = -EBUSY;

	pthread_mutex_lock(&testfs->lock);
	for (size_t i = 0; i < TESTFS_KEPT_MAX; i++) {
		struct testfs_kept *kept = &testfs->kept[i];

		if (kept->req)
			continue;
		kept->testfs = testfs;
		r = -EINTR;
		if (!fs_request_on_interrupt(req, tfs_interrupted, kept)) {
			kept->req = req;
			sem_post(&testfs->kept_event);
			r = 0;
		}
		break;
	}
	pthread_mutex_unlock(&testfs->lock);
	return r;
}

/* ---- "slow" ---- */

/* In the request's memory. */
struct slow {
	struct fs_io io; /* first */
	struct testfs *testfs;
	struct iovec iov[8];
};

static void slow_done(struct fs_request *req, struct fs_io *io, ssize_t result)
{
	atomic_fetch_add(&((struct slow *)io)->testfs->slow_done, 1);
	if (result < 0)
		fs_reply_error(req, (int)result);
	else if (io->kind == FS_IO_READ)
		fs_reply_filled(req, (size_t)result);
	else if (io->kind == FS_IO_WRITE)
		fs_reply_written(req, (size_t)result);
	else
		fs_reply_ok(req);
}

/* Starts it; a read's size, or that of the payload. */
static int slow_start(struct testfs *testfs, struct fs_request *req, enum fs_io_kind kind,
	uint64_t offset, size_t size)
{
	struct slow *slow = fs_request_memory(req, sizeof(*slow));
	struct iov_reader payload = fs_request_payload(req);
	int count = 0;
	int r;

	if (kind == FS_IO_READ)
		count = fs_reply_buffer(req, size, slow->iov, ARRAY_SIZE(slow->iov));
	else if (kind == FS_IO_WRITE)
		count = (int)iov_reader_iovecs(&payload, slow->iov, ARRAY_SIZE(slow->iov));
	if (count < 0)
		return count;
	slow->testfs = testfs;
	slow->io = (struct fs_io){.kind = kind, .fd = testfs->slow_fd, .iov = slow->iov,
		.count = (size_t)count, .offset = offset, .done = slow_done};
	r = fs_request_io(req, &slow->io);
	if (r == 0)
		atomic_fetch_add(&testfs->slow_started, 1);
	sem_post(&testfs->slow_event);
	return r;
}

static int tfs_fsync(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	bool is_data_only)
{
	if (node == TESTFS_SLOW)
		return slow_start(testfs_of(fs), req, is_data_only ? FS_IO_DATASYNC : FS_IO_SYNC, 0,
			0);
	fs_reply_ok(req);
	return 0;
}

/* ---- data ---- */

static int tfs_read(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, uint32_t size, uint32_t open_flags)
{
	struct testfs *testfs = testfs_of(fs);

	if (node == TESTFS_WAIT)
		return tfs_keep(testfs, req);
	if (node == TESTFS_SLOW)
		return slow_start(testfs, req, FS_IO_READ, offset, size);
	atomic_fetch_add(&testfs->data_requests, 1);
	if (offset >= TESTFS_SIZE)
		size = 0;
	else if (size > TESTFS_SIZE - offset)
		size = (uint32_t)(TESTFS_SIZE - offset);
	fs_reply_data(req, testfs->data + offset, size);
	return 0;
}

static int tfs_write(struct fs *fs, struct fs_request *req, uint64_t node,
	const struct fs_write *write)
{
	struct testfs *testfs = testfs_of(fs);
	struct iov_reader payload = fs_request_payload(req);
	size_t size = payload.remaining;
	struct iovec iov[2];

	if (node == TESTFS_SLOW)
		return slow_start(testfs, req, FS_IO_WRITE, write->offset, 0);
	atomic_fetch_add(&testfs->data_requests, 1);
	if (write->offset > TESTFS_SIZE || size > TESTFS_SIZE - write->offset)
		return -EFBIG;
	if (iov_reader_iovecs(&payload, iov, 2) != 1 || (uintptr_t)iov[0].iov_base % 4096 != 0)
		atomic_store(&testfs->is_misaligned, true);
	(void)iov_reader_copy(&payload, testfs->data + write->offset, size);
	fs_reply_written(req, size);
	return 0;
}

static int tfs_readdir(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, bool is_plus)
{
	if (offset == 0 && !fs_reply_dirent(req, "file", TESTFS_FILE, 8, 1))
		return -EINVAL;
	if (offset <= 1)
		(void)fs_reply_dirent(req, "wait", TESTFS_WAIT, 8, 2); /* asked for again if full */
	fs_reply_dir_end(req);
	return 0;
}

static const struct fs_ops testfs_ops = {
	.name = "test",
	.wants = FS_WANT_READDIRPLUS,
	.destroy = tfs_destroy,
	.lookup = tfs_lookup,
	.getattr = tfs_getattr,
	.open = tfs_open,
	.release = tfs_release,
	.read = tfs_read,
	.write = tfs_write,
	.fsync = tfs_fsync,
	.readdir = tfs_readdir,
};

struct testfs *testfs_new(void)
{
	struct testfs *testfs = calloc(1, sizeof(*testfs));

	if (!testfs)
		abort();
	testfs->fs.ops = &testfs_ops;
	pthread_mutex_init(&testfs->lock, NULL);
	sem_init(&testfs->kept_event, 0, 0);
	sem_init(&testfs->slow_event, 0, 0);
	testfs->backing_fd = -1;
	atomic_store(&testfs->size, 1);
	for (size_t i = 0; i < TESTFS_SIZE; i++)
		testfs->data[i] = (uint8_t)(i * 7 + i / 4096);
	return testfs;
}

void testfs_release(struct testfs *testfs)
{
	for (size_t i = 0; i < TESTFS_KEPT_MAX; i++) {
		struct fs_request *req;

		pthread_mutex_lock(&testfs->lock);
		req = TAKE_PTR(testfs->kept[i].req);
		pthread_mutex_unlock(&testfs->lock);
		if (req)
			fs_reply_data(req, "w", 1);
	}
}
