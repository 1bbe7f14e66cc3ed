/* SPDX-License-Identifier: MIT */
/* variable.c — see variable.h. */
#include "uefi/variable.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/utf16.h"

/* A unit becomes at most three bytes of UTF-8. */
#define NAME_TEXT_MAX (3 * UEFI_NAME_MAX + 1)

bool uefi_name_equal(const struct uefi_name *a, const struct uefi_name *b)
{
	return a->count == b->count &&
		memcmp(a->units, b->units, a->count * sizeof(a->units[0])) == 0;
}

int uefi_name_from_utf8(struct uefi_name *ret, const char *text, size_t length)
{
	uint16_t units[UEFI_NAME_MAX];
	int n;

	if (length > 0 && memchr(text, 0, length))
		return -EILSEQ; /* a name ends at its first NUL: it cannot hold one */
	n = utf16_from_utf8(text, length, units, UEFI_NAME_MAX);
	if (n < 0)
		return n;
	memcpy(ret->units, units, (size_t)n * sizeof(units[0]));
	ret->count = (size_t)n;
	return 0;
}

void uefi_name_to_utf8(const struct uefi_name *name, struct buffer *out)
{
	char text[NAME_TEXT_MAX];
	int n = utf16_to_utf8(name->units, name->count, text, sizeof(text));

	if (n > 0)
		buffer_append(out, text, (size_t)n);
}

uint64_t uefi_key_hash(const struct uefi_name *name, const struct guid *vendor)
{
	const size_t name_bytes = name->count * sizeof(name->units[0]);
	uint8_t key[sizeof(*vendor) + sizeof(name->units)];

	memcpy(key, vendor, sizeof(*vendor));
	memcpy(key + sizeof(*vendor), name->units, name_bytes);
	return hash_bytes(key, sizeof(*vendor) + name_bytes);
}

bool uefi_time_is_zero(const struct uefi_time *time)
{
	static const struct uefi_time zero;

	return uefi_time_equal(time, &zero);
}

bool uefi_time_equal(const struct uefi_time *a, const struct uefi_time *b)
{
	return uefi_time_compare(a, b) == 0 && a->zone == b->zone && a->daylight == b->daylight &&
		a->pad1 == b->pad1 && a->pad2 == b->pad2;
}

int uefi_time_compare(const struct uefi_time *a, const struct uefi_time *b)
{
	const uint32_t parts[][2] = {
		{a->year, b->year},
		{a->month, b->month},
		{a->day, b->day},
		{a->hour, b->hour},
		{a->minute, b->minute},
		{a->second, b->second},
		{a->nanosecond, b->nanosecond},
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i][0] != parts[i][1])
			return parts[i][0] < parts[i][1] ? -1 : 1;
	}
	return 0;
}

void uefi_time_format(const struct uefi_time *time, struct buffer *out)
{
	if (uefi_time_is_zero(time))
		return;
	buffer_printf(out, "%04u-%02u-%02uT%02u:%02u:%02u", time->year, time->month, time->day,
		time->hour, time->minute, time->second);
}

static const struct {
	uint32_t bit;
	const char *short_name;
	const char *long_name;
} attribute_names[] = {
	{UEFI_NON_VOLATILE, "nv", "non_volatile"},
	{UEFI_BOOTSERVICE_ACCESS, "bs", "bootservice_access"},
	{UEFI_RUNTIME_ACCESS, "rt", "runtime_access"},
	{UEFI_HARDWARE_ERROR_RECORD, "hr", "hardware_error_record"},
	{UEFI_AUTHENTICATED_WRITE_ACCESS, "aw", "authenticated_write_access"},
	{UEFI_TIME_BASED_AUTHENTICATED_WRITE_ACCESS, "at", "time_based_authenticated_write_access"},
	{UEFI_APPEND_WRITE, "append", "append_write"},
	{UEFI_ENHANCED_AUTHENTICATED_ACCESS, "ea", "enhanced_authenticated_access"},
};

void uefi_attributes_format(uint32_t attributes, struct buffer *out)
{
	const char *separator = "";

	for (size_t i = 0; i < ARRAY_SIZE(attribute_names); i++) {
		if (!(attributes & attribute_names[i].bit))
			continue;
		buffer_printf(out, "%s%s", separator, attribute_names[i].short_name);
		separator = ",";
		attributes &= ~attribute_names[i].bit;
	}
	if (attributes || !*separator)
		buffer_printf(out, "%s%s%x", separator, attributes ? "0x" : "", attributes);
}

static bool is_word(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && strncasecmp(word, text, length) == 0;
}

/* A decimal number, or a hexadecimal one after 0x, in exactly length characters. */
static int parse_number(const char *text, size_t length, uint32_t *ret)
{
	const bool is_hexadecimal = length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
	const uint32_t base = is_hexadecimal ? 16 : 10;
	uint64_t value = 0;

	if (length == 0)
		return -EINVAL;
	for (size_t i = is_hexadecimal ? 2 : 0; i < length; i++) {
		char c = text[i];
		uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') :
			(c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (uint32_t)((c | 0x20) - 'a' + 10) :
								 base;

		if (digit >= base)
			return -EINVAL;
		value = value * base + digit;
		if (value > UINT32_MAX)
			return -EINVAL;
	}
	*ret = (uint32_t)value;
	return 0;
}

static int parse_attribute(const char *text, size_t length, uint32_t *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(attribute_names); i++) {
		if (is_word(attribute_names[i].short_name, text, length) ||
			is_word(attribute_names[i].long_name, text, length)) {
			*ret = attribute_names[i].bit;
			return 0;
		}
	}
	return parse_number(text, length, ret);
}

int uefi_attributes_parse(const char *text, uint32_t *ret)
{
	uint32_t attributes = 0;

	for (;;) {
		size_t length = strcspn(text, ",");
		uint32_t bits;

		if (parse_attribute(text, length, &bits) < 0)
			return -EINVAL;
		attributes |= bits;
		text += length;
		if (!*text)
			break;
		text++;
	}
	*ret = attributes;
	return 0;
}
