/* SPDX-License-Identifier: MIT */
/*
 * hash.h — a hash for tables whose keys strangers choose.
 *
 * SipHash-2-4 (Aumasson and Bernstein, 2012) under a key that is random in each process: nobody can
 * prepare an image whose names all fall into one place of a table and make it a list. Values are
 * good for one process's memory only. Any thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct hash_key {
	uint64_t k0, k1;
};

/* Of n bytes, under a given key. */
uint64_t hash_bytes_keyed(const struct hash_key *key, const void *data, size_t n);

/* Of n bytes, under this process's key. */
uint64_t hash_bytes(const void *data, size_t n);
