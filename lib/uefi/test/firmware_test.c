/* SPDX-License-Identifier: MIT */
/* firmware_test.c — reading, listing and asking for space; the two views; remounts. */
#include "uefi/firmware.h"

#include <errno.h>

#include "base/test/tap.h"
#include "uefi/test/memory_store.h"

static const struct guid vendor_guid =
	GUID_OF(0x12345678, 0x1234, 0x5678, 0x9a, 0xbc, 0xde, 0xf0, 0x12, 0x34, 0x56, 0x78);

struct setup {
	struct memory_store *store;
	struct uefi_services *services;
};

static struct setup set_up(uint64_t capacity, enum firmware_view view)
{
	struct firmware_config config = {.auth = FIRMWARE_AUTH_FIRMWARE, .view = view};
	struct setup s = {.store = memory_store_new(capacity)};

	if (!s.store || firmware_new(&s.services, &s.store->nv, &config) < 0) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	return s;
}

static struct setup set_up_filled(enum firmware_view view)
{
	struct setup s = set_up(57244, view);

	memory_store_add(s.store, "First", &vendor_guid, 0x07, "abc", 3);
	memory_store_add(s.store, "Boot", &vendor_guid, 0x03, "b", 1);
	memory_store_add(s.store, "Last", &vendor_guid, 0x27, "", 0);
	return s;
}

static struct uefi_name name_of(const char *text)
{
	struct uefi_name name = {0};

	if (uefi_name_from_utf8(&name, text, strlen(text)) < 0)
		name.count = 0;
	return name;
}

static void test_get(void)
{
	struct setup s = set_up_filled(FIRMWARE_VIEW_ALL);
	const struct uefi_services_ops *ops = s.services->ops;
	struct uefi_name first = name_of("First"), last = name_of("Last"), none = name_of("None");
	uint32_t attributes = 0;
	char data[16];
	size_t size = 0;

	is_int(ops->get_variable(s.services, &first, &vendor_guid, &attributes, NULL, &size),
		UEFI_BUFFER_TOO_SMALL, "a question for the size");
	ok(size == 3 && attributes == 7, "tells size and attributes");
	size = 2;
	is_int(ops->get_variable(s.services, &first, &vendor_guid, NULL, data, &size),
		UEFI_BUFFER_TOO_SMALL, "too little room");
	size = sizeof(data);
	is_int(ops->get_variable(s.services, &first, &vendor_guid, &attributes, data, &size),
		UEFI_SUCCESS, "enough room");
	ok(size == 3 && memcmp(data, "abc", 3) == 0, "gets the content");
	is_int(ops->get_variable(s.services, &first, &vendor_guid, &attributes, NULL, &size),
		UEFI_INVALID_PARAMETER, "room without a buffer");
	size = 0;
	is_int(ops->get_variable(s.services, &last, &vendor_guid, &attributes, NULL, &size),
		UEFI_SUCCESS, "an empty variable needs none");
	is_int(ops->get_variable(s.services, &none, &vendor_guid, &attributes, data, &size),
		UEFI_NOT_FOUND, "a variable that is not there");
	is_text(ops->reason(s.services), "None: there is no such variable", "and the reason");
	is_int(ops->get_variable(s.services, &first, &uefi_global_guid, &attributes, data, &size),
		UEFI_NOT_FOUND, "nor under another GUID");
	none.count = 0;
	is_int(ops->get_variable(s.services, &none, &vendor_guid, &attributes, data, &size),
		UEFI_NOT_FOUND, "an empty name");
	is_int(ops->get_variable(s.services, NULL, &vendor_guid, &attributes, data, &size),
		UEFI_INVALID_PARAMETER, "no name");
	uefi_services_free(s.services);
}

static void test_runtime_view(void)
{
	struct setup s = set_up_filled(FIRMWARE_VIEW_RUNTIME);
	const struct uefi_services_ops *ops = s.services->ops;
	struct uefi_name name = name_of("Boot");
	struct guid vendor = vendor_guid;
	uint32_t attributes;
	size_t size = 0;

	is_int(ops->get_variable(s.services, &name, &vendor, &attributes, NULL, &size),
		UEFI_NOT_FOUND, "a boot services' variable is not seen");
	is_text(ops->reason(s.services),
		"Boot: the variable belongs to boot services (no rt): an operating system does not "
		"see it",
		"and the reason says why");
	is_int(ops->get_next(s.services, &name, &vendor), UEFI_INVALID_PARAMETER,
		"nor does a listing go on from it");
	name.count = 0;
	is_int(ops->get_next(s.services, &name, &vendor), UEFI_SUCCESS, "a listing begins");
	is_int(ops->get_next(s.services, &name, &vendor), UEFI_SUCCESS, "goes on");
	ok(uefi_name_equal(&name, &(struct uefi_name){.count = 4, .units = {'L', 'a', 's', 't'}}),
		"without it");
	is_int(ops->get_next(s.services, &name, &vendor), UEFI_NOT_FOUND, "and ends");
	uefi_services_free(s.services);
}

/* Lists all; how many there were. */
static unsigned list(struct setup *s, enum uefi_status *ret_status)
{
	struct uefi_name name = {0};
	struct guid vendor = {0};
	unsigned n = 0;

	while (n <= MEMORY_RECORDS_MAX) {
		*ret_status = s->services->ops->get_next(s->services, &name, &vendor);
		if (*ret_status != UEFI_SUCCESS)
			break;
		n++;
	}
	return n;
}

static void test_listing(void)
{
	struct setup s = set_up(1 << 20, FIRMWARE_VIEW_ALL);
	const struct uefi_services_ops *ops = s.services->ops;
	enum uefi_status status = UEFI_SUCCESS;
	struct uefi_name name = {0};
	struct guid vendor = {0};

	is_int(list(&s, &status), 0, "an empty store has nothing to list");
	is_int(status, UEFI_NOT_FOUND, "and says so");
	for (int i = 0; i < 2000; i++) {
		char text[16];

		snprintf(text, sizeof(text), "Variable%d", i);
		memory_store_add(s.store, text, &vendor_guid, 7, "x", 1);
	}
	s.store->next_calls = 0;
	is_int(list(&s, &status), 2000, "2000 variables are listed");
	ok(s.store->next_calls <= 2001, "in one walk of %u steps", s.store->next_calls);

	ok(ops->get_next(s.services, &name, &vendor) == UEFI_SUCCESS &&
			ops->set_variable(s.services, &name, &vendor, 0, NULL, 0) == UEFI_SUCCESS,
		"the first is deleted");
	is_int(ops->get_next(s.services, &name, &vendor), UEFI_INVALID_PARAMETER,
		"nothing goes on from what is not there");
	is_text(ops->reason(s.services), "Variable0: there is no such variable to go on from",
		"and the reason says so");
	name = name_of("Variable7");
	is_int(ops->get_next(s.services, &name, &vendor), UEFI_SUCCESS, "from any other it does");
	ok(uefi_name_equal(&name, &(struct uefi_name){.count = 9,
					  .units = {'V', 'a', 'r', 'i', 'a', 'b', 'l', 'e', '8'}}),
		"with the one behind it");
	is_int(ops->get_next(s.services, NULL, &vendor), UEFI_INVALID_PARAMETER, "no name");
	uefi_services_free(s.services);
}

static void test_duplicates(void)
{
	struct setup s = set_up(57244, FIRMWARE_VIEW_ALL);
	enum uefi_status status = UEFI_SUCCESS;

	memory_store_add(s.store, "A", &vendor_guid, 7, "1", 1);
	memory_store_add(s.store, "B", &vendor_guid, 7, "1", 1);
	memory_store_add(s.store, "A", &vendor_guid, 7, "2", 1);
	memory_store_add(s.store, "A", &vendor_guid, 7, "3", 1);
	memory_store_add(s.store, "C", &vendor_guid, 7, "1", 1);
	is_int(list(&s, &status), 5, "duplicates neither end a listing nor turn it around");
	is_int(status, UEFI_NOT_FOUND, "it ends");
	uefi_services_free(s.services);
}

static void test_query_checks(void)
{
	static const struct {
		enum firmware_view view;
		uint32_t attributes;
		enum uefi_status status;
		const char *reason;
	} cases[] = {
		{0, 0, UEFI_INVALID_PARAMETER, "no attributes are given"},
		{0, 0x17, UEFI_UNSUPPORTED, "count-based authentication (0x10) is not supported"},
		{0, 0x100, UEFI_UNSUPPORTED, "none of the attributes 0x100 is known"},
		{0, 0x01, UEFI_INVALID_PARAMETER, "nv alone gives nobody access"},
		{0, 0x05, UEFI_INVALID_PARAMETER, "rt needs bs"},
		{0, 0x0a, UEFI_INVALID_PARAMETER, "hr needs nv"},
		{0, 0x0f, UEFI_UNSUPPORTED, "nothing is set aside for hardware error records"},
		{FIRMWARE_VIEW_RUNTIME, 0x03, UEFI_INVALID_PARAMETER, "at run time rt is needed"},
		{0, 0x03, UEFI_SUCCESS, ""},
		{0, 0x07, UEFI_SUCCESS, ""},
		{FIRMWARE_VIEW_RUNTIME, 0x27, UEFI_SUCCESS, ""},
		{0, 0x06, UEFI_SUCCESS, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct setup s = set_up_filled(cases[i].view);
		struct uefi_query query = {.max_storage = 1};
		CLEAN_BUFFER struct buffer what = BUFFER_INIT;

		buffer_printf(&what, "space for attributes 0x%x", cases[i].attributes);
		is_int(s.services->ops->query_info(s.services, cases[i].attributes, &query),
			cases[i].status, buffer_text(&what));
		is_text(s.services->ops->reason(s.services), cases[i].reason, "the reason");
		ok(cases[i].status == UEFI_SUCCESS || query.max_storage == 1,
			"a refusal answers nothing");
		uefi_services_free(s.services);
	}
}

static void test_query_numbers(void)
{
	struct setup s = set_up(10000, FIRMWARE_VIEW_ALL);
	const struct uefi_services_ops *ops = s.services->ops;
	struct uefi_name name = name_of("A");
	static const char content[4000];
	struct uefi_query q;

	ok(ops->query_info(s.services, 7, &q) == UEFI_SUCCESS && q.max_storage == 10000 &&
			q.remaining == 10000 && q.max_variable == 0x2000 - 60,
		"an empty store: the largest variable is the limit less a header");
	ok(ops->query_info(s.services, 0x27, &q) == UEFI_SUCCESS && q.max_variable == 10000 - 60,
		"or what is free less a header");
	ok(ops->query_info(s.services, 0x06, &q) == UEFI_SUCCESS && q.max_storage == 0 &&
			q.remaining == 0 && q.max_variable == 0,
		"of volatile storage there is none");
	is_int(ops->set_variable(s.services, &name, &vendor_guid, 7, content, 4000), UEFI_SUCCESS,
		"4064 bytes are stored");
	is_int(ops->set_variable(s.services, &name, &vendor_guid, 7, content, 3936), UEFI_SUCCESS,
		"and replaced by 4000");
	ok(ops->query_info(s.services, 7, &q) == UEFI_SUCCESS && q.remaining == 1936 &&
			q.max_variable == 1876,
		"the dead record is not free at run time");
	s.store->capacity = 8064 + 60;
	ok(ops->query_info(s.services, 7, &q) == UEFI_SUCCESS && q.remaining == 60 &&
			q.max_variable == 0,
		"a header's worth of room is room for nothing");
	s.store->capacity = 5000;
	ok(ops->query_info(s.services, 7, &q) == UEFI_SUCCESS && q.remaining == 0,
		"more used than there is counts as full");
	is_int(ops->query_info(s.services, 7, NULL), UEFI_INVALID_PARAMETER,
		"nowhere to answer to");
	uefi_services_free(s.services);
}

static void test_hardware_errors(void)
{
	struct setup s = set_up(10000, FIRMWARE_VIEW_ALL);
	const struct uefi_services_ops *ops = s.services->ops;
	struct uefi_name name = name_of("HwErrRec0001");
	struct uefi_query q;

	s.store->nv.limits.hardware_error_storage = 1000;
	is_int(ops->set_variable(s.services, &name, &uefi_global_guid, 0x0f, "xx", 2), UEFI_SUCCESS,
		"a record where storage is set aside");
	ok(ops->query_info(s.services, 0x0f, &q) == UEFI_SUCCESS && q.max_storage == 1000 &&
			q.remaining == 1000 - 88 && q.max_variable == 1000 - 88 - 60,
		"is counted there");
	uefi_services_free(s.services);
}

static void test_plain_store(void)
{
	struct setup s = set_up_filled(FIRMWARE_VIEW_ALL);
	const struct uefi_services_ops *ops = s.services->ops;
	struct uefi_name name = name_of("New");
	struct uefi_query q;

	s.store->nv.limits.max_auth_variable = 0;
	is_int(ops->set_variable(s.services, &name, &vendor_guid, 0x27, "x", 1), UEFI_UNSUPPORTED,
		"a store without authenticated variables");
	is_text(ops->reason(s.services), "New: this store has no authenticated variables (at)",
		"says so");
	is_int(ops->query_info(s.services, 0x27, &q), UEFI_UNSUPPORTED, "when asked for room too");
	uefi_services_free(s.services);
}

static void test_remaining(void)
{
	const struct nv_space space = {.capacity = 100, .live_bytes = 30, .all_bytes = 70};
	const struct nv_space full = {.capacity = 100, .live_bytes = 101, .all_bytes = 170};

	is_int(firmware_remaining(&space, false), 70, "at boot the dead are free");
	is_int(firmware_remaining(&space, true), 30, "at run time they are not");
	is_int(firmware_remaining(&full, false), 0, "never less than nothing");
	is_int(firmware_remaining(&full, true), 0, "either way");
}

static void test_remount(void)
{
	struct setup s = set_up_filled(FIRMWARE_VIEW_ALL);
	const struct uefi_services_ops *ops = s.services->ops;
	CLEAN(free) char *error = NULL;

	ok(s.services->is_exclusive, "an exclusive store makes exclusive services");
	is_int(ops->set_writable(s.services, false, &error), 0, "writing is turned off");
	ok(!s.store->is_writable && !s.services->is_exclusive, "in the store, and locks follow");
	s.store->error = -EROFS;
	is_int(ops->set_writable(s.services, true, &error), -EROFS, "and cannot come back");
	is_text(error, "another process has it", "for the store's reason");
	ok(!ops->has_changed(s.services), "nobody has changed the store");
	s.store->has_changed = true;
	ok(ops->has_changed(s.services), "until somebody has");
	ok(!ops->has_changed(s.services), "which is said once");
	uefi_services_free(s.services);
}

int main(void)
{
	test_get();
	test_runtime_view();
	test_listing();
	test_duplicates();
	test_query_checks();
	test_query_numbers();
	test_hardware_errors();
	test_plain_store();
	test_remaining();
	test_remount();
	return tap_done();
}
