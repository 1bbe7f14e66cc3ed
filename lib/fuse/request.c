/* SPDX-License-Identifier: MIT */
/*
 * request.c — a request's life: what an operation may ask about it, how it is kept and interrupted.
 *
 * Only a kept request is entered into the table, so a request that is answered by its operation
 * takes no lock.
 *
 * An INTERRUPT may be read by another thread before the operation has kept its request. It is
 * remembered then, for EARLY_INTERRUPT_NS at the most, and found by fs_request_on_interrupt. The
 * protocol's other way, to answer EAGAIN so that the kernel sends it again, is for when there is no
 * room: with an operation that is merely slow it would go to and fro without a pause, and the
 * kernel takes EAGAIN only from the descriptor that the request was read from.
 *
 * While `interrupted` runs, an entry of table.calls stands for it: an answer from another thread
 * waits until it is gone. An answer from within the call clears the entry, because the request's
 * memory may be used again before the call returns.
 *
 * Specification: Linux Documentation/filesystems/fuse.rst, "Interrupting filesystem operations".
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/ratelimit.h"
#include "fuse/internal.h"

struct fs_caller fs_request_caller(const struct fs_request *req)
{
	return req->caller;
}

bool fs_request_group(const struct fs_request *req, uint32_t *ret_gid)
{
	if (!req->has_group)
		return false;
	*ret_gid = req->group;
	return true;
}

struct iov_reader fs_request_payload(const struct fs_request *req)
{
	return req->in;
}

static_assert(FS_MEMORY_MAX <= FUSE_SCRATCH_SIZE, "a request's memory lies in its scratch");

void *fs_request_memory(struct fs_request *req, size_t size)
{
	assert(size <= FS_MEMORY_MAX);
	return req->scratch;
}

int fs_request_io(struct fs_request *req, struct fs_io *io)
{
	if (!req->channel->ops->io)
		return -EOPNOTSUPP;
	io->req = req;
	return req->channel->ops->io(req->channel, req, io);
}

void kept_table_init(struct kept_table *table)
{
	pthread_mutex_init(&table->lock, NULL); /* normal ones: cannot fail */
	pthread_cond_init(&table->call_ended, NULL);
}

void kept_table_fini(struct kept_table *table)
{
	pthread_cond_destroy(&table->call_ended);
	pthread_mutex_destroy(&table->lock);
}

void kept_table_reset(struct kept_table *table)
{
	pthread_mutex_lock(&table->lock);
	memset(table->early, 0, sizeof(table->early));
	table->is_shutdown = false;
	pthread_mutex_unlock(&table->lock);
}

/* The kernel's numbers are even; the lowest bit marks an INTERRUPT's own. */
static struct fs_request **bucket_of(struct kept_table *table, uint64_t unique)
{
	return &table->buckets[(unique >> 1) % KEPT_BUCKETS];
}

static void kept_insert(struct kept_table *table, struct fs_request *req)
{
	struct fs_request **head = bucket_of(table, req->unique);

	req->kept_next = *head;
	req->kept_previous = head;
	if (*head)
		(*head)->kept_previous = &req->kept_next;
	*head = req;
	req->is_kept = true;
}

static void kept_remove(struct fs_request *req)
{
	*req->kept_previous = req->kept_next;
	if (req->kept_next)
		req->kept_next->kept_previous = req->kept_previous;
	req->is_kept = false;
}

/* True when an interrupt of `unique` was remembered; it is forgotten now. */
static bool early_take(struct kept_table *table, uint64_t unique)
{
	for (size_t i = 0; i < EARLY_INTERRUPTS; i++) {
		if (table->early[i].unique == unique && unique != 0) {
			table->early[i].unique = 0;
			return true;
		}
	}
	return false;
}

/* False when all places are taken by interrupts that are younger than the limit. */
static bool early_remember(struct kept_table *table, uint64_t unique)
{
	uint64_t now_ns = clock_now_ns();

	for (size_t i = 0; i < EARLY_INTERRUPTS; i++) {
		struct early_interrupt *e = &table->early[i];

		if (e->unique == 0 || now_ns - e->time_ns > EARLY_INTERRUPT_NS) {
			*e = (struct early_interrupt){unique, now_ns};
			return true;
		}
	}
	return false;
}

bool fs_request_on_interrupt(struct fs_request *req, void (*interrupted)(void *arg), void *arg)
{
	struct kept_table *table = &req->session->kept;
	bool is_interrupted;

	pthread_mutex_lock(&table->lock);
	is_interrupted = table->is_shutdown || early_take(table, req->unique);
	if (!is_interrupted) {
		req->interrupted = interrupted;
		req->interrupted_arg = arg;
		kept_insert(table, req);
	}
	pthread_mutex_unlock(&table->lock);
	/* the request may be gone by now; an interrupted one is not in the table */
	return is_interrupted;
}

/* Calls interrupted of a request in the table. Enters and leaves with the lock held. */
static void interrupt_locked(struct kept_table *table, struct fs_request *req)
{
	struct interrupt_call call = {req, pthread_self(), table->calls};
	void (*interrupted)(void *arg) = req->interrupted;
	void *arg = req->interrupted_arg;
	struct interrupt_call **link = &table->calls;

	req->is_interrupted = true;
	table->calls = &call;
	pthread_mutex_unlock(&table->lock);
	interrupted(arg);
	pthread_mutex_lock(&table->lock);
	while (*link != &call)
		link = &(*link)->next;
	*link = call.next;
	pthread_cond_broadcast(&table->call_ended);
}

bool request_interrupt(struct fuse_session *session, uint64_t unique)
{
	struct kept_table *table = &session->kept;
	struct fs_request *req;
	bool is_known = true;

	pthread_mutex_lock(&table->lock);
	for (req = *bucket_of(table, unique); req && req->unique != unique; req = req->kept_next)
		;
	if (!req)
		is_known = early_remember(table, unique);
	else if (!req->is_interrupted)
		interrupt_locked(table, req);
	pthread_mutex_unlock(&table->lock);
	return is_known;
}

/* A kept request that was not interrupted yet, or NULL. */
static struct fs_request *kept_next_calm(struct kept_table *table)
{
	for (size_t i = 0; i < KEPT_BUCKETS; i++) {
		for (struct fs_request *req = table->buckets[i]; req; req = req->kept_next) {
			if (!req->is_interrupted)
				return req;
		}
	}
	return NULL;
}

void fuse_session_interrupt_all(struct fuse_session *session)
{
	struct kept_table *table = &session->kept;
	struct fs_request *req;

	pthread_mutex_lock(&table->lock);
	table->is_shutdown = true;
	while ((req = kept_next_calm(table)))
		interrupt_locked(table, req);
	pthread_mutex_unlock(&table->lock);
}

/* A call of `req` that another thread is in; one of our own is told that the request is gone. */
static bool is_called_elsewhere(struct kept_table *table, const struct fs_request *req)
{
	for (struct interrupt_call *call = table->calls; call; call = call->next) {
		if (call->req != req)
			continue;
		if (!pthread_equal(call->thread, pthread_self()))
			return true;
		call->req = NULL;
	}
	return false;
}

static void request_unkeep(struct fs_request *req)
{
	struct kept_table *table = &req->session->kept;

	pthread_mutex_lock(&table->lock);
	kept_remove(req);
	while (is_called_elsewhere(table, req))
		pthread_cond_wait(&table->call_ended, &table->lock);
	pthread_mutex_unlock(&table->lock);
}

void request_finish(struct fs_request *req, size_t length)
{
	if (req->is_kept)
		request_unkeep(req);
	/* from complete on the request, and with the last one the session, may be gone */
	atomic_fetch_sub_explicit(&req->session->pending, 1, memory_order_relaxed);
	req->channel->ops->complete(req->channel, req, length);
}
