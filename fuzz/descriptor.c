/* SPDX-License-Identifier: MIT */
/* descriptor.c — fuzz target: the descriptor in front of authenticated content. */
#include <stdbool.h>
#include <stdlib.h>

#include "target.h"
#include "uefi/descriptor.h"

static void require(bool condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct auth_descriptor d;

	if (descriptor_read(data, size, &d) < 0) {
		require(size < DESCRIPTOR_FIXED_SIZE);
		return 0;
	}
	require(!d.is_complete || (d.size >= DESCRIPTOR_FIXED_SIZE && d.size <= size));
	require(uefi_time_equal(&d.time, &d.time));
	return 0;
}
