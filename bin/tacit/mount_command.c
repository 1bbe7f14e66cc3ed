/* SPDX-License-Identifier: MIT */
/* mount_command.c — see mount_command.h. */
#include "tacit/mount_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "tacit/background.h"
#include "tacit/mount_directory.h"
#include "tacit/mount_options.h"
#include "tacit/mount_remount.h"
#include "tacit/mount_session.h"
#include "tacit/program.h"
#include "tacit/signals.h"

/* What a server needs to know while it starts. */
struct serving {
	const struct mount_command *command;
	const struct mount_words *words;
	const struct mount_options *options;
	const char *mountpoint;
	struct background background;
	bool is_background; /* this is the process in the background */
	bool is_ready;
};

void mount_command_fini(struct mount_command *command)
{
	buffer_fini(&command->options);
}

void mount_command_add_options(struct mount_command *command, const char *text)
{
	buffer_printf(&command->options, "%s%s", command->options.size > 0 ? "," : "", text);
}

static int status_of(int error)
{
	switch (error) {
	case -EPERM:
	case -EACCES:
		return MOUNT_USAGE;
	case -ENOMEM:
	case -EAGAIN:
	case -EMFILE:
	case -ENFILE:
		return MOUNT_SYSTEM;
	default:
		return MOUNT_FAILED;
	}
}

/* The one line, and the status that goes with it. */
static int fail(int error, const char *text)
{
	program_error("%s", text ? text : strerror(-error));
	return status_of(error);
}

/* ---- a new mount ---- */

static void on_ready(void *arg)
{
	struct serving *serving = arg;

	serving->is_ready = true;
	if (serving->is_background)
		background_ready(&serving->background);
	else
		background_notify("READY=1");
}

static int run(struct serving *serving, struct mount_session *session)
{
	int r;

	if (!serving->command->is_unrecorded)
		mount_session_record(session, serving->words->recorded);
	signals_stop(session);
	r = mount_session_run(session, on_ready, serving);
	signals_release();
	if (r == 0)
		return MOUNT_OK;
	if (!serving->is_ready)
		return fail(r, NULL);
	log_error("%s: the mount cannot be served any longer: %s", serving->mountpoint,
		strerror(-r));
	return status_of(r);
}

/* Everything from opening the image to the end of the mount. Returns the exit status. */
static int serve(struct serving *serving)
{
	CLEAN(mount_session_free) struct mount_session *session = NULL;
	CLEAN(free) char *error = NULL;
	int r;

	signals_hold();
	r = mount_session_new(&session, serving->command->source, serving->options, &error);
	if (r == 0)
		r = mount_session_attach(session, serving->mountpoint, &error);
	if (r == -EPROTO)
		return MOUNT_FAILED; /* fusermount3 has said why */
	return r < 0 ? fail(r, error) : run(serving, session);
}

static void say_mounted(const struct serving *serving)
{
	if (serving->command->is_verbose)
		printf("%s: %s mounted on %s.\n", program_name(), serving->command->source,
			serving->mountpoint);
}

static int serve_in_background(struct serving *serving)
{
	int r;

	r = background_fork(&serving->background);
	if (r < 0)
		return fail(r, NULL);
	if (r == 0) {
		log_to_syslog();
		serving->is_background = true;
		return serve(serving);
	}
	r = background_wait(&serving->background, MOUNT_FAILED);
	if (r == 0)
		say_mounted(serving);
	return r;
}

/* The type asked for, else by the source: a directory, or what is in the file. */
static int find_type(const struct mount_command *command, enum mount_type *ret)
{
	const char *type = command->type;
	struct stat st;

	if (!type)
		*ret = stat(command->source, &st) == 0 && S_ISDIR(st.st_mode) ? MOUNT_TYPE_DIR :
			MOUNT_TYPE_EFIVARS;
	else if (strcmp(type, "efivars") == 0)
		*ret = MOUNT_TYPE_EFIVARS;
	else if (strcmp(type, "dir") == 0)
		*ret = MOUNT_TYPE_DIR;
	else if (strcmp(type, "vhost") == 0)
		program_error("type vhost is not in this version, which has efivars and dir");
	else
		program_usage_error("-t %s: the types are efivars and dir", type);
	return !type || strcmp(type, "efivars") == 0 || strcmp(type, "dir") == 0 ? MOUNT_OK :
		MOUNT_USAGE;
}

static int mount_new(const struct mount_command *command, const struct mount_words *words,
	const struct mount_options *options, const char *mountpoint)
{
	struct serving serving = {
		.command = command,
		.words = words,
		.options = options,
		.mountpoint = mountpoint,
	};

	return command->is_foreground ? serve(&serving) : serve_in_background(&serving);
}

static int parse_and_mount(const struct mount_command *command, const struct mount_words *words,
	const char *mountpoint)
{
	CLEAN(free) char *error = NULL;
	struct mount_options options;
	int status;
	int r;

	mount_options_init(&options);
	status = find_type(command, &options.type);
	if (status != MOUNT_OK)
		return status;
	r = options.type == MOUNT_TYPE_DIR ?
		mount_directory_check(command->source, mountpoint, &error) : 0;
	if (r < 0)
		return fail(r, error);
	r = mount_options_parse(&options, words, &error);
	if (r < 0) {
		program_error("%s", error ? error : strerror(-r));
		status = r == -ENOMEM ? MOUNT_SYSTEM : MOUNT_USAGE;
	} else if (!command->is_fake) {
		status = mount_new(command, words, &options, mountpoint);
	}
	mount_options_fini(&options);
	return status;
}

/* ---- either ---- */

static int remount(const struct mount_command *command, const struct mount_words *words,
	const char *mountpoint)
{
	CLEAN(free) char *error = NULL;
	int r;

	if (command->is_fake)
		return MOUNT_OK;
	r = mount_remount(mountpoint, words, &error);
	return r < 0 ? fail(r, error) : MOUNT_OK;
}

/* The mount point's true path, for the caller to free. 0 or the exit status. */
static int resolve_mountpoint(char **ret, const char *given)
{
	CLEAN(free) char *path = realpath(given, NULL);
	struct stat st;

	if (!path || stat(path, &st) < 0) {
		int error = errno;

		if (error == ENOTCONN)
			program_error("%s: a mount is there whose server is gone; unmount it first",
				given);
		else
			program_error("mount point %s: %s", given, strerror(error));
		return status_of(-error);
	}
	if (!S_ISDIR(st.st_mode)) {
		program_error("mount point %s is not a directory", given);
		return MOUNT_FAILED;
	}
	*ret = TAKE_PTR(path);
	return 0;
}

static int run_words(const struct mount_command *command, struct mount_words *words)
{
	CLEAN(free) char *mountpoint = NULL;
	int status;

	if (command->is_sloppy && mount_words_drop_unknown(words) < 0)
		return fail(-ENOMEM, NULL);
	if (!words->is_remount && !command->source) {
		program_usage_error("a source and a mount point are wanted");
		return MOUNT_USAGE;
	}
	status = resolve_mountpoint(&mountpoint, command->mountpoint);
	if (status != 0)
		return status;
	if (words->is_remount)
		return remount(command, words, mountpoint);
	return parse_and_mount(command, words, mountpoint);
}

int mount_command_run(const struct mount_command *command)
{
	CLEAN(free) char *error = NULL;
	struct mount_words words = {0};
	int status;
	int r;

	if (buffer_error(&command->options))
		return fail(buffer_error(&command->options), NULL);
	r = mount_words_split(&words, buffer_text(&command->options), &error);
	if (r < 0) {
		program_error("%s", error ? error : strerror(-r));
		return r == -ENOMEM ? MOUNT_SYSTEM : MOUNT_USAGE;
	}
	status = run_words(command, &words);
	mount_words_fini(&words);
	return status;
}
