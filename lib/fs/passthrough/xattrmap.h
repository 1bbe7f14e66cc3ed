/* SPDX-License-Identifier: MIT */
/*
 * xattrmap.h — names of extended attributes: what a client calls them, and what the host does.
 *
 * A client's attribute may need another name on the host: one that the server may write
 * (trusted.x as user.virtiofs.trusted.x), or one that the host does not act upon. A map is a text
 *of rules in the language of the two virtiofsd programs (QEMU 7.2 virtiofsd(1), "Extended attribute
 * mapping"; the Rust virtiofsd's document of the same name):
 *
 *	:TYPE:SCOPE:KEY:PREPEND:
 *
 * The first character of a rule that is not white space is its separator. White space may stand
 * between rules. A rule of scope `client` looks at names that the client uses and applies to those
 * that begin with KEY; `server` looks at names in the host's list, and applies to those that begin
 * with PREPEND; `all` is both. The first rule that applies decides:
 *
 *	prefix       the host's name is PREPEND and the client's name
 *	ok           the name is the same on both sides
 *	bad          the client gets EPERM; the host's name is not shown
 *	unsupported  the client gets EOPNOTSUPP; the host's name is not shown
 *
 * :map:KEY:PREPEND: is short for a prefix rule that holds both ways, with others behind it: names
 * that begin with PREPEND are not for the client to use, nor those of the host that begin with KEY
 * to be seen, and all else passes; with an empty KEY nothing else passes. It is the last rule. A
 * name that no rule applies to is treated as bad.
 *
 * A map does not change once it is there: any thread may use it.
 */
#pragma once

#include <linux/limits.h>
#include <stdbool.h>

#include "base/cleanup.h"

#define XATTRMAP_RULES_MAX 64u /* in one map */

struct xattrmap;

struct xattr_name {
	char text[XATTR_NAME_MAX + 1];
};

/*
 * Reads a map. 0; -EINVAL with one line in *ret_error (owned by the caller) that says which rule,
 * at which character and why; -ENOMEM.
 */
int xattrmap_parse(struct xattrmap **ret, const char *text, char **ret_error) MUST_CHECK;
struct xattrmap *xattrmap_free(struct xattrmap *map);

/* The host's name of a client's. 0; -EPERM; -EOPNOTSUPP; -ERANGE when it would be too long. */
int xattrmap_to_host(
	const struct xattrmap *map, const char *name, struct xattr_name *ret) MUST_CHECK;

/* The client's name of a host's, the end of `name` itself; NULL when the client is not to see it.
 */
const char *xattrmap_to_client(const struct xattrmap *map, const char *name);

/* True when a name is the same on both sides, in both directions. */
bool xattrmap_keeps(const struct xattrmap *map, const char *name);
