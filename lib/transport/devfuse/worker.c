/* SPDX-License-Identifier: MIT */
/*
 * worker.c — a worker that reads requests from the device, one at a time, and hands them to the
 * session.
 *
 * Each worker has a clone of the device, so that the kernel keeps their requests apart. It reads,
 * handles and reads again, nothing is handed from thread to thread; the memory of a request that
 * was answered at once is used for the next, without a lock.
 *
 *   calls on files | the worker sleeps in
 *   ---------------+---------------------------------------------------------------------------
 *   none           | read() of its device: a request costs that and its answer
 *   under way      | ring_wait, for their end and for the next request; it reads from a second
 *                  | clone then, which does not block (O_NONBLOCK belongs to the descriptor)
 *
 * The ring is made when the first call is wanted, between two requests: it belongs to the
 * credentials of who made it, and an operation may have taken its caller's.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fuse/protocol.h"
#include "transport/devfuse/internal.h"
#include "transport/ring/ring.h"

/* How long calls under way may take at the end before they are cancelled. */
#define DRAIN_GRACE_MS 2000

static _Thread_local struct worker *current_worker;

struct worker *worker_current(const struct devfuse_server *server)
{
	return current_worker && current_worker->server == server ? current_worker : NULL;
}

/* ---- life ---- */

/* A clone of the mount's device, -1 where the kernel makes none. */
static int device_clone(const struct devfuse_server *server, int flags)
{
	uint32_t original = (uint32_t)devfuse_mount_fd(server->mount);
	CLEAN_FD int clone = open(DEVFUSE_DEVICE, O_RDWR | O_CLOEXEC | flags);

	if (clone < 0 || ioctl(clone, FUSE_DEV_IOC_CLONE, &original) < 0)
		return -1;
	return TAKE_FD(clone);
}

static void watch_done(struct ring_job *job, int result)
{
	struct worker *worker = (struct worker *)job;

	worker->is_watched = false;
	worker->is_readable = true; /* or gone, which the read will tell */
}

void worker_init(struct worker *worker, struct devfuse_server *server, bool is_first)
{
	int clone = is_first ? -1 : device_clone(server, 0);

	worker->watch.done = watch_done;
	worker->server = server;
	worker->is_clone = clone >= 0;
	worker->device = clone >= 0 ? clone : devfuse_mount_fd(server->mount);
	worker->device_nonblock = device_clone(server, O_NONBLOCK);
	worker->ring_state = worker->device_nonblock >= 0 ? RING_NONE : RING_REFUSED;
}

void worker_close(struct worker *worker)
{
	if (worker->is_clone)
		clean_fd(&worker->device);
	worker->is_clone = false;
	clean_fd(&worker->device_nonblock);
	worker->device_nonblock = -1;
}

/* ---- calls on files ---- */

int worker_io(struct worker *worker, struct fs_io *io)
{
	if (worker->ring)
		return ring_io(worker->ring, io);
	if (worker->ring_state == RING_REFUSED)
		return -EOPNOTSUPP;
	worker->ring_state = RING_WANTED;
	return -EAGAIN; /* this one is made by the caller, the next finds the ring */
}

static void ring_open(struct worker *worker)
{
	worker->ring_state = RING_REFUSED;
	if (ring_new(&worker->ring, 0, 1) == 0)
		worker->ring_state = RING_OPEN;
}

static bool is_busy(const struct worker *worker)
{
	return worker->ring && ring_io_count(worker->ring) > 0;
}

/* ---- requests ---- */

/* True when the worker should read again after this error. */
static bool read_error_passes(struct worker *worker, int error)
{
	int none = 0;

	switch (error) {
	case EINTR:
	case ENOENT: /* the request was withdrawn while it was read */
		return true;
	case EAGAIN:
		worker->is_readable = false;
		return true;
	case ENODEV:       /* unmounted */
	case ECONNABORTED: /* aborted, by umount -f or through /sys/fs/fuse */
		return false;
	default:
		atomic_compare_exchange_strong(&worker->server->error, &none, -error);
		return false;
	}
}

/* Reads a request and handles it. False: there will be no more. */
static bool worker_read(struct worker *worker, int device)
{
	struct devfuse_server *server = worker->server;
	struct devfuse_request *request = worker->spare;
	struct iovec place = request_read_place(request);
	ssize_t n = read(device, place.iov_base, place.iov_len);

	if (n < 0)
		return read_error_passes(worker, errno);
	worker->spare = NULL;
	request->device = device;
	request->req.channel = &server->channel;
	request_received(request, (size_t)n);
	fuse_session_handle(server->session, &request->req);
	if (worker->ring_state == RING_WANTED)
		ring_open(worker);
	return true;
}

/* One step while calls are under way. False: there will be no more requests. */
static bool step_busy(struct worker *worker)
{
	if (ring_reap(worker->ring) > 0)
		return true;
	if (worker->is_readable && worker->spare)
		return worker_read(worker, worker->device_nonblock);
	/* without memory for a request only the calls under way are waited for: they give it */
	if (worker->spare && !worker->is_watched)
		worker->is_watched =
			ring_watch(worker->ring, &worker->watch, worker->device_nonblock);
	(void)!ring_wait(worker->ring, -1); /* a signal: the caller sees whether it is the end */
	return true;
}

static void worker_loop(struct worker *worker)
{
	struct devfuse_server *server = worker->server;
	bool goes_on = true;

	while (goes_on && !atomic_load_explicit(&server->is_quitting, memory_order_relaxed)) {
		bool was_busy = is_busy(worker);

		if (!worker->spare)
			worker->spare = request_pool_take(&server->pool, !was_busy);
		if (was_busy) {
			goes_on = step_busy(worker);
		} else if (worker->spare) {
			worker->is_readable = false;
			goes_on = worker_read(worker, worker->device);
		} else {
			goes_on = false;
		}
	}
}

void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct devfuse_server *server = worker->server;

	current_worker = worker;
	worker_loop(worker);
	if (worker->ring)
		ring_drain(worker->ring, DRAIN_GRACE_MS);
	worker->ring = ring_free(worker->ring);
	worker->ring_state = RING_REFUSED;
	current_worker = NULL;
	if (worker->spare)
		request_pool_return(&server->pool, TAKE_PTR(worker->spare));
	atomic_fetch_add(&server->ended, 1);
	server_event(server);
	return NULL;
}
