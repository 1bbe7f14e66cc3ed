/* SPDX-License-Identifier: MIT */
/* guid_test.c — EFI GUIDs: the text form, the mixed-endian disk order, what is refused. */
#include "base/guid.h"

#include "base/test/tap.h"

int main(void)
{
	static const char text[] = "8be4df61-93ca-11d2-aa0d-00e098032b8c";
	static const struct guid global =
		GUID_OF(0x8be4df61, 0x93ca, 0x11d2, 0xaa, 0x0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c);
	static const uint8_t disk[16] = {0x61, 0xdf, 0xe4, 0x8b, 0xca, 0x93, 0xd2, 0x11, 0xaa, 0x0d,
		0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c};
	static const char *const bad[] = {"8be4df61-93ca-11d2-aa0d-00e098032b8", "",
		"8be4df61-93ca-11d2-aa0d-00e098032b8g", "8be4df61093ca-11d2-aa0d-00e098032b8c",
		"8be4df61-93ca-11d2-aa0d-00e098032b8c ", "{be4df61-93ca-11d2-aa0d-00e098032b8c"};
	char out[GUID_TEXT_LENGTH + 1];
	struct guid g = {0};

	is_int(guid_parse(text, strlen(text), &g), 0, "lower-case text is read");
	ok(memcmp(&g, disk, sizeof(g)) == 0, "into the disk's byte order");
	ok(guid_equal(&g, &global), "GUID_OF gives the same");
	is_int(guid_parse("8BE4DF61-93CA-11D2-AA0D-00E098032B8C", 36, &g), 0, "upper case is read");
	guid_format(&g, out);
	is_text(out, text, "and printed in lower case");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		g = global;
		ok(guid_parse(bad[i], strlen(bad[i]), &g) < 0 && guid_equal(&g, &global),
			"\"%s\" is refused, the result untouched", bad[i]);
	}
	return tap_done();
}
