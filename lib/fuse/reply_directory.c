/* SPDX-License-Identifier: MIT */
/*
 * reply_directory.c — the answer of readdir: entries one by one in the peer's place, until it is
 * full.
 *
 * An entry is a fixed part, its name, and zeros up to a multiple of 8. READDIRPLUS puts the node's
 * attributes before each.
 */
#include <assert.h>
#include <string.h>

#include "fuse/internal.h"

static bool entry_put(struct fs_request *req, const struct fuse_entry_out *node, const char *name,
	uint64_t ino, uint32_t type, uint64_t next)
{
	static const uint8_t zeros[8];
	size_t length = strlen(name);
	size_t fixed = FUSE_NAME_OFFSET + (node ? sizeof(*node) : 0);
	size_t size = FUSE_REC_ALIGN(fixed + length);
	size_t at = req->reply_used;
	struct fuse_dirent entry = {
		.ino = ino,
		.off = next,
		.namelen = (uint32_t)length,
		.type = type,
	};

	if (size > req->reply_max - at)
		return false;
	if (node) {
		reply_put(req, at, node, sizeof(*node));
		at += sizeof(*node);
	}
	reply_put(req, at, &entry, FUSE_NAME_OFFSET);
	reply_put(req, at + FUSE_NAME_OFFSET, name, length);
	reply_put(req, req->reply_used + fixed + length, zeros, size - fixed - length);
	req->reply_used += size;
	return true;
}

bool fs_reply_dirent(struct fs_request *req, const char *name, uint64_t ino, uint32_t type,
	uint64_t next)
{
	struct fuse_entry_out none = {0}; /* node 0: the kernel looks it up itself */

	return entry_put(req, req->opcode == FUSE_READDIRPLUS ? &none : NULL, name, ino, type,
		next);
}

bool fs_reply_direntplus(struct fs_request *req, const char *name, const struct fs_entry *entry,
	uint64_t next)
{
	struct fuse_entry_out node;

	assert(req->opcode == FUSE_READDIRPLUS); /* the operation was told is_plus */
	entry_encode(entry, &node);
	/* a DT_* is the type bits of the mode, moved down */
	return entry_put(req, &node, name, entry->attr.ino, entry->attr.mode >> 12 & 017, next);
}

void fs_reply_dir_end(struct fs_request *req)
{
	reply_finish(req, req->reply_used);
}
