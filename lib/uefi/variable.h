/* SPDX-License-Identifier: MIT */
/*
 * variable.h — what a UEFI variable is: name, vendor GUID, attributes, time (UEFI 2.10 §8.2).
 *
 * A variable's key is (name, GUID). Names are UCS-2 in host byte order without a NUL; their length
 * is always in units. The text form `Name-GUID` is that of Linux's efivarfs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/guid.h"

#define UEFI_NON_VOLATILE 0x01u
#define UEFI_BOOTSERVICE_ACCESS 0x02u
#define UEFI_RUNTIME_ACCESS 0x04u
#define UEFI_HARDWARE_ERROR_RECORD 0x08u
#define UEFI_AUTHENTICATED_WRITE_ACCESS 0x10u /* count-based; deprecated */
#define UEFI_TIME_BASED_AUTHENTICATED_WRITE_ACCESS 0x20u
#define UEFI_APPEND_WRITE 0x40u
#define UEFI_ENHANCED_AUTHENTICATED_ACCESS 0x80u
#define UEFI_ATTRIBUTES_KNOWN 0x7fu /* what Linux passes on */
#define UEFI_ATTRIBUTES_DEFAULT                                                                    \
	(UEFI_NON_VOLATILE | UEFI_BOOTSERVICE_ACCESS | UEFI_RUNTIME_ACCESS)

/* Longest name that is handled, in units: Linux's own array. */
#define UEFI_NAME_MAX 1024

struct uefi_name {
	size_t count; /* units */
	uint16_t units[UEFI_NAME_MAX];
};

/* EFI_TIME as the host sees it; zero when a variable has none. */
struct uefi_time {
	uint16_t year;
	uint8_t month, day, hour, minute, second;
	uint32_t nanosecond;
	int16_t zone;
	uint8_t daylight;
	uint8_t pad1, pad2; /* kept as they are found */
};

bool uefi_name_equal(const struct uefi_name *a, const struct uefi_name *b);
/* True for this ASCII text, in which each '#' stands for an upper-case hexadecimal digit. */
bool uefi_name_matches(const struct uefi_name *name, const char *pattern);
/* 0; -EILSEQ for bytes that are not UTF-8; -ENAMETOOLONG. *ret is untouched on failure. */
int uefi_name_from_utf8(struct uefi_name *ret, const char *text, size_t length) MUST_CHECK;
/* Appends the name as UTF-8 (lone surrogates as three bytes). */
void uefi_name_to_utf8(const struct uefi_name *name, struct buffer *out);
/* A hash of the key for tables of this process (base/hash.h). */
uint64_t uefi_key_hash(const struct uefi_name *name, const struct guid *vendor);

bool uefi_time_is_zero(const struct uefi_time *time);
/* Every field, those too that are only kept. */
bool uefi_time_equal(const struct uefi_time *a, const struct uefi_time *b);
/* -1, 0, 1 by date and time (UEFI compares year to nanosecond, not the zone). */
int uefi_time_compare(const struct uefi_time *a, const struct uefi_time *b);
/* "2026-11-30T19:50:00" or "" for the zero time; appended. */
void uefi_time_format(const struct uefi_time *time, struct buffer *out);

/* "nv,bs,rt,at" ...: nv, bs, rt, hr, aw, at, append, ea. */
void uefi_attributes_format(uint32_t attributes, struct buffer *out);
/* Reads such a list (long names too: non_volatile ...), or a number. 0 or -EINVAL. */
int uefi_attributes_parse(const char *text, uint32_t *ret) MUST_CHECK;

extern const struct guid uefi_global_guid;         /* 8be4df61-93ca-11d2-aa0d-00e098032b8c */
extern const struct guid uefi_image_security_guid; /* d719b2cb-3d3a-4596-a3bc-dad00e67656f */
extern const struct guid uefi_linux_crash_guid;    /* cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0 */
extern const struct guid uefi_linux_random_seed_guid;

/*
 * The GUID of a name that everybody knows (Boot0000, PK, db, dbx, MokList, SecureBootEnable,
 * CustomMode ...), NULL for others. Patterns such as Boot#### are understood.
 */
const struct guid *uefi_well_known_guid(const struct uefi_name *name);
/* A short name for a GUID that everybody knows ("global", "image-security", "shim"), else NULL. */
const char *uefi_guid_name(const struct guid *vendor);
