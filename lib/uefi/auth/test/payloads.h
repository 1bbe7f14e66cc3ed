/* SPDX-License-Identifier: MIT */
/*
 * payloads.h — a sequence of writes to authenticated variables, each with the answer that edk2's
 * firmware gives to it: the good ones and every way to be wrong.
 *
 * The writes build on each other: they begin with a store without keys and end in setup mode again.
 * The unit test makes them to the emulated firmware; the guest test makes the same ones through a
 * mount and to the real firmware. keys.h comes first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/guid.h"
#include "uefi/status.h"

struct payload {
	const char *label;
	const char *name;
	const struct guid *vendor;
	uint32_t attributes;
	enum uefi_status status;
	/* What the firmware of Debian 12 (edk2 2022.11) does not know yet, or cannot be asked. */
	bool is_for_us_only;
};

/* The i-th write, its bytes appended to ret_data; false behind the last one. */
bool payload_make(size_t i, struct payload *ret, struct buffer *ret_data);
