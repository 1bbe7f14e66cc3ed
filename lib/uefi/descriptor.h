/* SPDX-License-Identifier: MIT */
/*
 * descriptor.h — EFI_VARIABLE_AUTHENTICATION_2, which stands before the content of a write to a
 * time-based authenticated variable (UEFI 2.10 §8.2.6): recognised and measured, not verified.
 *
 * A pure parser: no allocation, nothing kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uefi/variable.h"

/* The part before the certificate: time 16, length 4, revision 2, type 2, GUID of the type 16. */
#define DESCRIPTOR_FIXED_SIZE 40u
#define DESCRIPTOR_TIME_SIZE 16u

struct auth_descriptor {
	struct uefi_time time;
	size_t size;           /* bytes before the content; only when is_complete */
	bool is_pkcs7;         /* revision, type and type GUID are the ones that are in use */
	bool is_complete;      /* the certificate's length is possible and within the data */
	bool is_time_plain;    /* what must be 0 in its time is: pads, nanosecond, zone, daylight */
};

/* 0, or -EBADMSG when data is shorter than the fixed part. */
int descriptor_read(const void *data, size_t size, struct auth_descriptor *ret) MUST_CHECK;
