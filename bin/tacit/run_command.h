/* SPDX-License-Identifier: MIT */
/*
 * run_command.h — the command of `tacit run`: a child that waits for the mount before it begins, a
 * thread that waits for its end, and the signals that go through to it.
 *
 * The child stays in the process group of ours, so that the terminal is its own: what the terminal
 * sends (SIGINT, SIGQUIT, SIGTSTP) reaches it without us, and what is sent to us alone is passed
 * on.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"

/* Exit statuses of `tacit run` that are not the command's own, those of env(1) and its like. */
enum run_status {
	RUN_FAILED = 125,
	RUN_NOT_EXECUTABLE = 126,
	RUN_NOT_FOUND = 127,
	RUN_SIGNAL = 128, /* and the signal's number on top */
};

struct run_command {
	pid_t child;
	int start_fd; /* closed without a byte: the child ends without beginning */
	pthread_t waiter;
	bool has_waiter;
	int status;   /* exit status; the waiter's until it is joined */
	void (*on_end)(void *arg);
	void *arg;
};

/* Makes the child, which runs argv (NULL-terminated) once it is started. Before threads. 0 or
 * -errno. */
int run_command_fork(struct run_command *ret, char **argv) MUST_CHECK;

/* Starts the thread that waits for the child's end and then calls on_end(arg). 0 or -errno. */
int run_command_watch(struct run_command *command, void (*on_end)(void *arg), void *arg)
	MUST_CHECK;

/* Lets the child begin. */
void run_command_start(struct run_command *command);

/* Waits for the end; a child that was not started ends now. Returns its exit status. */
int run_command_finish(struct run_command *command);
