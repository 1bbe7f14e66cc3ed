/* SPDX-License-Identifier: MIT */
/*
 * vars_import.c — `tacit vars import` and `purge-dumps`: many variables in one step.
 *
 * The store's owner puts variables back as they were, time stamps included, so this writes to the
 * store and not through the firmware's SetVariable; it makes the firmware's checks that do not ask
 * for a signature (UEFI 2.10 §8.2.3) itself, before the first write.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "tacit/program.h"
#include "tacit/vars.h"
#include "tacit/vars_snapshot.h"

struct import {
	const struct snapshot *snapshot;
	bool is_replace;   /* variables that the snapshot does not have go */
	unsigned set, same, deleted;
};

/* Attributes without which no firmware keeps a variable; those that only volatile ones have. */
static bool is_volatile(const struct nv_variable *v)
{
	return !(v->attributes & UEFI_NON_VOLATILE);
}

static uint32_t size_limit(const struct nv_limits *limits, uint32_t attributes)
{
	if (attributes & UEFI_HARDWARE_ERROR_RECORD)
		return limits->max_hardware_error;
	if (attributes & (UEFI_AUTHENTICATED_WRITE_ACCESS |
				 UEFI_TIME_BASED_AUTHENTICATED_WRITE_ACCESS))
		return limits->max_auth_variable;
	return limits->max_variable;
}

/* Why the store's firmware would not have such a variable, or NULL. */
static const char *refusal(const struct nv_limits *limits, const struct nv_variable *v)
{
	const uint32_t a = v->attributes;
	const uint32_t both = UEFI_AUTHENTICATED_WRITE_ACCESS |
		UEFI_TIME_BASED_AUTHENTICATED_WRITE_ACCESS;
	uint64_t size = (uint64_t)limits->record_header + 2 * (v->name.count + 1) + v->size;

	if (v->name.count == 0)
		return "the name is empty";
	for (size_t i = 0; i < v->name.count; i++) {
		if (v->name.units[i] == 0)
			return "the name has a NUL in it";
	}
	if (guid_is_null(&v->vendor))
		return "the GUID is null";
	if (a & ~UEFI_ATTRIBUTES_KNOWN || a & UEFI_APPEND_WRITE)
		return "the attributes have a bit that no variable has";
	if (!(a & UEFI_BOOTSERVICE_ACCESS))
		return "the attributes lack boot service access (bs)";
	if ((a & both) == both)
		return "the attributes have both kinds of authentication (aw and at)";
	if (a & UEFI_HARDWARE_ERROR_RECORD && limits->hardware_error_storage == 0)
		return "the firmware keeps no hardware error records (hr)";
	if (v->size == 0)
		return "it is empty";
	if (size > size_limit(limits, a))
		return "it is larger than the firmware allows";
	return NULL;
}

static int check_all(struct store *store, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct nv_variable *v = &snapshot->items[i].variable;
		const char *why = is_volatile(v) ? NULL : refusal(&store->nv.limits, v);
		CLEAN_BUFFER struct buffer key = BUFFER_INIT;

		if (!why)
			continue;
		vars_key_show(&v->name, &v->vendor, &key);
		program_error("%s: %s", buffer_text(&key), why);
		return -EINVAL;
	}
	return 0;
}

static int report_failure(struct store *store, const struct nv_variable *v, int r)
{
	CLEAN_BUFFER struct buffer key = BUFFER_INIT;

	vars_key_show(&v->name, &v->vendor, &key);
	program_error("%s: %s", buffer_text(&key), vars_reason(store, r));
	return r;
}

static int put_item(struct store *store, struct import *import, const struct snapshot_item *item)
{
	struct nv_variable v = item->variable;
	struct nv_variable old;
	bool has_old = store->nv.ops->find(&store->nv, &v.name, &v.vendor, &old) == 0;
	int r;

	if (has_old && snapshot_is_same(item, &old, true)) {
		import->same++;
		return 0;
	}
	if (has_old && !item->has_time)
		v.time = old.time;
	r = store->nv.ops->put(&store->nv, &v, true);
	if (r < 0)
		return report_failure(store, &v, r);
	import->set++;
	return 0;
}

/* Deletes every variable that is_unwanted says; returns their number or -errno. */
static int remove_all(struct store *store,
	bool (*is_unwanted)(const struct nv_variable *v, const void *context), const void *context)
{
	CLEAN_SNAPSHOT struct snapshot list = {0};
	struct nv_variable v;
	uint64_t cursor = 0;
	int r;

	/* Collected first: a walk over a store ends with its next change. */
	while (store->nv.ops->next(&store->nv, &cursor, &v) > 0) {
		if (!is_unwanted(&v, context))
			continue;
		r = snapshot_add(&list, &v, true);
		if (r < 0)
			return report_failure(store, &v, r);
	}
	for (size_t i = 0; i < list.count; i++) {
		const struct nv_variable *unwanted = &list.items[i].variable;

		r = store->nv.ops->remove(&store->nv, &unwanted->name, &unwanted->vendor);
		if (r < 0)
			return report_failure(store, unwanted, r);
	}
	return (int)list.count;
}

static bool is_missing(const struct nv_variable *v, const void *context)
{
	return !snapshot_find(context, &v->name, &v->vendor);
}

static int import_change(struct store *store, void *context)
{
	struct import *import = context;
	int r = check_all(store, import->snapshot);

	if (r < 0)
		return r;
	import->set = import->same = import->deleted = 0;
	if (import->is_replace) {
		r = remove_all(store, is_missing, import->snapshot);
		if (r < 0)
			return r;
		import->deleted = (unsigned)r;
	}
	for (size_t i = 0; i < import->snapshot->count; i++) {
		if (is_volatile(&import->snapshot->items[i].variable))
			continue;
		r = put_item(store, import, &import->snapshot->items[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

int vars_import(const struct vars_call *call)
{
	CLEAN_SNAPSHOT struct snapshot snapshot = {0};
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	struct import import = {
		.snapshot = &snapshot,
		.is_replace = vars_option(call, "replace"),
	};
	size_t skipped;

	if (snapshot_load(&snapshot, call->operands[1]) < 0 ||
		vars_transact(call, import_change, &import) < 0)
		return 1;
	skipped = snapshot.count - import.set - import.same;
	buffer_printf(&out, "%u set, %u unchanged", import.set, import.same);
	if (import.is_replace)
		buffer_printf(&out, ", %u deleted", import.deleted);
	if (skipped > 0)
		buffer_printf(&out, ", %zu volatile ones skipped", skipped);
	buffer_u8(&out, '\n');
	return vars_print(&out);
}

static bool is_dump(const struct nv_variable *v, const void *context)
{
	(void)context; /* every dump is unwanted */
	return vars_is_dump(v);
}

struct purge {
	unsigned dumps;
	uint64_t bytes;
};

static int purge_change(struct store *store, void *context)
{
	struct purge *purge = context;
	struct nv_space before, after;
	int r;

	store->nv.ops->space(&store->nv, &before);
	r = remove_all(store, is_dump, NULL);
	if (r < 0)
		return r;
	store->nv.ops->space(&store->nv, &after);
	purge->dumps = (unsigned)r;
	purge->bytes = before.live_bytes - after.live_bytes;
	return 0;
}

int vars_purge_dumps(const struct vars_call *call)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	struct purge purge = {0};

	if (vars_transact(call, purge_change, &purge) < 0)
		return 1;
	buffer_printf(&out, "%u crash dumps deleted, %" PRIu64 " bytes\n", purge.dumps,
		purge.bytes);
	return vars_print(&out);
}
