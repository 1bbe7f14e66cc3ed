/* SPDX-License-Identifier: MIT */
/*
 * statfs.h — the numbers that statfs answers with, and how often they may be asked for.
 *
 * QueryVariableInfo may take as long as firmware likes. So: under nostatfs no one asks; else at
 * most 5 questions in any 2 s, and none while the firmware thread has something to do: then the
 * last numbers are the answer, at once. Only while there are none yet does anyone wait.
 *
 * The pair of numbers is published by the firmware thread under a sequence count (odd while it
 * writes) and read by any thread without a lock, so that total and free always belong together.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/ratelimit.h"
#include "fs/filesystem.h"

#define STATFS_WINDOW_NS (2 * 1000000000ull)
#define STATFS_BURST 5

struct statfs_cache {
	_Atomic uint32_t sequence; /* 0: nothing published yet */
	_Atomic uint64_t total, remaining;
	pthread_mutex_t lock; /* of limit */
	struct ratelimit limit;
	uint64_t (*now)(void); /* CLOCK_MONOTONIC in nanoseconds; tests put theirs */
};

void statfs_cache_init(struct statfs_cache *cache);
void statfs_cache_fini(struct statfs_cache *cache);

/* False when nothing was published yet. Any thread. */
bool statfs_cache_get(const struct statfs_cache *cache, uint64_t *ret_total,
	uint64_t *ret_remaining) MUST_CHECK;

/* One thread at a time. */
void statfs_cache_publish(struct statfs_cache *cache, uint64_t total, uint64_t remaining);

/* filesystem.h */
int efivars_statfs(struct fs *fs, struct fs_request *req, uint64_t node);
