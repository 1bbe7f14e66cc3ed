/* SPDX-License-Identifier: MIT */
/*
 * recorder.h — a source that remembers every write and barrier, and fails when it is told to.
 */
#pragma once

#include "store/source.h"

enum event_kind { EVENT_WRITE, EVENT_BARRIER, EVENT_RETURN };

struct event {
	enum event_kind kind;
	uint64_t offset;
	size_t size;
	uint8_t *data; /* owned */
};

#define RECORDER_EVENTS_MAX 512

struct recorder {
	struct source source; /* first; its destroy leaves the recorder alone */
	uint8_t *data;        /* owned */
	struct event events[RECORDER_EVENTS_MAX];
	size_t count;
	unsigned syncs;       /* barriers so far */
	unsigned calls;       /* writes and barriers so far */
	unsigned fail_at;     /* this call fails (1 is the first); 0: none */
	bool is_failing_on;   /* and every one after it */
	int error;            /* what it fails with; half of a failing write is done */
};

void recorder_init(struct recorder *r, const void *data, size_t size);
/* Forgets the events and counts from 0 again; the data stays. */
void recorder_reset(struct recorder *r);
/* Marks that an operation returned. */
void recorder_mark(struct recorder *r);
void recorder_fini(struct recorder *r);
