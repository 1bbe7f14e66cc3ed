/* SPDX-License-Identifier: MIT */
/*
 * directory.c — open directories.
 *
 * Entries are read from the host in blocks and given to the client from there. What does not fit
 * into one answer begins the next; an offset that is not where we stopped (a seek, or a listing
 * from the start) is looked up by the host.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/passthrough/internal.h"

int op_opendir(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t flags)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held held = {0};
	struct listing *listing;
	struct fs_open opened;
	int r;

	r = node_hold(pt, node, &held);
	if (r < 0)
		return r;
	if (held.node->type != S_IFDIR)
		return -ENOTDIR;
	r = node_open(&held, O_RDONLY | O_DIRECTORY);
	if (r < 0)
		return r;
	listing = malloc(sizeof(*listing));
	if (!listing) {
		(void)close(r); /* nothing was done with it */
		return -ENOMEM;
	}
	pthread_mutex_init(&listing->lock, NULL); /* a normal mutex: cannot fail */
	listing->next = 0;
	listing->begin = listing->end = 0;
	r = file_new(pt, held.node, r, O_RDONLY, listing, &opened);
	if (r < 0)
		return r;
	if (pt->config.options.cache == PASSTHROUGH_CACHE_ALWAYS ||
		pt->config.options.cache == PASSTHROUGH_CACHE_METADATA)
		opened.flags = FS_OPEN_CACHE_DIR | FS_OPEN_KEEP_CACHE;
	fs_reply_open(req, &opened);
	return 0;
}

/* Goes to an offset, if we are not there, or at the start, where what is new must be seen. */
static int listing_seek(struct file *file, uint64_t offset)
{
	struct listing *listing = file->listing;

	if (offset == listing->next && offset != 0)
		return 0;
	if (lseek(file->fd, (off_t)offset, SEEK_SET) < 0)
		return -errno;
	listing->next = offset;
	listing->begin = listing->end = 0;
	return 0;
}

/* The next entry, not yet taken. 1, 0 at the end, -errno. */
static int listing_peek(struct file *file, const struct dirent64 **ret)
{
	struct listing *listing = file->listing;
	ssize_t n;

	if (listing->begin == listing->end) {
		n = getdents64(file->fd, listing->data, sizeof(listing->data));
		if (n <= 0)
			return n < 0 ? -errno : 0;
		listing->begin = 0;
		listing->end = (size_t)n;
	}
	*ret = (const struct dirent64 *)(const void *)(listing->data + listing->begin);
	return 1;
}

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool reply_plus(struct passthrough *pt, struct fs_request *req, struct file *file,
	const struct dirent64 *d)
{
	const struct held parent = {pt, file->node, file->fd};
	struct fs_entry entry;

	/* One that is gone, or that no descriptor is left for, is listed without its node. */
	if (is_dot(d->d_name) || entry_lookup(&parent, d->d_name, &entry) < 0)
		return fs_reply_dirent(req, d->d_name, d->d_ino, d->d_type, (uint64_t)d->d_off);
	if (fs_reply_direntplus(req, d->d_name, &entry, (uint64_t)d->d_off))
		return true;
	node_forget(pt, entry.node, 1);
	return false;
}

/* Entries from offset on, until the answer is full. 0 or -errno when there is not even one. */
static int listing_reply(struct passthrough *pt, struct fs_request *req, struct file *file,
	uint64_t offset, bool is_plus)
{
	struct listing *listing = file->listing;
	const struct dirent64 *d = NULL;
	bool is_empty = true;
	int r;

	r = listing_seek(file, offset);
	while (r == 0 && (r = listing_peek(file, &d)) > 0) {
		bool fits = is_plus ? reply_plus(pt, req, file, d) :
			fs_reply_dirent(req, d->d_name, d->d_ino, d->d_type, (uint64_t)d->d_off);

		if (!fits)
			return 0;
		is_empty = false;
		listing->begin += d->d_reclen;
		listing->next = (uint64_t)d->d_off;
		r = 0;
	}
	return r < 0 && is_empty ? r : 0;
}

int op_readdir(struct fs *fs, struct fs_request *req, uint64_t node, uint64_t handle,
	uint64_t offset, bool is_plus)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_FILE struct held_file held = {0};
	struct listing *listing;
	int r;

	r = file_hold(pt, handle, &held);
	if (r < 0)
		return r;
	listing = held.file->listing;
	if (!listing)
		return -ENOTDIR;
	pthread_mutex_lock(&listing->lock);
	r = listing_reply(pt, req, held.file, offset, is_plus);
	pthread_mutex_unlock(&listing->lock);
	if (r < 0)
		return r;
	fs_reply_dir_end(req);
	return 0;
}
