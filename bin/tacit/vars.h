/* SPDX-License-Identifier: MIT */
/*
 * vars.h — what the verbs of `tacit vars` share.
 *
 * A verb is a function and a line in vars.c's table, which also says what operands and options it
 * takes: the table drives parsing and help. Verbs print their own errors, one line each, and return
 * the exit status: 0, 1 for a failure, VARS_NO for a question answered with no.
 *
 * Everything here runs in one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "store/store.h"
#include "tacit/vars_name.h"
#include "uefi/nvstore.h"

#define VARS_NO 2

#define VARS_OPERANDS_MAX 2
#define VARS_OPTIONS_MAX 8

struct json;

struct vars_option {
	const char *name;     /* without dashes */
	char letter;          /* its short form, or 0 */
	const char *argument; /* what its value is called in the help; NULL for a flag */
	const char *help;
};

struct vars_call;

struct vars_verb {
	const char *name;
	int (*run)(const struct vars_call *call);
	const char *operands[VARS_OPERANDS_MAX + 1]; /* all must be given; NULL-terminated */
	const char *help;    /* one line, for the list of verbs */
	const char *details; /* more lines for its own help, or NULL */
	struct vars_option options[VARS_OPTIONS_MAX + 1];
};

/* A verb as it was called. The strings are argv's. */
struct vars_call {
	const struct vars_verb *verb;
	const char *operands[VARS_OPERANDS_MAX];
	const char *values[VARS_OPTIONS_MAX]; /* of verb->options: "" for a flag, NULL: absent */
	enum store_profile profile;
};

extern const struct vars_verb vars_verbs[]; /* ends with a name of NULL */

/* vars_arguments.c */

/*
 * Reads a verb's arguments (argv[0] is the verb, NULL ends). 1 when the call is complete, 0 when
 * help was asked for, -EINVAL after an error line for wrong usage.
 */
int vars_parse(char **argv, const struct vars_verb *verb, struct vars_call *ret) MUST_CHECK;
/* The value of an option of the verb, "" for a flag that was given, NULL when it was not. */
const char *vars_option(const struct vars_call *call, const char *name);
/* Appends the help of `tacit vars` and of one verb. */
void vars_help(struct buffer *out);
void vars_verb_help(const struct vars_verb *verb, struct buffer *out);

/* The verbs. */
int vars_list(const struct vars_call *call);
int vars_get(const struct vars_call *call);
int vars_set(const struct vars_call *call);
int vars_rm(const struct vars_call *call);
int vars_info(const struct vars_call *call);
int vars_check(const struct vars_call *call);
int vars_repair(const struct vars_call *call);
int vars_compact(const struct vars_call *call);
int vars_create(const struct vars_call *call);
int vars_export(const struct vars_call *call);
int vars_import(const struct vars_call *call);
int vars_diff(const struct vars_call *call);
int vars_purge_dumps(const struct vars_call *call);

/* vars_open.c: opening and replacing images. What fails prints an error line. */

/* Largest image that is held in memory, bytes. */
#define VARS_IMAGE_MAX (256u << 20)

/* Opens an image as it is. 0 or -errno. */
int vars_open_source(const char *path, bool is_writable, struct source **ret) MUST_CHECK;
/* Opens the store in an image: the call's first operand. 0 or -errno. */
int vars_open_store(const struct vars_call *call, bool is_writable, struct store **ret) MUST_CHECK;

/*
 * Opens a file to read from, a pipe or terminal too; a FIFO is not waited for. A descriptor or
 * -errno, without an error line.
 */
int vars_open_input(const char *path) MUST_CHECK;

/*
 * Changes a store as a whole. change(store, context) is called with the store in a copy of the
 * image's bytes; when it returns 0 the image is replaced by the copy in one step, and otherwise
 * nothing has happened. The image is locked for writing meanwhile. change prints its own errors.
 * A block device cannot be replaced: there change is tried on the copy first and then called again
 * on the device, each variable one step. 0 or -errno.
 */
int vars_transact(const struct vars_call *call, int (*change)(struct store *store, void *context),
	void *context) MUST_CHECK;

/*
 * A store's own words for why the last call failed with r, or the errno's. Borrowed until its next
 * call.
 */
const char *vars_reason(struct store *store, int r);

/*
 * Makes path's whole content `size` bytes of data in one step. With a file already there:
 * refused unless may_replace, and then only when nobody has it open for writing. 0 or -errno.
 */
int vars_write_image(const char *path, const void *data, size_t size, bool may_replace) MUST_CHECK;

/*
 * Replaces the image that source is open on, for writing, by one of the same size: a file in one
 * step; a block device is written over, which a crash may leave half done. 0 or -errno.
 */
int vars_replace(const char *path, struct source *source, const void *data, size_t size) MUST_CHECK;

/* vars_print.c */

/* Writes an answer to standard output; the exit status, after an error line on failure. */
int vars_print(const struct buffer *out) MUST_CHECK;
/* "name" and "guid", into the open object. */
void vars_json_key(struct json *j, const struct uefi_name *name, const struct guid *vendor);
/* Those, and "attributes", "attr", "size", "state", "time". */
void vars_json_variable(struct json *j, const struct nv_variable *v, const char *state);

/* vars_info.c: true for a crash dump that Linux's pstore left (dump-type...). */
bool vars_is_dump(const struct nv_variable *v);
