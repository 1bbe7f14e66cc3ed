/* SPDX-License-Identifier: MIT */
/*
 * fusermount.c — mounting for a user: fusermount3, which is set-uid, mounts a directory that the
 * user owns and hands the device over through a socket whose number it finds in _FUSE_COMMFD.
 *
 * It tells the user on standard error what it does not like, so failure needs no words of ours.
 * Its options are one comma-separated text; a comma or backslash in the source is escaped.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "transport/devfuse/internal.h"

#define PROGRAM "fusermount3"
#define SOCKET_VARIABLE "_FUSE_COMMFD="

static void option_add(struct buffer *out, const char *name, const char *value)
{
	if (out->size > 0)
		buffer_u8(out, ',');
	buffer_string(out, name);
	for (; value && *value; value++) {
		if (*value == ',' || *value == '\\')
			buffer_u8(out, '\\');
		buffer_u8(out, (uint8_t)*value);
	}
}

static void options_format(const struct devfuse_mount_options *options, struct buffer *out)
{
	static const struct {
		unsigned long flag;
		const char *name;
	} names[] = {
		{MS_NOSUID, "nosuid"},
		{MS_NODEV, "nodev"},
		{MS_NOEXEC, "noexec"},
		{MS_NOATIME, "noatime"},
		{MS_SYNCHRONOUS, "sync"},
		{MS_DIRSYNC, "dirsync"},
	};

	option_add(out, options->is_read_only || options->flags & MS_RDONLY ? "ro" : "rw", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (options->flags & names[i].flag)
			option_add(out, names[i].name, NULL);
	}
	if (options->allow_other)
		option_add(out, "allow_other", NULL);
	if (options->default_permissions)
		option_add(out, "default_permissions", NULL);
	if (options->subtype)
		option_add(out, "subtype=", options->subtype);
	option_add(out, "fsname=", options->source);
}

/* The environment with the socket's number in it; the array alone is the caller's. */
static char **environment_with(char *variable)
{
	size_t count = 0, used = 0;
	char **copy;

	while (environ[count])
		count++;
	copy = calloc(count + 2, sizeof(*copy));
	if (!copy)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (strncmp(environ[i], SOCKET_VARIABLE, strlen(SOCKET_VARIABLE)) != 0)
			copy[used++] = environ[i];
	}
	copy[used] = variable;
	return copy;
}

/* Starts the program with `keep` (a descriptor, or -1) open in it. */
static int program_start(char *const arguments[], int keep, pid_t *ret)
{
	char variable[sizeof(SOCKET_VARIABLE) + 12];
	CLEAN(free) char **environment = NULL;
	posix_spawn_file_actions_t actions;
	int r;

	(void)snprintf(variable, sizeof(variable), SOCKET_VARIABLE "%d", keep);
	environment = environment_with(variable);
	if (!environment)
		return -ENOMEM;
	r = posix_spawn_file_actions_init(&actions);
	if (r != 0)
		return -r;
	/* to itself: clears close-on-exec in the child alone */
	if (keep >= 0)
		r = posix_spawn_file_actions_adddup2(&actions, keep, keep);
	if (r == 0)
		r = posix_spawnp(ret, PROGRAM, &actions, NULL, arguments, environment);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/* Waits for the program; 0 when it ended well, or its status is gone (SIGCHLD is ignored). */
static int program_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 0;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EPROTO;
}

static int descriptor_receive(int socket, int *ret)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec iov = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	ssize_t n;

	do
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return -EPROTO; /* it ended without a word */
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
		header->cmsg_len != CMSG_LEN(sizeof(int)))
		return -EPROTO;
	memcpy(ret, CMSG_DATA(header), sizeof(*ret));
	return 0;
}

int fusermount_attach(const char *mountpoint, const struct devfuse_mount_options *options,
	int *ret_device, char **ret_error)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;
	CLEAN_FD int ours = -1, theirs = -1, device = -1;
	char *arguments[] = {(char *)PROGRAM, (char *)"-o", NULL, (char *)"--", (char *)mountpoint,
		NULL};
	int pair[2];
	pid_t pid;
	int r, status;

	options_format(options, &text);
	r = buffer_error(&text);
	if (r < 0)
		return mount_error(ret_error, r, "%s", strerror(-r));
	arguments[2] = (char *)text.data;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return mount_error(ret_error, -errno, "socketpair: %s", strerror(errno));
	ours = pair[0];
	theirs = pair[1];
	r = program_start(arguments, theirs, &pid);
	if (r == -ENOENT)
		return mount_error(ret_error, -EPERM,
			"only root may mount; for other users install fusermount3 (package fuse3)");
	if (r < 0)
		return mount_error(ret_error, r, "%s: %s", PROGRAM, strerror(-r));
	clean_fd(&theirs); /* so that its end is seen */
	theirs = -1;
	r = descriptor_receive(ours, &device);
	status = program_wait(pid);
	if (r < 0 || status < 0)
		return mount_error(ret_error, -EPROTO, "%s failed", PROGRAM);
	*ret_device = TAKE_FD(device);
	return 0;
}

int fusermount_detach(const char *mountpoint)
{
	char *arguments[] = {(char *)PROGRAM, (char *)"-u", (char *)"-z", (char *)"-q",
		(char *)"--", (char *)mountpoint, NULL};
	pid_t pid;
	int r = program_start(arguments, -1, &pid);

	return r < 0 ? r : program_wait(pid);
}
