/* SPDX-License-Identifier: MIT */
/*
 * internal.h — what the files of the FUSE core share, and nobody else sees.
 *
 *   session.c   a session's life, and the way of one request through it
 *   opcode.c    the table of opcodes
 *   decode.c    bytes to struct message
 *   call_*.c    struct message to a call of an operation
 *   request.c   kept requests and interrupts; what an operation may ask about its request
 *   reply.c     answers (reply_directory.c: those of readdir)
 *   promise.c   INIT
 *   notify.c    notifications
 *
 * Locks: kept.lock is the only one. It is taken when a request is kept, for the answer of a kept
 * request and for an interrupt, and no call leaves the session under it.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fuse/protocol.h"
#include "fuse/session.h"

#define KEPT_BUCKETS 64u /* a power of two */

/* Interrupts that came before their request was kept; see request.c. */
#define EARLY_INTERRUPTS 64u
#define EARLY_INTERRUPT_NS (10ull * 1000000000u)

enum session_state { SESSION_NEW, SESSION_STARTING, SESSION_READY, SESSION_ENDED };

/* What INIT agreed. Written while the state is SESSION_STARTING, read-only while SESSION_READY. */
struct agreement {
	uint32_t peer_minor;
	uint32_t minor;
	uint64_t offered; /* FUSE_* init flags, flags2 above bit 31 */
	uint64_t flags;
	uint32_t wants;   /* FS_WANT_* agreed */
	uint32_t max_write;
	uint32_t max_readahead;
	uint16_t max_background;
	uint16_t congestion_threshold;
	uint16_t max_pages;
};

/* A call of fs_request.interrupted under way; lies on the stack of the thread that makes it. */
struct interrupt_call {
	struct fs_request *req; /* NULL: this very call has answered it */
	pthread_t thread;
	struct interrupt_call *next;
};

struct early_interrupt {
	uint64_t unique; /* 0: free */
	uint64_t time_ns;
};

struct kept_table {
	pthread_mutex_t lock;
	pthread_cond_t call_ended;
	struct fs_request *buckets[KEPT_BUCKETS];
	struct interrupt_call *calls;
	struct early_interrupt early[EARLY_INTERRUPTS];
	bool is_shutdown; /* what is kept from now on is interrupted at once */
};

struct fs_notifier {
	struct fuse_session *session;
};

struct fuse_session {
	struct fs *fs;                /* borrowed */
	struct fuse_channel *channel; /* borrowed; where notifications go; may be NULL */
	struct fuse_session_config config;
	_Atomic(enum session_state) state; /* stored (release) after agreed */
	struct agreement agreed;
	atomic_size_t pending;
	struct fs_notifier notifier;
	struct kept_table kept;
};

/* ---- decoding ---- */

union arguments {
	struct fuse_forget_in forget;
	struct fuse_batch_forget_in batch_forget;
	struct fuse_getattr_in getattr;
	struct fuse_setattr_in setattr;
	struct fuse_mknod_in mknod;
	struct fuse_mkdir_in mkdir;
	struct fuse_rename_in rename;
	struct fuse_rename2_in rename2;
	struct fuse_link_in link;
	struct fuse_open_in open;
	struct fuse_create_in create;
	struct fuse_read_in read;
	struct fuse_write_in write;
	struct fuse_release_in release;
	struct fuse_flush_in flush;
	struct fuse_fsync_in fsync;
	struct fuse_setxattr_in setxattr;
	struct fuse_getxattr_in getxattr;
	struct fuse_lk_in lock;
	struct fuse_access_in access;
	struct fuse_init_in init;
	struct fuse_interrupt_in interrupt;
	struct fuse_ioctl_in ioctl;
	struct fuse_fallocate_in fallocate;
	struct fuse_lseek_in lseek;
	struct fuse_copy_file_range_in copy;
	struct tacit_statx_in statx;
};

/* A request in host memory, checked. Lives for the call; strings live until the answer. */
struct message {
	const struct opcode *opcode;
	union arguments args;
	size_t args_size; /* bytes of args that came; the rest is 0 */
	const char *names[2];
	const void *value; /* what follows the strings (SETXATTR) */
	size_t value_size;
	bool is_silent; /* no reply is wanted, or none can be made */
};

enum name_rule {
	NAME_NONE,
	NAME_FIND,   /* a file name; "." and ".." only where export was agreed */
	NAME_ENTRY,  /* a file name that is made or removed */
	NAME_TARGET, /* of a symbolic link: 1 to 4095 bytes */
	NAME_XATTR,  /* 1 to 255 bytes */
	NAME_UNUSED, /* any string; nobody looks at it */
};

typedef int message_handler(struct fuse_session *session, struct fs_request *req,
	const struct message *m);

struct opcode {
	const char *name;
	size_t args;             /* bytes of arguments */
	size_t args_max;         /* when it may be more; else 0 */
	enum name_rule names[2];
	bool has_data;           /* bytes follow that the handler looks at */
	bool is_silent;          /* wants no reply */
	bool is_before_init;
	message_handler *handle; /* NULL: ENOSYS */
};

/* The row of an opcode, or NULL for an unknown one. */
const struct opcode *opcode_find(uint32_t number);

/*
 * Reads the request's header, arguments and strings, each byte once. req->in is left where the data
 * begins. 0 or the error for the peer; m->is_silent is set in any case.
 */
int message_decode(const struct fuse_session *session, struct fs_request *req, struct message *m)
	MUST_CHECK;

/* Handlers: return 0 when the operation took the request, or an error for the peer. */
message_handler call_lookup, call_forget, call_batch_forget, call_getattr, call_statx, call_setattr,
	call_readlink, call_symlink, call_mknod, call_mkdir, call_unlink, call_rmdir, call_rename,
	call_rename2, call_link, call_statfs, call_access, call_setxattr, call_getxattr,
	call_listxattr, call_removexattr, call_syncfs;
message_handler call_open, call_create, call_tmpfile, call_read, call_write, call_flush,
	call_release, call_fsync, call_opendir, call_readdir, call_releasedir, call_fsyncdir,
	call_getlk, call_setlk, call_ioctl, call_fallocate, call_lseek, call_copy_file_range;
message_handler call_init, call_destroy, call_interrupt, call_notify_reply;

/* ---- requests ---- */

/* The last thing that is done with a request: takes it out of the table and gives it back. */
void request_finish(struct fs_request *req, size_t length);

/*
 * Interrupts the kept request `unique`. False: it is not kept, and there is no room to remember
 * the interrupt.
 */
bool request_interrupt(struct fuse_session *session, uint64_t unique);

/* All else in it is zero. */
void kept_table_init(struct kept_table *table);
void kept_table_fini(struct kept_table *table);
/* Forgets early interrupts and a shutdown: for a peer that starts anew. */
void kept_table_reset(struct kept_table *table);

/* ---- answers ---- */

/* Header, then size bytes of data; EIO instead where the peer's place is too small. */
void reply_send(struct fs_request *req, const void *data, size_t size);

/* Copies into the place for the reply, header not counted; the caller has checked that it fits. */
void reply_put(struct fs_request *req, size_t offset, const void *data, size_t size);

/* Completes with a header over the size bytes of data that are in place already. */
void reply_finish(struct fs_request *req, size_t size);

/* Bytes of data that the peer's place holds, header not counted. */
size_t reply_room(const struct fs_request *req);

void entry_encode(const struct fs_entry *entry, struct fuse_entry_out *out);

/* ---- INIT ---- */

/* FS_WANT_* of the file system that the channel can give. */
uint32_t session_wants(const struct fuse_session *session);

/*
 * Compares what the peer offers with what the file system wants. 1 and *ret_out filled when the
 * versions meet (stack_depth: struct fs's); 0 and *ret_out with our version alone when the peer must ask again with it;
 * -EPROTO for a peer that is too old.
 */
int promise_agree(const struct fuse_init_in *in, uint32_t wants, uint32_t stack_depth,
	const struct fuse_session_config *config, struct agreement *ret,
	struct fuse_init_out *ret_out) MUST_CHECK;
