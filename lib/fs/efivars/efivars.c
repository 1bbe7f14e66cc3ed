/* SPDX-License-Identifier: MIT */
/* efivars.c — the file system object of efivarfs and its options; see efivars.h and internal.h. */
#include "fs/efivars/efivars.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "fs/efivars/internal.h"

#define ROOT_MODE 0755
#define BLOCK_SIZE 4096 /* st_blksize: a hint for readers, nothing is stored in blocks */

static struct efivars *efivars_free(struct efivars *e)
{
	executor_free(e->executor);
	nodes_fini(&e->nodes);
	notes_fini(&e->notes);
	statfs_cache_fini(&e->statfs);
	uefi_services_free(e->services);
	pthread_mutex_destroy(&e->lock);
	free(e);
	return NULL;
}
DEFINE_CLEAN(struct efivars *, efivars_free)

static void efivars_destroy(struct fs *fs)
{
	efivars_free(efivars_of(fs));
}

/*
 * What is NULL is right as the session answers it: no flush, no access check beyond the modes, no
 * locks of our own, no holes. O_TRUNC comes with open, where it means nothing; set-id bits are
 * cleared here, so that the kernel need not ask for security.capability before each write.
 */
static const struct fs_ops efivars_ops = {
	.name = "efivars",
	.wants = FS_WANT_ATOMIC_TRUNCATE | FS_WANT_KILLPRIV_V2,
	.destroy = efivars_destroy,
	.lookup = efivars_lookup,
	.forget = efivars_forget,
	.getattr = efivars_getattr,
	.setattr = efivars_setattr,
	.mknod = efivars_mknod,
	.mkdir = efivars_mkdir,
	.symlink = efivars_symlink,
	.link = efivars_link,
	.unlink = efivars_unlink,
	.rmdir = efivars_rmdir,
	.rename = efivars_rename,
	.open = efivars_open,
	.create = efivars_create,
	.tmpfile = efivars_tmpfile,
	.read = efivars_read,
	.write = efivars_write,
	.release = efivars_release,
	.fsync = efivars_fsync,
	.readdir = efivars_readdir,
	.statfs = efivars_statfs,
	.getxattr = efivars_getxattr,
	.listxattr = efivars_listxattr,
	.setxattr = efivars_setxattr,
	.removexattr = efivars_removexattr,
	.ioctl = efivars_ioctl,
};

static void set_owner(const struct efivars *e, struct node *node)
{
	node->uid = e->config.options.uid;
	node->gid = e->config.options.gid;
	clock_gettime(CLOCK_REALTIME, &node->mtime);
	node->atime = node->ctime = node->mtime;
}

int efivars_new(struct fs **ret, struct uefi_services *take_services,
	const struct efivars_config *config)
{
	CLEAN(uefi_services_free) struct uefi_services *services = take_services;
	CLEAN(efivars_free) struct efivars *e = NULL;
	struct efivars *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return -ENOMEM;
	pthread_mutex_init(&made->lock, NULL);
	statfs_cache_init(&made->statfs);
	notes_init(&made->notes);
	e = made;
	e->fs.ops = &efivars_ops;
	e->config = *config;
	e->services = TAKE_PTR(services);
	e->supported = e->services->supported;
	atomic_init(&e->is_exclusive, e->services->is_exclusive);
	atomic_init(&e->is_statfs_on, config->options.statfs);
	atomic_init(&e->is_read_only,
		config->options.is_read_only || !(e->supported & UEFI_HAS_SET_VARIABLE));
	r = nodes_init(&e->nodes);
	if (r < 0)
		return r;
	e->nodes.root.mode = S_IFDIR | ROOT_MODE;
	set_owner(e, &e->nodes.root);
	r = listing_read(e);
	if (r < 0)
		return r;
	r = executor_new(&e->executor);
	if (r < 0)
		return r;
	*ret = &e->fs;
	TAKE_PTR(e);
	return 0;
}

struct efivars_options efivars_get_options(struct fs *fs)
{
	struct efivars *e = efivars_of(fs);
	struct efivars_options options = e->config.options;

	options.statfs = atomic_load_explicit(&e->is_statfs_on, memory_order_relaxed);
	options.is_read_only = atomic_load_explicit(&e->is_read_only, memory_order_relaxed);
	return options;
}

void efivars_set_statfs(struct fs *fs, bool statfs)
{
	struct efivars *e = efivars_of(fs);

	atomic_store_explicit(&e->is_statfs_on, statfs, memory_order_relaxed);
}

int efivars_set_read_only(struct fs *fs, bool is_read_only, char **ret_error)
{
	struct efivars *e = efivars_of(fs);
	int r;

	if (!is_read_only && !(e->supported & UEFI_HAS_SET_VARIABLE)) {
		*ret_error = strdup("rw: the firmware cannot write variables");
		return *ret_error ? -EROFS : -ENOMEM;
	}
	/* The lock on the store comes or goes: nothing remembered without it is trusted with it. */
	atomic_store(&e->is_exclusive, false);
	r = e->services->ops->set_writable(e->services, !is_read_only, ret_error);
	if (r == 0)
		atomic_store_explicit(&e->is_read_only, is_read_only, memory_order_relaxed);
	listing_forget_contents(e);
	listing_refresh(e);
	atomic_store(&e->is_exclusive, e->services->is_exclusive);
	return r;
}

bool efivars_is_realtime_kernel(void)
{
	FILE *file = fopen("/sys/kernel/realtime", "re");
	struct utsname name;
	int value = 0;

	if (file) {
		if (fscanf(file, "%d", &value) != 1)
			value = 0;
		(void)fclose(file); /* was only read */
	}
	return value == 1 || (uname(&name) == 0 && strstr(name.version, "PREEMPT_RT"));
}

int efivars_add_node(struct efivars *e, const struct variable_key *key, const char *shown,
	uint32_t mode, struct node **ret)
{
	struct node *node;
	int r;

	r = nodes_add(&e->nodes, key, shown, &node);
	if (r < 0)
		return r;
	node->mode = S_IFREG | (mode & 07777);
	node->is_immutable = !rules_is_removable(key);
	set_owner(e, node);
	*ret = node;
	return 0;
}

bool efivars_knows(const struct efivars *e, const struct node *node)
{
	return node->state != NODE_STORED || node->id == FS_ROOT || node->is_size_known;
}

void efivars_fill_attr(const struct node *node, struct fs_attr *ret)
{
	bool is_root = node->id == FS_ROOT;

	*ret = (struct fs_attr){
		.ino = node->number,
		.size = node->size,
		.atime = node->atime,
		.mtime = node->mtime,
		.ctime = node->ctime,
		.mode = node->mode,
		.nlink = is_root ? 2 : node->is_listed,
		.uid = node->uid,
		.gid = node->gid,
		.blksize = BLOCK_SIZE,
	};
}

void efivars_fill_entry(struct node *node, struct fs_entry *ret)
{
	node->lookups++;
	*ret = (struct fs_entry){.node = node->id, .generation = 1};
	efivars_fill_attr(node, &ret->attr);
}

void efivars_touch_root(struct efivars *e)
{
	clock_gettime(CLOCK_REALTIME, &e->nodes.root.mtime);
	e->nodes.root.ctime = e->nodes.root.mtime;
}

int efivars_refuse(struct efivars *e, const char *name, const char *what, int r)
{
	if (r == -EPERM)
		notes_refuse(&e->notes, "%s: %s: it is immutable (chattr -i allows it)", name,
			what);
	else if (r == -EROFS)
		notes_refuse(&e->notes, "%s: %s: the mount is read-only", name, what);
	return r;
}

int efivars_check_writable(struct efivars *e)
{
	return atomic_load_explicit(&e->is_read_only, memory_order_relaxed) ? -EROFS : 0;
}
