/* SPDX-License-Identifier: MIT */
/*
 * auth.h — who may write an authenticated variable: the decision, without the writing.
 *
 * Time-based authenticated writes as OVMF decides them (UEFI 2.10 §8.2.2, §32.3): what the
 * descriptor must be, what is signed, and by whom.
 *
 * | variable    | setup mode (no PK)         | user mode                                    |
 * |-------------|----------------------------|----------------------------------------------|
 * | PK          | signed by the new key      | signed by PK's very certificate              |
 * | KEK         | any descriptor             | signed by PK's very certificate              |
 * | db dbx dbt  | any descriptor             | the same, or a chain to a certificate in KEK |
 * | others      | first write: any signer, who is kept in certdb; later ones: the same signer   |
 *
 * A private variable may be deleted by a descriptor whoever signed it: OVMF takes the user of its
 * virtual machine for physically present. Custom mode is not looked at: it ends with each boot.
 *
 * Pure functions of bytes and of a view of the store. Nothing is kept, written or logged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uefi/descriptor.h"
#include "uefi/nvstore.h"
#include "uefi/status.h"

/* What the rules look up: PK, KEK and certdb. */
struct auth_view {
	/* The live value of a key, borrowed until the store changes. 0 or -ENOENT. */
	int (*find)(void *context, const struct uefi_name *name, const struct guid *vendor,
		struct nv_variable *ret);
	void *context;
};

/* A write to a variable that is authenticated, or wants to be. Everything is borrowed. */
struct auth_write {
	const struct uefi_name *name;
	const struct guid *vendor;
	uint32_t attributes; /* as they are passed, with the append bit: they are signed */
	/* When attributes say time-based: the descriptor, read and complete, and its bytes. */
	const struct auth_descriptor *descriptor;
	const uint8_t *descriptor_data;
	/* What stands behind the descriptor. */
	const uint8_t *content;
	size_t size;
	const struct nv_variable *stored; /* NULL: there is none */
};

/* What else the write changes. */
struct auth_verdict {
	bool changes_certdb;  /* certdb is to become the bytes below: */
	bool is_certdb_first; /* before the variable is written, or after */
	struct buffer certdb;
};

void auth_verdict_fini(struct auth_verdict *verdict);

/*
 * SUCCESS when the write may be made; else the status that a firmware gives, with one line in why.
 * ret is filled in either case; the caller ends it.
 */
enum uefi_status auth_decide(const struct auth_view *view, const struct auth_write *write,
	struct auth_verdict *ret, struct buffer *why);
