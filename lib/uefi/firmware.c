/* SPDX-License-Identifier: MIT */
/* firmware.c — see firmware.h. The object, and the calls that only read. */
#include "uefi/firmware.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "uefi/firmware_object.h"

#define SHOWN_NAME_MAX 96 /* bytes of a name in a reason */

/* Appends the beginning of a name. */
static void append_name(const struct uefi_name *name, struct buffer *out)
{
	struct uefi_name shown = {.count = name->count};
	size_t max = SHOWN_NAME_MAX / 3; /* a unit is three bytes at most */
	bool is_cut = name->count > max;

	if (is_cut)
		shown.count = max;
	memcpy(shown.units, name->units, shown.count * sizeof(name->units[0]));
	uefi_name_to_utf8(&shown, out);
	if (is_cut)
		buffer_string(out, "...");
}

enum uefi_status firmware_refuse(struct firmware *fw, enum uefi_status status,
	const struct uefi_name *name, const char *format, ...)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;
	va_list args;

	if (name && name->count > 0) {
		append_name(name, &text);
		buffer_string(&text, ": ");
	}
	va_start(args, format);
	buffer_vprintf(&text, format, args);
	va_end(args);
	/* Without memory there is no reason to show, which is allowed. */
	(void)snprintf(fw->reason, sizeof(fw->reason), "%s", buffer_text(&text));
	text_make_line(fw->reason, strlen(fw->reason));
	return status;
}

struct firmware_limit firmware_limit(const struct firmware *fw, uint32_t attributes)
{
	const struct nv_limits *limits = &fw->nv->limits;
	const uint32_t auth =
		UEFI_AUTHENTICATED_WRITE_ACCESS | UEFI_TIME_BASED_AUTHENTICATED_WRITE_ACCESS;

	if (attributes & UEFI_HARDWARE_ERROR_RECORD)
		return (struct firmware_limit){limits->max_hardware_error,
			"MaxHardwareErrorVariableSize"};
	if (attributes & auth)
		return (struct firmware_limit){limits->max_auth_variable, "MaxAuthVariableSize"};
	if (attributes & UEFI_NON_VOLATILE)
		return (struct firmware_limit){limits->max_variable, "MaxVariableSize"};
	return (struct firmware_limit){limits->max_volatile_variable, "MaxVolatileVariableSize"};
}

static enum uefi_status firmware_get_variable(struct uefi_services *s,
	const struct uefi_name *name, const struct guid *vendor, uint32_t *ret_attributes,
	void *data, size_t *size)
{
	struct firmware *fw = firmware_enter(s);
	struct nv_variable v;

	if (!name || !vendor || !size)
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, name, "an argument is missing");
	if (name->count == 0 || fw->nv->ops->find(fw->nv, name, vendor, &v) < 0)
		return firmware_refuse(fw, UEFI_NOT_FOUND, name, "there is no such variable");
	if (firmware_hides(fw, v.attributes))
		return firmware_refuse(fw, UEFI_NOT_FOUND, name,
			"the variable belongs to boot services (no rt): an operating system does "
			"not see it");
	if (ret_attributes)
		*ret_attributes = v.attributes;
	if (*size < v.size) {
		*size = v.size;
		return UEFI_BUFFER_TOO_SMALL; /* a question for the size: nothing to explain */
	}
	if (!data && v.size > 0)
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, name, "there is no buffer");
	if (v.size > 0)
		memcpy(data, v.data, v.size);
	*size = v.size;
	return UEFI_SUCCESS;
}

/* Moves the cursor behind a variable that the caller names; false when it is not there. */
static bool find_cursor(struct firmware *fw, const struct uefi_name *name,
	const struct guid *vendor)
{
	struct nv_variable v;

	if (fw->has_cursor && guid_equal(&fw->last_vendor, vendor) &&
		uefi_name_equal(&fw->last_name, name))
		return true;
	fw->has_cursor = false;
	fw->cursor = 0;
	if (name->count == 0)
		return true;
	while (fw->nv->ops->next(fw->nv, &fw->cursor, &v) == 1) {
		if (guid_equal(&v.vendor, vendor) && uefi_name_equal(&v.name, name))
			return !firmware_hides(fw, v.attributes);
	}
	return false;
}

static enum uefi_status firmware_get_next(struct uefi_services *s, struct uefi_name *name,
	struct guid *vendor)
{
	struct firmware *fw = firmware_enter(s);
	struct nv_variable v;

	if (!name || !vendor)
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, NULL, "an argument is missing");
	if (!find_cursor(fw, name, vendor))
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, name,
			"there is no such variable to go on from");
	while (fw->nv->ops->next(fw->nv, &fw->cursor, &v) == 1) {
		if (firmware_hides(fw, v.attributes))
			continue;
		fw->last_name = v.name;
		fw->last_vendor = v.vendor;
		fw->has_cursor = true;
		*name = v.name;
		*vendor = v.vendor;
		return UEFI_SUCCESS;
	}
	fw->has_cursor = false;
	return UEFI_NOT_FOUND;
}

static bool firmware_has_changed(struct uefi_services *s)
{
	struct firmware *fw = firmware_of(s);
	bool has_changed = fw->nv->ops->has_changed(fw->nv);

	if (has_changed)
		fw->has_cursor = false;
	return has_changed;
}

static int firmware_set_writable(struct uefi_services *s, bool is_writable, char **ret_error)
{
	struct firmware *fw = firmware_of(s);
	int r = fw->nv->ops->set_writable(fw->nv, is_writable, ret_error);

	/* The store may have been opened again, with other locks. */
	fw->services.is_exclusive = fw->nv->is_exclusive;
	fw->has_cursor = false;
	return r;
}

static const char *firmware_reason(struct uefi_services *s)
{
	return firmware_of(s)->reason;
}

static void firmware_destroy(struct uefi_services *s)
{
	struct firmware *fw = firmware_of(s);

	fw->nv->ops->destroy(fw->nv);
	free(fw);
}

static const struct uefi_services_ops firmware_ops = {
	.name = "firmware",
	.get_variable = firmware_get_variable,
	.get_next = firmware_get_next,
	.set_variable = firmware_set_variable,
	.query_info = firmware_query_info,
	.has_changed = firmware_has_changed,
	.set_writable = firmware_set_writable,
	.reason = firmware_reason,
	.destroy = firmware_destroy,
};

int firmware_new(struct uefi_services **ret, struct nv_store *take_store,
	const struct firmware_config *config)
{
	struct firmware *fw = calloc(1, sizeof(*fw));

	if (!fw) {
		take_store->ops->destroy(take_store);
		return -ENOMEM;
	}
	fw->services.ops = &firmware_ops;
	fw->services.supported = UEFI_HAS_GET_VARIABLE | UEFI_HAS_GET_NEXT |
		UEFI_HAS_SET_VARIABLE | UEFI_HAS_QUERY_INFO;
	fw->services.is_exclusive = take_store->is_exclusive;
	fw->nv = take_store;
	fw->config = *config;
	*ret = &fw->services;
	return 0;
}
