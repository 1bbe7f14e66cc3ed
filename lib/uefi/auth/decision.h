/* SPDX-License-Identifier: MIT */
/*
 * decision.h — one decision under way, shared by auth.c (who may write what) and verify.c (is it
 * signed by them).
 */
#pragma once

#include "uefi/auth/auth.h"
#include "uefi/auth/signature.h"

/* Whose signature a write needs. */
enum decision_signer {
	SIGNED_BY_PLATFORM_KEY, /* PK's certificate itself, no chain */
	SIGNED_BY_EXCHANGE_KEY, /* a chain to a certificate of KEK */
	SIGNED_BY_CONTENT,      /* a chain to the first certificate that is written */
	SIGNED_BY_OWNER,        /* whom certdb names; anyone for a new variable */
};

struct decision {
	const struct auth_view *view;
	const struct auth_write *write;
	struct nv_variable certdb; /* borrowed from the view; of size 0 when there is none */
	struct auth_verdict *verdict;
	struct buffer *why;
	struct signature *signature; /* owned; NULL until it was read */
};

/* Makes this the reason and returns status. */
enum uefi_status decision_refuse(struct decision *d, enum uefi_status status, const char *format,
	...) __attribute__((format(printf, 3, 4)));

/* PK as it is stored; false in setup mode. */
bool decision_find_platform_key(struct decision *d, struct nv_variable *ret);

/*
 * Checks the descriptor's time and kind, and that the write is signed by the one named. SUCCESS,
 * SECURITY_VIOLATION, OUT_OF_RESOURCES, or NOT_FOUND when KEK is asked for and is not there.
 */
enum uefi_status decision_verify(struct decision *d, enum decision_signer signer);
