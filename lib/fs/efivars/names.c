/* SPDX-License-Identifier: MIT */
/* names.c — see names.h. */
#include "fs/efivars/names.h"

#include <errno.h>
#include <string.h>

#include "base/utf16.h"

#define SUFFIX_LENGTH (1 + GUID_TEXT_LENGTH) /* "-" and the GUID */

int key_parse(struct variable_key *ret, const char *file_name)
{
	struct variable_key key = {0};
	size_t length = strlen(file_name), name_bytes;
	int r;

	if (length <= SUFFIX_LENGTH || length > FS_NAME_MAX)
		return -EINVAL;
	name_bytes = length - SUFFIX_LENGTH;
	if (file_name[name_bytes] != '-')
		return -EINVAL;
	r = guid_parse(file_name + name_bytes + 1, GUID_TEXT_LENGTH, &key.vendor);
	if (r < 0)
		return r;
	r = utf16_from_utf8(file_name, name_bytes, key.units, KEY_UNITS_MAX);
	if (r < 0)
		return -EINVAL;
	key.count = (size_t)r;
	*ret = key;
	return 0;
}

int key_from_name(struct variable_key *ret, const struct uefi_name *name,
	const struct guid *vendor)
{
	struct variable_key key = {.vendor = *vendor, .count = name->count};
	char text[FILE_NAME_SIZE];
	int r;

	if (name->count == 0)
		return -EINVAL;
	if (name->count > KEY_UNITS_MAX)
		return -ENAMETOOLONG;
	for (size_t i = 0; i < name->count; i++) {
		if (name->units[i] == 0)
			return -EINVAL;
		key.units[i] = name->units[i];
	}
	r = key_format(&key, text);
	if (r < 0)
		return r;
	*ret = key;
	return 0;
}

int key_format(const struct variable_key *key, char text[static FILE_NAME_SIZE])
{
	char *slash = text;
	int r;

	r = utf16_to_utf8(key->units, key->count, text, FILE_NAME_SIZE - SUFFIX_LENGTH);
	if (r < 0)
		return r;
	while ((slash = strchr(slash, '/')))
		*slash = '!';
	text[r] = '-';
	guid_format(&key->vendor, text + r + 1);
	return 0;
}

void key_get_name(const struct variable_key *key, struct uefi_name *ret)
{
	ret->count = key->count;
	memcpy(ret->units, key->units, key->count * sizeof(key->units[0]));
}
