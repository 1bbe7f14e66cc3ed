/* SPDX-License-Identifier: MIT */
/* statfs.c — see statfs.h. */
#include "fs/efivars/statfs.h"

#include <errno.h>

#include "base/log.h"
#include "fs/efivars/internal.h"

void statfs_cache_init(struct statfs_cache *cache)
{
	*cache = (struct statfs_cache){
		.limit = RATELIMIT_OF(STATFS_WINDOW_NS, STATFS_BURST),
		.now = clock_now_ns,
	};
	pthread_mutex_init(&cache->lock, NULL);
}

void statfs_cache_fini(struct statfs_cache *cache)
{
	pthread_mutex_destroy(&cache->lock);
}

bool statfs_cache_get(const struct statfs_cache *cache, uint64_t *ret_total,
	uint64_t *ret_remaining)
{
	uint32_t before, after;
	uint64_t total, remaining;

	/*
	 * A number that a later publication wrote (release) brings its odd count with it (acquire),
	 * so the second look at the count differs from the first and the pair is read again.
	 */
	do {
		before = atomic_load_explicit(&cache->sequence, memory_order_acquire);
		total = atomic_load_explicit(&cache->total, memory_order_acquire);
		remaining = atomic_load_explicit(&cache->remaining, memory_order_acquire);
		after = atomic_load_explicit(&cache->sequence, memory_order_relaxed);
	} while (before != after || before % 2 != 0);
	if (before == 0)
		return false;
	*ret_total = total;
	*ret_remaining = remaining;
	return true;
}

void statfs_cache_publish(struct statfs_cache *cache, uint64_t total, uint64_t remaining)
{
	uint32_t sequence = atomic_load_explicit(&cache->sequence, memory_order_relaxed);
	uint32_t done = sequence + 2 != 0 ? sequence + 2 : 2; /* 0 keeps its meaning */

	atomic_store_explicit(&cache->sequence, sequence + 1, memory_order_relaxed);
	atomic_store_explicit(&cache->total, total, memory_order_release);
	atomic_store_explicit(&cache->remaining, remaining, memory_order_release);
	atomic_store_explicit(&cache->sequence, done, memory_order_release);
}

static void reply_numbers(struct fs_request *req, uint64_t total, uint64_t remaining,
	uint64_t reserve)
{
	struct fs_statfs out = {
		.blocks = total,
		.bfree = remaining,
		.bavail = remaining > reserve ? remaining - reserve : 0,
		.bsize = 1,
		.frsize = 1,
		.namelen = FS_NAME_MAX,
	};

	fs_reply_statfs(req, &out);
}

/* Counts a question, and says whether it may be asked now. */
static bool may_ask(struct statfs_cache *cache)
{
	bool is_allowed;

	pthread_mutex_lock(&cache->lock);
	is_allowed = ratelimit_allow(&cache->limit, cache->now());
	pthread_mutex_unlock(&cache->lock);
	return is_allowed;
}

static struct uefi_query ask(struct efivars *e)
{
	struct uefi_query query = {0};
	enum uefi_status status;

	status = e->services->ops->query_info(e->services, UEFI_ATTRIBUTES_DEFAULT, &query);
	if (status != UEFI_SUCCESS) {
		query = (struct uefi_query){0};
		if (status != UEFI_UNSUPPORTED)
			log_limited(LOG_LEVEL_WARN, "statfs: QueryVariableInfo: %s",
				uefi_status_name(status));
	}
	statfs_cache_publish(&e->statfs, query.max_storage, query.remaining);
	return query;
}

/* The very first questions: all but one of those that came together find the numbers there. */
static void run_first(struct task *task)
{
	struct efivars *e = task->e;
	uint64_t total, remaining;
	struct uefi_query query;

	if (!statfs_cache_get(&e->statfs, &total, &remaining)) {
		(void)may_ask(&e->statfs); /* none was asked before; this one counts */
		query = ask(e);
		total = query.max_storage;
		remaining = query.remaining;
	}
	reply_numbers(task_end(task), total, remaining, e->config.reserve);
}

static void run_next(struct task *task)
{
	struct efivars *e = task->e;
	struct uefi_query query = ask(e);

	reply_numbers(task_end(task), query.max_storage, query.remaining, e->config.reserve);
}

int efivars_statfs(struct fs *fs, struct fs_request *req, uint64_t node)
{
	struct efivars *e = efivars_of(fs);
	struct task *task;
	uint64_t total, remaining;

	/* Relaxed: the flag stands for itself; nothing is read on the strength of it. */
	if (!atomic_load_explicit(&e->is_statfs_on, memory_order_relaxed) ||
		!(e->supported & UEFI_HAS_QUERY_INFO)) {
		reply_numbers(req, 0, 0, 0);
		return 0;
	}
	if (!statfs_cache_get(&e->statfs, &total, &remaining)) {
		task = task_new(e, req, run_first);
		return task ? task_submit(task) : -ENOMEM;
	}
	if (!executor_is_busy(e->executor) && may_ask(&e->statfs)) {
		task = task_new(e, req, run_next);
		if (task && executor_submit_if_idle(e->executor, &task->job))
			return 0;
		task_free(task);
	}
	reply_numbers(req, total, remaining, e->config.reserve);
	return 0;
}
