/* SPDX-License-Identifier: MIT */
/*
 * null_mount.c — "null-mount DIR": mounts the null file system, in the foreground.
 *
 * It is the floor that other mounts are measured against. Prints "ready" when the mount answers;
 * ends when it is unmounted, or told to by SIGTERM or SIGINT.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "fs/null/null.h"
#include "transport/devfuse/devfuse.h"

static struct devfuse_server *server;

static void stop(int signal)
{
	devfuse_server_stop(server);
}

static void say_ready(void *arg)
{
	static const char text[] = "ready\n";

	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		log_warn("nobody listens");
}

static int serve(struct devfuse_mount *mount, struct fs *fs)
{
	static const struct fuse_session_config config = {0};
	static const struct sigaction action = {.sa_handler = stop};
	int r = devfuse_server_new(&server, mount, fs, 0, &config);

	if (r < 0)
		return r;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	r = devfuse_server_run(server, say_ready, NULL);
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	server = devfuse_server_free(server);
	return r;
}

int main(int argc, char **argv)
{
	static const struct devfuse_mount_options options = {
		.source = "null",
		.subtype = "tacit",
		.allow_other = true,
		.default_permissions = true,
	};
	CLEAN(devfuse_mount_free) struct devfuse_mount *mount = NULL;
	CLEAN(free) char *error = NULL;
	struct fs *fs;
	int r;

	log_open("null-mount");
	if (argc != 2) {
		fprintf(stderr, "usage: null-mount DIR\n");
		return 1;
	}
	r = null_fs_new(&fs);
	if (r < 0) {
		log_error("%s", strerror(-r));
		return 1;
	}
	r = devfuse_mount_new(&mount, argv[1], &options, &error);
	if (r == 0)
		r = serve(mount, fs);
	if (r < 0)
		log_error("%s: %s", argv[1], error ? error : strerror(-r));
	fs->ops->destroy(fs);
	return r < 0;
}
