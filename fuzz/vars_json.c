/* SPDX-License-Identifier: MIT */
/* vars_json.c — fuzz target: the JSON documents that `tacit vars import` reads. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "tacit/vars_snapshot.h"
#include "target.h"

#define INPUT_MAX 65536

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Each key is there once, under its name, within the limits; times survive being written. */
static void check_items(const struct snapshot *snapshot)
{
	require(snapshot->count <= SNAPSHOT_COUNT_MAX);
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct nv_variable *v = &snapshot->items[i].variable;
		uint8_t time[SNAPSHOT_TIME_SIZE];
		struct uefi_time again;

		require(snapshot_find(snapshot, &v->name, &v->vendor) == &snapshot->items[i]);
		require(v->size <= SNAPSHOT_DATA_MAX && v->name.count <= UEFI_NAME_MAX);
		snapshot_time_encode(&v->time, time);
		again = snapshot_time_decode(time);
		require(uefi_time_compare(&again, &v->time) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEAN_SNAPSHOT struct snapshot snapshot = {0};
	CLEAN(free) char *error = NULL;

	if (size > INPUT_MAX)
		return 0;
	if (snapshot_from_json(&snapshot, (const char *)data, size, &error) == 0)
		check_items(&snapshot);
	else
		require(error && *error && !strpbrk(error, "\n\033"));
	return 0;
}
