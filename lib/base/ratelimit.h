/* SPDX-License-Identifier: MIT */
/*
 * ratelimit.h — at most `burst` events in ANY window of a given length (a sliding one).
 *
 * Embedded by its owner, who also does the locking; time is handed in, in nanoseconds of
 * CLOCK_MONOTONIC, so that tests need no clock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RATELIMIT_BURST_MAX 16

struct ratelimit {
	uint64_t window_ns;
	unsigned burst;                     /* 1 to RATELIMIT_BURST_MAX */
	uint64_t times[RATELIMIT_BURST_MAX]; /* ring of the latest events */
	unsigned count;                     /* how many of them are valid */
	unsigned next;
};

#define RATELIMIT_OF(window, n) ((struct ratelimit){.window_ns = (window), .burst = (n)})

/* True, and the event is counted, when it may happen now. */
static inline bool ratelimit_allow(struct ratelimit *r, uint64_t now_ns)
{
	uint64_t oldest = r->times[r->next]; /* the burst-th latest, once the ring is full */

	/* A time read before the owner's lock was taken may even be older than the oldest. */
	if (r->count == r->burst && (now_ns < oldest || now_ns - oldest < r->window_ns))
		return false;
	r->times[r->next] = now_ns;
	r->next = (r->next + 1) % r->burst;
	if (r->count < r->burst)
		r->count++;
	return true;
}

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t clock_now_ns(void);
