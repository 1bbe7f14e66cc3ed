/* SPDX-License-Identifier: MIT */
/* hash_test.c — the values that SipHash's authors publish, and one key for a process. */
#include "base/hash.h"

#include "base/test/tap.h"

int main(void)
{
	/* of the paper's appendix and of the first lines of its reference vectors */
	static const struct {
		size_t n;
		uint64_t value;
	} cases[] = {
		{0, 0x726fdb47dd0e0e31u},
		{1, 0x74f839c593dc67fdu},
		{15, 0xa129ca6149be45e5u},
	};
	static const struct hash_key key = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
	uint8_t data[16];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)i;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(hash_bytes_keyed(&key, data, cases[i].n) == cases[i].value, "%zu bytes",
			cases[i].n);
	ok(hash_bytes(data, 9) == hash_bytes(data, 9), "the same bytes have the same hash");
	ok(hash_bytes(data, 9) != hash_bytes(data, 8), "others have another");
	ok(hash_bytes(data, 15) != cases[2].value, "the process has a key of its own");
	return tap_done();
}
