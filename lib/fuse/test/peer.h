/* SPDX-License-Identifier: MIT */
/*
 * peer.h — a FUSE client for tests: it sends hand-made bytes to a session and looks at what the
 * file system was called with, and at the bytes of the answer.
 *
 * Requests and places for replies are cut into several iovecs, at odd places. The file system
 * writes one line for each call ("lookup 2 name") and answers with fixed values, unless `result` is
 * set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fuse/protocol.h"
#include "fuse/session.h"

#define PEER_BYTES 200000u

/* A file system that records. Its log is that of the last call only. */
struct recorder {
	struct fs fs; /* first */
	char log[512];
	unsigned calls;
	int result;    /* negative: returned instead of an answer */
	bool is_keeper; /* returns 0 without an answer; the request is `kept` */
	struct fs_request *kept;
	uint64_t forgotten; /* sum of counts */
};

struct peer {
	struct fuse_channel channel; /* first */
	struct recorder recorder;
	struct fuse_session *session;
	uint64_t next_unique;

	/* of the request last sent, and of its answer */
	struct fs_request req;
	uint8_t in_bytes[PEER_BYTES];
	uint8_t out_bytes[PEER_BYTES];
	uint8_t scratch[FUSE_SCRATCH_SIZE];
	struct iovec in[3], out[4];
	unsigned completed;   /* answers since the session began */
	size_t length;        /* of the last answer; 0: none was wanted */
	int error;            /* in its header */
	uint64_t unique;      /* in its header */
	const uint8_t *data;  /* after its header */
	size_t size;

	/* of the notification last sent */
	uint8_t notification[512];
	size_t notification_size;
};

/* A session over a recorder with these wishes; no INIT yet. */
void peer_open(struct peer *peer, uint32_t wants);
void peer_close(struct peer *peer);

/* Sends INIT offering `flags`, as a kernel of this minor version; returns the answer's error. */
int peer_init(struct peer *peer, uint32_t major, uint32_t minor, uint64_t flags);

/* Sends a request of these bytes after a header. Returns the error in the answer. */
int peer_send(struct peer *peer, uint32_t opcode, uint64_t node, const void *bytes, size_t size);

/* The same with a header of the caller's; the reply has out_size bytes of room. */
int peer_send_raw(struct peer *peer, const struct fuse_in_header *header, const void *bytes,
	size_t size, size_t out_size);

/* Gives req its bytes and places anew; peer_send_raw does it. */
void peer_prepare(struct peer *peer, size_t in_size, size_t out_size);

extern const struct fs_ops recorder_ops;
