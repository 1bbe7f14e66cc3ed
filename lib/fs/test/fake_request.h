/* SPDX-License-Identifier: MIT */
/*
 * fake_request.h — a stand-in for the session, so that file systems are tested without FUSE.
 *
 * It defines struct fs_request and every function of filesystem.h that a file system calls, and
 * records the answer. A test fills in what the request carries, calls an operation and hands what
 * it returned to fake_finish, which waits for the answer of a request that was kept:
 *
 *	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
 *	is_int(fake_finish(&req, fs->ops->lookup(fs, &req, FS_ROOT, "x")), -ENOENT, "no x");
 *
 * A second answer, an answer after an error was returned, and none within 20 s end the test
 * program.
 */
#pragma once

#include <pthread.h>

#include "fs/filesystem.h"

enum fake_answer {
	FAKE_NONE,
	FAKE_ERROR,
	FAKE_OK,
	FAKE_ENTRY,
	FAKE_CREATE,
	FAKE_ATTR,
	FAKE_OPEN,
	FAKE_WRITTEN,
	FAKE_DATA,
	FAKE_STATFS,
	FAKE_XATTR_SIZE,
	FAKE_LSEEK,
	FAKE_LOCK,
	FAKE_IOCTL,
	FAKE_DIRECTORY,
};

struct fake_dirent {
	char name[FS_NAME_MAX + 1];
	uint64_t ino;
	uint32_t type;
	uint64_t next;
};

struct fs_request {
	/* the question */
	struct fs_caller caller;
	bool has_group; /* of the caller's, for a creation */
	uint32_t group;
	const struct iovec *payload;
	size_t payload_count;
	_Alignas(16) uint8_t memory[FS_MEMORY_MAX];
	size_t dirents_max; /* entries that fit into a readdir answer; 0: all */

	/* the answer; valid after fake_finish */
	enum fake_answer answer;
	int error;
	struct fs_entry entry;
	struct fs_open open;
	struct fs_attr attr;
	uint64_t attr_timeout;
	struct fs_statfs statfs;
	size_t size; /* written, of an xattr, of data */
	uint8_t *data;
	uint64_t offset;
	int result;
	struct fake_dirent *dirents;
	size_t dirent_count;

	/* the stand-in's own */
	pthread_mutex_t lock;
	pthread_cond_t is_awaited;
	bool is_answered;
	bool is_interrupted;
	void (*interrupted)(void *arg);
	void *interrupted_arg;
	bool is_calling; /* `interrupted` runs, on `calling`; others wait with their answer */
	pthread_t calling;
};

#define FAKE_REQUEST                                                                               \
	((struct fs_request){                                                                      \
		.lock = PTHREAD_MUTEX_INITIALIZER,                                                 \
		.is_awaited = PTHREAD_COND_INITIALIZER,                                            \
	})

/* Frees what the answer holds. */
void fake_request_fini(struct fs_request *req);
#define CLEAN_REQUEST __attribute__((cleanup(fake_request_fini)))

/* r is what the operation returned: the answer's errno, 0 for any other answer. Waits for it. */
int fake_finish(struct fs_request *req, int r);

/* True when the answer is there already. */
bool fake_is_answered(struct fs_request *req);

/* The caller got a signal. Before or after the operation kept the request. */
void fake_interrupt(struct fs_request *req);
