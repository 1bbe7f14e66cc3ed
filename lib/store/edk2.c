/* SPDX-License-Identifier: MIT */
/*
 * edk2.c — the edk2 variable store: opening, and the reading half of its interface.
 *
 * The live region is held in memory, as firmware would see it after its own recovery: when the last
 * fault-tolerant write was interrupted behind its commit, that is what spare holds. Nothing is
 * written by opening read-only; a writable open finishes what was interrupted first.
 */
#include "store/edk2.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/internal.h"

static struct edk2_store *store_of(struct nv_store *nv)
{
	return (struct edk2_store *)nv; /* nv is the first member of the first member */
}

int edk2_refuse(struct edk2_store *s, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(s->reason, sizeof(s->reason), format, args); /* cut is good enough */
	va_end(args);
	return error;
}

static int read_volume(struct edk2_store *s, uint32_t offset, void *data, size_t n)
{
	return s->source->ops->read(s->source, data, n, s->base + offset);
}

int edk2_find_work(struct source *source, uint64_t base, struct edk2_geometry *g)
{
	struct edk2_wire_work header;
	uint64_t work;
	int r;

	for (uint64_t at = g->live; at + sizeof(header) <= g->volume; at += g->block) {
		r = source->ops->read(source, &header, sizeof(header), base + at);
		if (r < 0)
			return r;
		if (!guid_equal(&header.signature, &edk2_work_guid))
			continue;
		work = le64_get(header.queue_bytes);
		if (work > g->volume)
			continue;
		work += sizeof(header);
		if (edk2_geometry_take_work(g, (uint32_t)at, (uint32_t)work))
			return 0;
	}
	return 0;
}

/*
 * Geometry from the header on the medium. 1 when that is damaged and the geometry is the one that
 * an image of this size has.
 */
static int load_geometry(struct edk2_store *s, struct edk2_geometry *ret, char **ret_error)
{
	uint8_t head[EDK2_HEADER_MAX + sizeof(struct edk2_wire_store)];
	uint64_t available = s->source->size - s->base;
	size_t n = available < sizeof(head) ? (size_t)available : sizeof(head);
	struct edk2_fault fault = {0};
	int r;

	r = read_volume(s, 0, head, n);
	if (r == 0) {
		r = edk2_geometry_read(ret, head, n, available, &fault);
		if (r == 0)
			r = ret->has_ftw ? 0 : edk2_find_work(s->source, s->base, ret);
	}
	if (r == 0)
		return 0;
	if (r != -EBADMSG)
		return store_fail(ret_error, r, "cannot read the image: %s", strerror(-r));
	for (const struct edk2_profile *p = edk2_profiles; p->name; p++) {
		if (p->volume == available || p->file_size == available) {
			*ret = edk2_geometry_of(p);
			return 1;
		}
	}
	return store_fail(ret_error, r, "%s (offset 0x%llx)", fault.text,
		(unsigned long long)(s->base + fault.offset));
}

/* Spare as the next live region, when it is one of this geometry; its kind of records counts. */
static int load_spare(struct edk2_store *s, struct edk2_geometry *g, uint8_t *image)
{
	struct edk2_geometry spare;
	struct edk2_fault fault;
	int r;

	r = read_volume(s, g->spare_offset, image, g->live);
	if (r < 0)
		return r;
	r = edk2_geometry_read(&spare, image, g->live, g->volume, &fault);
	if (r < 0)
		return r;
	if (spare.volume != g->volume || spare.end != g->end || spare.first != g->first)
		return -EBADMSG;
	g->is_authenticated = spare.is_authenticated;
	return 0;
}

int edk2_load_ftw(struct edk2_store *s, const struct edk2_geometry *g, struct edk2_ftw *ret)
{
	CLEAN(free) uint8_t *work = NULL;
	int r;

	*ret = (struct edk2_ftw){.state = EDK2_FTW_INVALID};
	if (!g->has_ftw)
		return 0;
	work = malloc(g->work);
	if (!work)
		return -ENOMEM;
	r = read_volume(s, g->work_offset, work, g->work);
	if (r < 0)
		return r;
	*ret = edk2_ftw_read(work, g->work);
	return 0;
}

/*
 * The live region: spare's content when a write of it is pending. A pending write that is not
 * understood leaves what is there, and the store cannot be written.
 */
static int load_live(struct edk2_store *s, struct edk2_geometry *g, bool is_damaged,
	struct edk2_ftw *ftw, uint8_t **ret, char **ret_error)
{
	CLEAN(free) uint8_t *live = malloc(g->live);
	struct edk2_geometry again;
	struct edk2_fault fault = {0};
	int r;

	if (!live)
		return store_fail(ret_error, -ENOMEM, "out of memory");
	r = edk2_load_ftw(s, g, ftw);
	if (r == 0 && ftw->state == EDK2_FTW_PENDING && edk2_ftw_is_live(ftw, g)) {
		r = load_spare(s, g, live);
		if (r == 0) {
			*ret = TAKE_PTR(live);
			return 0;
		}
		if (r == -EBADMSG && !is_damaged)
			r = 0; /* the live region is whole: better than nothing, for reading */
	}
	if (r == 0)
		r = read_volume(s, 0, live, g->live);
	if (r < 0 && r != -EBADMSG)
		return store_fail(ret_error, r, "cannot read the image: %s", strerror(-r));
	if (r == 0)
		r = edk2_geometry_read(&again, live, g->live, g->volume, &fault);
	if (r < 0)
		return store_fail(ret_error, -EBADMSG, "%s (offset 0x%llx); vars repair may help",
			fault.text ? fault.text : "an interrupted write left a damaged spare area",
			(unsigned long long)(s->base + fault.offset));
	*ret = TAKE_PTR(live);
	return 0;
}

/* What the firmware allows: the image's own build, another that the user names, or, for a geometry
 * that nobody knows, the build whose store is as large. */
static struct nv_limits limits_of(const struct edk2_geometry *g, enum store_profile wanted)
{
	const struct edk2_profile *p = edk2_profile_of(wanted);

	if (!p)
		p = g->profile;
	if (!p)
		p = edk2_profile_of(g->store_bytes >= 0x3ffb8 ? STORE_PROFILE_OVMF_4M
							      : STORE_PROFILE_OVMF_2M);
	return (struct nv_limits){
		.record_header = edk2_record_header(g),
		.max_variable = p->max_variable,
		.max_auth_variable = g->is_authenticated ? p->max_auth_variable : 0,
		.max_volatile_variable = 0x40000,
		.max_hardware_error = 0x8000,
		.hardware_error_storage = 0,
	};
}

int edk2_load(struct edk2_store *s, char **ret_error)
{
	CLEAN(free) uint8_t *live = NULL;
	struct edk2_geometry g = {0};
	struct edk2_ftw ftw;
	int r;

	if (s->source->size < s->base)
		return store_fail(ret_error, -EIO, "the image has shrunk");
	r = load_geometry(s, &g, ret_error);
	if (r < 0)
		return r;
	r = load_live(s, &g, r == 1, &ftw, &live, ret_error);
	if (r < 0)
		return r;
	r = edk2_index_build(&s->index, &g, live);
	if (r < 0)
		return store_fail(ret_error, r, "out of memory");
	free(s->live);
	s->live = TAKE_PTR(live);
	s->geometry = g;
	s->store.nv.limits = limits_of(&g, s->wanted);
	s->ftw = ftw;
	s->is_stale = false;
	s->is_unsettled = false;
	s->store.nv.is_exclusive = s->source->is_exclusive;
	return 0;
}

int edk2_recover(struct edk2_store *s)
{
	int r;

	if (s->ftw.state == EDK2_FTW_PENDING) {
		if (!edk2_ftw_is_live(&s->ftw, &s->geometry))
			return edk2_refuse(s, -EBADMSG,
				"an interrupted fault-tolerant write is not understood");
		r = edk2_commit_finish(s, s->live, s->ftw.entry, s->ftw.record);
		if (r < 0)
			return r;
	}
	if (s->index.is_damaged)
		return edk2_refuse(s, -EBADMSG,
			"the record at offset 0x%llx is damaged; vars repair keeps what is whole",
			(unsigned long long)(s->base + s->index.damaged_at));
	if (s->index.is_tail_erased || !s->geometry.has_ftw)
		return 0;
	return edk2_compact(s, NULL);
}

static int reload(struct edk2_store *s)
{
	CLEAN(free) char *error = NULL;
	int r = edk2_load(s, &error);

	return r < 0 ? edk2_refuse(s, r == -ENOMEM ? r : -EIO, "%s", error ? error : "I/O error")
		     : 0;
}

int edk2_make_ready(struct edk2_store *s)
{
	int r;

	s->reason[0] = '\0';
	if (!s->source->is_writable)
		return edk2_refuse(s, -EROFS, "the store is open read-only");
	if (s->is_stale) {
		r = reload(s);
		if (r < 0)
			return r;
	}
	r = edk2_recover(s);
	if (r == 0 && s->is_stale) /* committed, but the medium failed before the end */
		r = edk2_refuse(s, -EIO, "the last recovery could not be finished");
	return r;
}

/* For reading: what is in memory, unless the source holds something else. */
static int make_readable(struct edk2_store *s)
{
	s->reason[0] = '\0';
	return s->is_stale ? reload(s) : 0;
}

static int edk2_find(struct nv_store *nv, const struct uefi_name *name, const struct guid *vendor,
	struct nv_variable *ret)
{
	struct edk2_store *s = store_of(nv);
	int r = make_readable(s);
	uint32_t i;

	if (r < 0)
		return r;
	i = edk2_index_find(&s->index, &s->geometry, s->live, name, vendor);
	if (i == EDK2_NO_RECORD)
		return -ENOENT;
	edk2_record_decode(&s->geometry, s->live, &s->index.records[i], ret);
	return 0;
}

static int edk2_next(struct nv_store *nv, uint64_t *cursor, struct nv_variable *ret)
{
	struct edk2_store *s = store_of(nv);
	int r = make_readable(s);

	if (r < 0)
		return r;
	for (uint64_t i = *cursor; i < s->index.count; i++) {
		if (!s->index.live[i])
			continue;
		edk2_record_decode(&s->geometry, s->live, &s->index.records[i], ret);
		*cursor = i + 1;
		return 1;
	}
	return 0;
}

static void edk2_space(struct nv_store *nv, struct nv_space *ret)
{
	struct edk2_store *s = store_of(nv);
	const struct edk2_index *index = &s->index;

	*ret = (struct nv_space){
		.capacity = s->geometry.store_bytes - sizeof(struct edk2_wire_store),
		.live_bytes = index->live_bytes,
		.all_bytes = index->all_bytes,
		.live = index->live_count,
		.dead = index->count - index->live_count,
	};
}

static uint64_t edk2_record_size(struct nv_store *nv, const struct uefi_name *name, size_t size)
{
	return edk2_record_bytes(&store_of(nv)->geometry, name->count, size);
}

static int edk2_reclaim(struct nv_store *nv)
{
	struct edk2_store *s = store_of(nv);
	int r = edk2_make_ready(s);

	return r < 0 ? r : edk2_compact(s, NULL);
}

static bool edk2_is_writable(struct nv_store *nv)
{
	return store_of(nv)->source->is_writable;
}

static int edk2_set_writable(struct nv_store *nv, bool is_writable, char **ret_error)
{
	struct edk2_store *s = store_of(nv);
	bool was_writable = s->source->is_writable;
	int r;

	r = s->source->ops->set_writable(s->source, is_writable, ret_error);
	if (r < 0)
		return r;
	s->is_stale = true;
	nv->is_exclusive = s->source->is_exclusive;
	if (!is_writable || was_writable)
		return 0;
	r = edk2_make_ready(s);
	if (r < 0) {
		(void)s->source->ops->set_writable(s->source, false, NULL); /* as it was */
		nv->is_exclusive = s->source->is_exclusive;
		return store_fail(ret_error, r == -EBADMSG ? -EROFS : r, "%s", s->reason);
	}
	return 0;
}

static bool edk2_has_changed(struct nv_store *nv)
{
	struct edk2_store *s = store_of(nv);

	if (s->source->ops->has_changed(s->source))
		s->is_stale = true;
	else if (!s->is_stale)
		return false;
	(void)reload(s); /* a failure leaves it stale; the next call says why */
	return true;
}

static const char *edk2_reason(struct nv_store *nv)
{
	return store_of(nv)->reason;
}

static void edk2_destroy(struct nv_store *nv)
{
	struct edk2_store *s = store_of(nv);

	edk2_index_fini(&s->index);
	source_free(s->source);
	free(s->live);
	free(s);
}

static const struct nv_store_ops edk2_ops = {
	.find = edk2_find,
	.next = edk2_next,
	.put = edk2_put,
	.remove = edk2_remove,
	.space = edk2_space,
	.record_size = edk2_record_size,
	.reclaim = edk2_reclaim,
	.is_writable = edk2_is_writable,
	.set_writable = edk2_set_writable,
	.has_changed = edk2_has_changed,
	.reason = edk2_reason,
	.destroy = edk2_destroy,
};

static bool edk2_probe(struct source *source, uint64_t *ret_offset)
{
	struct edk2_place place;

	if (edk2_locate(source, &place) < 0 || place.found == EDK2_FOUND_NOTHING)
		return false;
	*ret_offset = place.offset;
	return true;
}

static int fail_place(const struct edk2_place *place, char **ret_error)
{
	if (place->found == EDK2_FOUND_BLANK)
		return store_fail(ret_error, -EBADMSG,
			"the image is blank: firmware formats it at its first start, "
			"vars repair or vars create do it now");
	if (place->found == EDK2_FOUND_GARBLED)
		return store_fail(ret_error, -EBADMSG,
			"the image has the size of %s but nothing of a store: garbled or encrypted",
			place->profile->name);
	return store_fail(ret_error, -EBADMSG, "no firmware volume");
}

static int edk2_open(struct store **ret, struct source *take_source, uint64_t offset,
	enum store_profile profile, char **ret_error)
{
	struct edk2_store *s = calloc(1, sizeof(*s));
	struct edk2_place place = {0};
	int r;

	if (!s) {
		source_free(take_source);
		return store_fail(ret_error, -ENOMEM, "out of memory");
	}
	s->store.nv.ops = &edk2_ops;
	s->store.format = &edk2_format;
	s->source = take_source;
	s->base = offset;
	s->wanted = profile;
	r = edk2_locate(take_source, &place);
	if (r < 0)
		r = store_fail(ret_error, r, "cannot read the image: %s", strerror(-r));
	else if (place.found != EDK2_FOUND_VOLUME && place.found != EDK2_FOUND_DAMAGED)
		r = fail_place(&place, ret_error);
	else
		r = edk2_load(s, ret_error);
	if (r == 0 && take_source->is_writable) {
		r = edk2_make_ready(s);
		if (r < 0)
			r = store_fail(ret_error, r, "%s", s->reason);
	}
	if (r < 0) {
		edk2_destroy(&s->store.nv);
		return r;
	}
	*ret = &s->store;
	return 0;
}

static int edk2_next_record(struct store *store, uint64_t *cursor, struct store_record *ret)
{
	struct edk2_store *s = store_of(&store->nv);
	const struct edk2_record *record;
	int r = make_readable(s);

	if (r < 0 || *cursor >= s->index.count)
		return r;
	record = &s->index.records[*cursor];
	edk2_record_decode(&s->geometry, s->live, record, &ret->variable);
	ret->state = record->state;
	ret->state_name = edk2_state_name(record->state);
	ret->is_live = s->index.live[*cursor];
	ret->offset = s->base + record->offset;
	ret->bytes = record->bytes;
	(*cursor)++;
	return 1;
}

static const char *edk2_profile_name(struct store *store)
{
	const struct edk2_profile *p = store_of(&store->nv)->geometry.profile;

	return p ? p->name : "custom";
}

const struct store_format edk2_format = {
	.name = "edk2",
	.description = "the variable store of edk2 firmware (OVMF, ArmVirt)",
	.probe = edk2_probe,
	.open = edk2_open,
	.create = edk2_create,
	.check = edk2_check,
	.repair = edk2_repair,
	.next_record = edk2_next_record,
	.profile_name = edk2_profile_name,
};
