/* SPDX-License-Identifier: MIT */
/* validate.c — see validate.h. */
#include "fs/efivars/validate.h"

#include <string.h>

#include "base/reader.h"
#include "fs/efivars/rules.h"

#define LOAD_OPTION_MIN 8 /* attributes, path length, an empty description */

/* UEFI 2.10 §10.3.1 */
#define PATH_TYPE_END 0x7f
#define PATH_TYPE_END_OLD 0xff /* EFI 1.x */
#define PATH_SUBTYPE_END_ENTIRE 0xff
#define PATH_NODE_HEADER 4

static bool is_hex_digit(uint16_t unit)
{
	return (unit >= '0' && unit <= '9') || (unit >= 'a' && unit <= 'f') ||
		(unit >= 'A' && unit <= 'F');
}

/* Whether the rule of load options applies: four digits behind the prefix. */
static bool is_load_option(const struct variable_key *key, const char *prefix)
{
	size_t length = strlen(prefix);

	if (!rules_has_prefix(key, prefix) || key->count < length + 4)
		return false;
	for (size_t i = length; i < length + 4; i++) {
		if (!is_hex_digit(key->units[i]))
			return false;
	}
	return true;
}

/* Nodes one after the other until the one that ends the whole path. */
static bool is_device_path(struct reader *r)
{
	for (;;) {
		uint8_t type = reader_u8(r);
		uint8_t subtype = reader_u8(r);
		uint16_t length = reader_le16(r);

		if (r->failed || length < PATH_NODE_HEADER ||
			!reader_take(r, length - PATH_NODE_HEADER))
			return false;
		if ((type == PATH_TYPE_END || type == PATH_TYPE_END_OLD) &&
			subtype == PATH_SUBTYPE_END_ENTIRE)
			return true;
	}
}

static const char *validate_load_option(const uint8_t *data, size_t size)
{
	struct reader r = reader_of(data, size), path;
	uint16_t path_length, unit;

	if (size < LOAD_OPTION_MIN)
		return "a load option has 8 bytes at least";
	(void)reader_le32(&r); /* attributes */
	path_length = reader_le16(&r);
	do {
		unit = reader_le16(&r);
	} while (unit != 0);
	if (r.failed)
		return "the load option's description has no end";
	path = reader_sub(&r, path_length);
	if (path.failed)
		return "the load option's device path is longer than the content";
	if (!is_device_path(&path))
		return "the load option's device path is malformed";
	return NULL;
}

const char *validate_content(const struct variable_key *key, const uint8_t *data, size_t size)
{
	static const char *const prefixes[] = {"Boot", "Driver"};

	if (!guid_equal(&key->vendor, &uefi_global_guid))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (!is_load_option(key, prefixes[i]))
			continue;
		if (key->count > strlen(prefixes[i]) + 4)
			return "more follows the four digits of the load option's name";
		return validate_load_option(data, size);
	}
	return NULL;
}
