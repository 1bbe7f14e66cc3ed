/* SPDX-License-Identifier: MIT */
/* firmware_auth.c — authenticated writes to the emulated firmware; see firmware_request.h. */
#include "uefi/firmware_request.h"

enum uefi_status firmware_read_descriptor(struct firmware *fw, struct firmware_request *q)
{
	const bool is_owner = fw->config.auth == FIRMWARE_AUTH_OWNER;
	struct auth_descriptor d = {0};
	int r = descriptor_read(q->data, q->size, &d);

	if (is_owner && (r < 0 || !d.is_pkcs7))
		return UEFI_SUCCESS;
	if (r < 0)
		return firmware_refuse(fw, UEFI_SECURITY_VIOLATION, q->name,
			"a write with the attribute at begins with a signed descriptor of more "
			"than %u bytes, %zu are given",
			DESCRIPTOR_FIXED_SIZE, q->size);
	if (!d.is_complete)
		return firmware_refuse(fw, UEFI_SECURITY_VIOLATION, q->name,
			"the descriptor's certificate does not end within the %zu bytes given",
			q->size);
	if (is_owner && !d.is_time_plain)
		return firmware_refuse(fw, UEFI_SECURITY_VIOLATION, q->name,
			"the descriptor's time has a nanosecond, zone, daylight or pad other "
			"than 0");
	q->has_time = true;
	q->time = d.time;
	q->descriptor = d;
	q->data += d.size;
	q->size -= d.size;
	return UEFI_SUCCESS;
}

static int find_for_auth(void *context, const struct uefi_name *name, const struct guid *vendor,
	struct nv_variable *ret)
{
	struct firmware *fw = context;

	return fw->nv->ops->find(fw->nv, name, vendor, ret);
}

enum uefi_status firmware_check_authority(struct firmware *fw, struct firmware_request *q)
{
	CLEAN_BUFFER struct buffer why = BUFFER_INIT;
	const struct auth_view view = {.find = find_for_auth, .context = fw};
	const struct auth_write write = {
		.name = q->name,
		.vendor = q->vendor,
		.attributes = q->attributes,
		.descriptor = q->has_time ? &q->descriptor : NULL,
		.descriptor_data = q->has_time ? q->data - q->descriptor.size : NULL,
		.content = q->data,
		.size = q->size,
		.stored = q->is_existing ? &q->stored : NULL,
	};
	enum uefi_status status;

	if (fw->config.auth == FIRMWARE_AUTH_OWNER)
		return UEFI_SUCCESS;
	status = auth_decide(&view, &write, &q->verdict, &why);
	return status == UEFI_SUCCESS
		       ? UEFI_SUCCESS
		       : firmware_refuse(fw, status, q->name, "%s", buffer_text(&why));
}
