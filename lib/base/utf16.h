/* SPDX-License-Identifier: MIT */
/*
 * utf16.h — UTF-16 to UTF-8 and back, without loss.
 *
 * Firmware names are UCS-2 and may hold anything, lone surrogates too: those become the three-byte
 * form that UTF-8 proper forbids and come back as they were. Lengths are in units or bytes, as
 * named; nothing needs or writes a NUL unless it says so.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Writes units as UTF-8 with a NUL behind. Returns the bytes without the NUL, or -ENAMETOOLONG when
 * they do not fit into size bytes (then text is undefined).
 */
int utf16_to_utf8(const uint16_t *units, size_t count, char *text, size_t size)
	__attribute__((warn_unused_result));

/*
 * Reads length bytes of UTF-8 into units. Returns their number; -EILSEQ for bytes that are not
 * UTF-8 (overlong forms, code points past U+10FFFF), -ENAMETOOLONG when max units are too few.
 */
int utf16_from_utf8(const char *text, size_t length, uint16_t *units, size_t max)
	__attribute__((warn_unused_result));
