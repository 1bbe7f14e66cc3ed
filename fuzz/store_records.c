/* SPDX-License-Identifier: MIT */
/*
 * store_records.c — any bytes as a list of records.
 *
 * The first byte chooses the header's form. The walk stays inside and ends; compaction keeps the
 * values and is its own fixed point.
 */
#include <stdlib.h>
#include <string.h>

#include "store/edk2.h"
#include "target.h"

#define LIVE_MAX 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t live[LIVE_MAX], once[LIVE_MAX], twice[LIVE_MAX];
	struct edk2_geometry g = {.first = 4, .block = 4};
	struct edk2_index index = {0}, compacted = {0};
	uint32_t bytes = 0;

	if (size < 8)
		return 0;
	g.live = (uint32_t)(size < LIVE_MAX ? size : LIVE_MAX);
	g.end = g.live & ~3u;
	g.is_authenticated = data[0] & 1;
	memcpy(live, data, g.live);
	if (edk2_index_build(&index, &g, live) < 0)
		return 0;
	for (uint32_t i = 0; i < index.count; i++) {
		struct nv_variable v;

		if (index.records[i].bytes > g.end - index.records[i].offset)
			abort();
		bytes += index.records[i].bytes;
		edk2_record_decode(&g, live, &index.records[i], &v);
		if (index.live[i] && edk2_index_find(&index, &g, live, &v.name, &v.vendor) != i)
			abort();
	}
	if (bytes != index.all_bytes || index.live_bytes > bytes || index.end > g.end)
		abort();
	if (edk2_compact_image(&g, live, &index, NULL, once) < 0 ||
		edk2_index_build(&compacted, &g, once) < 0)
		abort(); /* it can only become smaller */
	if (compacted.live_count != index.live_count || !compacted.is_tail_erased ||
		edk2_compact_image(&g, once, &compacted, NULL, twice) < 0 ||
		memcmp(once, twice, g.live) != 0)
		abort();
	edk2_index_fini(&index);
	edk2_index_fini(&compacted);
	return 0;
}
