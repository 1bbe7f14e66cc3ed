/* SPDX-License-Identifier: MIT */
/*
 * program.h — what the verbs of the program share.
 *
 * A verb is one function in one file; main.c has the table. Errors are one line on standard error,
 * "tacit VERB: ...", and name what was wrong and what is accepted.
 */
#pragma once

#include "base/buffer.h"

/* Each gets its own argc and argv (argv[0] is the verb) and returns the exit status. */
int verb_mount(int argc, char **argv);
int verb_run(int argc, char **argv);
int verb_vars(int argc, char **argv);

/* /sbin/mount.fuse.tacit, called by mount(8): argv[0] is the helper's name. */
int mount_helper(int argc, char **argv);

/*
 * Before anything is opened: what is closed of standard input, output and error stays closed for
 * its users, but no image gets its number, and with that what is printed.
 */
void program_hold_standard_descriptors(void);

/* "tacit mount" and so on: who speaks in program_error. */
void program_set_name(const char *name);
const char *program_name(void);

/* One line on standard error, without control characters. */
void program_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, with "Try 'NAME --help'." behind; for wrong usage. */
void program_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The second half of a usage error alone: getopt has said what is wrong. */
void program_try_help(void);

/* An error's line, owned by the caller; NULL without memory. */
char *program_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What --version says; as program_print. */
int program_print_version(void) MUST_CHECK;

/* Writes to standard output; 0, or -errno (a full disk, a closed pipe) after an error line. */
int program_print(const struct buffer *text) MUST_CHECK;
