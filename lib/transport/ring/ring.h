/* SPDX-License-Identifier: MIT */
/*
 * ring.h — what a worker waits for all at once: input and output on files that may sleep, and
 * whatever tells it of new requests.
 *
 * A worker that makes a system call which sleeps answers nobody meanwhile, and one that hands it to
 * another thread pays two wake-ups for each. So the calls of a file system (struct fs_io) go into
 * an io_uring of the worker's own, and it sleeps only in ring_wait, which ends for any of them.
 *
 * Invariants: each fs_io that ring_io took is done exactly once. It is given to the kernel before
 * ring_io returns, because the kernel takes the thread's credentials at that moment; it is done
 * from ring_reap only, so never from within ring_io.
 *
 * Threads: one thread makes the ring, uses it and frees it.
 *
 * Specification: io_uring_setup(2), io_uring_enter(2); Linux 5.11 or newer (IORING_FEAT_EXT_ARG).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "fs/filesystem.h"

struct io_uring_sqe;
struct ring;

/* Calls on files that may be under way in one ring. */
#define RING_IO_MAX 128u

/* Something else that the ring is to tell of. Embedded by its owner, who keeps it until done. */
struct ring_job {
	void (*done)(struct ring_job *job, int result); /* from ring_reap */
};

#define RING_LARGE_ENTRIES (1u << 0) /* commands have 128 bytes (IORING_SETUP_SQE128) */

/*
 * 0; -EOPNOTSUPP where io_uring is not allowed or too old: whoever wanted it does without; -ENOMEM,
 * -EMFILE and what else io_uring_setup(2) says. jobs_max: prepared at a time.
 */
int ring_new(struct ring **ret, uint32_t flags, unsigned jobs_max) MUST_CHECK;
/* Nothing may be under way. */
struct ring *ring_free(struct ring *ring);
DEFINE_CLEAN(struct ring *, ring_free)

/*
 * Starts a call. 0: io->done will be called. -EAGAIN: RING_IO_MAX are under way, or the ring is
 * being drained; -EINVAL for an offset or count that the call cannot have; else as the kernel says:
 * the caller makes the call itself then.
 */
int ring_io(struct ring *ring, struct fs_io *io) MUST_CHECK;

/* Calls under way, not yet done. */
size_t ring_io_count(const struct ring *ring);

/*
 * An empty entry for a command of the caller's; its user_data is set, which the caller leaves
 * alone. Given to the kernel by the next ring_wait or ring_io. NULL when jobs_max are prepared
 * already.
 */
struct io_uring_sqe *ring_prepare(struct ring *ring, struct ring_job *job);

/* Prepares: job is done, once, when fd is readable (or in error). False as NULL above. */
bool ring_watch(struct ring *ring, struct ring_job *job, int fd) MUST_CHECK;

/*
 * Gives the kernel what is prepared and waits until there is something to reap. timeout_ms -1: as
 * long as it takes. 0; -ETIME; -EINTR after a signal; else -errno.
 */
int ring_wait(struct ring *ring, int timeout_ms) MUST_CHECK;

/* Calls done for what has come to an end. Returns how many. No system call unless some is due. */
unsigned ring_reap(struct ring *ring);

/*
 * Waits until no call on a file is under way; takes no new ones from now on. What has not ended
 * after grace_ms is cancelled where the kernel can (done gets -EINTR), and waited for where it
 * cannot: that is a disk which will answer.
 */
void ring_drain(struct ring *ring, int grace_ms);

/* Cancels commands of jobs under way, all there are; each is done with an error. */
void ring_cancel_all(struct ring *ring);
