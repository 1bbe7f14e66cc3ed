/* SPDX-License-Identifier: MIT */
/*
 * firmware_query.c — QueryVariableInfo of the emulated firmware (UEFI 2.10 §8.2.4).
 *
 * The numbers are those of run time, whatever the view: what Linux in the guest shows, where dead
 * records take room until a reclaim.
 */
#include "uefi/firmware_object.h"

uint64_t firmware_remaining(const struct nv_space *space, bool is_runtime)
{
	uint64_t used = is_runtime ? space->all_bytes : space->live_bytes;

	return space->capacity > used ? space->capacity - used : 0;
}

static enum uefi_status check_attributes(struct firmware *fw, uint32_t attributes)
{
	const uint32_t known = attributes & UEFI_ATTRIBUTES_KNOWN;

	if (attributes == 0)
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, NULL, "no attributes are given");
	if (attributes & UEFI_AUTHENTICATED_WRITE_ACCESS)
		return firmware_refuse(fw, UEFI_UNSUPPORTED, NULL,
			"count-based authentication (0x10) is not supported");
	if (known == 0)
		return firmware_refuse(fw, UEFI_UNSUPPORTED, NULL,
			"none of the attributes 0x%x is known", attributes);
	if (known == UEFI_NON_VOLATILE)
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, NULL,
			"nv alone gives nobody access");
	if ((known & UEFI_RUNTIME_ACCESS) && !(known & UEFI_BOOTSERVICE_ACCESS))
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, NULL, "rt needs bs");
	if ((known & UEFI_HARDWARE_ERROR_RECORD) && !(known & UEFI_NON_VOLATILE))
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, NULL, "hr needs nv");
	if (firmware_hides(fw, known))
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, NULL,
			"at run time rt is needed");
	if ((known & UEFI_TIME_BASED_AUTHENTICATED_WRITE_ACCESS) && !firmware_has_auth(fw))
		return firmware_refuse(fw, UEFI_UNSUPPORTED, NULL,
			"this store has no authenticated variables");
	if ((known & UEFI_HARDWARE_ERROR_RECORD) && fw->nv->limits.hardware_error_storage == 0)
		return firmware_refuse(fw, UEFI_UNSUPPORTED, NULL,
			"nothing is set aside for hardware error records");
	return UEFI_SUCCESS;
}

/* Bytes that hardware error records take of the storage set aside for them. */
static uint64_t hardware_error_bytes(struct firmware *fw)
{
	struct nv_variable v;
	uint64_t cursor = 0, used = 0;

	while (fw->nv->ops->next(fw->nv, &cursor, &v) == 1) {
		if (v.attributes & UEFI_HARDWARE_ERROR_RECORD)
			used += fw->nv->ops->record_size(fw->nv, &v.name, v.size);
	}
	return used;
}

enum uefi_status firmware_query_info(struct uefi_services *s, uint32_t attributes,
	struct uefi_query *ret)
{
	struct firmware *fw = firmware_enter(s);
	const uint64_t header = fw->nv->limits.record_header;
	const uint64_t largest = firmware_limit(fw, attributes).bytes;
	struct nv_space space = {0}; /* volatile variables are not in an image: none */
	struct uefi_query query = {0};
	enum uefi_status status;

	if (!ret)
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, NULL, "an argument is missing");
	status = check_attributes(fw, attributes);
	if (status != UEFI_SUCCESS)
		return status;
	if (attributes & UEFI_HARDWARE_ERROR_RECORD) {
		space.capacity = fw->nv->limits.hardware_error_storage;
		space.all_bytes = hardware_error_bytes(fw);
	} else if (attributes & UEFI_NON_VOLATILE) {
		fw->nv->ops->space(fw->nv, &space);
	}
	query.max_storage = space.capacity;
	query.remaining = firmware_remaining(&space, true);
	if (query.remaining > header && largest > header) {
		query.max_variable = query.remaining - header;
		if (query.max_variable > largest - header)
			query.max_variable = largest - header;
	}
	*ret = query;
	return UEFI_SUCCESS;
}
