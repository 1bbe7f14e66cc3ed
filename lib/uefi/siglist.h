/* SPDX-License-Identifier: MIT */
/*
 * siglist.h — lists of signatures, EFI_SIGNATURE_LIST (UEFI 2.10 §32.4.1): the content of PK, KEK,
 * db, dbx and dbt.
 *
 * A list is: type GUID, size of the list, size of a header that is always 0, size of an entry, then
 * entries of an owner's GUID and data. A content is any number of lists. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/guid.h"
#include "base/reader.h"

#define SIGLIST_HEADER_SIZE 28u
#define SIGLIST_OWNER_SIZE 16u

struct siglist {
	struct guid type;
	size_t offset;        /* of the list in the content */
	size_t entry_size;    /* bytes, the owner's GUID included */
	struct reader entries; /* a whole number of them */
};

/*
 * Takes the next list from lists, which was made of the whole content that begins at start.
 * 1; 0 at the end; -EBADMSG with one line appended to why (unless that is NULL).
 */
int siglist_next(struct reader *lists, const uint8_t *start, struct siglist *ret,
	struct buffer *why) MUST_CHECK;

/*
 * Checks a whole content: sizes add up, and entries have the size of their type. Types that are not
 * known pass. 0 or -EBADMSG with one line in why.
 */
int siglist_check(const void *data, size_t size, struct buffer *why) MUST_CHECK;

/* What entries of a type are called ("SHA-256", "X.509"), NULL for a type that is not known. */
const char *siglist_type_name(const struct guid *type);

/* True for a list of X.509 certificates. */
bool siglist_is_x509(const struct siglist *list);

/* True when the content is exactly one list with one X.509 certificate, as PK must be. */
bool siglist_is_one_certificate(const void *data, size_t size);

/*
 * Appends to out the entries of added that stored does not hold yet (same type, size and bytes,
 * owner included), as lists of their own; added must have passed siglist_check. Lists of stored
 * after the first broken one are not looked at. Errors are out's.
 */
void siglist_filter(const void *stored, size_t stored_size, const void *added, size_t added_size,
	struct buffer *out);
