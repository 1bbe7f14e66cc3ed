/* SPDX-License-Identifier: MIT */
/*
 * served.h — mounts of the /dev/fuse transport in a test: made in a mount namespace of the test's
 * own, so that nothing stays behind; served by a thread; watched, so that nothing hangs for ever.
 *
 * Needs root and /dev/fuse. Included once by a test, after which its checks count as the test's.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/test/tap.h"
#include "transport/devfuse/devfuse.h"

#define DEADLINE_S 20
#define WATCH_MS 100000

static char base[] = "/tmp/devfuse-test-XXXXXX";
static char dir[64];  /* the mount point */
static char file[80]; /* below it */
static char wait_file[80];
static char control[64]; /* fusectl's */
static int watch = -1;   /* to the watching process: which connection is in use */

/* A mount that is served by a thread. */
struct served {
	struct fs *fs;
	struct devfuse_mount *mount;
	struct devfuse_server *server;
	pthread_t thread;
	sem_t ready;
	int result;
};

static struct timespec deadline(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += DEADLINE_S;
	return t;
}

static bool sem_wait_long(sem_t *sem)
{
	struct timespec until = deadline();

	while (sem_timedwait(sem, &until) < 0) {
		if (errno != EINTR)
			return false;
	}
	return true;
}

static void served_ready(void *arg)
{
	sem_post(&((struct served *)arg)->ready);
}

static void *served_main(void *arg)
{
	struct served *s = arg;

	s->result = devfuse_server_run(s->server, served_ready, s);
	return NULL;
}

/* What cannot fail in a test that is to mean anything. */
static void must(bool condition, const char *what)
{
	if (!condition) {
		ok(false, "%s: %s", what, strerror(errno));
		exit(1);
	}
}

static void connection_abort(unsigned connection)
{
	char path[96];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%u/abort", control, connection);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)!write(fd, "1", 1); /* it may have ended meanwhile */
	close(fd);
}

/*
 * Server and users are one process here: if it died in the middle, its threads would wait for each
 * other's end without a way to kill them. So another process aborts the connection when this one
 * has not ended in time.
 */
static void watch_start(void)
{
	unsigned connection = 0;
	struct pollfd waiting;
	int pipes[2];

	must(pipe2(pipes, O_CLOEXEC) == 0, "pipe");
	switch (fork()) {
	case -1:
		must(false, "fork");
		break;
	case 0:
		close(pipes[1]);
		waiting = (struct pollfd){.fd = pipes[0], .events = POLLIN};
		while (poll(&waiting, 1, WATCH_MS) > 0) {
			if (read(pipes[0], &connection, sizeof(connection)) <= 0)
				_exit(0);
		}
		connection_abort(connection);
		_exit(0);
	default:
		close(pipes[0]);
		watch = pipes[1];
	}
}

static unsigned connection_of_mount(void)
{
	struct stat st;

	must(stat(dir, &st) == 0, "stat");
	return minor(st.st_dev);
}

static void watch_connection(unsigned connection)
{
	must(write(watch, &connection, sizeof(connection)) == sizeof(connection), "watch");
}

static void serve(struct served *s, struct fs *fs, unsigned threads)
{
	struct devfuse_mount_options options = {
		.source = "a,b c",
		.subtype = "tacit",
		.allow_other = true,
		.default_permissions = true,
		.flags = MS_NOSUID | MS_NODEV,
	};
	char *error = NULL;

	*s = (struct served){.fs = fs, .result = 1};
	sem_init(&s->ready, 0, 0);
	must(devfuse_mount_new(&s->mount, dir, &options, &error) == 0, error ? error : "mount");
	must(devfuse_server_new(&s->server, s->mount, fs, threads, NULL) == 0, "server");
	must(pthread_create(&s->thread, NULL, served_main, s) == 0, "thread");
	ok(sem_wait_long(&s->ready), "the mount is ready");
	watch_connection(connection_of_mount());
}

/* Waits for the server's end. */
static void served_join(struct served *s)
{
	struct timespec until = deadline();

	must(pthread_timedjoin_np(s->thread, NULL, &until) == 0, "the server has ended in time");
	is_int(s->result, 0, "the server ended well");
}

static void served_free(struct served *s)
{
	if (watch >= 0)
		watch_connection(0);
	devfuse_server_free(s->server);
	devfuse_mount_free(s->mount);
	sem_destroy(&s->ready);
	s->fs->ops->destroy(s->fs);
}

/* Skips the test where it cannot run; else the mount point and the watch are there. */
static void served_setup(void)
{
	if (geteuid() != 0)
		tap_skip_all("root is needed to mount");
	if (access("/dev/fuse", R_OK | W_OK) < 0)
		tap_skip_all("/dev/fuse is missing");
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		tap_skip_all("a mount namespace cannot be made");
	must(mkdtemp(base) != NULL, "mkdtemp");
	(void)snprintf(dir, sizeof(dir), "%s/mnt", base);
	(void)snprintf(file, sizeof(file), "%s/file", dir);
	(void)snprintf(wait_file, sizeof(wait_file), "%s/wait", dir);
	(void)snprintf(control, sizeof(control), "%s/control", base);
	must(mkdir(dir, 0755) == 0 && mkdir(control, 0755) == 0, "mkdir");
	must(mount("none", control, "fusectl", 0, NULL) == 0, "fusectl");
	watch_start();
}

static void served_cleanup(void)
{
	must(umount2(control, MNT_DETACH) == 0 && rmdir(control) == 0 && rmdir(dir) == 0 &&
			rmdir(base) == 0,
		"rmdir");
}
