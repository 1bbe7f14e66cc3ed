/* SPDX-License-Identifier: MIT */
/*
 * firmware.h — an emulated firmware: the runtime services over a store, checking as edk2 does.
 *
 * It answers as OVMF does on the same store, with two differences that a firmware cannot have: it
 * may reclaim room at any time, since nobody else uses the store; and it can stand for the
 * machine's owner, who needs no signature to edit an image that is his.
 *
 * Reference: UEFI 2.10 §8.2; edk2's checks and limits as measured (doc/efivars.md).
 */
#pragma once

#include "uefi/nvstore.h"
#include "uefi/services.h"

enum firmware_auth {
	FIRMWARE_AUTH_FIRMWARE, /* authenticated variables are written with a signature only */
	FIRMWARE_AUTH_OWNER,    /* editing offline: without; a descriptor in front is stripped */
};

enum firmware_view {
	FIRMWARE_VIEW_ALL,     /* what the store holds, boot services' variables too */
	FIRMWARE_VIEW_RUNTIME, /* what an operating system sees: variables with runtime access */
};

struct firmware_config {
	enum firmware_auth auth;
	enum firmware_view view;
};

/* take_store becomes the firmware's, also on failure. 0 or -ENOMEM. */
int firmware_new(struct uefi_services **ret, struct nv_store *take_store,
	const struct firmware_config *config) MUST_CHECK;

/*
 * Both views of free space, whatever the firmware's own view is: at boot (dead records are free)
 * and at run time (they are not). Bytes, floored at 0.
 */
uint64_t firmware_remaining(const struct nv_space *space, bool is_runtime);
