/* SPDX-License-Identifier: MIT */
/* known.c — see known.h. */
#include "uefi/known.h"

#include "uefi/siglist.h"

#define NV_BS_RT UEFI_ATTRIBUTES_DEFAULT
#define BS_RT (UEFI_BOOTSERVICE_ACCESS | UEFI_RUNTIME_ACCESS)
#define KEY_ATTRIBUTES (UEFI_NON_VOLATILE | UEFI_TIME_BASED_AUTHENTICATED_WRITE_ACCESS)

/* Variables under the global GUID. */
static const struct {
	const char *pattern;
	uint32_t attributes;
	size_t exact; /* bytes; 0: any */
	size_t unit;  /* the size is a multiple of it; 0: any */
} rules[] = {
	{"Boot####", NV_BS_RT, 0, 0},
	{"BootOrder", NV_BS_RT, 0, 2},
	{"BootNext", NV_BS_RT, 2, 0},
	{"BootCurrent", BS_RT, 2, 0},
	{"BootOptionSupport", BS_RT, 4, 0},
	{"Driver####", NV_BS_RT, 0, 0},
	{"DriverOrder", NV_BS_RT, 0, 2},
	{"SysPrep####", NV_BS_RT, 0, 0},
	{"SysPrepOrder", NV_BS_RT, 0, 2},
	{"Key####", NV_BS_RT, 0, 0},
	{"ConIn", NV_BS_RT, 0, 0},
	{"ConOut", NV_BS_RT, 0, 0},
	{"ErrOut", NV_BS_RT, 0, 0},
	{"ConInDev", BS_RT, 0, 0},
	{"ConOutDev", BS_RT, 0, 0},
	{"ErrOutDev", BS_RT, 0, 0},
	{"Lang", NV_BS_RT, 0, 0},
	{"LangCodes", BS_RT, 0, 0},
	{"PlatformLang", NV_BS_RT, 0, 0},
	{"PlatformLangCodes", BS_RT, 0, 0},
	{"Timeout", NV_BS_RT, 2, 0},
	{"OsIndications", NV_BS_RT, 8, 0},
	{"OsIndicationsSupported", BS_RT, 8, 0},
	{"SetupMode", BS_RT, 1, 0},
	{"SecureBoot", BS_RT, 1, 0},
	{"VendorKeys", BS_RT, 1, 0},
	{"SignatureSupport", BS_RT, 0, sizeof(struct guid)},
};

/* Variables that hold keys, and under which GUID. */
static const struct {
	const char *name;
	const struct guid *vendor;
} keys[] = {
	{"PK", &uefi_global_guid},
	{"KEK", &uefi_global_guid},
	{"db", &uefi_image_security_guid},
	{"dbx", &uefi_image_security_guid},
	{"dbt", &uefi_image_security_guid},
};

bool known_variable_holds_keys(const struct uefi_name *name, const struct guid *vendor)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (guid_equal(vendor, keys[i].vendor) && uefi_name_matches(name, keys[i].name))
			return true;
	}
	return false;
}

static bool accepts_attributes(uint32_t wanted, uint32_t attributes, struct buffer *why)
{
	if (attributes == wanted)
		return true;
	buffer_string(why, "this variable has the attributes ");
	uefi_attributes_format(wanted, why);
	buffer_string(why, ", asked for are ");
	uefi_attributes_format(attributes, why);
	return false;
}

static bool accepts_size(size_t exact, size_t unit, size_t size, struct buffer *why)
{
	if (exact && size != exact) {
		buffer_printf(why, "its content has %zu byte%s, %zu are given", exact,
			exact == 1 ? "" : "s", size);
		return false;
	}
	if (unit && size % unit != 0) {
		buffer_printf(why, "its content is entries of %zu bytes, %zu bytes are given", unit,
			size);
		return false;
	}
	return true;
}

bool known_variable_accepts(const struct uefi_name *name, const struct guid *vendor,
	uint32_t attributes, size_t size, struct buffer *why)
{
	attributes &= ~UEFI_APPEND_WRITE;
	if (known_variable_holds_keys(name, vendor)) {
		if ((attributes & KEY_ATTRIBUTES) == KEY_ATTRIBUTES)
			return true;
		buffer_string(why,
			"a variable for keys needs the attributes nv and at, asked for are ");
		uefi_attributes_format(attributes, why);
		return false;
	}
	if (!guid_equal(vendor, &uefi_global_guid))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		if (uefi_name_matches(name, rules[i].pattern))
			return accepts_attributes(rules[i].attributes, attributes, why) &&
				accepts_size(rules[i].exact, rules[i].unit, size, why);
	}
	return true;
}

bool known_variable_accepts_keys(const struct uefi_name *name, const void *data, size_t size,
	struct buffer *why)
{
	if (siglist_check(data, size, why) < 0)
		return false;
	if (uefi_name_matches(name, "PK") && !siglist_is_one_certificate(data, size)) {
		buffer_string(why, "PK is one list of signatures with one X.509 certificate");
		return false;
	}
	return true;
}
