/* SPDX-License-Identifier: MIT */
/*
 * guid.h — EFI GUIDs (UEFI 2.10 appendix A): 16 bytes as they lie on disk, mixed-endian in text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct guid {
	uint8_t b[16]; /* disk order: u32 LE, u16 LE, u16 LE, then 8 bytes as they are printed */
};

#define GUID_TEXT_LENGTH 36

/* 8be4df61-93ca-11d2-aa0d-00e098032b8c is GUID_OF(0x8be4df61, 0x93ca, 0x11d2, 0xaa, 0x0d, ...). */
#define GUID_OF(d1, d2, d3, ...)                                                                   \
	((struct guid){{(uint8_t)(d1), (uint8_t)((d1) >> 8), (uint8_t)((d1) >> 16),                \
		(uint8_t)((d1) >> 24), (uint8_t)(d2), (uint8_t)((d2) >> 8), (uint8_t)(d3),         \
		(uint8_t)((d3) >> 8), __VA_ARGS__}})

static inline bool guid_equal(const struct guid *a, const struct guid *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static inline bool guid_is_null(const struct guid *g)
{
	static const struct guid null_guid;

	return guid_equal(g, &null_guid);
}

/* Lower-case text, 8-4-4-4-12, NUL-terminated. */
void guid_format(const struct guid *g, char text[static GUID_TEXT_LENGTH + 1]);

/*
 * Parses exactly GUID_TEXT_LENGTH characters, hexadecimal digits of either case. 0, or -EINVAL
 * with *ret untouched. text needs no NUL; length is what is there.
 */
int guid_parse(const char *text, size_t length, struct guid *ret)
	__attribute__((warn_unused_result));
