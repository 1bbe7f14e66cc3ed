/* SPDX-License-Identifier: MIT */
/*
 * passthrough_test.c — a directory through the file system, without FUSE: names that are hostile,
 * nodes that are counted and forgotten, files, listings, locks.
 */
#include <errno.h>
#include <ftw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/test/tap.h"
#include "fs/passthrough/passthrough.h"
#include "fs/test/fake_request.h"

static char folder[] = "/tmp/passthrough-test.XXXXXX";

static void describe(void *arg, struct buffer *out)
{
	buffer_string(out, "rw");
}

static int reconfigure(void *arg, const char *text, char **ret_error)
{
	return strcmp(text, "ro") == 0 ? 0 : -EINVAL;
}

static struct fs *serve(void)
{
	const struct passthrough_config config = {
		.options = {.killpriv = true, .xattr = true, .flock = true, .posix_lock = true},
		.describe = describe,
		.reconfigure = reconfigure,
	};
	struct fs *fs = NULL;
	int fd = open(folder, O_PATH | O_DIRECTORY);

	if (fd < 0 || passthrough_new(&fs, fd, &config) < 0)
		abort();
	return fs;
}

static int look_up(struct fs *fs, uint64_t parent, const char *name, struct fs_entry *ret)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	int r = fake_finish(&req, fs->ops->lookup(fs, &req, parent, name));

	if (r == 0 && ret)
		*ret = req.entry;
	return r;
}

static int open_node(struct fs *fs, uint64_t node, uint32_t flags, uint64_t *ret)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	int r = fake_finish(&req, fs->ops->open(fs, &req, node, flags, false));

	if (r == 0)
		*ret = req.open.handle;
	return r;
}

static int release(struct fs *fs, uint64_t node, uint64_t handle)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;

	return fake_finish(&req, fs->ops->release(fs, &req, node, handle, 0));
}

static void make_file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

static void test_names(struct fs *fs)
{
	struct fs_entry entry, again;

	is_int(look_up(fs, FS_ROOT, "absent", NULL), -ENOENT, "a name that is not there");
	is_int(look_up(fs, FS_ROOT, "file", &entry), 0, "a file");
	is_int(entry.attr.size, 5, "has its size");
	ok(entry.attr.has_btime, "and a time of birth");
	is_int(look_up(fs, FS_ROOT, "file", &again), 0, "again");
	ok(again.node == entry.node, "is the same node");
	is_int(look_up(fs, FS_ROOT, "outside", &again), 0, "a link out of the directory");
	is_int(again.attr.mode & S_IFMT, S_IFLNK, "is a link, not followed");
	is_int(look_up(fs, again.node, "passwd", NULL), -ENOTDIR, "also not as a parent");
	fs->ops->forget(fs, again.node, 1);
	is_int(look_up(fs, entry.node + 12345, "x", NULL), -ESTALE, "an invented node");
	fs->ops->forget(fs, entry.node, 1);
	is_int(look_up(fs, entry.node, "x", NULL), -ENOTDIR, "one look-up left: known");
	fs->ops->forget(fs, entry.node, 5);
	is_int(look_up(fs, entry.node, "x", NULL), -ESTALE, "forgotten, and more than that");
	fs->ops->forget(fs, entry.node, 1);
	fs->ops->forget(fs, FS_ROOT, 1000);
	is_int(look_up(fs, FS_ROOT, "file", &again), 0, "the root is never forgotten");
	ok(again.node != entry.node, "an id is not used twice");
	fs->ops->forget(fs, again.node, 1);
}

static void test_special_files(struct fs *fs)
{
	struct fs_entry entry;
	uint64_t handle;

	is_int(look_up(fs, FS_ROOT, "pipe", &entry), 0, "a pipe");
	is_int(open_node(fs, entry.node, O_RDWR, &handle), -ENXIO, "is never opened for real");
	fs->ops->forget(fs, entry.node, 1);
	is_int(look_up(fs, FS_ROOT, "outside", &entry), 0, "a link");
	is_int(open_node(fs, entry.node, O_RDONLY, &handle), -ELOOP, "neither");
	fs->ops->forget(fs, entry.node, 1);
}

static void test_files(struct fs *fs)
{
	CLEAN_REQUEST struct fs_request written = FAKE_REQUEST;
	CLEAN_REQUEST struct fs_request got = FAKE_REQUEST;
	CLEAN_REQUEST struct fs_request bad = FAKE_REQUEST;
	struct iovec iov[2] = {{(void *)"ab", 2}, {(void *)"cde", 3}};
	struct fs_write write = {.offset = 3};
	struct fs_entry entry;

	is_int(look_up(fs, FS_ROOT, "file", &entry), 0, "a file");
	is_int(open_node(fs, entry.node, O_RDWR, &write.handle), 0, "is opened");
	written.payload = iov;
	written.payload_count = 2;
	is_int(fake_finish(&written, fs->ops->write(fs, &written, entry.node, &write)), 0,
		"written, from two pieces");
	is_int(written.size, 5, "whole");
	is_int(fake_finish(&got, fs->ops->read(fs, &got, entry.node, write.handle, 0, 100, 0)), 0,
		"read");
	is_text((const char *)got.data, "firabcde", "what was written");
	is_int(got.size, 8, "up to its end");
	is_int(fake_finish(&bad, fs->ops->read(fs, &bad, entry.node, write.handle + 1, 0, 1, 0)),
		-EBADF, "an invented handle");
	is_int(release(fs, entry.node, write.handle), 0, "closed");
	is_int(release(fs, entry.node, write.handle), -EBADF, "once");
	fs->ops->forget(fs, entry.node, 1);
}

/* All names in batches, each with a node if it should be. */
static size_t list(struct fs *fs, size_t batch, bool is_plus)
{
	CLEAN_REQUEST struct fs_request opened = FAKE_REQUEST;
	uint64_t offset = 0;
	size_t count = 0;

	if (fake_finish(&opened, fs->ops->opendir(fs, &opened, FS_ROOT, O_RDONLY)) < 0)
		abort();
	for (;;) {
		CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;

		req.dirents_max = batch;
		if (fake_finish(&req, fs->ops->readdir(fs, &req, FS_ROOT, opened.open.handle,
			    offset, is_plus)) < 0)
			abort();
		if (req.dirent_count == 0)
			break;
		count += req.dirent_count;
		offset = req.dirents[req.dirent_count - 1].next;
	}
	(void)release(fs, FS_ROOT, opened.open.handle);
	return count;
}

static void test_listing(struct fs *fs)
{
	char name[32];

	for (int i = 0; i < 300; i++) {
		(void)snprintf(name, sizeof(name), "many-%d", i);
		make_file(name, "");
	}
	/* file, pipe, outside, "." and ".." */
	is_int(list(fs, 7, false), 305, "a directory in pieces");
	is_int(list(fs, 0, false), 305, "and in one");
	is_int(list(fs, 100, true), 305, "with nodes");
}

/* More files than descriptors: nodes give theirs up and come back. */
static void test_few_descriptors(void)
{
	struct rlimit before, few = {128, 128};
	struct fs_entry entry, first;
	struct fs *fs;
	char name[32];
	int failed = 0;

	if (geteuid() != 0 || getrlimit(RLIMIT_NOFILE, &before) < 0)
		return;
	few.rlim_max = before.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &few) < 0)
		return;
	few.rlim_max = 128;
	(void)setrlimit(RLIMIT_NOFILE, &few);
	fs = serve();
	is_int(look_up(fs, FS_ROOT, "many-0", &first), 0, "the first of many files");
	for (int i = 1; i < 300; i++) {
		(void)snprintf(name, sizeof(name), "many-%d", i);
		failed += look_up(fs, FS_ROOT, name, &entry) < 0;
	}
	is_int(failed, 0, "300 files are known with 128 descriptors");
	{
		CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;

		is_int(fake_finish(&req, fs->ops->getattr(fs, &req, first.node, false, 0)), 0,
			"the first is still known");
		ok(req.attr.ino == first.attr.ino, "and the same");
	}
	fs->ops->destroy(fs);
	(void)setrlimit(RLIMIT_NOFILE, &before);
}

static int set_lock(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t owner, uint32_t type, bool may_wait)
{
	struct fs_lock lock = {
		.handle = handle,
		.owner = owner,
		.start = 0,
		.end = UINT64_MAX,
		.type = type,
		.may_wait = may_wait,
	};

	return fs->ops->setlk(fs, req, node, &lock);
}

static void test_locks(struct fs *fs)
{
	CLEAN_REQUEST struct fs_request a = FAKE_REQUEST;
	CLEAN_REQUEST struct fs_request b = FAKE_REQUEST;
	CLEAN_REQUEST struct fs_request waiting = FAKE_REQUEST;
	CLEAN_REQUEST struct fs_request killed = FAKE_REQUEST;
	CLEAN_REQUEST struct fs_request flushed = FAKE_REQUEST;
	struct fs_entry entry;
	uint64_t handle;

	is_int(look_up(fs, FS_ROOT, "file", &entry), 0, "a file");
	is_int(open_node(fs, entry.node, O_RDWR, &handle), 0, "is opened");
	is_int(fake_finish(&a, set_lock(fs, &a, entry.node, handle, 1, F_WRLCK, false)), 0,
		"one owner locks it");
	is_int(fake_finish(&b, set_lock(fs, &b, entry.node, handle, 2, F_RDLCK, false)), -EAGAIN,
		"another may not");
	is_int(set_lock(fs, &killed, entry.node, handle, 3, F_WRLCK, true), 0, "a third waits");
	fake_interrupt(&killed);
	is_int(fake_finish(&killed, 0), -EINTR, "until a signal comes");
	is_int(set_lock(fs, &waiting, entry.node, handle, 2, F_RDLCK, true), 0, "another waits");
	ok(!fake_is_answered(&waiting), "as long as it is locked");
	is_int(fake_finish(&flushed, fs->ops->flush(fs, &flushed, entry.node, handle, 1)), 0,
		"the first closes the file");
	is_int(fake_finish(&waiting, 0), 0, "and the other has the lock");
	is_int(release(fs, entry.node, handle), 0, "closed");
	fs->ops->forget(fs, entry.node, 1);
}

static void test_options(struct fs *fs)
{
	CLEAN_REQUEST struct fs_request got = FAKE_REQUEST;
	CLEAN_REQUEST struct fs_request set = FAKE_REQUEST;
	CLEAN_REQUEST struct fs_request refused = FAKE_REQUEST;

	is_int(fake_finish(&got, fs->ops->getxattr(fs, &got, FS_ROOT, PASSTHROUGH_XATTR_OPTIONS,
		       100)), 0, "the mount's options");
	is_text((const char *)got.data, "rw", "are an attribute of the root");
	is_int(fake_finish(&set, fs->ops->setxattr(fs, &set, FS_ROOT, PASSTHROUGH_XATTR_OPTIONS,
		       "ro", 2, 0)), 0, "that can be set");
	is_int(fake_finish(&refused, fs->ops->setxattr(fs, &refused, FS_ROOT,
		       PASSTHROUGH_XATTR_OPTIONS, "cache=x", 7, 0)), -EINVAL, "or refused");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

int main(void)
{
	char path[256];
	struct fs *fs;

	if (!mkdtemp(folder))
		tap_skip_all("a temporary folder");
	make_file("file", "first");
	(void)snprintf(path, sizeof(path), "%s/pipe", folder);
	if (mkfifo(path, 0644) < 0)
		abort();
	(void)snprintf(path, sizeof(path), "%s/outside", folder);
	if (symlink("/etc", path) < 0)
		abort();
	fs = serve();
	test_names(fs);
	test_special_files(fs);
	test_files(fs);
	test_listing(fs);
	test_locks(fs);
	test_options(fs);
	fs->ops->destroy(fs);
	test_few_descriptors();
	(void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return tap_done();
}
