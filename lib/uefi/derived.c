/* SPDX-License-Identifier: MIT */
/*
 * derived.c — see derived.h. The list goes on with the derived names after the last stored one.
 */
#include "uefi/derived.h"

#include <errno.h>
#include <string.h>

#define ATTRIBUTES (UEFI_BOOTSERVICE_ACCESS | UEFI_RUNTIME_ACCESS)
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

struct derived {
	struct uefi_services services; /* first: the interface is the object */
	struct uefi_services *next;    /* owned */
	struct nv_store *store;        /* next's */
	const char *reason;            /* static; NULL: the next layer's */
};

static const struct guid secure_boot_enable_guid = GUID_OF(
	0xf0a30bc7, 0xaf08, 0x4556, 0x99, 0xc4, 0x00, 0x10, 0x09, 0xc9, 0x3a, 0x44);
static const struct guid vendor_keys_guid = GUID_OF(
	0x9073e4e0, 0x60ec, 0x4b6e, 0x99, 0x03, 0x4c, 0x22, 0x3c, 0x26, 0x0f, 0x3c);

/* What signature lists may hold: SHA-1, SHA-256, RSA-2048, X.509. */
static const struct guid signature_types[] = {
	GUID_OF(0x826ca512, 0xcf10, 0x4ac9, 0xb1, 0x87, 0xbe, 0x01, 0x49, 0x66, 0x31, 0xbd),
	GUID_OF(0xc1c41626, 0x504c, 0x4092, 0xac, 0xa9, 0x41, 0xf9, 0x36, 0x93, 0x43, 0x28),
	GUID_OF(0x3c5766e8, 0x269c, 0x4e34, 0xaa, 0x14, 0xed, 0x77, 0x6e, 0x85, 0xb3, 0xb6),
	GUID_OF(0xa5c059a1, 0x94e4, 0x4aa7, 0x87, 0xb5, 0xab, 0x15, 0x5c, 0x2b, 0xf0, 0x72),
};

/* Booting into the firmware's menu, and its recovery of boot options. */
static const uint8_t indications[8] = {0x41};

static struct derived *derived_of(struct uefi_services *s)
{
	return (struct derived *)s;
}

static struct uefi_name name_of(const char *text)
{
	struct uefi_name name = {0};

	for (; *text; text++)
		name.units[name.count++] = (uint8_t)*text;
	return name;
}

/* The first byte of a stored variable, or `otherwise` when it is not there or empty. */
static uint8_t stored_byte(struct derived *d, const char *text, const struct guid *vendor,
	uint8_t otherwise)
{
	const struct uefi_name name = name_of(text);
	struct nv_variable stored;

	if (d->store->ops->find(d->store, &name, vendor, &stored) < 0 || stored.size == 0)
		return otherwise;
	return stored.data[0];
}

static bool has_platform_key(struct derived *d)
{
	const struct uefi_name name = name_of("PK");
	struct nv_variable stored;

	return d->store->ops->find(d->store, &name, &uefi_global_guid, &stored) == 0;
}

/* Each gives its value in at most sizeof(signature_types) bytes, and their number. */
static size_t setup_mode(struct derived *d, uint8_t *value)
{
	value[0] = !has_platform_key(d);
	return 1;
}

static size_t secure_boot(struct derived *d, uint8_t *value)
{
	/* Firmware turns it on when it first sees a platform key, and keeps that beside the key. */
	value[0] = has_platform_key(d) &&
		stored_byte(d, "SecureBootEnable", &secure_boot_enable_guid, 1) == 1;
	return 1;
}

static size_t vendor_keys(struct derived *d, uint8_t *value)
{
	value[0] = stored_byte(d, "VendorKeysNv", &vendor_keys_guid, 1);
	return 1;
}

static size_t signature_support(struct derived *d, uint8_t *value)
{
	memcpy(value, signature_types, sizeof(signature_types));
	return sizeof(signature_types);
}

static size_t indications_supported(struct derived *d, uint8_t *value)
{
	memcpy(value, indications, sizeof(indications));
	return sizeof(indications);
}

/* All under the global GUID. */
static const struct {
	const char *name;
	size_t (*value)(struct derived *d, uint8_t *value);
} variables[] = {
	{"SetupMode", setup_mode},
	{"SecureBoot", secure_boot},
	{"VendorKeys", vendor_keys},
	{"SignatureSupport", signature_support},
	{"OsIndicationsSupported", indications_supported},
};

/* The index of a derived variable, or ARRAY_SIZE(variables). */
static size_t find(const struct uefi_name *name, const struct guid *vendor)
{
	size_t i = ARRAY_SIZE(variables);

	if (!guid_equal(vendor, &uefi_global_guid))
		return i;
	for (i = 0; i < ARRAY_SIZE(variables); i++) {
		if (uefi_name_matches(name, variables[i].name))
			break;
	}
	return i;
}

static bool is_stored(struct derived *d, size_t i)
{
	const struct uefi_name name = name_of(variables[i].name);
	uint32_t attributes;
	size_t size = 0;

	return d->next->ops->get_variable(d->next, &name, &uefi_global_guid, &attributes, NULL,
		       &size) != UEFI_NOT_FOUND;
}

static enum uefi_status derived_get_variable(struct uefi_services *s,
	const struct uefi_name *name, const struct guid *vendor, uint32_t *ret_attributes,
	void *data, size_t *size)
{
	struct derived *d = derived_of(s);
	const size_t room = *size;
	uint8_t value[sizeof(signature_types)];
	size_t i = find(name, vendor);
	enum uefi_status status =
		d->next->ops->get_variable(d->next, name, vendor, ret_attributes, data, size);

	d->reason = NULL;
	if (status != UEFI_NOT_FOUND || i == ARRAY_SIZE(variables))
		return status;
	*size = variables[i].value(d, value);
	*ret_attributes = ATTRIBUTES;
	d->reason = "";
	if (room < *size)
		return UEFI_BUFFER_TOO_SMALL;
	memcpy(data, value, *size);
	return UEFI_SUCCESS;
}

/* The first derived variable from index i on that is not stored. */
static enum uefi_status next_derived(struct derived *d, size_t i, struct uefi_name *name,
	struct guid *vendor)
{
	while (i < ARRAY_SIZE(variables) && is_stored(d, i))
		i++;
	if (i == ARRAY_SIZE(variables))
		return UEFI_NOT_FOUND;
	*name = name_of(variables[i].name);
	*vendor = uefi_global_guid;
	return UEFI_SUCCESS;
}

static enum uefi_status derived_get_next(struct uefi_services *s, struct uefi_name *name,
	struct guid *vendor)
{
	struct derived *d = derived_of(s);
	size_t i = name->count > 0 ? find(name, vendor) : ARRAY_SIZE(variables);
	enum uefi_status status;

	d->reason = NULL;
	if (i < ARRAY_SIZE(variables) && !is_stored(d, i))
		return next_derived(d, i + 1, name, vendor);
	status = d->next->ops->get_next(d->next, name, vendor);
	return status == UEFI_NOT_FOUND ? next_derived(d, 0, name, vendor) : status;
}

static enum uefi_status derived_set_variable(struct uefi_services *s,
	const struct uefi_name *name, const struct guid *vendor, uint32_t attributes,
	const void *data, size_t size)
{
	struct derived *d = derived_of(s);
	size_t i = find(name, vendor);

	d->reason = NULL;
	if (i < ARRAY_SIZE(variables) && !is_stored(d, i)) {
		d->reason = "the firmware makes this variable itself; it is read-only";
		return UEFI_WRITE_PROTECTED;
	}
	return d->next->ops->set_variable(d->next, name, vendor, attributes, data, size);
}

static enum uefi_status derived_query_info(struct uefi_services *s, uint32_t attributes,
	struct uefi_query *ret)
{
	struct derived *d = derived_of(s);

	d->reason = NULL;
	return d->next->ops->query_info(d->next, attributes, ret);
}

static bool derived_has_changed(struct uefi_services *s)
{
	struct derived *d = derived_of(s);

	return d->next->ops->has_changed(d->next);
}

static int derived_set_writable(struct uefi_services *s, bool is_writable, char **ret_error)
{
	struct derived *d = derived_of(s);
	int r = d->next->ops->set_writable(d->next, is_writable, ret_error);

	d->services.is_exclusive = d->next->is_exclusive;
	return r;
}

static const char *derived_reason(struct uefi_services *s)
{
	struct derived *d = derived_of(s);

	return d->reason ? d->reason : d->next->ops->reason(d->next);
}

static void derived_destroy(struct uefi_services *s)
{
	struct derived *d = derived_of(s);

	uefi_services_free(d->next);
	free(d);
}

static const struct uefi_services_ops derived_ops = {
	.name = "derived",
	.get_variable = derived_get_variable,
	.get_next = derived_get_next,
	.set_variable = derived_set_variable,
	.query_info = derived_query_info,
	.has_changed = derived_has_changed,
	.set_writable = derived_set_writable,
	.reason = derived_reason,
	.destroy = derived_destroy,
};

int uefi_derived_new(struct uefi_services **ret, struct uefi_services *take_next,
	struct nv_store *store)
{
	struct derived *d = calloc(1, sizeof(*d));

	if (!d) {
		uefi_services_free(take_next);
		return -ENOMEM;
	}
	d->services.ops = &derived_ops;
	d->services.supported = take_next->supported;
	d->services.is_exclusive = take_next->is_exclusive;
	d->next = take_next;
	d->store = store;
	*ret = &d->services;
	return 0;
}
