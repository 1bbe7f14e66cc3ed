/* SPDX-License-Identifier: MIT */
/* passthrough.c — see passthrough.h: its life, its operations, statfs. */
#include "fs/passthrough/passthrough.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statfs.h>

#include "fs/passthrough/internal.h"

#define SECOND_NS 1000000000ull
#define DAY_NS (86400 * SECOND_NS)

#define DESCRIPTORS_WANTED 1000000u /* a process may have so many where the host lets it */
#define DESCRIPTORS_FIRST 64u       /* at the least, for nodes */

/* ---- options that are texts ---- */

/* What the texts mean. */
struct maps {
	struct xattrmap *xattrmap;
	struct idmap *uids, *gids;
};

static void maps_fini(struct maps *maps)
{
	xattrmap_free(maps->xattrmap);
	idmap_free(maps->uids);
	idmap_free(maps->gids);
}

static int maps_parse(struct maps *ret, const struct passthrough_options *o, char **ret_error)
{
	struct maps maps = {0};
	int r = 0;

	if (o->xattrmap)
		r = xattrmap_parse(&maps.xattrmap, o->xattrmap, ret_error);
	if (r == 0 && o->translate_uid)
		r = idmap_parse(&maps.uids, "translate-uid", o->translate_uid, ret_error);
	if (r == 0 && o->translate_gid)
		r = idmap_parse(&maps.gids, "translate-gid", o->translate_gid, ret_error);
	if (r < 0)
		maps_fini(&maps);
	else
		*ret = maps;
	return r;
}

int passthrough_options_check(const struct passthrough_options *options, char **ret_error)
{
	struct maps maps;
	int r;

	if (options->xattrmap && !options->xattr) {
		*ret_error = strdup("xattrmap needs extended attributes, but there is noxattr");
		return *ret_error ? -EINVAL : -ENOMEM;
	}
	r = maps_parse(&maps, options, ret_error);
	if (r == 0)
		maps_fini(&maps);
	return r;
}

static int texts_init(struct passthrough *pt)
{
	struct passthrough_options *o = &pt->config.options;
	CLEAN(free) char *error = NULL; /* the caller has checked them */
	struct maps maps = {0};
	int r;

	r = maps_parse(&maps, o, &error);
	if (r < 0)
		return r;
	pt->xattrmap = maps.xattrmap;
	pt->uids = maps.uids;
	pt->gids = maps.gids;
	o->xattrmap = o->translate_uid = o->translate_gid = NULL; /* the caller's */
	return xattr_init(pt);
}

static void texts_fini(struct passthrough *pt)
{
	maps_fini(&(struct maps){pt->xattrmap, pt->uids, pt->gids});
	free(pt->capability_name);
}

/* ---- its life ---- */

static void op_destroy(struct fs *fs)
{
	struct passthrough *pt = passthrough_of(fs);
	uint64_t root = atomic_load(&pt->root.descriptor);

	locks_stop(pt);
	files_fini(pt);
	locks_fini(pt);
	inodes_fini(pt);
	(void)close((int)(root >> 32) - 1); /* an O_PATH descriptor, or one nobody wrote to */
	pthread_mutex_destroy(&pt->options_lock);
	free(pt->options_error);
	texts_fini(pt);
	free(pt);
}

int op_statfs(struct fs *fs, struct fs_request *req, uint64_t node)
{
	CLEAN_HELD struct held held = {0};
	struct fs_statfs answer;
	struct statfs host;
	int r;

	r = node_hold(passthrough_of(fs), node, &held);
	if (r < 0)
		return r;
	if (fstatfs(held.fd, &host) < 0)
		return -errno;
	answer = (struct fs_statfs){
		.blocks = host.f_blocks,
		.bfree = host.f_bfree,
		.bavail = host.f_bavail,
		.files = host.f_files,
		.ffree = host.f_ffree,
		.bsize = (uint32_t)host.f_bsize,
		.frsize = (uint32_t)host.f_frsize,
		.namelen = (uint32_t)host.f_namelen,
	};
	fs_reply_statfs(req, &answer);
	return 0;
}

/* Only asked where the client does not check permissions itself. */
int op_access(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t mask)
{
	CLEAN_HELD struct held held = {0};
	int r;

	r = node_hold(passthrough_of(fs), node, &held);
	if (r < 0)
		return r;
	if (faccessat(held.fd, "", (int)mask & (R_OK | W_OK | X_OK), AT_EMPTY_PATH | AT_EACCESS) <
		0)
		return -errno;
	fs_reply_ok(req);
	return 0;
}

int op_syncfs(struct fs *fs, struct fs_request *req, uint64_t node)
{
	CLEAN_HELD struct held held = {0};
	CLEAN_FD int fd = -1;
	int r;

	r = node_hold(passthrough_of(fs), node, &held);
	if (r < 0)
		return r;
	fd = node_open(&held, O_RDONLY);
	if (fd < 0)
		return fd;
	if (syncfs(fd) < 0)
		return -errno;
	fs_reply_ok(req);
	return 0;
}

static const struct fs_ops passthrough_ops = {
	.name = "passthrough",
	.wants = FS_WANT_SUBMOUNTS,
	.destroy = op_destroy,
	.lookup = op_lookup,
	.forget = op_forget,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readlink = op_readlink,
	.mknod = op_mknod,
	.mkdir = op_mkdir,
	.symlink = op_symlink,
	.link = op_link,
	.unlink = op_unlink,
	.rmdir = op_rmdir,
	.rename = op_rename,
	.open = op_open,
	.create = op_create,
	.tmpfile = op_tmpfile,
	.read = op_read,
	.write = op_write,
	.flush = op_flush,
	.release = op_release,
	.fsync = op_fsync,
	.opendir = op_opendir,
	.readdir = op_readdir,
	.releasedir = op_release,
	.fsyncdir = op_fsync,
	.statfs = op_statfs,
	.access = op_access,
	.getxattr = op_getxattr,
	.listxattr = op_listxattr,
	.setxattr = op_setxattr,
	.removexattr = op_removexattr,
	.getlk = op_getlk,
	.setlk = op_setlk,
	.ioctl = op_ioctl,
	.fallocate = op_fallocate,
	.lseek = op_lseek,
	.copy_file_range = op_copy_file_range,
	.syncfs = op_syncfs,
};

/*
 * Without killpriv the client strips by SETATTR, also after an open that truncates: such an open
 * must come as a SETATTR too, for else nobody strips.
 */
static uint32_t wants_of(const struct passthrough *pt)
{
	const struct passthrough_options *o = &pt->config.options;
	uint32_t wants = 0;

	if (o->killpriv)
		wants |= FS_WANT_KILLPRIV_V2 | FS_WANT_ATOMIC_TRUNCATE;
	if (o->writeback)
		wants |= FS_WANT_WRITEBACK;
	if (o->cache != PASSTHROUGH_CACHE_NEVER)
		wants |= FS_WANT_READDIRPLUS | FS_WANT_READDIRPLUS_AUTO | FS_WANT_SYMLINK_CACHE;
	if (o->xattr && pt->has_access_lists)
		wants |= FS_WANT_POSIX_ACL | FS_WANT_DONT_MASK;
	if (o->flock)
		wants |= FS_WANT_FLOCK;
	if (o->posix_lock)
		wants |= FS_WANT_POSIX_LOCKS;
	if (pt->is_privileged)
		wants |= FS_WANT_CREATE_GROUP;
	return wants;
}

static uint64_t timeout_of(uint32_t cache)
{
	switch (cache) {
	case PASSTHROUGH_CACHE_ALWAYS:
	case PASSTHROUGH_CACHE_METADATA:
		return DAY_NS;
	case PASSTHROUGH_CACHE_NEVER:
		return 0;
	default:
		return SECOND_NS;
	}
}

/* Descriptors that nodes may have: three quarters of what the process may. */
static unsigned descriptors_allowed(void)
{
	struct rlimit limit = {0};
	rlim_t wanted = DESCRIPTORS_WANTED;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return DESCRIPTORS_FIRST;
	if (wanted > limit.rlim_max)
		wanted = limit.rlim_max;
	if (limit.rlim_cur < wanted) {
		limit.rlim_cur = wanted;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0 && getrlimit(RLIMIT_NOFILE, &limit) < 0)
			return DESCRIPTORS_FIRST;
	}
	if (limit.rlim_cur > DESCRIPTORS_WANTED)
		limit.rlim_cur = DESCRIPTORS_WANTED;
	return (unsigned)limit.rlim_cur / 4 * 3 + 1;
}

static int root_init(struct passthrough *pt, int fd)
{
	struct statx stx = {0};
	int r;

	r = stat_descriptor(fd, &stx);
	if (r < 0)
		return r;
	if (!S_ISDIR(stx.stx_mode))
		return -ENOTDIR;
	pt->root.id = FS_ROOT;
	pt->root.key = node_key_of(&stx);
	pt->root.type = S_IFDIR;
	atomic_init(&pt->root.descriptor, (uint64_t)((uint32_t)fd + 1) << 32);
	return 0;
}

int passthrough_new(struct fs **ret, int take_root_fd, const struct passthrough_config *config)
{
	struct passthrough *pt = calloc(1, sizeof(*pt));
	struct stat st;
	int r;

	if (!pt)
		return -ENOMEM;
	pt->fs.ops = &passthrough_ops;
	pt->config = *config;
	pt->is_privileged = geteuid() == 0;
	r = texts_init(pt);
	if (r < 0)
		goto fail;
	pt->fs.wants = wants_of(pt);
	pt->entry_timeout = pt->attr_timeout = timeout_of(config->options.cache);
	pt->descriptors_max = descriptors_allowed();
	pt->user_namespace = stat("/proc/self/ns/user", &st) == 0 ? st.st_ino : 0;
	atomic_init(&pt->can_reopen, pt->is_privileged);
	r = root_init(pt, take_root_fd);
	if (r < 0)
		goto fail;
	table_init(&pt->files);
	locks_init(pt);
	pthread_mutex_init(&pt->options_lock, NULL); /* a normal mutex: cannot fail */
	r = inodes_init(pt);
	if (r < 0) {
		atomic_store(&pt->root.descriptor, 0); /* stays the caller's */
		op_destroy(&pt->fs);
		return r;
	}
	*ret = &pt->fs;
	return 0;

fail:
	texts_fini(pt);
	free(pt);
	return r;
}
