/* SPDX-License-Identifier: MIT */
/*
 * mounted.h — a file system over scripted services, and its operations as a test says them.
 */
#pragma once

#include "fs/efivars/internal.h"
#include "fs/efivars/test/fake_services.h"
#include "fs/test/fake_request.h"

#define GLOBAL "8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define OTHER "12345678-9abc-def0-1234-56789abcdef0"

extern const struct guid other_guid; /* OTHER */

/* A new file system over the services; ends the program when that fails. */
struct fs *mounted_new(struct fake_services *fake, bool statfs);
void mounted_free(struct fs *fs);

/* Each gives the operation's errno, or 0 and what was answered. */
int do_lookup(struct fs *fs, const char *name, struct fs_entry *ret);
int do_getattr(struct fs *fs, uint64_t node, struct fs_attr *ret);
int do_open(struct fs *fs, uint64_t node, uint32_t flags, uint64_t *ret);
int do_create(struct fs *fs, const char *name, uint32_t flags, uint32_t mode,
	struct fs_entry *ret_entry, uint64_t *ret_handle);
/* Bytes read, or -errno. */
int do_read(struct fs *fs, uint64_t node, uint64_t handle, uint64_t offset, void *data,
	uint32_t size);
/* Bytes written, or -errno. Attributes go in front of the data. */
int do_write(struct fs *fs, uint64_t node, uint64_t handle, uint64_t offset, uint32_t attributes,
	const void *data, size_t size);
int do_release(struct fs *fs, uint64_t node, uint64_t handle);
int do_unlink(struct fs *fs, const char *name);
int do_statfs(struct fs *fs, struct fs_statfs *ret);
int do_set_flags(struct fs *fs, uint64_t node, uint32_t flags);
/* A text's length, or -errno; text has 4096 bytes. */
int do_getxattr(struct fs *fs, const char *name, char *text);
/* The names of the directory from a place on, a request at a time of `batch` entries; "a b c". */
void do_list(struct fs *fs, size_t batch, char *text, size_t size);

/* In one: look-up, open, write or read, close. */
int write_file(struct fs *fs, const char *name, uint32_t attributes, const void *data,
	size_t size);
int read_file(struct fs *fs, const char *name, void *data, uint32_t size);
