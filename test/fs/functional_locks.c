/* SPDX-License-Identifier: MIT */
/*
 * functional_locks.c — cases of locks: flock, of processes, of open files; waiting, interrupted.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "functional.h"

/* The call of a lock; type, start and length are as in struct flock. */
static int lock(int fd, int command, int type, off_t start, off_t length)
{
	struct flock what = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = start,
		.l_len = length};

	return fcntl(fd, command, &what);
}

/* What stands against a lock. */
static void note_conflict(int fd, int command, int type, off_t start, off_t length)
{
	struct flock what = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = start,
		.l_len = length};

	if (fcntl(fd, command, &what) < 0)
		note("getlk: %s", strerrorname_np(errno));
	else if (what.l_type == F_UNLCK)
		note("getlk %lld+%lld: free", (long long)start, (long long)length);
	else
		note("getlk %lld+%lld: type %d from %lld length %lld of %s", (long long)start,
			(long long)length, what.l_type, (long long)what.l_start,
			(long long)what.l_len, what.l_pid == getppid() ? "the parent" :
			what.l_pid == getpid() ? "itself" :
			what.l_pid == -1 ? "an open file" : "another");
}

static void whole_files(const struct place *place)
{
	int a, b, copy;

	make_file("f", 10, 1);
	a = OPEN(open("f", O_RDWR));
	b = OPEN(open("f", O_RDONLY));
	copy = dup(a);
	CALL(flock(a, LOCK_SH));
	CALL(flock(b, LOCK_SH | LOCK_NB));
	CALL(flock(a, LOCK_EX | LOCK_NB));
	CALL(flock(b, LOCK_UN));
	CALL(flock(a, LOCK_EX | LOCK_NB));
	CALL(flock(b, LOCK_SH | LOCK_NB));
	CALL(flock(copy, LOCK_EX | LOCK_NB));
	CALL(close(a));
	CALL(flock(b, LOCK_SH | LOCK_NB));
	CALL(close(copy));
	CALL(flock(b, LOCK_EX)); /* waits, as the kernel tells a server of a close when it likes */
	CALL(flock(b, 99));
	CALL(flock(b, LOCK_UN));
	CALL(flock(b, LOCK_UN));
}

/* A child waits for a lock that the parent gives up. */
static void wait_for_whole_file(const struct place *place)
{
	int fd, status;
	pid_t child;

	make_file("f", 10, 1);
	fd = OPEN(open("f", O_RDWR));
	CALL(flock(fd, LOCK_EX));
	child = fork();
	if (child == 0) {
		fd = open("f", O_RDWR);
		_exit(flock(fd, LOCK_EX) == 0 ? 7 : errno);
	}
	wait_until_asleep(child);
	note("still waiting: %d", waitpid(child, &status, WNOHANG) == 0);
	CALL(flock(fd, LOCK_UN));
	note_child(child, "waiter");
	CALL(flock(fd, LOCK_EX));
}

static void wake(int number)
{
}

/* Signals come until one meets the wait. */
static void interrupt_me(void)
{
	struct itimerval often = {{0, 50000}, {0, 50000}};
	struct sigaction action = {.sa_handler = wake};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void interrupted(const struct place *place)
{
	int fd;
	pid_t child;

	make_file("f", 10, 1);
	fd = OPEN(open("f", O_RDWR));
	CALL(flock(fd, LOCK_EX));
	child = fork();
	if (child == 0) {
		fd = open("f", O_RDWR);
		interrupt_me();
		_exit(flock(fd, LOCK_EX) == 0 ? 0 : errno);
	}
	note_child(child, "flock");
	CALL(lock(fd, F_SETLK, F_WRLCK, 0, 10));
	child = fork();
	if (child == 0) {
		fd = open("f", O_RDWR);
		interrupt_me();
		_exit(lock(fd, F_SETLKW, F_WRLCK, 5, 10) == 0 ? 0 : errno);
	}
	note_child(child, "fcntl");
	child = fork();
	if (child == 0) {
		fd = open("f", O_RDWR);
		interrupt_me();
		_exit(lock(fd, F_OFD_SETLKW, F_RDLCK, 9, 1) == 0 ? 0 : errno);
	}
	note_child(child, "fcntl of an open file");
	/* nothing of the interrupted is left */
	CALL(flock(fd, LOCK_UN));
	CALL(lock(fd, F_SETLK, F_UNLCK, 0, 0));
	child = fork();
	if (child == 0) {
		fd = open("f", O_RDWR);
		_exit(flock(fd, LOCK_EX | LOCK_NB) == 0 && lock(fd, F_SETLK, F_WRLCK, 0, 0) == 0 ?
			0 : errno);
	}
	note_child(child, "afterwards");
}

static void killed_while_waiting(const struct place *place)
{
	pid_t child;
	int fd;

	make_file("f", 10, 1);
	fd = OPEN(open("f", O_RDWR));
	CALL(lock(fd, F_OFD_SETLK, F_WRLCK, 0, 0));
	child = fork();
	if (child == 0) {
		fd = open("f", O_RDWR);
		_exit(lock(fd, F_OFD_SETLKW, F_WRLCK, 0, 0) == 0 ? 0 : errno);
	}
	wait_until_asleep(child);
	CALL(kill(child, SIGKILL));
	note_child(child, "waiter");
	CALL(lock(fd, F_OFD_SETLK, F_UNLCK, 0, 0));
	fd = OPEN(open("f", O_RDWR));
	CALL(lock(fd, F_OFD_SETLKW, F_WRLCK, 0, 0));
}

static void of_processes(const struct place *place)
{
	int fd, reader, writer;
	pid_t child;

	make_file("f", 100, 1);
	fd = OPEN(open("f", O_RDWR));
	CALL(lock(fd, F_SETLK, F_WRLCK, 10, 20));
	CALL(lock(fd, F_SETLK, F_RDLCK, 50, 10));
	CALL(lock(fd, F_SETLK, F_UNLCK, 15, 5)); /* splits */
	CALL(lock(fd, F_SETLK, F_RDLCK, 1000, 0));
	CALL(lock(fd, F_SETLK, F_WRLCK, 80, -10));
	child = fork();
	if (child == 0) {
		fd = open("f", O_RDWR);
		for (off_t at = 0; at < 100; at += 5)
			note_conflict(fd, F_GETLK, F_WRLCK, at, 5);
		note_conflict(fd, F_GETLK, F_WRLCK, 0, 0);
		note_conflict(fd, F_GETLK, F_RDLCK, 50, 5);
		note_conflict(fd, F_GETLK, F_WRLCK, 2000, 5);
		CALL(lock(fd, F_SETLK, F_WRLCK, 15, 5));
		CALL(lock(fd, F_SETLK, F_WRLCK, 14, 5));
		CALL(lock(fd, F_SETLK, F_RDLCK, 50, 10));
		CALL(lock(fd, F_SETLK, F_RDLCK, 10, 1));
		_exit(0);
	}
	note_child(child, "other");
	note_conflict(fd, F_GETLK, F_WRLCK, 0, 0);
	reader = OPEN(open("f", O_RDONLY));
	writer = OPEN(open("f", O_WRONLY));
	CALL(lock(reader, F_SETLK, F_WRLCK, 0, 1));
	CALL(lock(writer, F_SETLK, F_RDLCK, 0, 1));
	CALL(lock(fd, F_SETLK, 99, 0, 1));
	CALL(lock(fd, F_SETLK, F_WRLCK, -1, 1));
	CALL(close(reader)); /* ends them all */
	child = fork();
	if (child == 0) {
		fd = open("f", O_RDWR);
		note_conflict(fd, F_GETLK, F_WRLCK, 0, 0);
		_exit(0);
	}
	note_child(child, "other");
}

static void wait_for_process(const struct place *place)
{
	pid_t child;
	int fd, status;

	make_file("f", 100, 1);
	fd = OPEN(open("f", O_RDWR));
	CALL(lock(fd, F_SETLK, F_WRLCK, 0, 10));
	child = fork();
	if (child == 0) {
		int own = open("f", O_RDWR);

		_exit(lock(own, F_SETLKW, F_WRLCK, 5, 10) == 0 ? 7 : errno);
	}
	wait_until_asleep(child);
	note("still waiting: %d", waitpid(child, &status, WNOHANG) == 0);
	CALL(lock(fd, F_SETLK, F_UNLCK, 0, 10));
	note_child(child, "waiter");
	/* a lock ends with its process, too */
	child = fork();
	if (child == 0) {
		int own = open("f", O_RDWR);

		_exit(lock(own, F_SETLK, F_WRLCK, 0, 0));
	}
	note_child(child, "locker");
	CALL(lock(fd, F_SETLK, F_WRLCK, 0, 0));
}

static void of_open_files(const struct place *place)
{
	int a, b, copy, status;
	pid_t child;

	make_file("f", 100, 1);
	a = OPEN(open("f", O_RDWR));
	b = OPEN(open("f", O_RDWR));
	copy = dup(a);
	CALL(lock(a, F_OFD_SETLK, F_WRLCK, 0, 10));
	CALL(lock(b, F_OFD_SETLK, F_RDLCK, 5, 1));
	CALL(lock(b, F_OFD_SETLK, F_RDLCK, 10, 1));
	note_conflict(b, F_OFD_GETLK, F_RDLCK, 5, 1);
	CALL(lock(copy, F_OFD_SETLK, F_WRLCK, 2, 3));
	CALL(lock(b, F_SETLK, F_WRLCK, 0, 1)); /* against those of processes too */
	CALL(flock(b, LOCK_EX | LOCK_NB));     /* not against flock */
	child = fork();
	if (child == 0) {
		close(a);
		close(copy);
		_exit(lock(b, F_OFD_SETLKW, F_WRLCK, 0, 10) == 0 ? 7 : errno);
	}
	wait_until_asleep(child);
	note("still waiting: %d", waitpid(child, &status, WNOHANG) == 0);
	CALL(close(a));
	note("still waiting: %d", waitpid(child, &status, WNOHANG) == 0);
	CALL(close(copy));
	note_child(child, "waiter");
	a = OPEN(open("f", O_RDWR));
	CALL(lock(a, F_OFD_SETLK, F_WRLCK, 0, 10)); /* b has it, by its child */
	CALL(close(b));
	CALL(lock(a, F_OFD_SETLKW, F_WRLCK, 0, 10));
	CALL(unlink("f"));
	CALL(lock(a, F_OFD_SETLK, F_RDLCK, 0, 0));
}

const struct case_entry lock_cases[] = {
	{"locks-of-whole-files", whole_files},
	{"locks-wait-for-whole-file", wait_for_whole_file},
	{"locks-interrupted", interrupted},
	{"locks-killed-while-waiting", killed_while_waiting},
	{"locks-of-processes", of_processes},
	{"locks-wait-for-process", wait_for_process},
	{"locks-of-open-files", of_open_files},
	{NULL, NULL},
};
