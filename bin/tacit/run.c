/* SPDX-License-Identifier: MIT */
/*
 * run.c — the verb `run`: a command that sees a variable store as its machine's UEFI variables.
 *
 * This process enters the namespace, serves the mount in it and ends with the command: with it the
 * mount goes, also for processes that the command leaves behind, and the store is closed.
 */
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "tacit/mount_options.h"
#include "tacit/mount_session.h"
#include "tacit/program.h"
#include "tacit/run_command.h"
#include "tacit/run_namespace.h"

struct run_arguments {
	struct buffer options;
	const char *store;
	char **command; /* NULL-terminated */
};

static int print_help(void)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	buffer_string(&out,
		"Usage: tacit run [-o OPT,...] STORE -- COMMAND [ARG...]\n\n"
		"Runs COMMAND, which sees the UEFI variable store STORE as its machine's\n"
		"variables, at " RUN_EFIVARS ".\n"
		"Nothing outside COMMAND's processes sees it.\n\n"
		"Options:\n"
		"  -o, --options OPT,...  options of the mount, below; may be repeated\n"
		"  -h, --help             print this help\n"
		"  -V, --version          print the version\n");
	mount_options_help(&out, false);
	buffer_string(&out, "\nFor more details see tacit-run(1).\n");
	return program_print(&out) < 0 ? RUN_FAILED : 0;
}

static int fail(int error, const char *text)
{
	program_error("%s", text ? text : strerror(-error));
	return RUN_FAILED;
}

static void on_ready(void *arg)
{
	run_command_start(arg);
}

static void on_end(void *arg)
{
	mount_session_stop(arg);
}

/* Serves until the command has ended. */
static int serve(struct mount_session *session, struct run_command *command)
{
	int r;

	r = run_command_watch(command, on_end, session);
	if (r == 0)
		r = mount_session_run(session, on_ready, command);
	if (r < 0)
		program_error("the variables cannot be served: %s", strerror(-r));
	return run_command_finish(command);
}

static int run_in_namespace(const struct run_arguments *arguments,
	const struct mount_options *options)
{
	CLEAN(mount_session_free) struct mount_session *session = NULL;
	CLEAN(free) char *error = NULL;
	struct run_command command;
	int r;

	r = run_namespace_enter(&error);
	if (r < 0)
		return fail(r, error);
	r = run_command_fork(&command, arguments->command);
	if (r < 0)
		return fail(r, NULL);
	r = mount_session_new(&session, arguments->store, options, &error);
	if (r == 0)
		r = mount_session_attach(session, RUN_EFIVARS, &error);
	if (r == 0)
		return serve(session, &command);
	(void)run_command_finish(&command); /* it has not begun */
	return fail(r, error);
}

static int run_with_options(const struct run_arguments *arguments, const struct mount_words *words)
{
	CLEAN(free) char *error = NULL;
	struct mount_options options;
	int status;
	int r;

	mount_options_init(&options);
	options.common.allow_other = true; /* the command may become another user */
	options.efivars.uid = options.efivars.gid = 0; /* who it is in a user namespace, too */
	r = mount_options_parse(&options, words, &error);
	if (r == 0)
		r = run_namespace_set_environment();
	status = r < 0 ? fail(r, error) : run_in_namespace(arguments, &options);
	mount_options_fini(&options);
	return status;
}

static int run(const struct run_arguments *arguments)
{
	CLEAN(free) char *error = NULL;
	struct mount_words words = {0};
	int status;
	int r;

	r = buffer_error(&arguments->options);
	if (r == 0)
		r = mount_words_split(&words, buffer_text(&arguments->options), &error);
	if (r < 0)
		return fail(r, error);
	if (words.is_remount)
		status = fail(-EINVAL, "remount is for a live mount: see tacit mount");
	else
		status = run_with_options(arguments, &words);
	mount_words_fini(&words);
	return status;
}

/* -1 to go on, or the exit status. */
static int read_arguments(struct run_arguments *arguments, int argc, char **argv)
{
	static const struct option long_options[] = {
		{"options", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{0},
	};
	int option;

	/* '+': what follows the store is the command's. */
	while ((option = getopt_long(argc, argv, "+o:hV", long_options, NULL)) != -1) {
		switch (option) {
		case 'o':
			buffer_printf(&arguments->options, "%s%s",
				arguments->options.size > 0 ? "," : "", optarg);
			break;
		case 'h':
			return print_help();
		case 'V':
			return program_print_version() < 0 ? RUN_FAILED : 0;
		default:
			program_try_help();
			return RUN_FAILED;
		}
	}
	if (optind < argc)
		arguments->store = argv[optind++];
	if (optind < argc && strcmp(argv[optind], "--") == 0)
		optind++;
	arguments->command = argv + optind;
	if (arguments->store && *arguments->command)
		return -1;
	program_usage_error("a store, '--' and a command are wanted");
	return RUN_FAILED;
}

int verb_run(int argc, char **argv)
{
	struct run_arguments arguments = {0};
	int status;

	status = read_arguments(&arguments, argc, argv);
	if (status < 0)
		status = run(&arguments);
	buffer_fini(&arguments.options);
	return status;
}
