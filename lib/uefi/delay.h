/* SPDX-License-Identifier: MIT */
/*
 * delay.h — a layer of the runtime services that makes each question take a given time at least, as
 * slow firmware does: for trying tools and for showing the stall.
 */
#pragma once

#include "uefi/services.h"

#define UEFI_DELAY_MAX_NS (60ull * 1000000000u)

/* take_next becomes the layer's, also on failure. 0 or -ENOMEM. */
int uefi_delay_new(struct uefi_services **ret, struct uefi_services *take_next, uint64_t delay_ns)
	MUST_CHECK;
