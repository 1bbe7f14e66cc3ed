/* SPDX-License-Identifier: MIT */
/* executor.c — see executor.h. */
#include "fs/efivars/executor.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct executor {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t is_awaited;
	struct job *first, *last;
	unsigned count;       /* queued */
	bool is_ending;
	_Atomic unsigned pending; /* queued and running; written under the lock, read without */
};

static void executor_unlink(struct executor *executor, struct job *job)
{
	if (job->previous)
		job->previous->next = job->next;
	else
		executor->first = job->next;
	if (job->next)
		job->next->previous = job->previous;
	else
		executor->last = job->previous;
	job->next = job->previous = NULL;
	executor->count--;
}

static void executor_append(struct executor *executor, struct job *job)
{
	job->state = JOB_QUEUED;
	job->next = NULL;
	job->previous = executor->last;
	if (executor->last)
		executor->last->next = job;
	else
		executor->first = job;
	executor->last = job;
	executor->count++;
	atomic_fetch_add_explicit(&executor->pending, 1, memory_order_relaxed);
	pthread_cond_signal(&executor->is_awaited);
}

static void executor_finish_one(struct executor *executor)
{
	atomic_fetch_sub_explicit(&executor->pending, 1, memory_order_relaxed);
}

/* From a transport's thread. */
static void job_interrupted(void *arg)
{
	struct job *job = arg;
	struct executor *executor = job->executor;
	bool is_dropped = false;

	pthread_mutex_lock(&executor->lock);
	if (job->state == JOB_QUEUED) {
		executor_unlink(executor, job);
		executor_finish_one(executor);
		is_dropped = true;
	}
	if (job->state != JOB_RUNNING)
		job->state = JOB_INTERRUPTED;
	pthread_mutex_unlock(&executor->lock);
	if (!is_dropped)
		return;
	fs_reply_error(job->req, -EINTR);
	job->free(job);
}

static void *executor_main(void *arg)
{
	struct executor *executor = arg;
	struct job *job;

	pthread_mutex_lock(&executor->lock);
	for (;;) {
		while (!executor->first && !executor->is_ending)
			pthread_cond_wait(&executor->is_awaited, &executor->lock);
		job = executor->first;
		if (!job)
			break;
		executor_unlink(executor, job);
		job->state = JOB_RUNNING;
		pthread_mutex_unlock(&executor->lock);
		job->run(job);
		executor_job_over(job);
		job->free(job);
		pthread_mutex_lock(&executor->lock);
	}
	pthread_mutex_unlock(&executor->lock);
	return NULL;
}

/* Signals are the program's: its other threads take them. */
static int executor_start(struct executor *executor)
{
	sigset_t all, old;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&executor->thread, NULL, executor_main, executor);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r == 0)
		(void)pthread_setname_np(executor->thread, "tacit-firmware"); /* for top(1) */
	return -r;
}

int executor_new(struct executor **ret)
{
	struct executor *executor = calloc(1, sizeof(*executor));
	int r;

	if (!executor)
		return -ENOMEM;
	pthread_mutex_init(&executor->lock, NULL);
	pthread_cond_init(&executor->is_awaited, NULL);
	r = executor_start(executor);
	if (r < 0) {
		pthread_cond_destroy(&executor->is_awaited);
		pthread_mutex_destroy(&executor->lock);
		free(executor);
		return r;
	}
	*ret = executor;
	return 0;
}

struct executor *executor_free(struct executor *executor)
{
	if (!executor)
		return NULL;
	pthread_mutex_lock(&executor->lock);
	executor->is_ending = true;
	pthread_cond_signal(&executor->is_awaited);
	pthread_mutex_unlock(&executor->lock);
	pthread_join(executor->thread, NULL);
	pthread_cond_destroy(&executor->is_awaited);
	pthread_mutex_destroy(&executor->lock);
	free(executor);
	return NULL;
}

/* Answers for a job that never was queued. */
static void job_refuse(struct job *job, int error)
{
	fs_reply_error(job->req, error);
	job->free(job);
}

void executor_submit(struct executor *executor, struct job *job)
{
	int r = 0;

	job->executor = executor;
	job->state = JOB_NEW;
	if (fs_request_on_interrupt(job->req, job_interrupted, job)) {
		job_refuse(job, -EINTR);
		return;
	}
	pthread_mutex_lock(&executor->lock);
	if (job->state == JOB_INTERRUPTED)
		r = -EINTR;
	else if (executor->count >= EXECUTOR_QUEUE_MAX)
		r = -EAGAIN;
	else
		executor_append(executor, job);
	pthread_mutex_unlock(&executor->lock);
	if (r < 0)
		job_refuse(job, r);
}

bool executor_submit_if_idle(struct executor *executor, struct job *job)
{
	bool is_taken;

	/* Not interruptible while it waits: the thread is idle and takes it at once. */
	job->executor = executor;
	pthread_mutex_lock(&executor->lock);
	is_taken = atomic_load_explicit(&executor->pending, memory_order_relaxed) == 0;
	if (is_taken)
		executor_append(executor, job);
	pthread_mutex_unlock(&executor->lock);
	return is_taken;
}

void executor_job_over(struct job *job)
{
	if (!job->is_over)
		executor_finish_one(job->executor);
	job->is_over = true;
}

bool executor_is_busy(const struct executor *executor)
{
	return atomic_load_explicit(&executor->pending, memory_order_relaxed) > 0;
}
