/* SPDX-License-Identifier: MIT */
/* ring_test.c — calls on files that are slow, wrong, too many, cancelled. */
#include "transport/ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/test/tap.h"

#define PATIENCE_MS 20000
#define NOT_DONE (-1000000)

/* A call of a test's, with its result. */
struct call {
	struct fs_io io; /* first */
	struct iovec iov;
	char bytes[64];
	ssize_t result;
	unsigned done;
	struct ring *ring;  /* with it: starts `next` when it is done */
	struct call *next;
	int next_result;
};

static void must(bool condition, const char *what)
{
	if (!condition) {
		ok(false, "%s: %s", what, strerror(errno));
		exit(1);
	}
}

static void call_done(struct fs_request *req, struct fs_io *io, ssize_t result)
{
	struct call *call = (struct call *)io;

	call->result = result;
	call->done++;
	if (call->next)
		call->next_result = ring_io(call->ring, &call->next->io);
}

static struct call call_of(enum fs_io_kind kind, int fd, size_t size, uint64_t offset)
{
	return (struct call){
		.io = {.kind = kind, .fd = fd, .count = 1, .offset = offset, .done = call_done},
		.iov = {.iov_len = size},
		.result = NOT_DONE,
	};
}

static int start(struct ring *ring, struct call *call)
{
	call->iov.iov_base = call->bytes;
	call->io.iov = &call->iov;
	return ring_io(ring, &call->io);
}

/* Starts a call and waits for its result. */
static ssize_t finish(struct ring *ring, struct call *call)
{
	int r = start(ring, call);

	while (r == 0 && call->done == 0) {
		r = ring_wait(ring, PATIENCE_MS);
		(void)ring_reap(ring);
	}
	return r < 0 ? r : call->result;
}

static struct ring *ring_open(void)
{
	struct ring *ring = NULL;
	int r = ring_new(&ring, 0, 4);

	if (r == -EOPNOTSUPP)
		tap_skip_all("io_uring is not allowed here");
	must(r == 0, "ring_new");
	return ring;
}

static int file_open(void)
{
	char path[] = "/tmp/ring-test-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);

	must(fd >= 0 && unlink(path) == 0, "file");
	return fd;
}

static void test_kinds(void)
{
	struct ring *ring = ring_open();
	int fd = file_open();
	struct call call = call_of(FS_IO_WRITE, fd, 5, 10);

	memcpy(call.bytes, "hello", 5);
	is_int(finish(ring, &call), 5, "a write");
	call = call_of(FS_IO_READ, fd, 64, 8);
	is_int(finish(ring, &call), 7, "a read up to the end");
	ok(memcmp(call.bytes, "\0\0hello", 7) == 0, "at its place");
	call = call_of(FS_IO_WRITE, fd, 3, 0);
	call.io.flags = RWF_APPEND;
	memcpy(call.bytes, "end", 3);
	is_int(finish(ring, &call), 3, "a write with RWF_APPEND");
	call = call_of(FS_IO_READ, fd, 3, 15);
	is_int(finish(ring, &call), 3, "is found");
	ok(memcmp(call.bytes, "end", 3) == 0, "at the end");
	call = call_of(FS_IO_SYNC, fd, 0, 0);
	is_int(finish(ring, &call), 0, "fsync");
	call = call_of(FS_IO_DATASYNC, fd, 0, 0);
	is_int(finish(ring, &call), 0, "fdatasync");
	is_int(ring_io_count(ring), 0, "nothing is under way");
	close(fd);
	ring_free(ring);
}

static void test_errors(void)
{
	struct ring *ring = ring_open();
	int fd = file_open();
	struct call call = call_of(FS_IO_READ, -1, 5, 0);

	is_int(finish(ring, &call), -EBADF, "no descriptor");
	is_int(call.done, 1, "is told through done");
	call = call_of(FS_IO_READ, fd, 5, UINT64_MAX);
	is_int(start(ring, &call), -EINVAL, "an offset that would mean the file's position");
	call.io.offset = 0;
	call.io.count = 5000;
	is_int(ring_io(ring, &call.io), -EINVAL, "too many iovecs");
	is_int(ring_io_count(ring), 0, "neither was started");
	call = call_of(FS_IO_WRITE, fd, 5, 0);
	call.io.flags = 1 << 30;
	ok(finish(ring, &call) < 0, "a flag that no kernel knows");
	close(fd);
	ring_free(ring);
}

static void test_slow(void)
{
	struct ring *ring = ring_open();
	struct call slow, next, quick;
	int pipes[2], fd = file_open();

	must(pipe2(pipes, O_CLOEXEC) == 0, "pipe");
	slow = call_of(FS_IO_READ, pipes[0], 64, 0);
	next = call_of(FS_IO_READ, pipes[0], 64, 0);
	slow.ring = ring;
	slow.next = &next;
	next.iov.iov_base = next.bytes;
	next.io.iov = &next.iov;
	is_int(start(ring, &slow), 0, "a read of an empty pipe does not block");
	quick = call_of(FS_IO_WRITE, fd, 5, 0);
	is_int(finish(ring, &quick), 5, "another call is done meanwhile");
	is_int(ring_wait(ring, 1), -ETIME, "nothing more comes");
	is_int(slow.done, 0, "it is not done yet");
	must(write(pipes[1], "now", 3) == 3, "write");
	while (slow.done == 0 && ring_wait(ring, PATIENCE_MS) == 0)
		(void)ring_reap(ring);
	is_int(slow.result, 3, "it is done when there are bytes");
	is_int(slow.next_result, 0, "which starts the next call");
	is_int(ring_io_count(ring), 1, "that is under way");
	must(write(pipes[1], "then", 4) == 4, "write");
	while (next.done == 0 && ring_wait(ring, PATIENCE_MS) == 0)
		(void)ring_reap(ring);
	is_int(next.result, 4, "and done");
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
	ring_free(ring);
}

/* The limit, and an end with all of them under way. */
static void test_many(void)
{
	static struct call calls[RING_IO_MAX + 1];
	struct ring *ring = ring_open();
	unsigned started = 0, interrupted = 0, done = 0;
	int pipes[2];

	must(pipe2(pipes, O_CLOEXEC) == 0, "pipe");
	for (size_t i = 0; i < RING_IO_MAX; i++) {
		calls[i] = call_of(FS_IO_READ, pipes[0], 1, 0);
		started += start(ring, &calls[i]) == 0;
	}
	is_int(started, RING_IO_MAX, "as many as the limit are started");
	calls[RING_IO_MAX] = call_of(FS_IO_READ, pipes[0], 1, 0);
	is_int(start(ring, &calls[RING_IO_MAX]), -EAGAIN, "one more is not");
	must(write(pipes[1], "ab", 2) == 2, "write");
	calls[0].ring = calls[1].ring = ring;
	calls[0].next = calls[1].next = &calls[RING_IO_MAX];
	ring_drain(ring, 0);
	for (size_t i = 0; i < RING_IO_MAX; i++) {
		done += calls[i].done;
		interrupted += calls[i].result == -EINTR;
	}
	is_int(done, RING_IO_MAX, "each is done once at the end");
	ok(interrupted >= RING_IO_MAX - 2, "those that would never end were cancelled");
	is_int(calls[RING_IO_MAX].done, 0, "and nothing was started then");
	is_int(ring_io_count(ring), 0, "nothing is under way");
	is_int(start(ring, &calls[0]), -EAGAIN, "a drained ring takes no more");
	close(pipes[0]);
	close(pipes[1]);
	ring_free(ring);
}

/* What is nearly done at the end is waited for. */
static void test_grace(void)
{
	struct ring *ring = ring_open();
	int pipes[2], fd = file_open();
	struct call calls[8];
	unsigned whole = 0;

	must(pipe2(pipes, O_CLOEXEC) == 0, "pipe");
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		calls[i] = call_of(i % 2 ? FS_IO_WRITE : FS_IO_SYNC, fd, 64, i * 64);
		must(start(ring, &calls[i]) == 0, "start");
	}
	ring_drain(ring, PATIENCE_MS);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		whole += calls[i].done == 1 && calls[i].result == (i % 2 ? 64 : 0);
	is_int(whole, ARRAY_SIZE(calls), "what can end does, with its result");
	close(fd);
	ring_free(ring);
}

struct watching {
	struct ring_job job; /* first */
	unsigned done;
	int result;
};

static void watching_done(struct ring_job *job, int result)
{
	struct watching *w = (struct watching *)job;

	w->done++;
	w->result = result;
}

static void test_watch(void)
{
	struct ring *ring = ring_open();
	struct watching w = {.job.done = watching_done};
	int pipes[2];

	must(pipe2(pipes, O_CLOEXEC) == 0, "pipe");
	ok(ring_watch(ring, &w.job, pipes[0]), "a descriptor is watched");
	is_int(ring_wait(ring, 1), -ETIME, "nothing to read");
	must(write(pipes[1], "x", 1) == 1, "write");
	is_int(ring_wait(ring, PATIENCE_MS), 0, "something to read");
	is_int(ring_reap(ring), 1, "one thing is told");
	ok(w.done == 1 && w.result > 0, "that it is readable");
	is_int(ring_wait(ring, 1), -ETIME, "once");
	close(pipes[1]);
	close(pipes[0]);
	ring_free(ring);
}

static void set_fsetid(bool wanted)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	must(syscall(SYS_capget, &header, data) == 0, "capget");
	data[0].effective &= ~(1u << CAP_FSETID);
	if (wanted)
		data[0].effective |= 1u << CAP_FSETID;
	must(syscall(SYS_capset, &header, data) == 0, "capset");
}

/* Who calls may lose a file's set-user-id bit by a write: those without CAP_FSETID. */
static void test_credentials(void)
{
	struct ring *ring = ring_open();
	int fd = file_open();
	struct call call = call_of(FS_IO_WRITE, fd, 5, 0);
	struct stat st;
	int r;

	if (geteuid() != 0) {
		ok(true, "credentials # SKIP root is needed");
		return;
	}
	must(fchmod(fd, 04755) == 0, "chmod");
	is_int(finish(ring, &call), 5, "a write with CAP_FSETID");
	must(fstat(fd, &st) == 0, "stat");
	ok(st.st_mode & S_ISUID, "keeps the set-user-id bit");
	call = call_of(FS_IO_WRITE, fd, 5, 0);
	set_fsetid(false);
	r = start(ring, &call);
	set_fsetid(true);
	is_int(r, 0, "one that is started without, and ends with it");
	ring_drain(ring, PATIENCE_MS);
	is_int(call.result, 5, "is done");
	must(fstat(fd, &st) == 0, "stat");
	ok(!(st.st_mode & S_ISUID), "and loses it");
	close(fd);
	ring_free(ring);
}

int main(void)
{
	test_kinds();
	test_errors();
	test_slow();
	test_many();
	test_grace();
	test_watch();
	test_credentials();
	return tap_done();
}
