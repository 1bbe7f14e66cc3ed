/* SPDX-License-Identifier: MIT */
/*
 * store_volume.c — any bytes as an image: opened, read, checked, repaired, written to.
 *
 * What is opened can be listed and searched; what is repaired is healthy and holds every variable
 * that the damaged image showed; what is written can be read back.
 */
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "target.h"

static const struct guid vendor = GUID_OF(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);

static struct store *open_bytes(const uint8_t *data, size_t size, bool is_writable)
{
	struct source *source = NULL;
	struct store *store = NULL;
	char *error = NULL;

	if (source_new_memory(&source, data, size) < 0)
		return NULL;
	source->is_writable = is_writable;
	if (store_open(&store, source, STORE_PROFILE_AUTO, &error) < 0 && !error)
		abort(); /* every refusal has a reason */
	free(error);
	return store;
}

/* Lists everything; each value listed is the one found. */
static void read_all(struct store *store)
{
	struct nv_variable v, found;
	struct store_record record;
	uint64_t cursor = 0;

	while (store->nv.ops->next(&store->nv, &cursor, &v) == 1) {
		if (store->nv.ops->find(&store->nv, &v.name, &v.vendor, &found) != 0 ||
			found.data != v.data || found.size != v.size)
			abort();
	}
	cursor = 0;
	while (store->format->next_record(store, &cursor, &record) == 1)
		;
}

/* Every variable of a is in b with the same value. */
static void compare(struct store *a, struct store *b)
{
	struct nv_variable v, other;
	uint64_t cursor = 0;

	while (a->nv.ops->next(&a->nv, &cursor, &v) == 1) {
		if (b->nv.ops->find(&b->nv, &v.name, &v.vendor, &other) != 0 ||
			other.size != v.size || memcmp(other.data, v.data, v.size) != 0)
			abort();
	}
}

static void change(struct store *store)
{
	struct nv_variable v = {.vendor = vendor, .attributes = 7, .size = 4}, found;

	v.data = (const uint8_t *)"test";
	v.name.count = 2;
	v.name.units[0] = 'o';
	v.name.units[1] = 'k';
	if (store->nv.ops->put(&store->nv, &v, true) < 0)
		return;
	if (store->nv.ops->find(&store->nv, &v.name, &v.vendor, &found) != 0 || found.size != 4)
		abort();
	if (store->nv.ops->remove(&store->nv, &v.name, &v.vendor) != 0 ||
		store->nv.ops->find(&store->nv, &v.name, &v.vendor, &found) == 0)
		abort();
}

static void repair(struct source *source, struct store *before)
{
	char *report = NULL, *error = NULL;
	struct store_findings findings = {0};
	uint8_t *data = NULL;
	struct store *after;
	size_t size = 0;
	uint64_t offset = 0;

	if (store_formats[0]->probe(source, &offset) &&
		store_formats[0]->check(source, offset, STORE_PROFILE_AUTO, &findings) == 0)
		store_findings_fini(&findings);
	if (store_formats[0]->repair(source, offset, STORE_PROFILE_AUTO, &data, &size, &report,
		&error) < 0) {
		free(error);
		return;
	}
	after = open_bytes(data, size, true);
	if (!after)
		abort();
	if (before)
		compare(before, after);
	store_free(after);
	free(report);
	free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct store *store = open_bytes(data, size, false);
	struct store *writable;
	struct source *source = NULL;

	if (size > 1u << 20) {
		store_free(store);
		return 0;
	}
	if (store)
		read_all(store);
	if (source_new_memory(&source, data, size) == 0)
		repair(source, store);
	source_free(source);
	writable = open_bytes(data, size, true);
	if (writable) {
		if (!store)
			abort();
		compare(store, writable);
		change(writable);
		compare(store, writable);
	}
	store_free(writable);
	store_free(store);
	return 0;
}
