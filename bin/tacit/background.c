/* SPDX-License-Identifier: MIT */
/* background.c — see background.h. */
#include "tacit/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "tacit/program.h"

/* What the caller had open, a shell's lock for one, must not live as long as the mount. */
static void close_inherited(int kept)
{
	/* Both fail only on kernels without the call (before Linux 5.9). */
	if (kept > STDERR_FILENO + 1)
		(void)close_range(STDERR_FILENO + 1, (unsigned)kept - 1, 0);
	(void)close_range((unsigned)kept + 1, ~0u, 0);
}

int background_fork(struct background *ret)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		int error = errno;

		(void)close(fds[0]);
		(void)close(fds[1]);
		return -error;
	}
	(void)close(fds[pid > 0 ? 1 : 0]);
	if (pid == 0)
		close_inherited(fds[1]);
	*ret = (struct background){.fd = fds[pid > 0 ? 0 : 1], .child = pid};
	return pid > 0;
}

int background_wait(struct background *background, int lost)
{
	char byte;
	ssize_t n;
	int status;

	do
		n = read(background->fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	(void)close(background->fd);
	if (n == 1)
		return 0;
	while (waitpid(background->child, &status, 0) < 0) {
		if (errno != EINTR)
			return lost;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		return WEXITSTATUS(status);
	if (WIFSIGNALED(status))
		program_error("the server was ended by signal %d (%s) before the mount answered",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		program_error("the server ended before the mount answered");
	return lost;
}

void background_ready(struct background *background)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)setsid();   /* fails only for a leader of a group, who has no terminal to lose */
	(void)!chdir("/"); /* no folder is kept busy; it is always there */
	for (int fd = STDIN_FILENO; null_fd >= 0 && fd <= STDERR_FILENO; fd++)
		(void)dup2(null_fd, fd);
	if (null_fd > STDERR_FILENO)
		(void)close(null_fd);
	/* The parent may have been killed; the mount stays. */
	if (io_write(background->fd, "", 1) < 0)
		log_debug("nobody waits for this mount");
	(void)close(background->fd);
	background->fd = -1;
}

void background_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = path ? strlen(path) : 0;
	CLEAN_FD int fd = -1;

	if (length < 2 || length >= sizeof(address.sun_path) || !strchr("/@", path[0]))
		return;
	memcpy(address.sun_path, path, length);
	if (path[0] == '@')
		address.sun_path[0] = 0; /* a name that is not in the file system */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 ||
		sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) < 0)
		log_warn("the service manager at %s was not told '%s': %s", path, state,
			strerror(errno));
}
