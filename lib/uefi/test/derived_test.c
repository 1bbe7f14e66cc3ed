/* SPDX-License-Identifier: MIT */
/* derived_test.c — variables that are in no image: their values, the list, what writing says. */
#include "uefi/derived.h"

#include "base/test/tap.h"
#include "uefi/firmware.h"
#include "uefi/test/memory_store.h"

static const struct guid secure_boot_enable = GUID_OF(
	0xf0a30bc7, 0xaf08, 0x4556, 0x99, 0xc4, 0x00, 0x10, 0x09, 0xc9, 0x3a, 0x44);

static struct uefi_name name_of(const char *text)
{
	struct uefi_name name = {0};

	if (uefi_name_from_utf8(&name, text, strlen(text)) < 0)
		name.count = 0;
	return name;
}

/* The layer over a store that the caller fills; freed with it. */
static struct uefi_services *set_up(struct memory_store **ret_store, enum firmware_view view)
{
	struct firmware_config config = {.auth = FIRMWARE_AUTH_OWNER, .view = view};
	struct uefi_services *services = NULL;
	int r;

	*ret_store = memory_store_new(57244);
	r = *ret_store ? firmware_new(&services, &(*ret_store)->nv, &config) : -1;
	if (r == 0)
		r = uefi_derived_new(&services, services, &(*ret_store)->nv);
	if (r < 0) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	return services;
}

/* The byte of a one-byte variable, or -1. */
static int byte_of(struct uefi_services *s, const char *text)
{
	struct uefi_name name = name_of(text);
	uint32_t attributes = 0;
	uint8_t byte = 0;
	size_t size = 1;

	if (s->ops->get_variable(s, &name, &uefi_global_guid, &attributes, &byte, &size) !=
			UEFI_SUCCESS || size != 1 || attributes != 6)
		return -1;
	return byte;
}

static void test_values(void)
{
	static const struct {
		bool has_key;
		int enabled; /* -1: not stored */
		int setup_mode, secure_boot;
	} cases[] = {
		{false, -1, 1, 0}, {false, 1, 1, 0},
		{true, -1, 0, 1}, {true, 1, 0, 1}, {true, 0, 0, 0},
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct memory_store *store;
		CLEAN(uefi_services_free) struct uefi_services *s = set_up(&store,
			i % 2 ? FIRMWARE_VIEW_RUNTIME : FIRMWARE_VIEW_ALL);
		uint8_t enabled = (uint8_t)cases[i / 2].enabled;

		if (cases[i / 2].has_key)
			memory_store_add(store, "PK", &uefi_global_guid, 0x27, "key", 3);
		if (cases[i / 2].enabled >= 0)
			memory_store_add(store, "SecureBootEnable", &secure_boot_enable, 3,
				&enabled, 1);
		ok(byte_of(s, "SetupMode") == cases[i / 2].setup_mode &&
				byte_of(s, "SecureBoot") == cases[i / 2].secure_boot,
			"key %d, enabled %d: setup mode %d, secure boot %d", cases[i / 2].has_key,
			cases[i / 2].enabled, cases[i / 2].setup_mode, cases[i / 2].secure_boot);
	}
}

static void test_sizes(void)
{
	struct memory_store *store;
	CLEAN(uefi_services_free) struct uefi_services *s = set_up(&store, FIRMWARE_VIEW_ALL);
	struct uefi_name name = name_of("SignatureSupport");
	uint8_t data[64];
	uint32_t attributes = 0;
	size_t size = 0;

	is_int(s->ops->get_variable(s, &name, &uefi_global_guid, &attributes, NULL, &size),
		UEFI_BUFFER_TOO_SMALL, "a question for the size");
	is_int(size, 64, "tells it");
	is_int(s->ops->get_variable(s, &name, &uefi_global_guid, &attributes, data, &size),
		UEFI_SUCCESS, "and the content fits");
	size = sizeof(data);
	is_int(s->ops->get_variable(s, &name, &uefi_image_security_guid, &attributes, data, &size),
		UEFI_NOT_FOUND, "under another GUID there is no such variable");
}

static void test_list(void)
{
	static const char *const wanted[] = {"Stored", "VendorKeys", "SetupMode", "SecureBoot",
		"SignatureSupport", "OsIndicationsSupported"};
	struct memory_store *store;
	CLEAN(uefi_services_free) struct uefi_services *s = set_up(&store, FIRMWARE_VIEW_ALL);
	unsigned seen[sizeof(wanted) / sizeof(wanted[0])] = {0}, count = 0;
	struct uefi_name name = {0};
	struct guid vendor = {0};

	memory_store_add(store, "Stored", &uefi_global_guid, 7, "x", 1);
	memory_store_add(store, "VendorKeys", &uefi_global_guid, 7, "y", 1);
	while (count < 100 && s->ops->get_next(s, &name, &vendor) == UEFI_SUCCESS) {
		count++;
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			seen[i] += uefi_name_matches(&name, wanted[i]);
	}
	is_int(count, 6, "the list has the stored ones and the derived ones, and ends");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		is_int(seen[i], 1, wanted[i]);
	is_int(byte_of(s, "VendorKeys"), -1, "a stored one wins");
}

static void test_set(void)
{
	struct memory_store *store;
	CLEAN(uefi_services_free) struct uefi_services *s = set_up(&store, FIRMWARE_VIEW_ALL);
	struct uefi_name name = name_of("SecureBoot"), other = name_of("Timeout");

	is_int(s->ops->set_variable(s, &name, &uefi_global_guid, 6, "\1", 1), UEFI_WRITE_PROTECTED,
		"a derived variable cannot be written");
	ok(strstr(s->ops->reason(s), "read-only"), "and it says why");
	is_int(s->ops->set_variable(s, &other, &uefi_global_guid, 7, "\1\0", 2), UEFI_SUCCESS,
		"another can");
	is_text(s->ops->reason(s), "", "and there is nothing to say");
}

int main(void)
{
	test_values();
	test_sizes();
	test_list();
	test_set();
	return tap_done();
}
