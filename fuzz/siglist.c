/* SPDX-License-Identifier: MIT */
/*
 * siglist.c — fuzz target: lists of signatures. The first two bytes say where the input is cut into
 * what is stored and what is appended.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"
#include "uefi/siglist.h"

#define INPUT_MAX 4096 /* the filter compares every entry with every other */

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* What passes the filter is well-formed, and nothing of it passes once more. */
static void check_filter(
	const uint8_t *stored, size_t stored_size, const uint8_t *added, size_t added_size)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	CLEAN_BUFFER struct buffer again = BUFFER_INIT;

	siglist_filter(stored, stored_size, added, added_size, &out);
	require(buffer_error(&out) == 0 && out.size <= added_size);
	require(siglist_check(out.data, out.size, NULL) == 0);
	siglist_filter(out.data, out.size, out.data, out.size, &again);
	require(again.size == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEAN_BUFFER struct buffer why = BUFFER_INIT;
	size_t stored_size;

	if (size < 2 || size > INPUT_MAX)
		return 0;
	stored_size = (size_t)(data[0] | data[1] << 8);
	data += 2;
	size -= 2;
	if (stored_size > size)
		stored_size = size;
	(void)siglist_is_one_certificate(data, stored_size); /* that it comes back is enough */
	if (siglist_check(data + stored_size, size - stored_size, &why) == 0)
		check_filter(data, stored_size, data + stored_size, size - stored_size);
	else
		require(why.size > 0 && !strchr(buffer_text(&why), '\n'));
	return 0;
}
