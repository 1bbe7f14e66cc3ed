/* SPDX-License-Identifier: MIT */
/*
 * internal.h — what the formats of this folder share: error lines and findings.
 */
#pragma once

#include "store/store.h"

/*
 * Puts a line into *ret_error (NULL: nowhere), owned by the caller, and gives error back, so that a
 * function can end with it.
 */
int store_fail(char **ret_error, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a finding; past STORE_FINDINGS_MAX, or without memory, it is counted as dropped. */
void store_finding(struct store_findings *findings, const char *code,
	enum finding_severity severity, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

extern const struct store_format edk2_format;
