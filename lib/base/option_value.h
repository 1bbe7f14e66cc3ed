/* SPDX-License-Identifier: MIT */
/*
 * option_value.h — one value of an option: read from text, put into a value structure, printed.
 * Only option.c uses it.
 */
#pragma once

#include "base/option.h"

#define OPTION_SHOWN_MAX 100 /* bytes of what was given that a message repeats */

/* A value that was read and not yet put anywhere. */
struct option_value {
	bool flag;
	uint32_t u32;
	uint64_t u64;
	char *text; /* owned */
};

/*
 * Reads text (NULL: the option was given without "=") as a value of spec's kind. Flags are not read
 * here. 0; -EINVAL with one line appended to why; -ENOMEM.
 */
int option_value_read(const struct option_spec *spec, const char *text, struct option_value *ret,
	struct buffer *why) MUST_CHECK;

/* True when the structure holds this value already. */
bool option_value_is_current(const struct option_spec *spec, const struct option_value *value,
	const void *values);

/* Moves the value into the structure; an owned string there is freed first. */
void option_value_store(const struct option_spec *spec, struct option_value *take_value,
	void *values);

/* Appends NAME=VALUE, NAME or noNAME; nothing for a flag that is off and a string that is NULL. */
void option_value_format(const struct option_spec *spec, const void *values, struct buffer *out);

/* Appends how the option is written, for a person: "uid=USER", "auth=firmware|owner". */
void option_value_usage(const struct option_spec *spec, struct buffer *out);
