/* SPDX-License-Identifier: MIT */
/*
 * fixture.h — what the tests of this folder share: names, small volumes, stores opened on bytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/test/tap.h"
#include "store/edk2.h"
#include "store/store.h"

/* A volume of no profile that is small enough to try everything with. */
#define TINY_BLOCK 0x200u
#define TINY_LIVE 0x600u
#define TINY_WORK 0x200u /* room for six fault-tolerant writes */
#define TINY_SIZE (2 * TINY_LIVE + TINY_WORK)

extern const struct guid fixture_vendor, fixture_other;

/* U+2205 stands for a NUL inside the name. */
struct uefi_name fixture_name(const char *text);
/* A variable of that name; data is borrowed. */
struct nv_variable fixture_variable(const char *name, const void *data, size_t size);

/* A tiny, empty volume: TINY_SIZE bytes. */
void fixture_tiny(uint8_t *image, bool is_authenticated);

/* Appends a record in any state to a volume's live region at *at. */
void fixture_record(uint8_t *image, const struct edk2_geometry *g, uint32_t *at,
	const struct nv_variable *v, uint8_t state);

/* Bytes (copied) as a source, or the end of the test. */
struct source *fixture_source(const void *image, size_t size);

/* Opens bytes (copied); NULL, with a line of TAP, when they are no store. */
struct store *fixture_open(const void *image, size_t size, bool is_writable);

/* A whole file, or NULL when it is not there. */
uint8_t *fixture_file(const char *path, size_t *ret_size);

/* The value of a name (fixture_vendor) is exactly these bytes; size SIZE_MAX: there is none. */
bool fixture_has(struct store *store, const char *name, const void *data, size_t size);
