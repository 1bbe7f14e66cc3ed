/* SPDX-License-Identifier: MIT */
/* rules.c — see rules.h. */
#include "fs/efivars/rules.h"

#include <string.h>

/* All of the global GUID. */
static const struct {
	const char *name;
	bool is_prefix; /* whatever begins like that */
} removable[] = {
	{"BootNext", false},
	{"BootOrder", false},
	{"Boot", true},
	{"DriverOrder", false},
	{"Driver", true},
	{"ConIn", false},
	{"ConInDev", false},
	{"ConOut", false},
	{"ConOutDev", false},
	{"ErrOut", false},
	{"ErrOutDev", false},
	{"Lang", false},
	{"OsIndications", false},
	{"PlatformLang", false},
	{"Timeout", false},
};

bool rules_has_prefix(const struct variable_key *key, const char *prefix)
{
	size_t length = strlen(prefix);

	if (key->count < length)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (key->units[i] != (unsigned char)prefix[i])
			return false;
	}
	return true;
}

bool rules_is_removable(const struct variable_key *key)
{
	if (guid_equal(&key->vendor, &uefi_linux_crash_guid))
		return true;
	if (!guid_equal(&key->vendor, &uefi_global_guid))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(removable); i++) {
		if (rules_has_prefix(key, removable[i].name) &&
			(removable[i].is_prefix || key->count == strlen(removable[i].name)))
			return true;
	}
	return false;
}

bool rules_is_hidden(const struct guid *vendor)
{
	return guid_equal(vendor, &uefi_linux_random_seed_guid);
}
