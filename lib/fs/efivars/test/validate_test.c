/* SPDX-License-Identifier: MIT */
/* validate_test.c — content that is refused before it is written, and files that are immutable. */
#include "fs/efivars/validate.h"

#include <string.h>

#include "base/test/tap.h"
#include "fs/efivars/rules.h"

#define GLOBAL "8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define OTHER "12345678-9abc-def0-1234-56789abcdef0"
#define CRASH "cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0"

#define BYTES(text) text, sizeof(text) - 1

/* Attributes, path length, description "A", path. */
#define OPTION(length, path) "\1\0\0\0" length "\0A\0\0\0" path
#define END "\x7f\xff\4\0"
#define DISK "\4\1\6\0xx"

static const struct {
	const char *what, *name, *data;
	size_t size;
	bool is_accepted;
} contents[] = {
	{"a load option", "Boot0001-" GLOBAL, BYTES(OPTION("\4", END)), true},
	{"with a disk in its path", "Boot00aF-" GLOBAL, BYTES(OPTION("\x0a", DISK END)), true},
	{"with data of its own", "Driver0001-" GLOBAL, BYTES(OPTION("\4", END "data")), true},
	{"with an old end node", "Boot0001-" GLOBAL, BYTES(OPTION("\4", "\xff\xff\4\0")), true},
	{"of another vendor", "Boot0001-" OTHER, BYTES("x"), true},
	{"7 bytes", "Boot0001-" GLOBAL, BYTES("\1\0\0\0\0\0\0"), false},
	{"no content", "Boot0001-" GLOBAL, BYTES(""), false},
	{"a description without end", "Boot0001-" GLOBAL, BYTES("\1\0\0\0\4\0A\0B\0C\0"), false},
	{"a path of nothing", "Boot0001-" GLOBAL, BYTES(OPTION("\0", "")), false},
	{"a path longer than the content", "Boot0001-" GLOBAL, BYTES(OPTION("\5", END)), false},
	{"a path without end", "Boot0001-" GLOBAL, BYTES(OPTION("\6", DISK)), false},
	{"an end that comes too late", "Boot0001-" GLOBAL, BYTES(OPTION("\6", DISK END)), false},
	{"a node of 3 bytes", "Boot0001-" GLOBAL, BYTES(OPTION("\4", "\4\1\3\0")), false},
	{"a node past the path", "Boot0001-" GLOBAL, BYTES(OPTION("\4", "\4\1\x08\0" END)), false},
	{"the end of an instance alone", "Boot0001-" GLOBAL, BYTES(OPTION("\4", "\x7f\1\4\0")),
		false},
	{"five digits", "Boot00011-" GLOBAL, BYTES(OPTION("\4", END)), false},
	{"three digits", "Boot001-" GLOBAL, BYTES("x"), true},
	{"an odd BootOrder", "BootOrder-" GLOBAL, BYTES("xxx"), true},
	{"a long BootNext", "BootNext-" GLOBAL, BYTES("xxx"), true},
	{"a short DriverOrder", "DriverOrder-" GLOBAL, BYTES("x"), true},
	{"a Timeout of one byte", "Timeout-" GLOBAL, BYTES("x"), true},
	{"a ConIn that is no path", "ConIn-" GLOBAL, BYTES("x"), true},
	{"a name of its own", "boot0001-" GLOBAL, BYTES("x"), true},
};

static void test_contents(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(contents); i++) {
		struct variable_key key;
		const char *refusal;

		if (key_parse(&key, contents[i].name) < 0) {
			ok(false, "%s: a bad name", contents[i].what);
			continue;
		}
		refusal = validate_content(&key, (const uint8_t *)contents[i].data,
			contents[i].size);
		ok(!refusal == contents[i].is_accepted, "%s: %s", contents[i].what,
			refusal ? refusal : "accepted");
	}
}

static const struct {
	const char *name;
	bool is_removable;
} files[] = {
	{"BootNext-" GLOBAL, true},     {"BootOrder-" GLOBAL, true},
	{"Boot0000-" GLOBAL, true},     {"BootCurrent-" GLOBAL, true},
	{"Boot-" GLOBAL, true},         {"DriverOrder-" GLOBAL, true},
	{"Driver0000-" GLOBAL, true},   {"ConIn-" GLOBAL, true},
	{"ConInDev-" GLOBAL, true},     {"ConOut-" GLOBAL, true},
	{"ConOutDev-" GLOBAL, true},    {"ErrOut-" GLOBAL, true},
	{"ErrOutDev-" GLOBAL, true},    {"Lang-" GLOBAL, true},
	{"OsIndications-" GLOBAL, true}, {"PlatformLang-" GLOBAL, true},
	{"Timeout-" GLOBAL, true},      {"dump-type0-1-1-123-C-" CRASH, true},
	{"OsIndicationsSupported-" GLOBAL, false}, {"Langs-" GLOBAL, false},
	{"Boo-" GLOBAL, false},         {"boot0000-" GLOBAL, false},
	{"PK-" GLOBAL, false},          {"SecureBoot-" GLOBAL, false},
	{"BootOrder-" OTHER, false},    {"dump-" OTHER, false},
};

static void test_immutable(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct variable_key key;

		ok(key_parse(&key, files[i].name) == 0 &&
			rules_is_removable(&key) == files[i].is_removable,
			"%s is %s", files[i].name,
			files[i].is_removable ? "removable" : "immutable");
	}
	ok(rules_is_hidden(&uefi_linux_random_seed_guid), "the random seed is hidden");
	ok(!rules_is_hidden(&uefi_global_guid), "others are not");
}

int main(void)
{
	test_contents();
	test_immutable();
	return tap_done();
}
