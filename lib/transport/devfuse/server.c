/* SPDX-License-Identifier: MIT */
/*
 * server.c — see devfuse.h: workers that read requests and hand them to the session.
 *
 * Each worker has a clone of the device, so that the kernel keeps their requests apart; an answer
 * goes to the descriptor that its request was read from. A worker reads, handles and reads again,
 * nothing is handed from thread to thread; the memory of a request that was answered at once is
 * used for the next, without a lock.
 *
 * The thread that runs the server waits on an eventfd, which is how stop() may be called from a
 * signal handler. A worker that is asleep in read() is woken by a real-time signal, which is sent
 * until it has ended: so it does not matter whether it comes just before the read.
 *
 * The order of an end: detach (the workers still serve what that needs), no more notifications,
 * interrupt what is kept, workers end, what is kept comes home, the device is closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include "base/log.h"
#include "fuse/protocol.h"
#include "transport/devfuse/internal.h"

#define THREADS_DEFAULT_MAX 4u
#define WAKE_SIGNAL (SIGRTMIN + 5)
#define WAKE_AGAIN_MS 10

struct worker {
	struct devfuse_server *server;
	pthread_t thread;
	int device;
	bool is_clone;                 /* the device is ours to close */
	struct devfuse_request *spare; /* touched by the worker's thread alone */
};

struct devfuse_server {
	struct fuse_channel channel; /* first: the session's calls get this */
	struct devfuse_mount *mount; /* borrowed */
	struct fuse_session *session;
	struct request_pool pool;
	struct worker workers[DEVFUSE_THREADS_MAX];
	unsigned worker_count;
	unsigned started; /* of worker_count; others have no thread */
	int event;        /* eventfd: something below has changed */
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

static _Thread_local struct worker *current_worker;

static void event_raise(struct devfuse_server *server)
{
	uint64_t one = 1;
	ssize_t n = write(server->event, &one, sizeof(one));

	(void)n; /* fails only when the counter is full, and then it is raised */
}

static void request_home(struct devfuse_server *server, struct devfuse_request *request)
{
	struct worker *worker = current_worker;

	if (worker && worker->server == server && !worker->spare)
		worker->spare = request;
	else
		request_pool_return(&server->pool, request);
}

/* An INIT that was refused ends the server: the kernel does not ask again. */
static void init_answered(struct devfuse_server *server, const struct devfuse_request *request)
{
	struct fuse_out_header header;
	int none = 0;

	if (fuse_session_is_ready(server->session)) {
		atomic_store(&server->is_ready, true);
	} else {
		memcpy(&header, request->out[0].iov_base, sizeof(header));
		if (header.error == 0)
			return; /* it is to ask again with our version */
		atomic_compare_exchange_strong(&server->error, &none, -EPROTO);
		atomic_store(&server->stop_wanted, true);
	}
	event_raise(server);
}

static void channel_complete(struct fuse_channel *channel, struct fs_request *req, size_t length)
{
	struct devfuse_server *server = (struct devfuse_server *)channel;
	struct devfuse_request *request = (struct devfuse_request *)req;
	struct iovec iov[2] = {request->out[0], request->out[1]};
	ssize_t n = 0;

	if (length > iov[0].iov_len) {
		iov[1].iov_len = length - iov[0].iov_len;
		n = writev(request->device, iov, 2);
	} else if (length > 0) {
		n = write(request->device, iov[0].iov_base, length);
	}
	/* ENOENT: its caller was killed; ENODEV: unmounted; the kernel ends it in any case */
	if (n < 0 && errno != ENOENT && errno != ENODEV)
		log_limited(LOG_LEVEL_DEBUG, "an answer of %zu bytes was refused: %s", length,
			strerror(errno));
	if (req->opcode == FUSE_INIT)
		init_answered(server, request);
	request_home(server, request);
}

/* ---- calls of the device from outside a request ---- */

/* False: the server is ending, the device must not be used any more. */
static bool outside_begin(struct devfuse_server *server)
{
	bool is_open;

	pthread_mutex_lock(&server->outside_lock);
	is_open = !server->outside_is_closed;
	if (is_open)
		server->outside++;
	pthread_mutex_unlock(&server->outside_lock);
	return is_open;
}

static void outside_end(struct devfuse_server *server)
{
	pthread_mutex_lock(&server->outside_lock);
	server->outside--;
	pthread_cond_broadcast(&server->outside_ended);
	pthread_mutex_unlock(&server->outside_lock);
}

/* A notification may wait for a request to be answered, so workers must still run. */
static void outside_close(struct devfuse_server *server)
{
	pthread_mutex_lock(&server->outside_lock);
	server->outside_is_closed = true;
	while (server->outside > 0)
		pthread_cond_wait(&server->outside_ended, &server->outside_lock);
	pthread_mutex_unlock(&server->outside_lock);
}

static int channel_notify(struct fuse_channel *channel, const struct iovec *iov, size_t count)
{
	struct devfuse_server *server = (struct devfuse_server *)channel;
	int r = 0;

	if (!outside_begin(server))
		return -ENOTCONN;
	if (writev(devfuse_mount_fd(server->mount), iov, (int)count) < 0)
		r = errno == ENODEV || errno == EPERM ? -ENOTCONN : -errno;
	outside_end(server);
	return r;
}

static int channel_backing_open(struct fuse_channel *channel, int fd, uint32_t *ret_backing)
{
	struct devfuse_server *server = (struct devfuse_server *)channel;
	struct tacit_backing_map map = {.fd = fd};
	int id;

	if (!outside_begin(server))
		return -ENOTCONN;
	id = ioctl(devfuse_mount_fd(server->mount), TACIT_DEV_IOC_BACKING_OPEN, &map);
	if (id < 0)
		id = errno == ENOTTY ? -EOPNOTSUPP : -errno; /* a kernel older than 6.9 */
	outside_end(server);
	if (id < 0)
		return id;
	*ret_backing = (uint32_t)id;
	return 0;
}

static void channel_backing_close(struct fuse_channel *channel, uint32_t backing)
{
	struct devfuse_server *server = (struct devfuse_server *)channel;

	if (!outside_begin(server))
		return; /* the kernel drops them all with the connection */
	(void)ioctl(devfuse_mount_fd(server->mount), TACIT_DEV_IOC_BACKING_CLOSE, &backing);
	outside_end(server);
}

static const struct fuse_channel_ops channel_ops = {
	.complete = channel_complete,
	.notify = channel_notify,
	.backing_open = channel_backing_open,
	.backing_close = channel_backing_close,
};

/* ---- workers ---- */

/* True when the worker should read again after this error. */
static bool read_error_passes(struct worker *worker, int error)
{
	int none = 0;

	switch (error) {
	case EINTR:
	case EAGAIN:
	case ENOENT: /* the request was withdrawn while it was read */
		return true;
	case ENODEV:       /* unmounted */
	case ECONNABORTED: /* aborted, by umount -f or through /sys/fs/fuse */
		return false;
	default:
		atomic_compare_exchange_strong(&worker->server->error, &none, -error);
		return false;
	}
}

static void worker_loop(struct worker *worker)
{
	struct devfuse_server *server = worker->server;

	while (!atomic_load_explicit(&server->is_quitting, memory_order_relaxed)) {
		struct devfuse_request *request = worker->spare;
		struct iovec place;
		ssize_t n;

		if (!request)
			request = request_pool_take(&server->pool);
		if (!request)
			return;
		worker->spare = request;
		place = request_read_place(request);
		n = read(worker->device, place.iov_base, place.iov_len);
		if (n < 0) {
			if (!read_error_passes(worker, errno))
				return;
			continue;
		}
		worker->spare = NULL;
		request->device = worker->device;
		request->req.channel = &server->channel;
		request_received(request, (size_t)n);
		fuse_session_handle(server->session, &request->req);
	}
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct devfuse_server *server = worker->server;

	current_worker = worker;
	worker_loop(worker);
	current_worker = NULL;
	if (worker->spare)
		request_pool_return(&server->pool, TAKE_PTR(worker->spare));
	atomic_fetch_add(&server->ended, 1);
	event_raise(server);
	return NULL;
}

static void wake(int signal_number)
{
}

/* Starts the workers with every signal blocked but the one that wakes them. */
static int workers_start(struct devfuse_server *server)
{
	struct sigaction action = {.sa_handler = wake};
	sigset_t blocked, before;
	int r = 0;

	sigfillset(&blocked);
	sigdelset(&blocked, WAKE_SIGNAL);
	if (sigaction(WAKE_SIGNAL, &action, NULL) < 0)
		return -errno;
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	for (unsigned i = 0; i < server->worker_count; i++) {
		struct worker *worker = &server->workers[i];

		r = -pthread_create(&worker->thread, NULL, worker_main, worker);
		if (r < 0)
			break; /* fewer will do */
		server->started++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return server->started > 0 ? 0 : r;
}

/* ---- the end ---- */

/* Waits until something has changed; timeout_ms -1: as long as it takes. */
static void event_wait(struct devfuse_server *server, int timeout_ms)
{
	struct pollfd waiting = {.fd = server->event, .events = POLLIN};
	uint64_t count;
	ssize_t n = 0;

	if (poll(&waiting, 1, timeout_ms) > 0)
		n = read(server->event, &count, sizeof(count));
	(void)n; /* whoever waits looks at what has changed itself */
}

static bool all_ended(struct devfuse_server *server)
{
	return atomic_load(&server->ended) == server->started;
}

static void workers_end(struct devfuse_server *server)
{
	atomic_store(&server->is_quitting, true);
	request_pool_close(&server->pool);
	while (!all_ended(server)) {
		for (unsigned i = 0; i < server->started; i++)
			pthread_kill(server->workers[i].thread, WAKE_SIGNAL);
		event_wait(server, WAKE_AGAIN_MS);
	}
	for (unsigned i = 0; i < server->started; i++)
		pthread_join(server->workers[i].thread, NULL);
}

static void devices_close(struct devfuse_server *server)
{
	for (unsigned i = 0; i < server->worker_count; i++) {
		if (server->workers[i].is_clone)
			clean_fd(&server->workers[i].device);
		server->workers[i].is_clone = false;
	}
	mount_close_device(server->mount);
}

int devfuse_server_run(struct devfuse_server *server, void (*on_ready)(void *arg), void *arg)
{
	bool is_announced = false;
	int r = workers_start(server);

	if (r < 0)
		return r;
	while (atomic_load(&server->ended) == 0 && !atomic_load(&server->stop_wanted)) {
		event_wait(server, -1);
		if (atomic_load(&server->is_ready) && !is_announced) {
			is_announced = true;
			if (on_ready)
				on_ready(arg);
		}
	}
	if (atomic_load(&server->ended) == 0)
		(void)devfuse_mount_detach(server->mount); /* may be gone already */
	if (atomic_load(&server->error) == 0)
		outside_close(server);
	fuse_session_interrupt_all(server->session);
	workers_end(server);
	request_pool_wait_home(&server->pool);
	devices_close(server);
	return atomic_load(&server->error);
}

void devfuse_server_stop(struct devfuse_server *server)
{
	atomic_store(&server->stop_wanted, true);
	event_raise(server);
}

/* ---- a server's life ---- */

static unsigned threads_default(void)
{
	cpu_set_t set;
	int count = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		count = CPU_COUNT(&set);
	if (count < 1)
		count = 1;
	return (unsigned)count < THREADS_DEFAULT_MAX ? (unsigned)count : THREADS_DEFAULT_MAX;
}

/* A clone of the device, or the device itself where the kernel makes none. */
static void worker_init(struct worker *worker, struct devfuse_server *server, bool is_first)
{
	uint32_t original = (uint32_t)devfuse_mount_fd(server->mount);
	CLEAN_FD int clone = is_first ? -1 : open(DEVFUSE_DEVICE, O_RDWR | O_CLOEXEC);

	worker->server = server;
	worker->device = (int)original;
	if (clone >= 0 && ioctl(clone, FUSE_DEV_IOC_CLONE, &original) == 0) {
		worker->device = TAKE_FD(clone);
		worker->is_clone = true;
	}
}

static int server_init(struct devfuse_server *server)
{
	server->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server->event < 0)
		return -errno;
	server->channel.ops = &channel_ops;
	pthread_mutex_init(&server->outside_lock, NULL); /* normal ones: cannot fail */
	pthread_cond_init(&server->outside_ended, NULL);
	request_pool_init(&server->pool);
	return 0;
}

int devfuse_server_new(struct devfuse_server **ret, struct devfuse_mount *mount, struct fs *fs,
	unsigned threads, const struct fuse_session_config *config)
{
	struct devfuse_server *server;
	int r;

	if (threads > DEVFUSE_THREADS_MAX)
		return -EINVAL;
	server = calloc(1, sizeof(*server));
	if (!server)
		return -ENOMEM;
	server->mount = mount;
	r = server_init(server);
	if (r < 0) {
		free(server);
		return r;
	}
	r = fuse_session_new(&server->session, fs, &server->channel, config);
	if (r < 0) {
		devfuse_server_free(server);
		return r;
	}
	server->worker_count = threads > 0 ? threads : threads_default();
	for (unsigned i = 0; i < server->worker_count; i++)
		worker_init(&server->workers[i], server, i == 0);
	*ret = server;
	return 0;
}

struct devfuse_server *devfuse_server_free(struct devfuse_server *server)
{
	if (!server)
		return NULL;
	for (unsigned i = 0; i < server->worker_count; i++) {
		if (server->workers[i].is_clone)
			clean_fd(&server->workers[i].device);
	}
	fuse_session_free(server->session);
	request_pool_fini(&server->pool);
	(void)close(server->event); /* ours alone */
	pthread_cond_destroy(&server->outside_ended);
	pthread_mutex_destroy(&server->outside_lock);
	free(server);
	return NULL;
}

struct fuse_session *devfuse_server_session(struct devfuse_server *server)
{
	return server->session;
}
