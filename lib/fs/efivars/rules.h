/* SPDX-License-Identifier: MIT */
/*
 * rules.h — which variables may be removed without further ado.
 *
 * Some machines do not start again after a variable of their own was deleted. Linux therefore gives
 * every file the immutable flag except those whose removal is known to be harmless.
 */
#pragma once

#include "fs/efivars/names.h"

/* False: the file is born immutable. */
bool rules_is_removable(const struct variable_key *key);

/* True for what only the kernel uses (the random seed): not shown, and not to be created. */
bool rules_is_hidden(const struct guid *vendor);

/* True when a name starts with the ASCII text; `prefix` needs no more units than the name has. */
bool rules_has_prefix(const struct variable_key *key, const char *prefix);
