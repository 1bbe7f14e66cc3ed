/* SPDX-License-Identifier: MIT */
/*
 * firmware_object.h — the emulated firmware's object, shared by the files that make it up:
 * firmware.c (object, GetVariable, GetNextVariableName), firmware_set.c (SetVariable) and
 * firmware_query.c (QueryVariableInfo).
 */
#pragma once

#include "uefi/firmware.h"

#define FIRMWARE_REASON_SIZE 512 /* bytes of one line, with its NUL */

struct firmware {
	struct uefi_services services; /* first: the interface is the object */
	struct nv_store *nv;           /* owned */
	struct firmware_config config;

	/* Where the last answer of GetNextVariableName was, so that a listing is one walk. */
	struct uefi_name last_name;
	struct guid last_vendor;
	uint64_t cursor; /* the store's, behind that variable */
	bool has_cursor; /* ends with any change of the store */

	char reason[FIRMWARE_REASON_SIZE];
};

static inline struct firmware *firmware_of(struct uefi_services *s)
{
	return (struct firmware *)s;
}

/* Begins a call: the reason of the last one is gone. */
static inline struct firmware *firmware_enter(struct uefi_services *s)
{
	struct firmware *fw = firmware_of(s);

	fw->reason[0] = 0;
	return fw;
}

/* Keeps "NAME: text" as the reason, one line whatever the name holds, and returns status. */
enum uefi_status firmware_refuse(struct firmware *fw, enum uefi_status status,
	const struct uefi_name *name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* True for a variable that the firmware's view does not show. */
static inline bool firmware_hides(const struct firmware *fw, uint32_t attributes)
{
	return fw->config.view == FIRMWARE_VIEW_RUNTIME && !(attributes & UEFI_RUNTIME_ACCESS);
}

/* True when the store's firmware knows authenticated variables. */
static inline bool firmware_has_auth(const struct firmware *fw)
{
	return fw->nv->limits.max_auth_variable > 0;
}

/* The largest header, name and content that such attributes allow, and what the limit is called. */
struct firmware_limit {
	uint32_t bytes;
	const char *name;
};
struct firmware_limit firmware_limit(const struct firmware *fw, uint32_t attributes);

enum uefi_status firmware_set_variable(struct uefi_services *s, const struct uefi_name *name,
	const struct guid *vendor, uint32_t attributes, const void *data, size_t size);
enum uefi_status firmware_query_info(struct uefi_services *s, uint32_t attributes,
	struct uefi_query *ret);
