/* SPDX-License-Identifier: MIT */
/*
 * ring.c — see ring.h.
 *
 * What a completion is of stands in its user_data: the address of a job, or that of an fs_io with
 * the lowest bit set; 0 is nobody's.
 *
 * With IORING_SETUP_DEFER_TASKRUN the kernel does its part of a completion only when the worker
 * asks, so that a worker asleep in read(2) of a device is not woken for it.
 */
#include "transport/ring/ring.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <liburing.h>
#include <poll.h>
#include <stdlib.h>

#include "base/ratelimit.h"

#define TAG_IO 1u
#define CANCEL_WAIT_MS 100

struct ring {
	struct io_uring uring;
	size_t io_count;
	bool is_draining;
};

/* From what costs least to what every kernel has. */
static const unsigned setups[] = {
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
	IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
	0,
};

static int uring_init(struct io_uring *uring, uint32_t flags, unsigned jobs_max)
{
	unsigned wanted = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
	int r = -EINVAL;

	if (flags & RING_LARGE_ENTRIES)
		wanted |= IORING_SETUP_SQE128;
	for (size_t i = 0; i < ARRAY_SIZE(setups) && r == -EINVAL; i++) {
		struct io_uring_params params = {.flags = wanted | setups[i]};

		/* the number of entries bounds the kernel's threads for calls that must sleep */
		params.cq_entries = 2 * (RING_IO_MAX + jobs_max);
		r = io_uring_queue_init_params(RING_IO_MAX + jobs_max, uring, &params);
	}
	return r;
}

int ring_new(struct ring **ret, uint32_t flags, unsigned jobs_max)
{
	struct ring *ring = calloc(1, sizeof(*ring));
	int r;

	if (!ring)
		return -ENOMEM;
	r = uring_init(&ring->uring, flags, jobs_max);
	if (r < 0) {
		free(ring);
		return r == -ENOSYS || r == -EPERM || r == -EINVAL ? -EOPNOTSUPP : r;
	}
	if (!(ring->uring.features & IORING_FEAT_EXT_ARG)) {
		ring_free(ring);
		return -EOPNOTSUPP;
	}
	*ret = ring;
	return 0;
}

struct ring *ring_free(struct ring *ring)
{
	if (!ring)
		return NULL;
	assert(ring->io_count == 0);
	io_uring_queue_exit(&ring->uring);
	free(ring);
	return NULL;
}

size_t ring_io_count(const struct ring *ring)
{
	return ring->io_count;
}

/* ---- to the kernel ---- */

static void prepare_io(struct io_uring_sqe *sqe, const struct fs_io *io)
{
	switch (io->kind) {
	case FS_IO_READ:
		io_uring_prep_readv2(
			sqe, io->fd, io->iov, (unsigned)io->count, io->offset, io->flags);
		break;
	case FS_IO_WRITE:
		io_uring_prep_writev2(
			sqe, io->fd, io->iov, (unsigned)io->count, io->offset, io->flags);
		break;
	case FS_IO_SYNC:
		io_uring_prep_fsync(sqe, io->fd, 0);
		break;
	case FS_IO_DATASYNC:
		io_uring_prep_fsync(sqe, io->fd, IORING_FSYNC_DATASYNC);
		break;
	}
	io_uring_sqe_set_data64(sqe, (uint64_t)(uintptr_t)io | TAG_IO);
}

static bool is_possible(const struct fs_io *io)
{
	return io->kind == FS_IO_SYNC || io->kind == FS_IO_DATASYNC ||
		(io->count <= IOV_MAX && io->offset <= INT64_MAX);
}

int ring_io(struct ring *ring, struct fs_io *io)
{
	struct io_uring_sqe *sqe;
	int r;

	if (ring->is_draining || ring->io_count == RING_IO_MAX)
		return -EAGAIN;
	if (!is_possible(io))
		return -EINVAL;
	sqe = io_uring_get_sqe(&ring->uring);
	if (!sqe)
		return -EAGAIN;
	prepare_io(sqe, io);
	ring->io_count++;
	do
		r = io_uring_submit(&ring->uring); /* ends behind an entry that is in error */
	while (r == -EINTR || (r > 0 && io_uring_sq_ready(&ring->uring) > 0));
	if (io_uring_sq_ready(&ring->uring) == 0)
		return 0;
	/* entries are taken in order and ours is the last: the kernel has not looked at it yet */
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, 0);
	ring->io_count--;
	return r < 0 ? r : -EAGAIN;
}

struct io_uring_sqe *ring_prepare(struct ring *ring, struct ring_job *job)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

	if (!sqe)
		return NULL;
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, (uint64_t)(uintptr_t)job);
	return sqe;
}

bool ring_watch(struct ring *ring, struct ring_job *job, int fd)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

	if (!sqe)
		return false;
	io_uring_prep_poll_add(sqe, fd, POLLIN);
	io_uring_sqe_set_data64(sqe, (uint64_t)(uintptr_t)job);
	return true;
}

/* ---- from the kernel ---- */

int ring_wait(struct ring *ring, int timeout_ms)
{
	struct __kernel_timespec timeout = {
		.tv_sec = timeout_ms / 1000,
		.tv_nsec = (long long)(timeout_ms % 1000) * 1000000,
	};
	struct io_uring_cqe *cqe;
	int r;

	if (timeout_ms < 0)
		r = io_uring_submit_and_wait(&ring->uring, 1);
	else
		r = io_uring_submit_and_wait_timeout(&ring->uring, &cqe, 1, &timeout, NULL);
	if (r < 0 || io_uring_cq_ready(&ring->uring) > 0)
		return r < 0 ? r : 0;
	/* what was submitted counts more for the kernel than why it waits no longer */
	return timeout_ms < 0 ? -EINTR : -ETIME;
}

unsigned ring_reap(struct ring *ring)
{
	struct io_uring_cqe *cqe;
	unsigned count = 0;

	while (io_uring_peek_cqe(&ring->uring, &cqe) == 0) {
		uint64_t data = cqe->user_data;
		int result = cqe->res;

		/* before the call, which may start others */
		io_uring_cqe_seen(&ring->uring, cqe);
		count++;
		if (data & TAG_IO) {
			struct fs_io *io = (struct fs_io *)(uintptr_t)(data & ~(uint64_t)TAG_IO);

			ring->io_count--;
			io->done(io->req, io, result == -ECANCELED ? -EINTR : result);
		} else if (data != 0) {
			struct ring_job *job = (struct ring_job *)(uintptr_t)data;

			job->done(job, result);
		}
	}
	return count;
}

/* ---- the end ---- */

void ring_cancel_all(struct ring *ring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

	if (!sqe)
		return; /* whoever waits asks again */
	io_uring_prep_cancel64(sqe, 0, IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL);
	io_uring_sqe_set_data64(sqe, 0);
}

/* In whole milliseconds; 0: it is over. */
static int time_left_ms(uint64_t end_ns)
{
	uint64_t now_ns = clock_now_ns();

	return now_ns >= end_ns ? 0 : (int)((end_ns - now_ns + 999999) / 1000000);
}

void ring_drain(struct ring *ring, int grace_ms)
{
	uint64_t end_ns = clock_now_ns() + (uint64_t)grace_ms * 1000000;

	ring->is_draining = true;
	(void)ring_reap(ring);
	while (ring->io_count > 0) {
		int left_ms = time_left_ms(end_ns);

		if (left_ms == 0) {
			ring_cancel_all(ring);
			left_ms = CANCEL_WAIT_MS;
			end_ns = clock_now_ns() + CANCEL_WAIT_MS * 1000000ull;
		}
		if (ring_wait(ring, left_ms) == 0)
			(void)ring_reap(ring);
	}
}
