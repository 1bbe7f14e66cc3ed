/* SPDX-License-Identifier: MIT */
/*
 * idmap.h — ids of users or groups: what a client calls them, and what the host does.
 *
 * A map is a list of translations in the language of the Rust virtiofsd (README, --translate-uid):
 *
 *	guest:FROM:TO:COUNT         the client's FROM, FROM + 1, ... are TO, TO + 1, ... on the host
 *	host:FROM:TO:COUNT          the host's are TO, TO + 1, ... for the client
 *	squash-guest:FROM:TO:COUNT  all of the client's are TO on the host
 *	squash-host:FROM:TO:COUNT   all of the host's are TO for the client
 *	forbid-guest:FROM:COUNT     the client may not use these
 *	map:CLIENT:HOST:COUNT       guest and host in one
 *
 * The two directions are independent of each other: an id may come back as another one. An id that
 * no translation speaks of is the same on both sides. In one direction, no id is spoken of twice.
 *
 * A map does not change once it is there: any thread may use it.
 */
#pragma once

#include <stdint.h>

#include "base/cleanup.h"

#define IDMAP_RANGES_MAX 340u /* in one direction; as many as a user namespace may have */

struct idmap;

/*
 * Reads translations, a line each. option is the name that errors begin with. 0; -EINVAL with one
 * line in *ret_error (owned by the caller) that says which translation and why; -ENOMEM.
 */
int idmap_parse(struct idmap **ret, const char *option, const char *text, char **ret_error)
	MUST_CHECK;
struct idmap *idmap_free(struct idmap *map);

/* The host's id of a client's; a map that is NULL changes none. 0; -EPERM for a forbidden one. */
int idmap_to_host(const struct idmap *map, uint32_t id, uint32_t *ret) MUST_CHECK;

/* The client's id of a host's. */
uint32_t idmap_to_client(const struct idmap *map, uint32_t id);
