/* SPDX-License-Identifier: MIT */
/*
 * firmware_request.h — one SetVariable under way, shared by firmware_set.c (the steps) and
 * firmware_auth.c (descriptor and signature).
 */
#pragma once

#include "uefi/auth/auth.h"
#include "uefi/descriptor.h"
#include "uefi/firmware_object.h"

struct firmware_request {
	const struct uefi_name *name;
	const struct guid *vendor;
	uint32_t attributes; /* with the append bit */
	const uint8_t *data; /* the content, without a descriptor in front */
	size_t size;         /* bytes of it */
	bool has_time;       /* a descriptor gave one */
	struct uefi_time time;
	struct auth_descriptor descriptor; /* when has_time; its bytes end where data begins */

	bool is_existing;
	struct nv_variable stored;   /* borrowed from the store */
	struct auth_verdict verdict; /* what the signature's check gave */
};

static inline bool is_append(const struct firmware_request *q)
{
	return q->attributes & UEFI_APPEND_WRITE;
}

static inline bool is_time_based(const struct firmware_request *q)
{
	return q->attributes & UEFI_TIME_BASED_AUTHENTICATED_WRITE_ACCESS;
}

/* No content, or nobody who may see it: the variable goes. */
static inline bool is_deletion(const struct firmware_request *q)
{
	return !(q->attributes & (UEFI_BOOTSERVICE_ACCESS | UEFI_RUNTIME_ACCESS)) ||
	       (q->size == 0 && !is_append(q));
}

/*
 * The descriptor of a time-based write. A firmware demands one; the owner may leave it out, and
 * then all bytes are content. One that is recognised and broken is no content in either case.
 */
enum uefi_status firmware_read_descriptor(struct firmware *fw, struct firmware_request *q);

/* The signature, and by it the right to write; the owner needs none. */
enum uefi_status firmware_check_authority(struct firmware *fw, struct firmware_request *q);
