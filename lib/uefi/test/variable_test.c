/* SPDX-License-Identifier: MIT */
/* variable_test.c — names, times, attributes, well-known GUIDs, and the errno of each status. */
#include "uefi/variable.h"

#include <errno.h>

#include "base/test/tap.h"
#include "uefi/status.h"

static struct uefi_name name_of(const char *text)
{
	struct uefi_name name = {0};

	if (uefi_name_from_utf8(&name, text, strlen(text)) < 0)
		name.count = 0;
	return name;
}

static void test_names(void)
{
	static const char *const kept[] = {
		"Boot0000", "a/b", "\xc3\xa4", "\xf0\x9f\x90\xa7", "\xed\xa0\x80"};
	static const struct {
		const char *text;
		size_t length;
		int error;
	} refused[] = {
		{"a\0b", 3, -EILSEQ},
		{"\xff", 1, -EILSEQ},
		{"\xc0\x80", 2, -EILSEQ},
	};
	static char longest[UEFI_NAME_MAX + 2];
	struct uefi_name name;

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		CLEAN_BUFFER struct buffer out = BUFFER_INIT;

		name = name_of(kept[i]);
		uefi_name_to_utf8(&name, &out);
		is_text(buffer_text(&out), kept[i], "a name comes back as it went");
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		name = name_of("untouched");
		is_int(uefi_name_from_utf8(&name, refused[i].text, refused[i].length),
			refused[i].error, "a bad name is refused");
		ok(name.count == 9, "and the result is untouched");
	}
	memset(longest, 'x', UEFI_NAME_MAX + 1);
	is_int(uefi_name_from_utf8(&name, longest, UEFI_NAME_MAX), 0, "the longest name fits");
	is_int(uefi_name_from_utf8(&name, longest, UEFI_NAME_MAX + 1), -ENAMETOOLONG,
		"one unit more does not");
}

static void test_keys(void)
{
	struct uefi_name a = name_of("Boot0000"), b = name_of("Boot0001"), c = name_of("Boot");

	ok(uefi_name_equal(&a, &a), "a name equals itself");
	ok(!uefi_name_equal(&a, &b) && !uefi_name_equal(&a, &c), "and no other, nor its beginning");
	ok(uefi_key_hash(&a, &uefi_global_guid) == uefi_key_hash(&a, &uefi_global_guid),
		"a key has one hash");
	ok(uefi_key_hash(&a, &uefi_global_guid) != uefi_key_hash(&b, &uefi_global_guid),
		"the name is in it");
	ok(uefi_key_hash(&a, &uefi_global_guid) != uefi_key_hash(&a, &uefi_linux_crash_guid),
		"the GUID too");
}

static void test_times(void)
{
	static const struct uefi_time zero,
		one = {.year = 2026, .month = 11, .day = 30, .hour = 9, .minute = 5, .second = 1};
	struct uefi_time later = one, zone = one;
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	uefi_time_format(&zero, &out);
	is_text(buffer_text(&out), "", "no time is no text");
	uefi_time_format(&one, &out);
	is_text(buffer_text(&out), "2026-11-30T09:05:01", "a time is ISO 8601");
	ok(uefi_time_is_zero(&zero) && !uefi_time_is_zero(&one), "zero is told from a time");
	later.nanosecond = 1;
	zone.zone = 60;
	is_int(uefi_time_compare(&one, &later), -1, "a nanosecond counts");
	is_int(uefi_time_compare(&later, &one), 1, "either way");
	is_int(uefi_time_compare(&one, &zone), 0, "the zone does not");
	ok(uefi_time_equal(&one, &one) && !uefi_time_equal(&one, &zone), "but is no equal");
	later = (struct uefi_time){.year = 2025, .month = 12, .day = 31};
	is_int(uefi_time_compare(&later, &one), -1, "the year comes first");
}

static void test_attributes(void)
{
	static const struct {
		const char *text;
		int error;
		uint32_t attributes;
		const char *printed;
	} cases[] = {
		{"nv,bs,rt", 0, 0x07, "nv,bs,rt"},
		{"NV,BS,RT,AT,append", 0, 0x67, "nv,bs,rt,at,append"},
		{"non_volatile,bootservice_access,runtime_access", 0, 0x07, "nv,bs,rt"},
		{"time_based_authenticated_write_access", 0, 0x20, "at"},
		{"hr,aw,ea", 0, 0x98, "hr,aw,ea"},
		{"7", 0, 0x07, "nv,bs,rt"},
		{"0x27", 0, 0x27, "nv,bs,rt,at"},
		{"0", 0, 0, "0"},
		{"0x107", 0, 0x107, "nv,bs,rt,0x100"},
		{"nv,bs,0x100", 0, 0x103, "nv,bs,0x100"},
		{"", -EINVAL, 0, NULL},
		{"nv,", -EINVAL, 0, NULL},
		{"nv,,rt", -EINVAL, 0, NULL},
		{"nvx", -EINVAL, 0, NULL},
		{"n", -EINVAL, 0, NULL},
		{"0x", -EINVAL, 0, NULL},
		{"4294967296", -EINVAL, 0, NULL},
		{"-1", -EINVAL, 0, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEAN_BUFFER struct buffer out = BUFFER_INIT;
		uint32_t attributes = 0xdead;

		is_int(uefi_attributes_parse(cases[i].text, &attributes), cases[i].error,
			cases[i].text);
		is_int(attributes, cases[i].error ? 0xdead : cases[i].attributes, "its value");
		if (cases[i].error)
			continue;
		uefi_attributes_format(attributes, &out);
		is_text(buffer_text(&out), cases[i].printed, "its text");
	}
}

static void test_well_known(void)
{
	static const struct {
		const char *name;
		const char *vendor; /* NULL: not known */
	} cases[] = {
		{"Boot0000", "global"},
		{"BootFFFF", "global"},
		{"Boot00ff", NULL},
		{"Boot000", NULL},
		{"Boot00000", NULL},
		{"Boot####", NULL},
		{"BootOrder", "global"},
		{"SysPrep0001", "global"},
		{"OsIndications", "global"},
		{"PK", "global"},
		{"db", "image-security"},
		{"dbx", "image-security"},
		{"MokList", "shim"},
		{"SbatPolicy", "shim"},
		{"LoaderEntryOneShot", "loader"},
		{"SecureBootEnable", "secure-boot-enable"},
		{"CustomMode", "custom-mode"},
		{"VendorKeysNv", "vendor-keys"},
		{"certdb", "certdb"},
		{"MTC", "mtc"},
		{"", NULL},
		{"Nobody", NULL},
	};
	struct guid g;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct uefi_name name = name_of(cases[i].name);
		const struct guid *vendor = uefi_well_known_guid(&name);
		const char *short_name = vendor ? uefi_guid_name(vendor) : NULL;

		if (cases[i].vendor)
			is_text(short_name, cases[i].vendor, cases[i].name);
		else
			ok(!vendor, "'%s' is nobody's", cases[i].name);
	}
	ok(guid_parse("1ce1e5bc-7ceb-42f2-81e5-8aadf180f57b", GUID_TEXT_LENGTH, &g) == 0 &&
			guid_equal(&g, &uefi_linux_random_seed_guid),
		"the random seed's GUID");
	ok(guid_parse("d719b2cb-3d3a-4596-a3bc-dad00e67656f", GUID_TEXT_LENGTH, &g) == 0 &&
			guid_equal(&g, &uefi_image_security_guid),
		"the signature databases' GUID");
	ok(!uefi_guid_name(&(struct guid){0}), "a GUID that nobody knows has no name");
}

static void test_statuses(void)
{
	static const struct {
		enum uefi_status status;
		int error;
		const char *name;
	} cases[] = {
		{UEFI_SUCCESS, 0, "EFI_SUCCESS"},
		{UEFI_INVALID_PARAMETER, -EINVAL, "EFI_INVALID_PARAMETER"},
		{UEFI_UNSUPPORTED, -EINVAL, "EFI_UNSUPPORTED"},
		{UEFI_BUFFER_TOO_SMALL, -EINVAL, "EFI_BUFFER_TOO_SMALL"},
		{UEFI_DEVICE_ERROR, -EIO, "EFI_DEVICE_ERROR"},
		{UEFI_WRITE_PROTECTED, -EROFS, "EFI_WRITE_PROTECTED"},
		{UEFI_OUT_OF_RESOURCES, -ENOSPC, "EFI_OUT_OF_RESOURCES"},
		{UEFI_NOT_FOUND, -ENOENT, "EFI_NOT_FOUND"},
		{UEFI_ACCESS_DENIED, -EINVAL, "EFI_ACCESS_DENIED"},
		{UEFI_ABORTED, -EINTR, "EFI_ABORTED"},
		{UEFI_SECURITY_VIOLATION, -EACCES, "EFI_SECURITY_VIOLATION"},
		{(enum uefi_status)99, -EINVAL, "an unknown EFI status"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		is_int(uefi_status_errno(cases[i].status), cases[i].error, cases[i].name);
		is_text(uefi_status_name(cases[i].status), cases[i].name, "its name");
	}
}

int main(void)
{
	test_names();
	test_keys();
	test_times();
	test_attributes();
	test_well_known();
	test_statuses();
	return tap_done();
}
