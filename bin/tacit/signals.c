/* SPDX-License-Identifier: MIT */
/* signals.c — see signals.h. */
#include "tacit/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "tacit/mount_session.h"

static const int ending[] = {SIGTERM, SIGINT, SIGHUP};

/* Read by the handler; written while the signals are held back. */
static struct mount_session *stopped;

static void on_signal(int number)
{
	mount_session_stop(stopped);
}

/* nohup(1) means that the end of a terminal is not ours. */
static bool is_unwanted(int number)
{
	struct sigaction action;

	return number == SIGHUP && sigaction(number, NULL, &action) == 0 &&
		action.sa_handler == SIG_IGN;
}

static void set_handlers(void (*handler)(int number))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++) {
		if (!is_unwanted(ending[i]))
			(void)sigaction(ending[i], &action, NULL); /* fails for no such one only */
	}
}

static void mask(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaddset(&set, ending[i]);
	(void)pthread_sigmask(how, &set, NULL);
}

void signals_hold(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a limit on sizes is an error of the write */
	mask(SIG_BLOCK);
}

void signals_stop(struct mount_session *session)
{
	stopped = session;
	set_handlers(on_signal);
	mask(SIG_UNBLOCK);
}

void signals_release(void)
{
	set_handlers(SIG_IGN);
}
