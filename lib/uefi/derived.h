/* SPDX-License-Identifier: MIT */
/*
 * derived.h — a layer of the runtime services: the variables that a firmware makes at each boot.
 *
 * They are in no image, and tools look at them first: SecureBoot and SetupMode, derived from the
 * keys as edk2 does; VendorKeys; and what the firmware supports (SignatureSupport,
 * OsIndicationsSupported), as OVMF says it. They are volatile and read-only; a variable of the same
 * name that is stored all the same wins.
 *
 * Reference: UEFI 2.10 §3.3 and §32.3; values as read under OVMF.
 */
#pragma once

#include "uefi/nvstore.h"
#include "uefi/services.h"

/*
 * take_next becomes the layer's, also on failure; store is the one that next stands on, which it
 * owns: the keys' variables are read there, since a view may hide them. 0 or -ENOMEM.
 */
int uefi_derived_new(struct uefi_services **ret, struct uefi_services *take_next,
	struct nv_store *store) MUST_CHECK;
