/* SPDX-License-Identifier: MIT */
/*
 * null.c — see null.h. Nothing is allowed to be cached: each question is a request, which is what
 * is measured. Attributes never change after creation, so any thread may answer.
 */
#include "fs/null/null.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"

struct null_fs {
	struct fs fs;
	struct fs_attr root;
};

static struct null_fs *null_of(struct fs *fs)
{
	return (struct null_fs *)fs; /* embedded first */
}

static void null_destroy(struct fs *fs)
{
	free(null_of(fs));
}

static int null_lookup(struct fs *fs, struct fs_request *req, uint64_t node, const char *name)
{
	return -ENOENT;
}

static int null_getattr(struct fs *fs, struct fs_request *req, uint64_t node, bool has_handle,
	uint64_t handle)
{
	if (node != FS_ROOT)
		return -ESTALE;
	fs_reply_attr(req, &null_of(fs)->root, 0);
	return 0;
}

static int null_readdir(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, bool is_plus)
{
	if (node != FS_ROOT)
		return -ESTALE;
	if ((offset > 0 || fs_reply_dirent(req, ".", FS_ROOT, DT_DIR, 1)) && offset < 2)
		(void)fs_reply_dirent(req, "..", FS_ROOT, DT_DIR, 2); /* else asked for again */
	fs_reply_dir_end(req);
	return 0;
}

static int null_statfs(struct fs *fs, struct fs_request *req, uint64_t node)
{
	static const struct fs_statfs nothing = {
		.bsize = 4096,
		.frsize = 4096,
		.namelen = FS_NAME_MAX,
	};

	fs_reply_statfs(req, &nothing);
	return 0;
}

static const struct fs_ops null_ops = {
	.name = "null",
	.destroy = null_destroy,
	.lookup = null_lookup,
	.getattr = null_getattr,
	.readdir = null_readdir,
	.statfs = null_statfs,
};

int null_fs_new(struct fs **ret)
{
	struct null_fs *null = calloc(1, sizeof(*null));
	struct timespec now = {0};

	if (!null)
		return -ENOMEM;
	(void)clock_gettime(CLOCK_REALTIME, &now); /* the clock always exists */
	null->fs.ops = &null_ops;
	null->root = (struct fs_attr){
		.ino = FS_ROOT,
		.atime = now,
		.mtime = now,
		.ctime = now,
		.mode = S_IFDIR | 0755,
		.nlink = 2,
		.uid = getuid(),
		.gid = getgid(),
		.blksize = 4096,
	};
	*ret = &null->fs;
	return 0;
}
