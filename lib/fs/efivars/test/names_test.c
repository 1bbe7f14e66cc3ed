/* SPDX-License-Identifier: MIT */
/* names_test.c — file names of variables: read, written, canonical; what no file can be called. */
#include "fs/efivars/names.h"

#include <errno.h>
#include <string.h>

#include "base/test/tap.h"

#define GUID "8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define GUID_UPPER "8BE4DF61-93CA-11D2-AA0D-00E098032B8C"

static const struct {
	const char *what, *typed, *canonical; /* NULL: refused */
} names[] = {
	{"a plain name", "Boot0000-" GUID, "Boot0000-" GUID},
	{"an upper-case GUID", "Boot0000-" GUID_UPPER, "Boot0000-" GUID},
	{"the name's case is kept", "bOOT0000-" GUID, "bOOT0000-" GUID},
	{"one character", "x-" GUID, "x-" GUID},
	{"a dash inside", "a-b-" GUID, "a-b-" GUID},
	{"an exclamation mark", "a!b-" GUID, "a!b-" GUID},
	{"not ASCII", "\xc3\xa4\xe2\x82\xac-" GUID, "\xc3\xa4\xe2\x82\xac-" GUID},
	{"beyond the first plane", "\xf0\x9f\x98\x80-" GUID, "\xf0\x9f\x98\x80-" GUID},
	{"surrogates one by one", "\xed\xa0\xbd\xed\xb8\x80-" GUID, "\xf0\x9f\x98\x80-" GUID},
	{"a lone surrogate", "\xed\xa0\xbd-" GUID, "\xed\xa0\xbd-" GUID},
	{"no name", "-" GUID, NULL},
	{"a GUID alone", GUID, NULL},
	{"nothing", "", NULL},
	{"no dash", "Boot0000_" GUID, NULL},
	{"a GUID too short", "Boot0000-8be4df61-93ca-11d2-aa0d-00e098032b8", NULL},
	{"a GUID that is none", "Boot0000-8be4df61-93ca-11d2-aa0d-00e098032b8g", NULL},
	{"not UTF-8", "\xff-" GUID, NULL},
	{"an overlong form", "\xc0\xaf-" GUID, NULL},
};

static void test_typed_names(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[FILE_NAME_SIZE] = "";
		struct variable_key key = {.count = 77};
		int r = key_parse(&key, names[i].typed);

		if (!names[i].canonical) {
			ok(r == -EINVAL && key.count == 77, "%s is refused", names[i].what);
			continue;
		}
		ok(r == 0 && key_format(&key, text) == 0, "%s is taken", names[i].what);
		is_text(text, names[i].canonical, names[i].what);
	}
}

static int from_units(const uint16_t *units, size_t count, char text[static FILE_NAME_SIZE])
{
	struct uefi_name name = {.count = count};
	struct variable_key key;
	int r;

	memcpy(name.units, units, count * sizeof(*units));
	r = key_from_name(&key, &name, &uefi_global_guid);
	return r < 0 ? r : key_format(&key, text);
}

static void test_firmware_names(void)
{
	static const uint16_t slashes[] = {'/', 'a', '/', 0x20ac}, nul[] = {'a', 0, 'b'};
	uint16_t units[UEFI_NAME_MAX];
	char text[FILE_NAME_SIZE];

	is_int(from_units(slashes, ARRAY_SIZE(slashes), text), 0, "slashes are taken");
	is_text(text, "!a!\xe2\x82\xac-" GUID, "and shown as exclamation marks");
	is_int(from_units(nul, ARRAY_SIZE(nul), text), -EINVAL, "a NUL inside is refused");
	is_int(from_units(nul, 0, text), -EINVAL, "an empty name is refused");
	for (size_t i = 0; i < UEFI_NAME_MAX; i++)
		units[i] = 'x';
	is_int(from_units(units, 218, text), 0, "218 characters fit");
	is_int((int)strlen(text), FS_NAME_MAX, "into a file name exactly");
	is_int(from_units(units, 219, text), -ENAMETOOLONG, "219 do not");
	is_int(from_units(units, UEFI_NAME_MAX, text), -ENAMETOOLONG, "nor does the longest name");
	units[0] = 0x20ac;
	is_int(from_units(units, 216, text), 0, "215 and one of three bytes fit");
	is_int(from_units(units, 217, text), -ENAMETOOLONG, "216 and one of three bytes do not");
}

int main(void)
{
	test_typed_names();
	test_firmware_names();
	return tap_done();
}
