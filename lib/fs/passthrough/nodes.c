/* SPDX-License-Identifier: MIT */
/*
 * nodes.c — nodes: found by inode, counted, forgotten; their descriptors.
 *
 * A node lives while the client counts look-ups of it, and while somebody holds it. It is found by
 * its key in the shard that the key hashes to, and by its id in the table.
 *
 * A node whose descriptor was exchanged for a handle does not keep its inode: the host may delete
 * it and use the number again. So a file found with such a node's key is compared by handle, and a
 * node that is another file's leaves the hash; its own users get ESTALE.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/passthrough/internal.h"

#define BUCKETS_FIRST 16u
#define HANDLE_BYTES_MAX 128
#define SEARCH_BUCKETS 64u /* looked at for an unused descriptor, in one go */

struct node_handle {
	struct file_handle *handle; /* within the same memory */
	int mount_fd;               /* borrowed from pt->mounts */
};

union handle_space {
	struct file_handle handle;
	char bytes[sizeof(struct file_handle) + HANDLE_BYTES_MAX];
};

struct node_key node_key_of(const struct statx *stx)
{
	return (struct node_key){
		.ino = stx->stx_ino,
		.device = (uint64_t)stx->stx_dev_major << 32 | stx->stx_dev_minor,
		.mount = stx->stx_mask & STATX_MNT_ID ? stx->stx_mnt_id : 0,
	};
}

static bool key_equal(const struct node_key *a, const struct node_key *b)
{
	return a->ino == b->ino && a->device == b->device && a->mount == b->mount;
}

/* Multiplication by a large odd number spreads neighbouring inodes over the upper bits. */
static uint64_t key_hash(const struct node_key *key)
{
	uint64_t h = key->ino * 0x9e3779b97f4a7c15ull;

	h ^= (key->device + (key->mount << 20)) * 0xc2b2ae3d27d4eb4full;
	return (h ^ h >> 32) * 0x9e3779b97f4a7c15ull;
}

static struct shard *shard_of(struct passthrough *pt, uint64_t hash)
{
	return &pt->shards[hash >> 58 & (SHARDS - 1)];
}

static struct node **bucket_of(struct shard *shard, uint64_t hash)
{
	return &shard->buckets[hash >> 20 & (shard->bucket_count - 1)];
}

/* ---- descriptors ---- */

#define DESCRIPTOR(fd) ((uint64_t)((uint32_t)(fd) + 1) << 32)

/* Opens a node by its handle. Returns a descriptor or -errno. */
static int handle_open(struct passthrough *pt, struct node *node)
{
	struct node_handle *handle = atomic_load_explicit(&node->handle, memory_order_acquire);
	int fd;

	if (!handle)
		return -ESTALE;
	fd = open_by_handle_at(handle->mount_fd, handle->handle,
		O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	atomic_fetch_add_explicit(&pt->descriptors, 1, memory_order_relaxed);
	return fd;
}

static void descriptor_close(struct passthrough *pt, int fd)
{
	(void)close(fd); /* an O_PATH descriptor */
	atomic_fetch_sub_explicit(&pt->descriptors, 1, memory_order_relaxed);
}

/* The node's descriptor, which stays until descriptor_release. */
static int descriptor_use(struct passthrough *pt, struct node *node)
{
	uint64_t now = atomic_load_explicit(&node->descriptor, memory_order_relaxed);
	int opened;

	for (;;) {
		while (now >> 32 != 0) {
			if (atomic_compare_exchange_weak_explicit(&node->descriptor, &now, now + 1,
				    memory_order_acquire, memory_order_relaxed))
				return (int)(now >> 32) - 1;
		}
		opened = handle_open(pt, node);
		if (opened < 0)
			return opened;
		if (atomic_compare_exchange_strong_explicit(&node->descriptor, &now,
			    DESCRIPTOR(opened) + 1, memory_order_acq_rel, memory_order_relaxed))
			return opened;
		descriptor_close(pt, opened); /* another thread was faster */
	}
}

static void descriptor_release(struct node *node)
{
	if (!atomic_load_explicit(&node->is_used, memory_order_relaxed))
		atomic_store_explicit(&node->is_used, true, memory_order_relaxed);
	atomic_fetch_sub_explicit(&node->descriptor, 1, memory_order_release);
}

/* ---- handles ---- */

/* Opens a directory of the node's mount for mounts. Called with the lock. -1: not this time. */
static int mount_fd_new(struct passthrough *pt, const struct node *node, int fd)
{
	CLEAN_FD int opened = -1;
	struct mount_fd *m;

	if (node->key.mount == pt->root.key.mount)
		fd = (int)(atomic_load(&pt->root.descriptor) >> 32) - 1;
	else if (node->type != S_IFDIR)
		return -1;
	opened = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	m = opened >= 0 ? malloc(sizeof(*m)) : NULL;
	if (!m)
		return -1;
	*m = (struct mount_fd){node->key.mount, TAKE_FD(opened), pt->mounts};
	pt->mounts = m;
	return m->fd;
}

/* A real descriptor on the node's mount, for opening its handles; lives as long as pt. */
static int mount_fd_of(struct passthrough *pt, const struct node *node, int fd)
{
	struct mount_fd *m;
	int found;

	pthread_mutex_lock(&pt->mounts_lock);
	for (m = pt->mounts; m && m->mount != node->key.mount; m = m->next)
		;
	found = m ? m->fd : mount_fd_new(pt, node, fd);
	pthread_mutex_unlock(&pt->mounts_lock);
	return found;
}

static bool handle_read(int fd, union handle_space *space)
{
	int mount;

	space->handle.handle_bytes = HANDLE_BYTES_MAX;
	return name_to_handle_at(fd, "", &space->handle, &mount, AT_EMPTY_PATH) == 0;
}

/* Gives a node a handle, so that its descriptor can be closed. False: it has to keep it. */
static bool handle_make(struct passthrough *pt, struct node *node, int fd)
{
	union handle_space space;
	struct node_handle *handle;
	size_t size;
	int mount_fd, test;

	if (atomic_load_explicit(&node->handle, memory_order_relaxed))
		return true;
	mount_fd = mount_fd_of(pt, node, fd);
	if (mount_fd < 0 || !handle_read(fd, &space))
		return false;
	test = open_by_handle_at(mount_fd, &space.handle, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (test < 0) {
		if (errno == EPERM)
			atomic_store(&pt->can_reopen, false);
		return false;
	}
	(void)close(test); /* an O_PATH descriptor */
	size = sizeof(space.handle) + space.handle.handle_bytes;
	handle = malloc(sizeof(*handle) + size);
	if (!handle)
		return false;
	handle->handle = (struct file_handle *)(handle + 1);
	handle->mount_fd = mount_fd;
	memcpy(handle->handle, &space, size);
	atomic_store_explicit(&node->handle, handle, memory_order_release);
	return true;
}

/* True when the file behind fd is the one that a node without descriptor stands for. */
static bool handle_matches(const struct node *node, int fd)
{
	struct node_handle *handle = atomic_load_explicit(&node->handle, memory_order_acquire);
	union handle_space space;

	return handle && handle_read(fd, &space) &&
		space.handle.handle_type == handle->handle->handle_type &&
		space.handle.handle_bytes == handle->handle->handle_bytes &&
		memcmp(space.handle.f_handle, handle->handle->f_handle,
			space.handle.handle_bytes) == 0;
}

/* ---- making room ---- */

/* An inode without a name goes with its last descriptor. */
static bool is_deleted(int fd)
{
	struct statx stx = {0};

	return statx(fd, "", AT_EMPTY_PATH, STATX_NLINK, &stx) == 0 && stx.stx_nlink == 0;
}

/* Exchanges an idle node's descriptor for a handle. Called with the shard's lock. */
static bool node_shrink(struct passthrough *pt, struct node *node)
{
	uint64_t now = atomic_load_explicit(&node->descriptor, memory_order_relaxed);
	int fd = (int)(now >> 32) - 1;

	if (fd < 0 || (uint32_t)now > 0)
		return false;
	if (atomic_exchange_explicit(&node->is_used, false, memory_order_relaxed))
		return false;
	if (is_deleted(fd) || !handle_make(pt, node, fd))
		return false;
	if (!atomic_compare_exchange_strong_explicit(&node->descriptor, &now, 0,
		    memory_order_acq_rel, memory_order_relaxed))
		return false;
	descriptor_close(pt, fd);
	return true;
}

/* Looks for one idle descriptor in a shard. */
static bool shard_shrink(struct passthrough *pt, struct shard *shard)
{
	bool is_shrunk = false;

	pthread_mutex_lock(&shard->lock);
	for (unsigned i = 0; i < SEARCH_BUCKETS && i < shard->bucket_count && !is_shrunk; i++) {
		struct node *node = shard->buckets[shard->hand++ & (shard->bucket_count - 1)];

		for (; node; node = node->next)
			is_shrunk |= node_shrink(pt, node);
	}
	pthread_mutex_unlock(&shard->lock);
	return is_shrunk;
}

/* Closes descriptors while there are more than there should be; gives up after a round. */
static void nodes_shrink(struct passthrough *pt)
{
	for (unsigned i = 0; i < SHARDS * 2; i++) {
		if (atomic_load_explicit(&pt->descriptors, memory_order_relaxed) <
				pt->descriptors_max ||
			!atomic_load_explicit(&pt->can_reopen, memory_order_relaxed))
			return;
		(void)shard_shrink(pt, &pt->shards[atomic_fetch_add(&pt->hand, 1) & (SHARDS - 1)]);
	}
}

/* ---- a node's life ---- */

static void node_free(struct passthrough *pt, struct node *node)
{
	uint64_t descriptor = atomic_load_explicit(&node->descriptor, memory_order_acquire);

	if (descriptor >> 32 != 0)
		descriptor_close(pt, (int)(descriptor >> 32) - 1);
	free(atomic_load_explicit(&node->handle, memory_order_relaxed));
	free(node);
}

struct node *node_get(struct passthrough *pt, uint64_t id)
{
	return id == FS_ROOT ? &pt->root : table_get(&pt->nodes, id);
}

void node_put(struct passthrough *pt, struct node *node)
{
	if (node != &pt->root && table_put(&pt->nodes, node->id))
		node_free(pt, node);
}

int node_hold(struct passthrough *pt, uint64_t id, struct held *ret)
{
	struct node *node = node_get(pt, id);
	int fd;

	if (!node)
		return -ESTALE;
	fd = descriptor_use(pt, node);
	if (fd < 0) {
		node_put(pt, node);
		return fd;
	}
	*ret = (struct held){pt, node, fd};
	return 0;
}

void held_release(struct held *held)
{
	if (!held->node)
		return;
	descriptor_release(held->node);
	node_put(held->pt, held->node);
	held->node = NULL;
}

/* Twice as many buckets; with no memory for them the lists just grow. Called with the lock. */
static void shard_grow(struct shard *shard)
{
	struct node **old = shard->buckets;
	uint32_t old_count = shard->bucket_count;
	struct node **buckets = calloc((size_t)old_count * 2, sizeof(struct node *));

	if (!buckets)
		return;
	shard->buckets = buckets;
	shard->bucket_count = old_count * 2;
	for (uint32_t i = 0; i < old_count; i++) {
		for (struct node *node = old[i], *next; node; node = next) {
			struct node **bucket = bucket_of(shard, key_hash(&node->key));

			next = node->next;
			node->next = *bucket;
			*bucket = node;
		}
	}
	free(old);
}

static void shard_unlink(struct shard *shard, struct node *node)
{
	struct node **link = bucket_of(shard, key_hash(&node->key));

	while (*link && *link != node)
		link = &(*link)->next;
	if (!*link)
		return; /* another file has its key now */
	*link = node->next;
	shard->count--;
}

/* The node of this key if it is known and still this file. Called with the lock. */
static struct node *shard_find(struct shard *shard, const struct node_key *key, uint64_t hash,
	int fd)
{
	struct node *node = *bucket_of(shard, hash);

	while (node && !key_equal(&node->key, key))
		node = node->next;
	if (node && atomic_load_explicit(&node->descriptor, memory_order_relaxed) == 0 &&
		!handle_matches(node, fd)) {
		shard_unlink(shard, node);
		return NULL;
	}
	return node;
}

static int node_new(struct passthrough *pt, const struct node_key *key, const struct statx *stx,
	int fd, struct node **ret)
{
	struct node *node = calloc(1, sizeof(*node));
	int r;

	if (!node)
		return -ENOMEM;
	node->key = *key;
	node->type = stx->stx_mode & S_IFMT;
	node->lookups = 1;
	atomic_init(&node->descriptor, DESCRIPTOR(fd));
	r = table_add(&pt->nodes, node, &node->id);
	if (r < 0) {
		free(node);
		return r;
	}
	*ret = node;
	return 0;
}

/* Finds or makes the node of an open file, with the lock. *ret_is_new: the descriptor was taken. */
static int shard_adopt(struct passthrough *pt, struct shard *shard, uint64_t hash, int fd,
	const struct statx *stx, struct node **ret, bool *ret_is_new)
{
	struct node_key key = node_key_of(stx);
	struct node *node = shard_find(shard, &key, hash, fd);
	int r;

	*ret_is_new = !node;
	if (node) {
		node->lookups++;
	} else {
		r = node_new(pt, &key, stx, fd, &node);
		if (r < 0)
			return r;
		if (shard->count >= shard->bucket_count)
			shard_grow(shard);
		node->next = *bucket_of(shard, hash);
		*bucket_of(shard, hash) = node;
		shard->count++;
	}
	*ret = node;
	return 0;
}

int node_adopt(struct passthrough *pt, int take_descriptor, uint64_t *ret_id, struct statx *ret_stx)
{
	CLEAN_FD int fd = take_descriptor;
	struct node_key key;
	struct shard *shard;
	struct node *node;
	bool is_new = false;
	uint64_t hash;
	int r;

	r = stat_descriptor(fd, ret_stx);
	if (r < 0)
		return r;
	key = node_key_of(ret_stx);
	nodes_shrink(pt);
	hash = key_hash(&key);
	shard = shard_of(pt, hash);
	pthread_mutex_lock(&shard->lock);
	r = shard_adopt(pt, shard, hash, fd, ret_stx, &node, &is_new);
	if (r == 0) {
		node_see(node, ret_stx);
		*ret_id = node->id;
	}
	pthread_mutex_unlock(&shard->lock);
	if (r == 0 && is_new) {
		atomic_fetch_add_explicit(&pt->descriptors, 1, memory_order_relaxed);
		(void)TAKE_FD(fd);
	}
	return r;
}

void node_forget(struct passthrough *pt, uint64_t id, uint64_t count)
{
	struct node *node = id == FS_ROOT ? NULL : node_get(pt, id);
	struct shard *shard;
	bool is_over;

	if (!node)
		return;
	shard = shard_of(pt, key_hash(&node->key));
	pthread_mutex_lock(&shard->lock);
	node->lookups -= count < node->lookups ? count : node->lookups;
	is_over = node->lookups == 0 && table_end(&pt->nodes, id);
	if (is_over)
		shard_unlink(shard, node);
	pthread_mutex_unlock(&shard->lock);
	if (is_over)
		node_put(pt, node); /* the first reference; ours keeps it until the next line */
	node_put(pt, node);
}

int node_open(const struct held *held, int flags)
{
	int fd;

	switch (held->node->type) {
	case S_IFDIR:
		/* without /proc, and never through a link */
		fd = openat(held->fd, ".", flags | O_CLOEXEC);
		break;
	case S_IFREG:
		fd = open(proc_path(held->fd).text, flags | O_CLOEXEC | O_NOCTTY);
		break;
	case S_IFLNK:
		return -ELOOP;
	default:
		return -ENXIO;
	}
	return fd < 0 ? -errno : fd;
}

int inodes_init(struct passthrough *pt)
{
	table_init(&pt->nodes);
	pthread_mutex_init(&pt->mounts_lock, NULL); /* normal ones: cannot fail */
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *shard = &pt->shards[i];

		pthread_mutex_init(&shard->lock, NULL);
		shard->bucket_count = BUCKETS_FIRST;
		shard->buckets = calloc(BUCKETS_FIRST, sizeof(struct node *));
		if (!shard->buckets)
			return -ENOMEM;
	}
	return 0;
}

void inodes_fini(struct passthrough *pt)
{
	uint64_t id;

	for (uint32_t i = 0; table_walk(&pt->nodes, i, &id); i++) {
		struct node *last = NULL;

		if (id != 0) {
			node_forget(pt, id, UINT64_MAX);
			last = table_put(&pt->nodes, id); /* table_walk's */
		}
		if (last)
			node_free(pt, last);
	}
	for (unsigned i = 0; i < SHARDS; i++) {
		pthread_mutex_destroy(&pt->shards[i].lock);
		free(pt->shards[i].buckets);
	}
	for (struct mount_fd *m = pt->mounts, *next; m; m = next) {
		next = m->next;
		(void)close(m->fd); /* a directory that nobody wrote to */
		free(m);
	}
	pthread_mutex_destroy(&pt->mounts_lock);
	table_fini(&pt->nodes);
}
