/* SPDX-License-Identifier: MIT */
/*
 * certdb.h — the firmware's list of who owns which private authenticated variable.
 *
 * The variable certdb holds: its own length, then a node for each variable: vendor GUID 16, length
 * of the node, units of the name, length of the digest (4 each), name, digest. Pure functions; a
 * content of 0 bytes, of a store that no firmware has seen, counts as an empty list.
 *
 * Reference: edk2's format, read under OVMF (doc/efivars.md).
 */
#pragma once

#include <stddef.h>

#include "uefi/variable.h"

extern const struct guid certdb_guid; /* d9bee56e-75dc-49d9-b4d7-b534210f637a */
#define CERTDB_NAME "certdb"
#define CERTDB_VOLATILE_NAME "certdbv"
/* NV, BS, RT, AT */
#define CERTDB_ATTRIBUTES 0x27u

struct certdb_node {
	size_t offset, size; /* of the node in the content */
	const uint8_t *digest;
	size_t digest_size;
};

/* 0; -ENOENT; -EBADMSG for a content whose lengths do not fit. */
int certdb_find(const void *data, size_t size, const struct uefi_name *name,
	const struct guid *vendor, struct certdb_node *ret) MUST_CHECK;

/*
 * Writes into out (empty) the content without the node of that name, where there is one, and with a
 * new one behind the others when digest is not NULL. 0, or -EBADMSG; memory is out's error.
 */
int certdb_change(const void *data, size_t size, const struct uefi_name *name,
	const struct guid *vendor, const void *digest, size_t digest_size,
	struct buffer *out) MUST_CHECK;
