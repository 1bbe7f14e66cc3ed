/* SPDX-License-Identifier: MIT */
/*
 * names.h — file names of variables: `Name-GUID`, and back.
 *
 * A name's canonical form is the one that a variable from the firmware is shown under: UTF-8, `/`
 * as `!`, the GUID in lower case. Two names that differ only in the GUID's case, or in how a pair
 * of surrogates was encoded, have one canonical form, and with it they are one file.
 */
#pragma once

#include <string.h>

#include "base/guid.h"
#include "fs/filesystem.h"
#include "uefi/variable.h"

#define FILE_NAME_SIZE (FS_NAME_MAX + 1)
#define KEY_UNITS_MAX (FS_NAME_MAX - 1 - GUID_TEXT_LENGTH) /* a unit is a byte of UTF-8 at least */

/* Copies a file name; what is longer than one can be is cut. */
static inline void file_name_copy(char to[static FILE_NAME_SIZE], const char *from)
{
	size_t length = strnlen(from, FS_NAME_MAX);

	memcpy(to, from, length);
	to[length] = 0;
}

/* A variable's key whose file name fits into a directory. */
struct variable_key {
	struct guid vendor;
	size_t count; /* units */
	uint16_t units[KEY_UNITS_MAX];
};

/* Reads a file name: any case of the GUID. 0; -EINVAL: it is ill-formed or not UTF-8. */
int key_parse(struct variable_key *ret, const char *file_name) MUST_CHECK;

/*
 * A key as the firmware gives it. 0; -ENAMETOOLONG when its file name has more than 255 bytes;
 * -EINVAL for a name that no file can have (empty, or with a NUL in it).
 */
int key_from_name(struct variable_key *ret, const struct uefi_name *name,
	const struct guid *vendor) MUST_CHECK;

/* The canonical file name. 0 or -ENAMETOOLONG. */
int key_format(const struct variable_key *key, char text[static FILE_NAME_SIZE]) MUST_CHECK;

/* The name alone, as the services take it. */
void key_get_name(const struct variable_key *key, struct uefi_name *ret);
