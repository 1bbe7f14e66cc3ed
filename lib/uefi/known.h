/* SPDX-License-Identifier: MIT */
/*
 * known.h — what a firmware demands of the variables that it uses itself: attributes and sizes
 * (UEFI 2.10 §3.3 table 3.1; §32.3 for the keys), and lists of signatures where keys belong.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uefi/variable.h"

/*
 * True when a value with these attributes (append bit ignored) and this content may be set; with
 * append, what is added. Otherwise one line, without the name, is appended to why. A deletion is
 * not asked about. Variables that nobody knows pass.
 */
bool known_variable_accepts(const struct uefi_name *name, const struct guid *vendor,
	uint32_t attributes, size_t size, struct buffer *why);

/* True for the variables that hold lists of signatures: PK, KEK, db, dbx, dbt. */
bool known_variable_holds_keys(const struct uefi_name *name, const struct guid *vendor);

/* True when the content is lists of signatures as such a variable may hold; else why says. */
bool known_variable_accepts_keys(const struct uefi_name *name, const void *data, size_t size,
	struct buffer *why);
