/* SPDX-License-Identifier: MIT */
/* hash.c — see hash.h. */
#include "base/hash.h"

#include <pthread.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/ratelimit.h"
#include "base/reader.h"

static pthread_once_t is_keyed = PTHREAD_ONCE_INIT;
static struct hash_key process_key;

static uint64_t rotate(uint64_t v, unsigned bits)
{
	return v << bits | v >> (64 - bits);
}

static void mix(uint64_t v[static 4], unsigned rounds)
{
	for (; rounds > 0; rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void take_word(uint64_t v[static 4], uint64_t word)
{
	v[3] ^= word;
	mix(v, 2);
	v[0] ^= word;
}

uint64_t hash_bytes_keyed(const struct hash_key *key, const void *data, size_t n)
{
	struct reader r = reader_of(data, n);
	uint64_t last = (uint64_t)n << 56; /* the length's low byte is the last word's high one */
	uint64_t v[4] = {
		key->k0 ^ 0x736f6d6570736575u,
		key->k1 ^ 0x646f72616e646f6du,
		key->k0 ^ 0x6c7967656e657261u,
		key->k1 ^ 0x7465646279746573u,
	};

	while (reader_remaining(&r) >= 8)
		take_word(v, reader_le64(&r));
	for (unsigned i = 0; reader_remaining(&r) > 0; i++)
		last |= (uint64_t)reader_u8(&r) << 8 * i;
	take_word(v, last);
	v[2] ^= 0xff;
	mix(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static void make_key(void)
{
	/* Without random bytes (an early boot) the time is still unknown to who made the image. */
	if (getrandom(&process_key, sizeof(process_key), GRND_NONBLOCK) != sizeof(process_key))
		process_key = (struct hash_key){clock_now_ns(), (uint64_t)getpid()};
}

uint64_t hash_bytes(const void *data, size_t n)
{
	(void)pthread_once(&is_keyed, make_key); /* cannot fail: the function is there */
	return hash_bytes_keyed(&process_key, data, n);
}
