/* SPDX-License-Identifier: MIT */
/*
 * vars_name.c — keys of variables as people write and read them.
 *
 * Names come from images that anybody may have made: before a terminal gets one, its control
 * characters are written out.
 */
#include "tacit/vars_name.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "base/utf16.h"
#include "tacit/program.h"

#define NAMESAKES_SHOWN 8 /* in a message; an image may have thousands */
#define SUFFIX_LENGTH (1 + GUID_TEXT_LENGTH) /* -GUID */

int vars_key_parse(const char *text, struct vars_key *ret)
{
	size_t length = strlen(text);
	struct guid vendor;
	int r;

	if (length <= SUFFIX_LENGTH || text[length - SUFFIX_LENGTH] != '-')
		return -EINVAL;
	r = guid_parse(text + length - GUID_TEXT_LENGTH, GUID_TEXT_LENGTH, &vendor);
	if (r < 0)
		return r;
	r = uefi_name_from_utf8(&ret->name, text, length - SUFFIX_LENGTH);
	if (r < 0)
		return r;
	ret->vendor = vendor;
	return 0;
}

int vars_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_high_surrogate(uint16_t unit)
{
	return (unit & 0xfc00) == 0xd800;
}

static bool is_low_surrogate(uint16_t unit)
{
	return (unit & 0xfc00) == 0xdc00;
}

/* Units of the character at i: 1 or 2; 0 when it cannot be shown as text. */
static size_t character_units(const struct uefi_name *name, size_t i)
{
	uint16_t unit = name->units[i];

	if (is_high_surrogate(unit))
		return i + 1 < name->count && is_low_surrogate(name->units[i + 1]) ? 2 : 0;
	return is_low_surrogate(unit) || text_is_control(unit) ? 0 : 1;
}

void vars_name_show(const struct uefi_name *name, struct buffer *out)
{
	for (size_t i = 0; i < name->count;) {
		size_t n = character_units(name, i);
		char text[8];

		if (n == 0)
			buffer_printf(out, name->units[i] < 0x100 ? "\\x%02x" : "\\u%04x",
				name->units[i]);
		else if (utf16_to_utf8(name->units + i, n, text, sizeof(text)) >= 0)
			buffer_string(out, text);
		i += n ? n : 1;
	}
}

void vars_key_show(const struct uefi_name *name, const struct guid *vendor, struct buffer *out)
{
	char guid[GUID_TEXT_LENGTH + 1];

	guid_format(vendor, guid);
	vars_name_show(name, out);
	buffer_printf(out, "-%s", guid);
}

/* The variables of that name: their number, the first one's GUID, and a list. */
static size_t find_by_name(struct store *store, const struct uefi_name *name,
	struct guid *ret_vendor, struct buffer *ret_list)
{
	struct nv_variable v;
	uint64_t cursor = 0;
	size_t found = 0;

	while (store->nv.ops->next(&store->nv, &cursor, &v) > 0) {
		if (!uefi_name_equal(&v.name, name))
			continue;
		if (found == 0)
			*ret_vendor = v.vendor;
		if (found < NAMESAKES_SHOWN) {
			buffer_string(ret_list, found > 0 ? ", " : "");
			vars_key_show(&v.name, &v.vendor, ret_list);
		}
		found++;
	}
	if (found > NAMESAKES_SHOWN)
		buffer_printf(ret_list, " and %zu more", found - NAMESAKES_SHOWN);
	return found;
}

static int resolve_short(struct store *store, const char *text, bool may_be_new,
	struct vars_key *ret)
{
	CLEAN_BUFFER struct buffer list = BUFFER_INIT;
	const struct guid *known = uefi_well_known_guid(&ret->name);
	size_t found = find_by_name(store, &ret->name, &ret->vendor, &list);

	if (found == 1)
		return 0;
	if (found > 1) {
		program_error("several variables are called '%s': %s", text,
			buffer_text(&list));
		return -ENOTUNIQ;
	}
	if (!may_be_new) {
		program_error("there is no variable '%s'", text);
		return -ENOENT;
	}
	if (!known) {
		program_error("there is no variable '%s'; a new one needs its GUID: %s-GUID", text,
			text);
		return -ENOENT;
	}
	ret->vendor = *known;
	return 0;
}

int vars_key_resolve(struct store *store, const char *text, bool may_be_new, struct vars_key *ret)
{
	struct nv_variable v;
	int r = vars_key_parse(text, ret);

	if (r == 0) {
		if (may_be_new)
			return 0;
		if (store->nv.ops->find(&store->nv, &ret->name, &ret->vendor, &v) == 0)
			return 0;
		program_error("there is no variable '%s'", text);
		return -ENOENT;
	}
	if (r == -EINVAL)
		r = *text ? uefi_name_from_utf8(&ret->name, text, strlen(text)) : -EINVAL;
	if (r == 0)
		return resolve_short(store, text, may_be_new, ret);
	program_error("'%s' cannot be a variable's name: %s", text,
		r == -EILSEQ ? "it is not UTF-8" : r == -ENAMETOOLONG ? "it is too long" :
		"it is empty");
	return r;
}
