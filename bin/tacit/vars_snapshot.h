/* SPDX-License-Identifier: MIT */
/*
 * vars_snapshot.h — variables in memory, apart from any store: what export writes, import reads and
 * diff compares.
 *
 * A snapshot holds each key once, in the order of its source. Reading one is all or nothing, within
 * the limits below. One owner, no locks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"
#include "uefi/nvstore.h"

/* Most variables in a snapshot; the largest known stores have room for some 4000. */
#define SNAPSHOT_COUNT_MAX 16384
/* Largest content of one variable, bytes. */
#define SNAPSHOT_DATA_MAX (1u << 20)
/* Largest JSON document, bytes. */
#define SNAPSHOT_JSON_MAX (16u << 20)

struct snapshot_item {
	struct nv_variable variable; /* its data is owned by the snapshot */
	uint8_t *data;
	uint64_t hash;
	bool has_time; /* the source keeps time stamps: a zero one means that there is none */
};

struct snapshot {
	struct snapshot_item *items; /* owned */
	size_t count;
	size_t capacity;
};

void snapshot_fini(struct snapshot *snapshot);
#define CLEAN_SNAPSHOT __attribute__((cleanup(snapshot_fini)))

/*
 * Copies a variable in. 0; -EEXIST when its key is there, -E2BIG past the limit of variables,
 * -EFBIG past that of content, -ENOMEM.
 */
int snapshot_add(struct snapshot *snapshot, const struct nv_variable *v, bool has_time) MUST_CHECK;

/* Why it refused, to follow a variable's name: "is there twice". Static or strerror's. */
const char *snapshot_add_error(int r);

/*
 * Makes *ret_error a line, without control characters; returns r, so that a failure is one
 * statement.
 */
int snapshot_fail(char **ret_error, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The item of a key, or NULL. Borrowed until the snapshot changes. */
const struct snapshot_item *snapshot_find(const struct snapshot *snapshot,
	const struct uefi_name *name, const struct guid *vendor);

/* True when attributes, content and, where both sides keep it, time are the same. */
bool snapshot_is_same(const struct snapshot_item *item, const struct nv_variable *v, bool has_time);

/* All live variables of a store, appended. As snapshot_add. */
int snapshot_from_store(struct snapshot *snapshot, struct store *store) MUST_CHECK;

/*
 * Reads a JSON document {"version": 2, "variables": [{"name", "guid", "attr", "data", "time"}]}, as
 * `tacit vars export`, virt-firmware and QEMU's uefi-vars device write it; python-uefivars' key
 * "timestamp" is taken for "time". 0; -EINVAL with one line in *ret_error (owned by the caller) for
 * what it is not; as snapshot_add. On failure the snapshot is to be thrown away.
 */
int snapshot_from_json(struct snapshot *snapshot, const char *text, size_t size, char **ret_error)
	MUST_CHECK;

/*
 * Reads a directory of files Name-GUID, each 4 bytes of attributes and the content, as efivarfs
 * shows them. 0, -EINVAL, or another errno; *ret_error as above.
 */
int snapshot_from_directory(struct snapshot *snapshot, const char *path, char **ret_error)
	MUST_CHECK;

/*
 * Reads whatever path is: a store, a directory, JSON, or JSON on standard input for "-". 0, or
 * -errno after an error line.
 */
int snapshot_load(struct snapshot *snapshot, const char *path) MUST_CHECK;

/* EFI_TIME (UEFI 2.10 §8.3) as its 16 bytes lie on disk. */
#define SNAPSHOT_TIME_SIZE 16
void snapshot_time_encode(const struct uefi_time *time, uint8_t bytes[static SNAPSHOT_TIME_SIZE]);
struct uefi_time snapshot_time_decode(const uint8_t bytes[static SNAPSHOT_TIME_SIZE]);
