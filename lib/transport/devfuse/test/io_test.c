/* SPDX-License-Identifier: MIT */
/*
 * io_test.c — calls on files that sleep while the one worker goes on: their number, their results,
 * and every end that a mount may have while they are under way.
 */
#include "transport/devfuse/test/served.h"
#include "transport/devfuse/test/testfs.h"
#include "transport/ring/ring.h"

#define READERS_MAX (RING_IO_MAX + 4)
#define BLOCK 4096u

static char slow_file[80];

struct reader_thread {
	pthread_t thread;
	int fd;
	ssize_t result; /* or -errno */
};

static void *reader_main(void *arg)
{
	struct reader_thread *r = arg;
	char byte;

	r->result = pread(r->fd, &byte, 1, 0);
	if (r->result < 0)
		r->result = -errno;
	return NULL;
}

/* Starts readers of "slow", and waits until the file system has them all. */
static void readers_start(struct testfs *testfs, struct reader_thread *readers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		readers[i].fd = open(slow_file, O_RDWR | O_CLOEXEC);
		must(readers[i].fd >= 0, "open");
		must(pthread_create(&readers[i].thread, NULL, reader_main, &readers[i]) == 0,
			"thread");
	}
	for (size_t i = 0; i < count; i++)
		must(sem_wait_long(&testfs->slow_event), "a read has come");
}

static unsigned readers_join(struct reader_thread *readers, size_t count, ssize_t wanted)
{
	unsigned right = 0;

	for (size_t i = 0; i < count; i++) {
		pthread_join(readers[i].thread, NULL);
		right += readers[i].result == wanted;
		close(readers[i].fd);
	}
	return right;
}

/* Served by one worker. False: there is no io_uring here. */
static bool serve_slow(struct served *s, struct testfs **ret, int slow_fd)
{
	struct testfs *testfs = testfs_new();
	struct reader_thread first;

	testfs->slow_fd = slow_fd;
	serve(s, &testfs->fs, 1);
	*ret = testfs;
	readers_start(testfs, &first, 1);
	(void)readers_join(&first, 1, -EAGAIN);
	return first.result == -EAGAIN; /* the first call makes the ring */
}

static void end(struct served *s)
{
	is_int(umount2(dir, 0), 0, "it is unmounted");
	served_join(s);
	served_free(s);
}

static void test_slow(const int pipes[2])
{
	static struct reader_thread readers[READERS_MAX];
	struct served s;
	struct testfs *testfs;
	struct stat st;
	char bytes[READERS_MAX] = "";
	unsigned refused, answered;

	(void)serve_slow(&s, &testfs, pipes[0]);
	readers_start(testfs, readers, READERS_MAX);
	is_int(atomic_load(&testfs->slow_started), RING_IO_MAX, "as many as the limit sleep");
	is_int(stat(dir, &st), 0, "the one worker answers meanwhile");
	is_int(pread(readers[0].fd, bytes, 1, 0) < 0 ? errno : 0, EAGAIN,
		"what is too much is the file system's own to do");
	must(write(pipes[1], bytes, RING_IO_MAX) == RING_IO_MAX, "write");
	answered = refused = 0;
	for (size_t i = 0; i < READERS_MAX; i++) {
		pthread_join(readers[i].thread, NULL);
		answered += readers[i].result == 1;
		refused += readers[i].result == -EAGAIN;
		close(readers[i].fd);
	}
	is_int(answered, RING_IO_MAX, "each that slept gets its byte");
	is_int(refused, READERS_MAX - RING_IO_MAX, "the others were refused");
	is_int(atomic_load(&testfs->slow_done), RING_IO_MAX, "each was done once");
	readers_start(testfs, readers, 1);
	must(write(pipes[1], bytes, 1) == 1, "write");
	is_int(readers_join(readers, 1, 1), 1, "there is room again");
	end(&s);
}

/* A stop does not wait for ever for what may never end. */
static void test_stop(const int pipes[2])
{
	struct reader_thread readers[5];
	struct served s;
	struct testfs *testfs;

	(void)serve_slow(&s, &testfs, pipes[0]);
	readers_start(testfs, readers, ARRAY_SIZE(readers));
	devfuse_server_stop(s.server);
	served_join(&s);
	is_int(readers_join(readers, ARRAY_SIZE(readers), -EINTR), ARRAY_SIZE(readers),
		"a stop interrupts what sleeps");
	is_int(atomic_load(&testfs->slow_done), ARRAY_SIZE(readers), "each was done once");
	served_free(&s);
}

/* What sleeps when a stop comes, and then ends, is answered with its result. */
static void test_stop_finishes(const int pipes[2])
{
	struct reader_thread readers[5];
	struct served s;
	struct testfs *testfs;

	(void)serve_slow(&s, &testfs, pipes[0]);
	readers_start(testfs, readers, ARRAY_SIZE(readers));
	devfuse_server_stop(s.server);
	must(write(pipes[1], "abcde", 5) == 5, "write");
	served_join(&s);
	is_int(readers_join(readers, ARRAY_SIZE(readers), 1), ARRAY_SIZE(readers),
		"a stop loses nothing that can end");
	served_free(&s);
}

static void test_abort(const int pipes[2])
{
	struct reader_thread readers[5];
	struct served s;
	struct testfs *testfs;

	(void)serve_slow(&s, &testfs, pipes[0]);
	readers_start(testfs, readers, ARRAY_SIZE(readers));
	connection_abort(connection_of_mount());
	served_join(&s);
	is_int(readers_join(readers, ARRAY_SIZE(readers), -ECONNABORTED), ARRAY_SIZE(readers),
		"an abort ends what sleeps");
	is_int(atomic_load(&testfs->slow_done), ARRAY_SIZE(readers), "each was done once");
	served_free(&s);
}

/* ---- a disk ---- */

/* Writes and reads blocks of its own; returns how many went wrong. */
static void *busy_main(void *arg)
{
	uintptr_t number = (uintptr_t)arg, wrong = 0;
	uint8_t out[BLOCK], in[BLOCK];
	int fd = open(slow_file, O_RDWR | O_CLOEXEC);

	for (unsigned i = 0; i < 200; i++) {
		off_t offset = (off_t)(BLOCK * (number * 32 + i % 32));

		memset(out, (int)(number * 41 + i), sizeof(out));
		if (pwrite(fd, out, sizeof(out), offset) != (ssize_t)sizeof(out) ||
			(i % 50 == 0 && fsync(fd) < 0) ||
			pread(fd, in, sizeof(in), offset) != (ssize_t)sizeof(in) ||
			memcmp(in, out, sizeof(in)) != 0)
			wrong++;
	}
	close(fd);
	return (void *)wrong;
}

static void test_file(void)
{
	char path[96];
	struct served s;
	struct testfs *testfs;
	pthread_t threads[8];
	uintptr_t wrong = 0;
	void *result;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/disk", base);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	must(fd >= 0, "open");
	(void)serve_slow(&s, &testfs, fd);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		must(pthread_create(&threads[i], NULL, busy_main, (void *)i) == 0, "thread");
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &result);
		wrong += (uintptr_t)result;
	}
	is_int(wrong, 0, "8 threads read what they wrote");
	is_int(atomic_load(&testfs->slow_started), 8 * (200 * 2 + 4), "all of it through the ring");
	end(&s);
	close(fd);
	must(unlink(path) == 0, "unlink");
}

static bool has_ring(int fd)
{
	struct served s;
	struct testfs *testfs;
	bool has = serve_slow(&s, &testfs, fd);

	end(&s);
	return has;
}

int main(void)
{
	int pipes[2];

	served_setup();
	(void)snprintf(slow_file, sizeof(slow_file), "%s/slow", dir);
	must(pipe2(pipes, O_CLOEXEC) == 0, "pipe");
	if (has_ring(pipes[0])) {
		test_slow(pipes);
		test_stop(pipes);
		test_stop_finishes(pipes);
		test_abort(pipes);
		test_file();
	} else {
		ok(true, "calls that sleep # SKIP io_uring is not allowed here");
	}
	close(pipes[0]);
	close(pipes[1]);
	served_cleanup();
	return tap_done();
}
