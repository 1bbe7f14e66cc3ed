/* SPDX-License-Identifier: MIT */
/*
 * session.h — a FUSE session: turns a request's bytes into one call of a file system's operation.
 *
 * The other header in which the floors meet (the first is fs/filesystem.h). A session holds one
 * file system and what INIT agreed; a transport hands it requests and takes the answers. It owns no
 * descriptor and no thread.
 *
 *   state       | operations accepted                  | next
 *   ------------+--------------------------------------+------------------------------------------
 *   new         | INIT (others: EIO)                    | ready; stays new after a refused INIT
 *   ready       | all but INIT (a second INIT: EIO)      | ended after DESTROY
 *   ended       | INIT (a client that mounts again)      | ready
 *
 * Bytes of a request are hostile: its length, opcode, arguments and names are checked by a bounded
 * reader before a file system sees them. What is malformed is answered EINVAL (EIO where the header
 * itself is wrong); an unknown opcode ENOSYS; nothing ends the process.
 *
 * Specification: linux/fuse.h 7.38 and newer; byte order is the peer's own (a foreign one is
 * refused at INIT).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/buffer.h"
#include "base/reader.h"
#include "fs/filesystem.h"

struct fuse_session;
struct fuse_channel;

/* Largest request: a header, the arguments and FS_WRITE_MAX bytes of data (fuse.h: max_write). */
#define FUSE_REQUEST_MAX ((size_t)FS_WRITE_MAX + 4096)

/* Room for the strings of a request: an attribute's name and value (xattr(7): 64 KiB). Is aligned
 * for any type. */
#define FUSE_SCRATCH_SIZE ((size_t)65536 + 512)

/* A request under way. The transport owns the memory and fills in the first part. */
struct fs_request {
	/* set by the transport before fuse_session_handle */
	struct fuse_channel *channel;
	struct iov_reader in;     /* the whole request, from its header on */
	const struct iovec *out;  /* place for the whole reply, header included; borrowed */
	size_t out_count;
	size_t out_size;          /* sum of out */
	uint8_t *scratch;         /* FUSE_SCRATCH_SIZE bytes that the peer cannot reach; borrowed */

	/* the session's own from then on (fuse/request.c) */
	struct fuse_session *session;
	uint64_t unique;
	uint64_t node;
	struct fs_caller caller;
	uint32_t opcode;
	bool has_group; /* creation: group is a supplementary one of the caller's */
	uint32_t group;
	size_t reply_max;  /* bytes of reply data that the peer asked for */
	size_t reply_used; /* bytes of reply data placed so far, readdir only */
	bool is_kept;      /* in the table of kept requests; set by the operation's own thread */
	bool is_interrupted;
	void (*interrupted)(void *arg);
	void *interrupted_arg;
	struct fs_request *kept_next, **kept_previous;
};

/* What a transport offers to the session. Embedded by the transport. */
struct fuse_channel_ops {
	/*
	 * The first `length` bytes of req->out are the reply: send them and take the request back.
	 * length 0: the request wants no reply (FORGET), only take it back. Called exactly once a
	 * request, from whichever thread answers it. Must not fail visibly: a peer that is gone is
	 * the transport's to notice.
	 */
	void (*complete)(struct fuse_channel *channel, struct fs_request *req, size_t length);
	/*
	 * Sends a notification (header included). 0, -ENOENT as the kernel says, -ENOTCONN,
	 * -EOPNOTSUPP for a transport without them. Any thread; may wait for the peer.
	 */
	int (*notify)(struct fuse_channel *channel, const struct iovec *iov, size_t count);
	/* As fs_request_io; may be NULL: -EOPNOTSUPP. */
	int (*io)(struct fuse_channel *channel, struct fs_request *req, struct fs_io *io);
	/* As fs_backing_open and its end; both or neither are NULL: no file is passed through. */
	int (*backing_open)(struct fuse_channel *channel, int fd, uint32_t *ret_backing);
	void (*backing_close)(struct fuse_channel *channel, uint32_t backing);
};

struct fuse_channel {
	const struct fuse_channel_ops *ops;
};

struct fuse_session_config {
	uint32_t max_write;      /* bytes, 4096 to FS_WRITE_MAX; 0: FS_WRITE_MAX */
	uint32_t max_background; /* requests that the kernel keeps in flight unasked; 0: 64 */
};

/*
 * A session over fs, which it borrows (the owner destroys it after the session) and whose notifier
 * it sets. channel is where notifications go; borrowed, may be NULL. 0 or -ENOMEM.
 */
int fuse_session_new(struct fuse_session **ret, struct fs *fs, struct fuse_channel *channel,
	const struct fuse_session_config *config) MUST_CHECK;
struct fuse_session *fuse_session_free(struct fuse_session *session);
DEFINE_CLEAN(struct fuse_session *, fuse_session_free)

/*
 * Handles one request: calls complete for it now or later. Any number of threads at a time, also
 * during INIT. The transport must not touch the request between the call and complete.
 */
void fuse_session_handle(struct fuse_session *session, struct fs_request *req);

/* Interrupts every kept request with -EINTR where its file system allows: for a shutdown. */
void fuse_session_interrupt_all(struct fuse_session *session);

/*
 * Requests handed in and not yet answered. A request that complete() is being called for is not
 * counted any more: a transport that frees the session counts its own requests.
 */
size_t fuse_session_pending(const struct fuse_session *session);

/* True once INIT has been answered well. */
bool fuse_session_is_ready(const struct fuse_session *session);

/* Text about what INIT agreed: the protocol's version and each promise with its reason; for debug
 * logs and tests. Appends lines. */
void fuse_session_describe(const struct fuse_session *session, struct buffer *out);
