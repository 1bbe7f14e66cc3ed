/* SPDX-License-Identifier: MIT */
/* firmware_owner_test.c — editing authenticated variables as the owner: descriptors, times, keys.
 */
#include "uefi/firmware.h"

#include "base/buffer.h"
#include "base/test/tap.h"
#include "uefi/test/memory_store.h"

static const struct guid vendor_guid =
	GUID_OF(0x12345678, 0x1234, 0x5678, 0x9a, 0xbc, 0xde, 0xf0, 0x12, 0x34, 0x56, 0x78);
static const struct guid pkcs7_guid =
	GUID_OF(0x4aafd29d, 0x68df, 0x49ee, 0x8a, 0xa9, 0x34, 0x7d, 0x37, 0x56, 0x65, 0xa7);
static const struct guid sha256_guid =
	GUID_OF(0xc1c41626, 0x504c, 0x4092, 0xac, 0xa9, 0x41, 0xf9, 0x36, 0x93, 0x43, 0x28);
static const struct guid x509_guid =
	GUID_OF(0xa5c059a1, 0x94e4, 0x4aa7, 0x87, 0xb5, 0xab, 0x15, 0x5c, 0x2b, 0xf0, 0x72);

struct setup {
	struct memory_store *store;
	struct uefi_services *services;
};

static struct setup set_up(void)
{
	struct firmware_config config = {.auth = FIRMWARE_AUTH_OWNER};
	struct setup s = {.store = memory_store_new(57244)};

	if (!s.store || firmware_new(&s.services, &s.store->nv, &config) < 0) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	return s;
}

static enum uefi_status set(struct setup *s, const char *name, const struct guid *vendor,
	uint32_t attributes, const struct buffer *data)
{
	struct uefi_name n = {0};

	if (uefi_name_from_utf8(&n, name, strlen(name)) < 0)
		return UEFI_ABORTED;
	return s->services->ops->set_variable(
		s->services, &n, vendor, attributes, data->data, data->size);
}

/* A descriptor of that year with a certificate of 5 bytes. */
static void add_descriptor(struct buffer *out, uint16_t year, uint32_t nanosecond)
{
	buffer_le16(out, year);
	buffer_u8(out, 11);
	buffer_u8(out, 30);
	buffer_fill(out, 0, 4);
	buffer_le32(out, nanosecond);
	buffer_fill(out, 0, 4);
	buffer_le32(out, 24 + 5);
	buffer_le16(out, 0x0200);
	buffer_le16(out, 0x0ef1);
	buffer_append(out, &pkcs7_guid, sizeof(pkcs7_guid));
	buffer_string(out, "signd");
}

/* A list with an entry for each byte of fills: SHA-256 values filled with it. */
static void add_list(struct buffer *out, const char *fills)
{
	size_t n = strlen(fills);

	buffer_append(out, &sha256_guid, sizeof(sha256_guid));
	buffer_le32(out, (uint32_t)(28 + n * 48));
	buffer_le32(out, 0);
	buffer_le32(out, 48);
	for (size_t i = 0; i < n; i++)
		buffer_fill(out, (uint8_t)fills[i], 48);
}

static void is_stored(
	struct setup *s, const char *name, uint16_t year, const struct buffer *content)
{
	const struct nv_variable *v = memory_store_look(s->store, name);

	ok(v && v->size == content->size && memcmp(v->data, content->data, v->size) == 0,
		"%s has the content", name);
	is_int(v ? v->time.year : -1, year, "and the time");
}

static void test_descriptor(void)
{
	struct setup s = set_up();
	CLEAN_BUFFER struct buffer write = BUFFER_INIT;
	CLEAN_BUFFER struct buffer content = BUFFER_INIT;
	CLEAN_BUFFER struct buffer raw = BUFFER_INIT;

	add_descriptor(&write, 2026, 0);
	buffer_string(&write, "content");
	buffer_string(&content, "content");
	is_int(set(&s, "Var", &vendor_guid, 0x27, &write), UEFI_SUCCESS,
		"content behind a descriptor");
	is_stored(&s, "Var", 2026, &content);
	is_int(set(&s, "Var", &vendor_guid, 0x27, &write), UEFI_SUCCESS, "the same once more");
	is_int(s.store->put_calls, 1, "writes nothing");

	buffer_string(&raw, "raw content that is long enough to hold a descriptor, but has none");
	is_int(set(&s, "Var", &vendor_guid, 0x27, &raw), UEFI_SUCCESS, "content alone");
	is_stored(&s, "Var", 2026, &raw);
	is_int(set(&s, "Other", &vendor_guid, 0x27, &raw), UEFI_SUCCESS, "and of a new variable");
	is_stored(&s, "Other", 0, &raw);

	raw.size = 0;
	is_int(set(&s, "Other", &vendor_guid, 0x27, &raw), UEFI_SUCCESS, "nothing deletes");
	ok(!memory_store_look(s.store, "Other"), "it is gone");
	write.size -= strlen("content");
	is_int(set(&s, "Var", &vendor_guid, 0x27, &write), UEFI_SUCCESS,
		"nothing behind a descriptor too");
	ok(!memory_store_look(s.store, "Var"), "it is gone");
	uefi_services_free(s.services);
}

static void test_broken_descriptor(void)
{
	struct setup s = set_up();
	CLEAN_BUFFER struct buffer cut = BUFFER_INIT;
	CLEAN_BUFFER struct buffer odd_time = BUFFER_INIT;
	CLEAN_BUFFER struct buffer plain = BUFFER_INIT;

	add_descriptor(&cut, 2026, 0);
	cut.size -= 1;
	is_int(set(&s, "Var", &vendor_guid, 0x27, &cut), UEFI_SECURITY_VIOLATION,
		"a descriptor that is cut is no content");
	is_text(s.services->ops->reason(s.services),
		"Var: the descriptor's certificate does not end within the 44 bytes given",
		"and the reason says so");
	add_descriptor(&odd_time, 2026, 1);
	is_int(set(&s, "Var", &vendor_guid, 0x27, &odd_time), UEFI_SECURITY_VIOLATION,
		"nor is one with a nanosecond");
	add_descriptor(&plain, 2026, 0);
	is_int(set(&s, "Var", &vendor_guid, 0x07, &plain), UEFI_SUCCESS,
		"to a variable that is not authenticated it is content");
	is_stored(&s, "Var", 0, &plain);
	uefi_services_free(s.services);
}

static void test_append(void)
{
	struct setup s = set_up();
	CLEAN_BUFFER struct buffer first = BUFFER_INIT;
	CLEAN_BUFFER struct buffer older = BUFFER_INIT;
	CLEAN_BUFFER struct buffer newer = BUFFER_INIT;
	CLEAN_BUFFER struct buffer whole = BUFFER_INIT;

	add_descriptor(&first, 2020, 0);
	buffer_string(&first, "one");
	add_descriptor(&older, 2010, 0);
	buffer_string(&older, " two");
	add_descriptor(&newer, 2030, 0);
	buffer_string(&newer, " three");
	buffer_string(&whole, "one two");
	is_int(set(&s, "Var", &vendor_guid, 0x67, &first), UEFI_SUCCESS, "an append makes it");
	is_int(set(&s, "Var", &vendor_guid, 0x67, &older), UEFI_SUCCESS, "an older one is added");
	is_stored(&s, "Var", 2020, &whole);
	is_int(set(&s, "Var", &vendor_guid, 0x67, &newer), UEFI_SUCCESS, "a newer one too");
	buffer_string(&whole, " three");
	is_stored(&s, "Var", 2030, &whole);
	uefi_services_free(s.services);
}

static void test_append_keys(void)
{
	struct setup s = set_up();
	CLEAN_BUFFER struct buffer first = BUFFER_INIT;
	CLEAN_BUFFER struct buffer known = BUFFER_INIT;
	CLEAN_BUFFER struct buffer mixed = BUFFER_INIT;
	CLEAN_BUFFER struct buffer whole = BUFFER_INIT;
	CLEAN_BUFFER struct buffer broken = BUFFER_INIT;

	add_list(&first, "abc");
	add_list(&known, "ba");
	add_list(&mixed, "xay");
	add_list(&whole, "abc");
	add_list(&whole, "xy");
	is_int(set(&s, "dbx", &uefi_image_security_guid, 0x27, &first), UEFI_SUCCESS,
		"a list of three");
	is_int(set(&s, "dbx", &uefi_image_security_guid, 0x67, &known), UEFI_SUCCESS,
		"two of them once more");
	is_int(s.store->put_calls, 1, "write nothing");
	is_int(set(&s, "dbx", &uefi_image_security_guid, 0x67, &mixed), UEFI_SUCCESS,
		"one of them and two others");
	is_stored(&s, "dbx", 0, &whole);
	buffer_string(&broken, "no list");
	is_int(set(&s, "dbx", &uefi_image_security_guid, 0x67, &broken), UEFI_INVALID_PARAMETER,
		"what is no list is not appended");
	is_stored(&s, "dbx", 0, &whole);
	uefi_services_free(s.services);
}

static void test_platform_key(void)
{
	struct setup s = set_up();
	CLEAN_BUFFER struct buffer hash = BUFFER_INIT;
	CLEAN_BUFFER struct buffer certificate = BUFFER_INIT;

	add_list(&hash, "a");
	is_int(set(&s, "PK", &uefi_global_guid, 0x27, &hash), UEFI_INVALID_PARAMETER,
		"PK is no hash");
	is_text(s.services->ops->reason(s.services),
		"PK: PK is one list of signatures with one X.509 certificate",
		"and the reason says so");
	buffer_append(&certificate, &x509_guid, sizeof(x509_guid));
	buffer_le32(&certificate, 28 + 100);
	buffer_le32(&certificate, 0);
	buffer_le32(&certificate, 100);
	buffer_fill(&certificate, 0x30, 100);
	is_int(set(&s, "PK", &uefi_global_guid, 0x27, &certificate), UEFI_SUCCESS,
		"but a certificate");
	is_stored(&s, "PK", 0, &certificate);
	uefi_services_free(s.services);
}

/* What a store keeps besides the content stays as it is. */
static void test_kept_fields(void)
{
	struct setup s = set_up();
	struct nv_variable *stored;
	const struct nv_variable *v;
	CLEAN_BUFFER struct buffer content = BUFFER_INIT;

	memory_store_add(s.store, "Var", &vendor_guid, 0x27, "x", 1);
	stored = &s.store->records[0].variable;
	stored->monotonic_count = 5;
	stored->public_key_index = 6;
	stored->time.year = 2001;
	buffer_string(&content, "y");
	is_int(set(&s, "Var", &vendor_guid, 0x27, &content), UEFI_SUCCESS, "a new content");
	v = memory_store_look(s.store, "Var");
	ok(v && v->monotonic_count == 5 && v->public_key_index == 6 && v->time.year == 2001,
		"keeps count, key and time");
	uefi_services_free(s.services);
}

int main(void)
{
	test_descriptor();
	test_broken_descriptor();
	test_append();
	test_append_keys();
	test_platform_key();
	test_kept_fields();
	return tap_done();
}
