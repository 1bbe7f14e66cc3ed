/* SPDX-License-Identifier: MIT */
/* firmware_set_test.c — SetVariable: each check, in its order, with its reason; what is stored. */
#include "uefi/firmware.h"

#include <errno.h>

#include "base/test/tap.h"
#include "uefi/test/memory_store.h"

static const struct guid vendor_guid =
	GUID_OF(0x12345678, 0x1234, 0x5678, 0x9a, 0xbc, 0xde, 0xf0, 0x12, 0x34, 0x56, 0x78);
static uint8_t bytes[65536]; /* zeros, for contents of any size */

struct setup {
	struct memory_store *store;
	struct uefi_services *services;
};

static struct setup set_up(uint64_t capacity, enum firmware_auth auth, enum firmware_view view)
{
	struct firmware_config config = {.auth = auth, .view = view};
	struct setup s = {.store = memory_store_new(capacity)};

	if (!s.store || firmware_new(&s.services, &s.store->nv, &config) < 0) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	return s;
}

/* A store with one variable of each kind. */
static struct setup set_up_filled(enum firmware_auth auth, enum firmware_view view)
{
	struct setup s = set_up(57244, auth, view);

	memory_store_add(s.store, "Plain", &vendor_guid, 0x07, "abc", 3);
	memory_store_add(s.store, "Boot", &vendor_guid, 0x03, "b", 1);
	memory_store_add(s.store, "Signed", &vendor_guid, 0x27, "s", 1);
	return s;
}

static enum uefi_status set(struct setup *s, const char *name, const struct guid *vendor,
	uint32_t attributes, const void *data, size_t size)
{
	struct uefi_name n = {0};

	if (uefi_name_from_utf8(&n, name, strlen(name)) < 0)
		return UEFI_ABORTED;
	return s->services->ops->set_variable(s->services, &n, vendor, attributes, data, size);
}

static const char *reason(struct setup *s)
{
	return s->services->ops->reason(s->services);
}

/* Everything that is refused, the reason being the whole line. */
static const struct {
	const char *what;
	enum firmware_auth auth;
	enum firmware_view view;
	const char *name;
	const struct guid *vendor;
	uint32_t attributes;
	size_t size;
	enum uefi_status status;
	const char *reason;
} refusals[] = {
	{"no name", 0, 0, "", &vendor_guid, 7, 1, UEFI_INVALID_PARAMETER,
		"a name has 1 to 1024 units, this one 0"},
	{"an unknown bit", 0, 0, "New", &vendor_guid, 0x87, 1, UEFI_INVALID_PARAMETER,
		"New: the attributes 0x87 hold bits outside 0x7f"},
	{"rt without bs", 0, 0, "New", &vendor_guid, 0x05, 1, UEFI_INVALID_PARAMETER,
		"New: the attributes 0x5 have rt without bs"},
	{"rt without bs, count-based", 0, 0, "New", &vendor_guid, 0x15, 1, UEFI_UNSUPPORTED,
		"New: the attributes 0x15 have rt without bs"},
	{"nv alone", 0, 0, "New", &vendor_guid, 0x01, 1, UEFI_INVALID_PARAMETER,
		"New: the attribute nv alone gives nobody access: bs, or bs and rt, are "
		"needed"},
	{"hr without storage", 0, 0, "New", &vendor_guid, 0x0f, 1, UEFI_INVALID_PARAMETER,
		"New: this firmware sets nothing aside for hardware error records (hr)"},
	{"both ways of authentication", 0, 0, "New", &vendor_guid, 0x37, 1, UEFI_UNSUPPORTED,
		"New: count-based authentication (aw, 0x10) is not supported"},
	{"count-based", 0, 0, "New", &vendor_guid, 0x17, 1, UEFI_UNSUPPORTED,
		"New: count-based authentication (aw, 0x10) is not supported"},
	{"a descriptor that is too short", 0, 0, "New", &vendor_guid, 0x27, 39,
		UEFI_SECURITY_VIOLATION,
		"New: a write with the attribute at begins with a signed descriptor of "
		"more than "
		"40 bytes, 39 are given"},
	{"a certificate without length", 0, 0, "New", &vendor_guid, 0x27, 9999,
		UEFI_SECURITY_VIOLATION,
		"New: the descriptor's certificate does not end within the 9999 bytes "
		"given"},
	{"too large", 0, 0, "New", &vendor_guid, 0x07, 0x2000 - 60 - 8 + 1, UEFI_INVALID_PARAMETER,
		"New: the content has 8125 bytes; with header and name (68 bytes) the "
		"firmware "
		"allows 8192 (MaxVariableSize), so at most 8124"},
	{"too large for an authenticated one", FIRMWARE_AUTH_OWNER, 0, "New", &vendor_guid, 0x27,
		0x2800 - 60 - 8 + 1, UEFI_INVALID_PARAMETER,
		"New: the content has 10173 bytes; with header and name (68 bytes) the "
		"firmware "
		"allows 10240 (MaxAuthVariableSize), so at most 10172"},
	{"Timeout of one byte", 0, 0, "Timeout", &uefi_global_guid, 7, 1, UEFI_INVALID_PARAMETER,
		"Timeout: its content has 2 bytes, 1 are given"},
	{"BootOrder of three bytes", 0, 0, "BootOrder", &uefi_global_guid, 7, 3,
		UEFI_INVALID_PARAMETER,
		"BootOrder: its content is entries of 2 bytes, 3 bytes are given"},
	{"Boot0001 for boot services", 0, 0, "Boot0001", &uefi_global_guid, 3, 10,
		UEFI_INVALID_PARAMETER,
		"Boot0001: this variable has the attributes nv,bs,rt, asked for are nv,bs"},
	{"SecureBoot in the image", 0, 0, "SecureBoot", &uefi_global_guid, 7, 1,
		UEFI_INVALID_PARAMETER,
		"SecureBoot: this variable has the attributes bs,rt, asked for are "
		"nv,bs,rt"},
	{"db without authentication", FIRMWARE_AUTH_OWNER, 0, "db", &uefi_image_security_guid, 7, 4,
		UEFI_INVALID_PARAMETER,
		"db: a variable for keys needs the attributes nv and at, asked for are "
		"nv,bs,rt"},
	{"db that is no list", FIRMWARE_AUTH_OWNER, 0, "db", &uefi_image_security_guid, 0x27, 5,
		UEFI_INVALID_PARAMETER,
		"db: 5 bytes at 0 are too few for a list of signatures (28)"},
	{"a boot services' variable at run time", 0, FIRMWARE_VIEW_RUNTIME, "Boot", &vendor_guid,
		0x03, 1, UEFI_WRITE_PROTECTED,
		"Boot: the variable belongs to boot services (no rt): an operating system "
		"cannot "
		"change it; view=all can"},
	{"its deletion", 0, FIRMWARE_VIEW_RUNTIME, "Boot", &vendor_guid, 0, 0, UEFI_WRITE_PROTECTED,
		"Boot: the variable belongs to boot services (no rt): an operating system "
		"cannot "
		"change it; view=all can"},
	{"other attributes", 0, 0, "Plain", &vendor_guid, 0x03, 1, UEFI_INVALID_PARAMETER,
		"Plain: the variable is stored with the attributes nv,bs,rt (0x7), asked "
		"for are "
		"nv,bs (0x3); delete it first to change them"},
	{"other attributes, deleting", 0, 0, "Plain", &vendor_guid, 0x03, 0, UEFI_INVALID_PARAMETER,
		"Plain: the variable is stored with the attributes nv,bs,rt (0x7), asked "
		"for are "
		"nv,bs (0x3); delete it first to change them"},
	{"deleting what is signed", 0, 0, "Signed", &vendor_guid, 0, 0,
		UEFI_WRITE_PROTECTED,
		"Signed: the variable is authenticated (at): it is changed and deleted by a signed "
		"write with that attribute only"},
	{"deleting what is not there", 0, 0, "New", &vendor_guid, 7, 0, UEFI_NOT_FOUND,
		"New: there is no such variable to delete"},
	{"the same without attributes", 0, 0, "New", &vendor_guid, 0, 0, UEFI_NOT_FOUND,
		"New: there is no such variable to delete"},
	{"no access is a deletion too", 0, 0, "New", &vendor_guid, 0x40, 3, UEFI_NOT_FOUND,
		"New: there is no such variable to delete"},
	{"a volatile variable", 0, 0, "New", &vendor_guid, 0x06, 1, UEFI_INVALID_PARAMETER,
		"New: without the attribute nv a variable lives in memory only; an image "
		"keeps "
		"only non-volatile ones"},
	{"a boot services' one made at run time", 0, FIRMWARE_VIEW_RUNTIME, "New", &vendor_guid,
		0x03, 1, UEFI_INVALID_PARAMETER,
		"New: at run time only variables with the attributes nv and rt can be "
		"made; "
		"view=all makes others"},
};

static void test_refusals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		struct setup s = set_up_filled(refusals[i].auth, refusals[i].view);

		is_int(set(&s, refusals[i].name, refusals[i].vendor, refusals[i].attributes, bytes,
			       refusals[i].size),
			refusals[i].status, refusals[i].what);
		is_text(reason(&s), refusals[i].reason, "and the reason says so");
		ok(s.store->put_calls + s.store->remove_calls == 0, "the store was not asked");
		uefi_services_free(s.services);
	}
}

static void test_arguments(void)
{
	struct setup s = set_up_filled(FIRMWARE_AUTH_FIRMWARE, FIRMWARE_VIEW_ALL);
	const struct uefi_services_ops *ops = s.services->ops;
	struct uefi_name n = {.count = 3, .units = {'a', 0, 'b'}};

	is_int(ops->set_variable(s.services, NULL, &vendor_guid, 7, bytes, 1),
		UEFI_INVALID_PARAMETER, "no name");
	is_int(ops->set_variable(s.services, &n, NULL, 7, bytes, 1), UEFI_INVALID_PARAMETER,
		"no GUID");
	is_int(ops->set_variable(s.services, &n, &vendor_guid, 7, NULL, 1), UEFI_INVALID_PARAMETER,
		"no data");
	is_int(ops->set_variable(s.services, &n, &vendor_guid, 7, bytes, 1), UEFI_INVALID_PARAMETER,
		"a NUL in the name");
	is_text(reason(&s), "a name cannot hold a NUL (unit 1)", "and the reason says where");
	n = (struct uefi_name){.count = 60, .units = {'\n', 0x1b, 0x85}};
	for (size_t i = 3; i < n.count; i++)
		n.units[i] = 'x';
	is_int(ops->set_variable(s.services, &n, &vendor_guid, 1, bytes, 1), UEFI_INVALID_PARAMETER,
		"a name of control characters");
	ok(strncmp(reason(&s), "????xxxxxxxxxxxxxxxxxxxxxxxxxxxxx...: ", 38) == 0 &&
			!strpbrk(reason(&s), "\n\033"),
		"stays one line, and short: %s", reason(&s));
	is_int(set(&s, "Plain", &vendor_guid, 7, "abc", 3), UEFI_SUCCESS, "a call that succeeds");
	is_text(reason(&s), "", "has no reason");
	uefi_services_free(s.services);
}

static void is_stored(struct setup *s, const char *name, uint32_t attributes, const char *content)
{
	const struct nv_variable *v = memory_store_look(s->store, name);

	ok(v && v->attributes == attributes && v->size == strlen(content) &&
			memcmp(v->data, content, v->size) == 0,
		"%s is \"%s\" with attributes 0x%x", name, content, attributes);
}

static void test_changes(void)
{
	struct setup s = set_up_filled(FIRMWARE_AUTH_FIRMWARE, FIRMWARE_VIEW_ALL);

	is_int(set(&s, "New", &vendor_guid, 7, "n", 1), UEFI_SUCCESS, "a variable is made");
	is_stored(&s, "New", 7, "n");
	is_int(set(&s, "New", &vendor_guid, 7, "other", 5), UEFI_SUCCESS, "and changed");
	is_stored(&s, "New", 7, "other");
	is_int(set(&s, "New", &vendor_guid, 0x47, " and", 4), UEFI_SUCCESS, "and appended to");
	is_stored(&s, "New", 7, "other and");
	is_int(set(&s, "Boot", &vendor_guid, 3, "bb", 2), UEFI_SUCCESS,
		"a boot services' one is changed with its own attributes");
	is_stored(&s, "Boot", 3, "bb");
	is_int(set(&s, "Late", &vendor_guid, 0x47, "late", 4), UEFI_SUCCESS,
		"an append makes what is missing");
	is_stored(&s, "Late", 7, "late");
	is_int(set(&s, "New", &vendor_guid, 7, NULL, 0), UEFI_SUCCESS, "deleted by size 0");
	ok(!memory_store_look(s.store, "New"), "it is gone");
	is_int(set(&s, "Late", &vendor_guid, 0, "ignored", 7), UEFI_SUCCESS,
		"deleted by attributes 0");
	ok(!memory_store_look(s.store, "Late"), "it is gone");
	is_int(set(&s, "Plain", &uefi_linux_crash_guid, 7, "x", 1), UEFI_SUCCESS,
		"the same name under another GUID");
	is_stored(&s, "Plain", 7, "abc");
	uefi_services_free(s.services);
}

static void test_without_write(void)
{
	struct setup s = set_up_filled(FIRMWARE_AUTH_FIRMWARE, FIRMWARE_VIEW_ALL);

	is_int(set(&s, "Plain", &vendor_guid, 7, "abc", 3), UEFI_SUCCESS, "the same content");
	is_int(set(&s, "Plain", &vendor_guid, 0x47, NULL, 0), UEFI_SUCCESS, "an append of nothing");
	is_int(set(&s, "None", &vendor_guid, 0x47, NULL, 0), UEFI_SUCCESS,
		"an append of nothing to nothing");
	ok(s.store->put_calls == 0 && !memory_store_look(s.store, "None"), "write nothing");
	is_int(set(&s, "Plain", &vendor_guid, 7, "abd", 3), UEFI_SUCCESS, "another content");
	is_int(s.store->put_calls, 1, "is written");
	uefi_services_free(s.services);
}

static void test_append_limit(void)
{
	struct setup s = set_up(57244, FIRMWARE_AUTH_FIRMWARE, FIRMWARE_VIEW_ALL);

	is_int(set(&s, "New", &vendor_guid, 7, bytes, 8000), UEFI_SUCCESS, "8000 bytes");
	is_int(set(&s, "New", &vendor_guid, 0x47, bytes, 125), UEFI_INVALID_PARAMETER,
		"and 125 more are too many");
	is_text(reason(&s),
		"New: the content with what is appended has 8125 bytes; with header and name (68 "
		"bytes) "
		"the firmware allows 8192 (MaxVariableSize), so at most 8124",
		"the reason says so");
	is_int(set(&s, "New", &vendor_guid, 0x47, bytes, 124), UEFI_SUCCESS, "124 fit");
	uefi_services_free(s.services);
}

static void test_space(void)
{
	struct setup s = set_up(1000, FIRMWARE_AUTH_FIRMWARE, FIRMWARE_VIEW_ALL);

	is_int(set(&s, "A", &vendor_guid, 7, bytes, 336), UEFI_SUCCESS, "400 bytes");
	is_int(set(&s, "A", &vendor_guid, 7, bytes, 335), UEFI_SUCCESS, "replaced: 400 are dead");
	is_int(set(&s, "B", &vendor_guid, 7, bytes, 600), UEFI_OUT_OF_RESOURCES,
		"664 more do not fit, even without the dead");
	is_text(reason(&s),
		"B: no room in the variable store (not on a disk): the record needs 664 bytes; of "
		"1000 "
		"bytes 200 are free, 400 hold dead records and 400 live ones",
		"the reason has the numbers");
	is_int(set(&s, "B", &vendor_guid, 7, bytes, 500), UEFI_SUCCESS, "564 do");
	is_int(s.store->reclaims, 1, "by a reclaim");
	uefi_services_free(s.services);
}

static void test_failures(void)
{
	static const struct {
		int error;
		const char *detail;
		enum uefi_status status;
		const char *reason;
	} cases[] = {
		{-EIO, "", UEFI_DEVICE_ERROR,
			"Plain: the variable store could not be written: Input/output error"},
		{-EIO, "the file shrank", UEFI_DEVICE_ERROR,
			"Plain: the variable store could not be written: the file shrank"},
		{-EROFS, "", UEFI_WRITE_PROTECTED,
			"Plain: the variable store could not be written: Read-only file system"},
		{-ENOMEM, "", UEFI_OUT_OF_RESOURCES, "Plain: out of memory"},
		{-ENOSPC, "", UEFI_OUT_OF_RESOURCES,
			"Plain: the variable store could not be written: No space left on device"},
		{-EDQUOT, "", UEFI_DEVICE_ERROR,
			"Plain: the variable store could not be written: Disk quota exceeded"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct setup s = set_up_filled(FIRMWARE_AUTH_FIRMWARE, FIRMWARE_VIEW_ALL);

		s.store->error = cases[i].error;
		s.store->reason = cases[i].detail;
		is_int(set(&s, "Plain", &vendor_guid, 7, "x", 1), cases[i].status,
			"a store that fails");
		is_text(reason(&s), cases[i].reason, "the reason says how");
		is_int(set(&s, "Plain", &vendor_guid, 0, NULL, 0), cases[i].status,
			"a deletion too");
		is_stored(&s, "Plain", 7, "abc");
		uefi_services_free(s.services);
	}
}

static void test_read_only(void)
{
	struct setup s = set_up_filled(FIRMWARE_AUTH_OWNER, FIRMWARE_VIEW_ALL);

	s.store->is_writable = false;
	is_int(set(&s, "Plain", &vendor_guid, 7, "x", 1), UEFI_WRITE_PROTECTED,
		"a read-only store");
	is_text(reason(&s), "Plain: the variable store is open for reading only", "says so");
	is_int(set(&s, "Plain", &vendor_guid, 0, NULL, 0), UEFI_WRITE_PROTECTED,
		"and keeps what it has");
	is_int(set(&s, "Plain", &vendor_guid, 1, "x", 1), UEFI_INVALID_PARAMETER,
		"what is wrong anyhow is said first");
	uefi_services_free(s.services);
}

int main(void)
{
	test_refusals();
	test_arguments();
	test_changes();
	test_without_write();
	test_append_limit();
	test_space();
	test_failures();
	test_read_only();
	return tap_done();
}
