/* SPDX-License-Identifier: MIT */
/*
 * vars_name.h — keys of variables as people write and read them: `Name-GUID`, or just `Name`.
 */
#pragma once

#include "base/buffer.h"
#include "store/store.h"
#include "uefi/variable.h"

struct vars_key {
	struct uefi_name name;
	struct guid vendor;
};

/* `Name-GUID`. 0; -EINVAL for another form; -EILSEQ, -ENAMETOOLONG for a name that cannot be. */
int vars_key_parse(const char *text, struct vars_key *ret) MUST_CHECK;
/*
 * The variable of the store that text names: `Name-GUID`, or `Name` when one variable has it. With
 * may_be_new it need not be there if text gives the GUID or everybody knows it. Prints an error
 * line. 0, -ENOENT, -EINVAL, -ENOTUNIQ.
 */
int vars_key_resolve(struct store *store, const char *text, bool may_be_new, struct vars_key *ret)
	MUST_CHECK;
/* Appends a name for a terminal: what is no text, or controls it, is shown as \xNN or \uNNNN. */
void vars_name_show(const struct uefi_name *name, struct buffer *out);
/* Appends `Name-GUID`, the name as vars_name_show gives it. */
void vars_key_show(const struct uefi_name *name, const struct guid *vendor, struct buffer *out);

/* The value of a hexadecimal digit of either case, or -1. */
int vars_hex_digit(char c);
