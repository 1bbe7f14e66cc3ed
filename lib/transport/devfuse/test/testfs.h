/* SPDX-License-Identifier: MIT */
/*
 * testfs.h — a small file system for tests of a transport: a root with three files.
 *
 * "file" has bytes that are read and written; its attributes may be cached for ever. A read of
 * "wait" is kept until it is interrupted or testfs_release() answers it. With backing_fd set,
 * "file" is opened with that file behind it, where passthrough was agreed. What is asked of "slow"
 * is asked of slow_fd through fs_request_io; what the transport does not take is answered with its
 * error.
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "fs/filesystem.h"

#define TESTFS_SIZE ((size_t)4 << 20)
#define TESTFS_KEPT_MAX 64u
#define TESTFS_FILE 2u
#define TESTFS_WAIT 3u
#define TESTFS_SLOW 4u

struct testfs_kept {
	struct testfs *testfs;
	struct fs_request *req; /* NULL: free */
};

struct testfs {
	struct fs fs; /* first */
	pthread_mutex_t lock;
	struct testfs_kept kept[TESTFS_KEPT_MAX]; /* under lock */
	sem_t kept_event;                         /* raised for each request that is kept */
	atomic_uint interrupted;
	_Atomic uint64_t size; /* of "file", as stat shows it */
	atomic_uint getattrs;
	atomic_bool is_misaligned; /* a write's bytes did not begin on a page */
	int backing_fd;            /* borrowed; -1: none */
	atomic_uint backing;       /* of the last open */
	atomic_uint data_requests; /* reads and writes of "file" that reached us */
	int slow_fd;               /* borrowed */
	atomic_uint slow_started;
	atomic_uint slow_done;
	sem_t slow_event;          /* raised for each that is started or refused */
	uint8_t data[TESTFS_SIZE];
};

/* Aborts the test when there is no memory. */
struct testfs *testfs_new(void);

/* Answers what is kept, with the byte 'w'. */
void testfs_release(struct testfs *testfs);
