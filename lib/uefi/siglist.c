/* SPDX-License-Identifier: MIT */
/* siglist.c — see siglist.h. */
#include "uefi/siglist.h"

#include <errno.h>

#include "base/cleanup.h"

static const struct guid x509_guid =
	GUID_OF(0xa5c059a1, 0x94e4, 0x4aa7, 0x87, 0xb5, 0xab, 0x15, 0x5c, 0x2b, 0xf0, 0x72);

/* Types and the bytes of their data, without the owner (UEFI 2.10 §32.4.1). X.509 may have any. */
static const struct {
	struct guid type;
	const char *name;
	size_t size;
} types[] = {
	{GUID_OF(0xc1c41626, 0x504c, 0x4092, 0xac, 0xa9, 0x41, 0xf9, 0x36, 0x93, 0x43, 0x28),
		"SHA-256", 32},
	{GUID_OF(0x3c5766e8, 0x269c, 0x4e34, 0xaa, 0x14, 0xed, 0x77, 0x6e, 0x85, 0xb3, 0xb6),
		"RSA-2048", 256},
	{GUID_OF(0xe2b36190, 0x879b, 0x4a3d, 0xad, 0x8d, 0xf2, 0xe7, 0xbb, 0xa3, 0x27, 0x84),
		"RSA-2048 with SHA-256", 256},
	{GUID_OF(0x826ca512, 0xcf10, 0x4ac9, 0xb1, 0x87, 0xbe, 0x01, 0x49, 0x66, 0x31, 0xbd),
		"SHA-1", 20},
	{GUID_OF(0x67f8444f, 0x8743, 0x48f1, 0xa3, 0x28, 0x1e, 0xaa, 0xb8, 0x73, 0x60, 0x80),
		"RSA-2048 with SHA-1", 256},
	{GUID_OF(0x0b6e5233, 0xa65c, 0x44c9, 0x94, 0x07, 0xd9, 0xab, 0x83, 0xbf, 0xc8, 0xbd),
		"SHA-224", 28},
	{GUID_OF(0xff3e5307, 0x9fd0, 0x48c9, 0x85, 0xf1, 0x8a, 0xd5, 0x6c, 0x70, 0x1e, 0x01),
		"SHA-384", 48},
	{GUID_OF(0x093e0fae, 0xa6c4, 0x4f50, 0x9f, 0x1b, 0xd4, 0x1e, 0x2b, 0x89, 0xc1, 0x9a),
		"SHA-512", 64},
	{GUID_OF(0x3bd2a492, 0x96c0, 0x4079, 0xb4, 0x20, 0xfc, 0xf9, 0x8e, 0xf1, 0x03, 0xed),
		"X.509 SHA-256", 48},
	{GUID_OF(0x7076876e, 0x80c2, 0x4ee6, 0xaa, 0xd2, 0x28, 0xb3, 0x49, 0xa6, 0x86, 0x5b),
		"X.509 SHA-384", 64},
	{GUID_OF(0x446dbf63, 0x2502, 0x4cda, 0xbc, 0xfa, 0x24, 0x65, 0xd2, 0xb0, 0xfe, 0x9d),
		"X.509 SHA-512", 80},
};

__attribute__((format(printf, 2, 3)))
static int broken(struct buffer *why, const char *format, ...)
{
	va_list args;

	if (why) {
		va_start(args, format);
		buffer_vprintf(why, format, args);
		va_end(args);
	}
	return -EBADMSG;
}

int siglist_next(struct reader *lists, const uint8_t *start, struct siglist *ret,
	struct buffer *why)
{
	struct siglist list = {.offset = (size_t)(lists->p - start)};
	size_t left = reader_remaining(lists);
	uint32_t list_size, header_size, entry_size;

	if (left == 0)
		return 0;
	reader_copy(lists, &list.type, sizeof(list.type));
	list_size = reader_le32(lists);
	header_size = reader_le32(lists);
	entry_size = reader_le32(lists);
	if (lists->failed)
		return broken(why, "%zu bytes at %zu are too few for a list of signatures (%u)",
			left, list.offset, SIGLIST_HEADER_SIZE);
	if (list_size < SIGLIST_HEADER_SIZE || list_size > left)
		return broken(why,
			"the list of signatures at %zu says it has %u bytes; %zu are there",
			list.offset, list_size, left);
	if (header_size != 0)
		return broken(why,
			"the list of signatures at %zu has a header of %u bytes; 0 is allowed",
			list.offset, header_size);
	if (entry_size < SIGLIST_OWNER_SIZE ||
		(list_size - SIGLIST_HEADER_SIZE) % entry_size != 0)
		return broken(why,
			"the list of signatures at %zu has %u bytes for entries of %u each",
			list.offset, list_size - SIGLIST_HEADER_SIZE, entry_size);
	list.entry_size = entry_size;
	list.entries = reader_sub(lists, list_size - SIGLIST_HEADER_SIZE);
	*ret = list;
	return 1;
}

static int check_entry_size(const struct siglist *list, struct buffer *why)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!guid_equal(&types[i].type, &list->type))
			continue;
		if (list->entry_size != SIGLIST_OWNER_SIZE + types[i].size)
			return broken(why,
				"the %s list at %zu has entries of %zu bytes; %zu are right",
				types[i].name, list->offset, list->entry_size,
				SIGLIST_OWNER_SIZE + types[i].size);
	}
	return 0;
}

int siglist_check(const void *data, size_t size, struct buffer *why)
{
	struct reader lists = reader_of(data, size);
	struct siglist list = {0};

	for (;;) {
		int r = siglist_next(&lists, data, &list, why);

		if (r <= 0)
			return r;
		r = check_entry_size(&list, why);
		if (r < 0)
			return r;
	}
}

const char *siglist_type_name(const struct guid *type)
{
	if (guid_equal(type, &x509_guid))
		return "X.509";
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (guid_equal(type, &types[i].type))
			return types[i].name;
	}
	return NULL;
}

bool siglist_is_x509(const struct siglist *list)
{
	return guid_equal(&list->type, &x509_guid);
}

bool siglist_is_one_certificate(const void *data, size_t size)
{
	struct reader lists = reader_of(data, size);
	struct siglist list = {0};

	return siglist_next(&lists, data, &list, NULL) == 1 && reader_remaining(&lists) == 0 &&
		guid_equal(&list.type, &x509_guid) &&
		reader_remaining(&list.entries) == list.entry_size;
}

static bool holds_entry(const void *stored, size_t stored_size, const struct siglist *like,
	const uint8_t *entry)
{
	struct reader lists = reader_of(stored, stored_size);
	struct siglist list = {0};

	while (siglist_next(&lists, stored, &list, NULL) == 1) {
		if (!guid_equal(&list.type, &like->type) || list.entry_size != like->entry_size)
			continue;
		while (reader_remaining(&list.entries) > 0) {
			const uint8_t *other = reader_take(&list.entries, list.entry_size);

			if (other && memcmp(other, entry, list.entry_size) == 0)
				return true;
		}
	}
	return false;
}

/* Appends one list with those entries that are new; nothing when none is. */
static void filter_list(const void *stored, size_t stored_size, struct siglist *list,
	struct buffer *out)
{
	CLEAN_BUFFER struct buffer kept = BUFFER_INIT;

	while (reader_remaining(&list->entries) > 0) {
		const uint8_t *entry = reader_take(&list->entries, list->entry_size);

		if (entry && !holds_entry(stored, stored_size, list, entry))
			buffer_append(&kept, entry, list->entry_size);
	}
	if (buffer_error(&kept)) {
		out->error = buffer_error(&kept);
		return;
	}
	if (kept.size == 0)
		return;
	buffer_append(out, &list->type, sizeof(list->type));
	buffer_le32(out, (uint32_t)(SIGLIST_HEADER_SIZE + kept.size));
	buffer_le32(out, 0);
	buffer_le32(out, (uint32_t)list->entry_size);
	buffer_append(out, kept.data, kept.size);
}

void siglist_filter(const void *stored, size_t stored_size, const void *added, size_t added_size,
	struct buffer *out)
{
	struct reader lists = reader_of(added, added_size);
	struct siglist list = {0};

	while (siglist_next(&lists, added, &list, NULL) == 1)
		filter_list(stored, stored_size, &list, out);
}
