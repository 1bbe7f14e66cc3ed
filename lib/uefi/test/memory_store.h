/* SPDX-License-Identifier: MIT */
/*
 * memory_store.h — an nv_store in memory for tests: it keeps dead records like flash does, counts
 * what is asked of it, and fails on demand.
 */
#pragma once

#include "uefi/nvstore.h"

#define MEMORY_RECORDS_MAX 4096
#define MEMORY_RECORD_HEADER 60u

struct memory_record {
	struct nv_variable variable; /* its data is the owned one below */
	uint8_t *data;
	bool is_live;
};

struct memory_store {
	struct nv_store nv; /* first */
	struct memory_record *records;
	size_t count;
	uint64_t capacity;
	bool is_writable;
	bool has_changed;
	int error; /* what put and remove return while it is not 0 */
	const char *reason;
	unsigned next_calls, put_calls, remove_calls, reclaims;
};

/* A store of capacity bytes, with the limits of OVMF's 2 MiB build. NULL without memory. */
struct memory_store *memory_store_new(uint64_t capacity);

/* Adds a live record as it is, even where its key is there already. False without memory or room.
 */
bool memory_store_add(struct memory_store *m, const char *name, const struct guid *vendor,
	uint32_t attributes, const void *data, size_t size);

/* The live record of a name under any GUID, or NULL. */
const struct nv_variable *memory_store_look(const struct memory_store *m, const char *name);
