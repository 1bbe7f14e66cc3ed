/* SPDX-License-Identifier: MIT */
/* run_command.c — see run_command.h. */
#include "tacit/run_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "tacit/program.h"

/* Passed on to the child. */
static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};

/* Read by the handler, which is in force only while the child is not waited for. */
static volatile pid_t forward_to;

/* A terminal (the kernel) has sent it to the child too; a process has sent it to us alone. */
static void forward(int number, siginfo_t *info, void *context)
{
	int error = errno;

	if (info->si_code <= 0 && forward_to > 0)
		(void)kill(forward_to, number); /* it may have ended just now */
	errno = error;
}

static void set_forwarding(bool is_on)
{
	struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};

	if (!is_on)
		action = (struct sigaction){.sa_handler = SIG_IGN};
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++)
		(void)sigaction(forwarded[i], &action, NULL); /* fails for no such signal only */
}

/* The child: waits for the mount, then becomes the command. */
static int become_command(int start_fd, char **argv)
{
	char byte;
	ssize_t n;
	int error;

	do
		n = read(start_fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		return RUN_FAILED; /* the parent has said why */
	(void)execvp(argv[0], argv); /* returns only to say why not */
	error = errno;
	program_error("%s: %s", argv[0], strerror(error));
	return error == ENOENT || error == ENOTDIR ? RUN_NOT_FOUND : RUN_NOT_EXECUTABLE;
}

int run_command_fork(struct run_command *ret, char **argv)
{
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	child = fork();
	if (child < 0) {
		int error = errno;

		(void)close(fds[0]);
		(void)close(fds[1]);
		return -error;
	}
	if (child == 0) {
		(void)close(fds[1]);
		_exit(become_command(fds[0], argv));
	}
	(void)close(fds[0]);
	*ret = (struct run_command){.child = child, .start_fd = fds[1], .status = RUN_FAILED};
	forward_to = child;
	set_forwarding(true);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return 0;
}

static void wait_for_child(struct run_command *command)
{
	siginfo_t info;
	int status;

	/* Its number stays its own until nothing forwards to it any more. */
	while (waitid(P_PID, (id_t)command->child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	set_forwarding(false);
	forward_to = 0;
	while (waitpid(command->child, &status, 0) < 0) {
		if (errno != EINTR)
			return;
	}
	command->status = WIFSIGNALED(status) ? RUN_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static void *watch(void *arg)
{
	struct run_command *command = arg;

	wait_for_child(command);
	command->on_end(command->arg);
	return NULL;
}

int run_command_watch(struct run_command *command, void (*on_end)(void *arg), void *arg)
{
	int r;

	command->on_end = on_end;
	command->arg = arg;
	r = pthread_create(&command->waiter, NULL, watch, command);
	command->has_waiter = r == 0;
	return -r;
}

static void close_start(struct run_command *command)
{
	if (command->start_fd >= 0)
		(void)close(command->start_fd);
	command->start_fd = -1;
}

void run_command_start(struct run_command *command)
{
	/* A child that was killed is waited for all the same. */
	if (io_write(command->start_fd, "", 1) < 0)
		log_debug("the command ended before it began");
	close_start(command);
}

int run_command_finish(struct run_command *command)
{
	close_start(command);
	if (command->has_waiter)
		(void)pthread_join(command->waiter, NULL); /* it is there and joined once */
	else
		wait_for_child(command);
	return command->status;
}
