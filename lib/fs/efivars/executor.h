/* SPDX-License-Identifier: MIT */
/*
 * executor.h — one thread that does jobs in order: the firmware thread of efivarfs.
 *
 * Firmware takes one question at a time and answers when it likes. Each job carries the request
 * that it answers; the transport's workers hand it in and go on. A job that has not started is
 * dropped with EINTR when its caller is interrupted; one that has started is finished.
 *
 *   state       | who owns the job      | next
 *   ------------+-----------------------+------------------------------------------------------
 *   new         | executor_submit       | queued, or interrupted before it was queued
 *   queued      | the queue             | running, or gone (an interrupt answered and freed it)
 *   running     | the executor's thread | gone, after `run` has answered
 *
 * Locks: the executor's own mutex is never held while a request is answered: an answer waits for an
 * interrupt of its request that is under way, and that takes the mutex.
 */
#pragma once

#include <stdbool.h>

#include "fs/filesystem.h"

#define EXECUTOR_QUEUE_MAX 4096 /* jobs that wait; more are answered with EAGAIN */

struct executor;

enum job_state { JOB_NEW, JOB_QUEUED, JOB_RUNNING, JOB_INTERRUPTED };

/* Embedded first in whatever a job needs. */
struct job {
	struct fs_request *req;
	void (*run)(struct job *job);  /* on the executor's thread; answers req exactly once */
	void (*free)(struct job *job); /* after the answer, on any thread */

	/* the executor's own */
	struct executor *executor;
	enum job_state state;
	bool is_over; /* counted off; its own thread's */
	struct job *next, *previous;
};

/* 0, -ENOMEM or another errno of the thread's creation. */
int executor_new(struct executor **ret) MUST_CHECK;

/* Ends the thread after its present job. No job may be left in the queue. */
struct executor *executor_free(struct executor *executor);
DEFINE_CLEAN(struct executor *, executor_free)

/* Takes the job and keeps its request: it is answered in any case. Any thread. */
void executor_submit(struct executor *executor, struct job *take_job);

/* The same if nothing waits or runs; else false, and the job is still the caller's, unanswered. */
bool executor_submit_if_idle(struct executor *executor, struct job *job) MUST_CHECK;

/*
 * A running job has done what may take long, and is about to answer: the executor counts as idle
 * from now on, so that whoever has the answer finds it so. Called by run; a job that does not is
 * counted off after it.
 */
void executor_job_over(struct job *job);

/* True while a job waits or runs. No lock; what it says may be old at once. */
bool executor_is_busy(const struct executor *executor);
