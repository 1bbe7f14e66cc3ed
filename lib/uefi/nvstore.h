/* SPDX-License-Identifier: MIT */
/*
 * nvstore.h — the non-volatile storage that the emulated firmware stands on.
 *
 * An interface of the uefi floor; the store floor implements it for each format on disk. It keeps
 * records and knows nothing of who may write what.
 *
 * Threads: one call at a time; the caller serialises.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uefi/variable.h"

/* A variable as it is stored. What a format cannot keep is 0. */
struct nv_variable {
	struct uefi_name name;
	struct guid vendor;
	uint32_t attributes; /* without the append bit */
	struct uefi_time time;
	uint64_t monotonic_count;
	uint32_t public_key_index;
	/* Borrowed: what a store gives, until its next change; what it is given, for the call. */
	const uint8_t *data;
	size_t size; /* bytes of data */
};

/* How full a store is, in bytes; record sizes include header and padding. */
struct nv_space {
	uint64_t capacity;    /* for records: what QueryVariableInfo calls the maximum */
	uint64_t live_bytes;  /* records that are current values */
	uint64_t all_bytes;   /* every record, dead ones included */
	uint32_t live, dead;  /* records */
};

/* What the firmware that the store belongs to allows (compiled into it; not in the image). */
struct nv_limits {
	uint32_t record_header;         /* bytes */
	uint32_t max_variable;          /* NV: header, name with NUL, data */
	uint32_t max_auth_variable;
	uint32_t max_volatile_variable;
	uint32_t max_hardware_error;
	uint32_t hardware_error_storage; /* bytes set aside; 0: such records are refused */
};

struct nv_store;

struct nv_store_ops {
	/* The live value of a key. 0 or -ENOENT. */
	int (*find)(struct nv_store *s, const struct uefi_name *name, const struct guid *vendor,
		struct nv_variable *ret);
	/* Live variables in the store's order, each key once: *cursor starts at 0. 1, 0 at the
	 * end. */
	int (*next)(struct nv_store *s, uint64_t *cursor, struct nv_variable *ret);
	/*
	 * Makes v the value of its key, crash-safe: at any moment the old value or the new one is
	 * there, and the new one for certain after a return of 0. May reclaim when room is short
	 * (may_reclaim). -ENOSPC, -EROFS, -EIO, -ENOMEM, another errno of the file; on failure the
	 * old value stands.
	 */
	int (*put)(struct nv_store *s, const struct nv_variable *v, bool may_reclaim);
	/* Removes a key. 0, -ENOENT, -EROFS, -EIO. */
	int (*remove)(struct nv_store *s, const struct uefi_name *name, const struct guid *vendor);
	void (*space)(struct nv_store *s, struct nv_space *ret);
	/* Bytes that a record of such a name and content takes, padding included. */
	uint64_t (*record_size)(struct nv_store *s, const struct uefi_name *name, size_t size);
	/* Throws dead records away, fault-tolerantly. 0 or -errno as put. */
	int (*reclaim)(struct nv_store *s);
	bool (*is_writable)(struct nv_store *s);
	/* As uefi_services_ops.set_writable and has_changed. */
	int (*set_writable)(struct nv_store *s, bool is_writable, char **ret_error);
	bool (*has_changed)(struct nv_store *s);
	/* What went wrong last, one line or "". Borrowed until the next call. */
	const char *(*reason)(struct nv_store *s);
	void (*destroy)(struct nv_store *s);
};

struct nv_store {
	const struct nv_store_ops *ops;
	struct nv_limits limits;
	bool is_exclusive; /* locked for us: nobody else changes it */
};
