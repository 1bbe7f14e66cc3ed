/* SPDX-License-Identifier: MIT */
/*
 * option.h — mount options as tables.
 *
 * One table of struct option_spec describes a group of options (those of every mount, those of a
 * file system) and the host structure that their values live in. It serves `-o` parsing, --help,
 * the manual page's check, the printed form of the live values, and a remount: which starts from
 * the live values, changes what is named, and refuses what cannot change.
 *
 * A value structure is plain memory of the caller's; string values in it are owned by it
 * (option_fini frees them). Nothing here locks: whoever publishes live values to other threads does
 * that itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum option_kind {
	OPTION_FLAG,      /* bool: NAME sets it */
	OPTION_NEGATABLE, /* bool: NAME sets it, noNAME clears it */
	OPTION_RO_RW,     /* bool: ro sets it, rw clears it (name is "ro") */
	OPTION_UID,       /* uint32_t: a number or a user's name */
	OPTION_GID,       /* uint32_t: a number or a group's name */
	OPTION_U32,       /* uint32_t within [min, max] */
	OPTION_SIZE,      /* uint64_t bytes, with K, M, G (powers of 1024) */
	OPTION_TIME,      /* uint64_t nanoseconds, with ns, us, ms, s; a bare number is seconds */
	OPTION_ENUM,      /* uint32_t: index into choices */
	OPTION_STRING,    /* char *, owned */
	OPTION_LIST,      /* char *, owned: the values of all occurrences, a line each */
};

struct option_spec {
	const char *name;
	enum option_kind kind;
	size_t offset;              /* of the value in the value structure */
	bool is_live;               /* a remount may change it */
	uint64_t min, max;          /* U32, SIZE, TIME: inclusive; max 0 means no limit */
	const char *const *choices; /* ENUM: NULL-terminated */
	const char *help;           /* one line, no full stop */
};

struct option_table {
	const struct option_spec *specs;
	size_t count;
};

/* A table together with the values that a text is read into. */
struct option_set {
	const struct option_table *table;
	void *values;
};

/*
 * Reads "a,b=c,nod" into sets; the last occurrence of an option wins (of a list all
 * count, and are the whole of it); an empty element is skipped;
 * a comma inside a value is written "\,", a backslash before a comma "\\". Unknown options and bad
 * values are refused with one line in *ret_error (owned by the caller) that names the option and
 * what is accepted. With `is_remount` an option that is not live is refused only if its value would
 * change.
 * 0; -EINVAL with *ret_error set; -ENOMEM. On failure no value of any set has changed.
 */
int option_parse(const struct option_set *sets, size_t count, const char *text, bool is_remount,
	char **ret_error) MUST_CHECK;

/*
 * Appends every option in force, defaults included, as option_parse reads it: "rw,nostatfs,uid=0".
 * Strings that are NULL are left out; flags that are off too.
 */
void option_format(const struct option_set *sets, size_t count, struct buffer *out);

/* The same for one table, without those that are as in `defaults`; nothing when there is none. */
void option_format_changed(const struct option_table *table, const void *values,
	const void *defaults, struct buffer *out);

/* Appends a help line for each option, columns aligned. */
void option_help(const struct option_table *table, struct buffer *out);

/* Copies values with owned strings; size is the value structure's. 0 or -ENOMEM (nothing owned). */
int option_copy(const struct option_table *table, const void *values, size_t size, void *ret)
	MUST_CHECK;

/* Frees the owned strings. */
void option_fini(const struct option_table *table, void *values);

/* Elements of an option text one by one, for callers that sort them before parsing (mount(8) passes
 * options that are not ours): copies the next element, unescaped only of nothing, into *ret (owned)
 * and moves *text on. 1, 0 at the end, -ENOMEM. */
int option_next(const char **text, char **ret) MUST_CHECK;
