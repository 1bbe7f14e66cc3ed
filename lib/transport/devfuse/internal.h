/* SPDX-License-Identifier: MIT */
/*
 * internal.h — what the files of the /dev/fuse transport share.
 *
 *   mount.c       a mount's life, and whether the place in the tree is still ours
 *   attach.c      mounting with privilege: fsopen(2) and mount(2)
 *   fusermount.c  mounting without: the set-uid helper
 *   pool.c        memory of requests
 *   server.c      a server's life
 *   worker.c      workers, which read requests
 *   channel.c     what the session asks of a server
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "transport/devfuse/devfuse.h"
#include "transport/ring/ring.h"

#define DEVFUSE_DEVICE "/dev/fuse"

/* ---- mounting ---- */

/* Sets *ret_error (owned by the caller) to a line; returns error. */
int mount_error(char **ret_error, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Opens the device and mounts it on `target`, a directory's descriptor, which `path` names too;
 * needs privilege. 0, the device and the mount's descriptor (-1 where there is none); -EPERM
 * without a line when the caller may not mount; else -errno with a line.
 */
int attach_privileged(const char *path, int target, const struct devfuse_mount_options *options,
	int *ret_device, int *ret_mount, char **ret_error) MUST_CHECK;

/* The same through fusermount3. -EPROTO when it failed, having told the user why. */
int fusermount_attach(const char *mountpoint, const struct devfuse_mount_options *options,
	int *ret_device, char **ret_error) MUST_CHECK;

/* fusermount3 -u -z. 0, or -EPROTO when it failed. */
int fusermount_detach(const char *mountpoint) MUST_CHECK;

/* Closes the device, which ends the file system for its users. No thread may use it any more. */
void mount_close_device(struct devfuse_mount *mount);

/* ---- requests ---- */

/*
 * Requests that may be in the hands of the file system at a time. Workers wait when all are: what
 * is kept must be answered without another request being read. Their memory (one write each) is
 * only reserved; a page is there once it was used.
 */
#define DEVFUSE_REQUESTS_MAX 512u

struct devfuse_request {
	struct fs_request req; /* first: complete() gets this */
	int device;            /* it was read from, and its answer belongs to */
	uint8_t *memory;
	struct iovec in;
	struct iovec out[2];
	struct devfuse_request *next_free;
};

struct request_pool {
	pthread_mutex_t lock;
	pthread_cond_t returned;
	struct devfuse_request *all[DEVFUSE_REQUESTS_MAX];
	size_t count;
	size_t home; /* of count, those in free_list */
	struct devfuse_request *free_list;
	bool is_closed; /* take() returns NULL from now on */
};

/* All else in it is zero. */
void request_pool_init(struct request_pool *pool);
void request_pool_fini(struct request_pool *pool);

/*
 * A request to read into; may_wait: waits while all are in use. NULL: all are in use, the pool is
 * closed, or no memory.
 */
struct devfuse_request *request_pool_take(struct request_pool *pool, bool may_wait);
void request_pool_return(struct request_pool *pool, struct devfuse_request *request);

/* Wakes those who wait in take. */
void request_pool_close(struct request_pool *pool);

/* Waits until every request has come home. */
void request_pool_wait_home(struct request_pool *pool);

/* Where to read a request to: a write's data then begins on a page. size is the read's. */
struct iovec request_read_place(const struct devfuse_request *request);

/* Prepares the request for the session after `size` bytes were read. */
void request_received(struct devfuse_request *request, size_t size);

/* ---- servers ---- */

enum ring_state {
	RING_NONE,    /* nobody wanted one yet */
	RING_WANTED,  /* to be made before the next request is read */
	RING_OPEN,
	RING_REFUSED, /* not to be had */
};

/* All but server, device, device_nonblock is touched by the worker's thread alone. */
struct worker {
	struct ring_job watch; /* first: of device_nonblock */
	struct devfuse_server *server;
	pthread_t thread;
	int device;
	bool is_clone;       /* device is ours to close */
	int device_nonblock; /* a clone that does not block; -1: none */
	struct devfuse_request *spare;
	enum ring_state ring_state;
	struct ring *ring;
	bool is_watched;  /* watch is under way */
	bool is_readable; /* device_nonblock, as far as we know */
};

/* Locks, in the order in which they may be taken: outside_lock, pool.lock. */
struct devfuse_server {
	struct fuse_channel channel; /* first: the session's calls get this */
	struct devfuse_mount *mount; /* borrowed */
	struct fuse_session *session;
	struct request_pool pool;
	struct worker workers[DEVFUSE_THREADS_MAX];
	unsigned worker_count;
	unsigned started; /* of worker_count; others have no thread */
	int event; /* eventfd: something below has changed */
	atomic_bool stop_wanted;
	atomic_bool is_ready;
	atomic_bool is_quitting; /* workers read no more */
	atomic_uint ended;       /* workers */
	atomic_int error;        /* of the device, the first one */

	pthread_mutex_t outside_lock;
	pthread_cond_t outside_ended;
	unsigned outside; /* notifications and the like under way */
	bool outside_is_closed;
};

/* Wakes the thread that runs the server: something has changed. Async-signal-safe. */
void server_event(struct devfuse_server *server);

void worker_init(struct worker *worker, struct devfuse_server *server, bool is_first);
/* Closes its descriptors; may be called again. */
void worker_close(struct worker *worker);
void *worker_main(void *worker);

/* The worker whose thread this is, or NULL. */
struct worker *worker_current(const struct devfuse_server *server);

/* As fs_request_io, on the worker's own thread. */
int worker_io(struct worker *worker, struct fs_io *io) MUST_CHECK;

extern const struct fuse_channel_ops devfuse_channel_ops;

/*
 * No more calls from outside a request, and waits for those under way. A notification may wait for
 * a request to be answered, so workers must still run.
 */
void outside_close(struct devfuse_server *server);
