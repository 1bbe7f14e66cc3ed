/* SPDX-License-Identifier: MIT */
/*
 * le.h — little-endian integers as they lie on a wire or a disk.
 *
 * They are byte arrays of alignment 1: a structure made of them needs no packing, may lie at any
 * address, and arithmetic on one of its fields does not compile. Conversion happens once, in the
 * decode and encode functions of each format.
 */
#pragma once

#include <stdint.h>

typedef struct {
	uint8_t b[2];
} le16;
typedef struct {
	uint8_t b[4];
} le32;
typedef struct {
	uint8_t b[8];
} le64;

static inline uint16_t le16_get(le16 v)
{
	return (uint16_t)(v.b[0] | v.b[1] << 8);
}

static inline uint32_t le32_get(le32 v)
{
	return (uint32_t)v.b[0] | (uint32_t)v.b[1] << 8 | (uint32_t)v.b[2] << 16 |
		(uint32_t)v.b[3] << 24;
}

static inline uint64_t le64_get(le64 v)
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | v.b[i];
	return value;
}

static inline le16 le16_of(uint16_t v)
{
	return (le16){{(uint8_t)v, (uint8_t)(v >> 8)}};
}

static inline le32 le32_of(uint32_t v)
{
	return (le32){{(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)}};
}

static inline le64 le64_of(uint64_t v)
{
	le64 out;

	for (int i = 0; i < 8; i++)
		out.b[i] = (uint8_t)(v >> 8 * i);
	return out;
}
