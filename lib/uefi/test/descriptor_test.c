/* SPDX-License-Identifier: MIT */
/* descriptor_test.c — EFI_VARIABLE_AUTHENTICATION_2: every field, and every way of being cut. */
#include "uefi/descriptor.h"

#include <errno.h>

#include "base/test/tap.h"

#define CERTIFICATE_SIZE 7u
#define WHOLE_SIZE (DESCRIPTOR_FIXED_SIZE + CERTIFICATE_SIZE)

/* 2026-11-30 10:20:30, then 24 + 7, revision 0x0200, type 0x0ef1, PKCS#7's GUID, a certificate. */
static const uint8_t good[WHOLE_SIZE] = {0xea, 0x07, 11, 30, 10, 20, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	24 + CERTIFICATE_SIZE, 0, 0, 0, 0x00, 0x02, 0xf1, 0x0e, 0x9d, 0xd2, 0xaf, 0x4a, 0xdf, 0x68,
	0xee, 0x49, 0x8a, 0xa9, 0x34, 0x7d, 0x37, 0x56, 0x65, 0xa7, 'c', 'e', 'r', 't', 'i', 'f',
	'y'};

int main(void)
{
	static const struct {
		const char *what;
		size_t at;
		uint8_t byte;
		bool is_pkcs7, is_complete, is_time_plain;
	} changes[] = {
		{"a good one", 0, 0xea, true, true, true},
		{"pad 1", 7, 1, true, true, false},
		{"a nanosecond", 9, 1, true, true, false},
		{"a zone", 13, 0xff, true, true, false},
		{"daylight saving", 14, 1, true, true, false},
		{"pad 2", 15, 1, true, true, false},
		{"a length that ends earlier", 16, 24, true, true, true},
		{"a length without its own fields", 16, 23, true, false, true},
		{"a length behind the end", 16, 24 + CERTIFICATE_SIZE + 1, true, false, true},
		{"a huge length", 19, 0xff, true, false, true},
		{"another revision", 21, 1, false, true, true},
		{"another type", 22, 0xf0, false, true, true},
		{"another GUID", 39, 0, false, true, true},
	};
	struct auth_descriptor d = {.size = 99};

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		uint8_t data[WHOLE_SIZE];

		memcpy(data, good, sizeof(data));
		data[changes[i].at] = changes[i].byte;
		is_int(descriptor_read(data, sizeof(data), &d), 0, changes[i].what);
		ok(d.is_pkcs7 == changes[i].is_pkcs7 && d.is_complete == changes[i].is_complete &&
				d.is_time_plain == changes[i].is_time_plain,
			"is judged");
	}
	is_int(descriptor_read(good, sizeof(good), &d), 0, "its parts");
	is_int(d.size, WHOLE_SIZE, "its size is where the content begins");
	ok(d.time.year == 2026 && d.time.month == 11 && d.time.day == 30 && d.time.hour == 10 &&
			d.time.minute == 20 && d.time.second == 30,
		"its time");
	for (size_t size = 0; size < WHOLE_SIZE; size++) {
		uint8_t *cut = malloc(size); /* so that a look behind its end is found */

		if (size > 0)
			memcpy(cut, good, size);
		d = (struct auth_descriptor){.size = 99};
		if (size < DESCRIPTOR_FIXED_SIZE)
			ok(descriptor_read(cut, size, &d) == -EBADMSG && d.size == 99,
				"cut to %zu bytes it is refused", size);
		else
			ok(descriptor_read(cut, size, &d) == 0 && !d.is_complete,
				"cut to %zu bytes it is not complete", size);
		free(cut);
	}
	return tap_done();
}
