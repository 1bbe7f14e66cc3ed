/* SPDX-License-Identifier: MIT */
/*
 * server.c — see devfuse.h: a server's life, its start and its end.
 *
 * The thread that runs the server waits on an eventfd, which is how stop() may be called from a
 * signal handler. A worker that is asleep in read() is woken by a real-time signal, which is sent
 * until it has ended: so it does not matter whether it comes just before the read.
 *
 * The order of an end: detach (the workers still serve what that needs), no more notifications,
 * interrupt what is kept, workers end (and with each the calls on files that it has under way),
 * what is kept comes home, the device is closed.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "transport/devfuse/internal.h"

#define THREADS_DEFAULT_MAX 4u
#define WAKE_SIGNAL (SIGRTMIN + 5)
#define WAKE_AGAIN_MS 10

void server_event(struct devfuse_server *server)
{
	uint64_t one = 1;
	ssize_t n = write(server->event, &one, sizeof(one));

	(void)n; /* fails only when the counter is full, and then it is raised */
}

/* ---- workers ---- */

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
	for (unsigned i = 0; i < server->worker_count; i++)
		worker_close(&server->workers[i]);
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
	server_event(server);
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

static int server_init(struct devfuse_server *server)
{
	server->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server->event < 0)
		return -errno;
	server->channel.ops = &devfuse_channel_ops;
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
	for (unsigned i = 0; i < server->worker_count; i++)
		worker_close(&server->workers[i]);
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
