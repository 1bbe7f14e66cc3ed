/* SPDX-License-Identifier: MIT */
/*
 * edk2_check.c — what the firmware would say of an image, and what a person should know besides.
 *
 * The rules are those of edk2's two validators: OVMF's PlatformValidateNvVarStore and ArmVirt's
 * VirtNorFlash, whose refusal means that the store is formatted anew. An error is what either
 * refuses or misreads; a warning is what the next start of a firmware, or a repair, cleans up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/reader.h"
#include "store/edk2.h"
#include "store/internal.h"

struct check {
	struct source *source;
	uint64_t base;
	struct store_findings *findings;
	struct edk2_geometry g;
};

#define add(c, code, severity, offset, ...)                                                        \
	store_finding((c)->findings, code, severity, (c)->base + (offset), __VA_ARGS__)

/* Header fields that only one of the validators, or only a person, looks at. */
static void check_header_details(struct check *c, const uint8_t *live)
{
	struct reader r = reader_of(live, c->g.live);
	struct edk2_wire_volume volume;
	struct edk2_wire_block block;
	struct edk2_wire_store store;
	uint32_t attributes;

	(void)reader_copy(&r, &volume, sizeof(volume)); /* the geometry was read from here */
	(void)reader_copy(&r, &block, sizeof(block));
	r = reader_of(live + c->g.header, c->g.live - c->g.header);
	(void)reader_copy(&r, &store, sizeof(store));
	for (size_t i = 0; i < sizeof(volume.zero_vector); i++) {
		if (volume.zero_vector[i] == 0)
			continue;
		add(c, "header-zero-vector", FINDING_ERROR, (uint32_t)i,
			"the volume header's first 16 bytes are not zero");
		break;
	}
	attributes = le32_get(volume.attributes);
	if (attributes != EDK2_ATTRIBUTES_OVMF &&
		(attributes != EDK2_ATTRIBUTES_NOR ||
			(c->g.profile && c->g.profile->attributes != EDK2_ATTRIBUTES_NOR)))
		add(c, "header-attributes", FINDING_ERROR,
			(uint32_t)offsetof(struct edk2_wire_volume, attributes),
			"the volume's attributes are 0x%x, not what its firmware demands",
			attributes);
	if ((uint64_t)le32_get(block.count) * le32_get(block.length) != c->g.volume)
		add(c, "block-map", FINDING_INFO, (uint32_t)sizeof(volume),
			"the block map covers %llu bytes, the volume %u",
			(unsigned long long)le32_get(block.count) * le32_get(block.length),
			c->g.volume);
	if (!c->g.is_authenticated)
		add(c, "store-plain", FINDING_ERROR, c->g.header,
			"the store has no authenticated variables; today's firmware refuses it");
	if (le16_get(store.reserved) != 0 || le32_get(store.reserved1) != 0)
		add(c, "store-reserved", FINDING_INFO, c->g.header + 22,
			"reserved fields of the store header are not zero");
}

/* A working block inside the region of the records: variables would overwrite it (or did). */
static void check_overlap(struct check *c, const uint8_t *live)
{
	for (uint64_t at = c->g.block; at + sizeof(struct guid) <= c->g.end; at += c->g.block) {
		if (memcmp(live + at, &edk2_work_guid, sizeof(struct guid)) == 0)
			add(c, "region-overlap", FINDING_ERROR, (uint32_t)at,
				"a fault-tolerant work area begins inside the variable store");
	}
}

static void check_record(struct check *c, const uint8_t *live, const struct edk2_record *record)
{
	uint32_t used = record->header + record->name_bytes + record->data_bytes;

	if (record->state == EDK2_STATE_INCOMPLETE)
		add(c, "record-torn", FINDING_WARNING, record->offset,
			"a record was being written when the machine stopped");
	else if (strcmp(edk2_state_name(record->state), "invalid") == 0)
		add(c, "record-state", FINDING_ERROR, record->offset,
			"a record's state is 0x%02x, which no firmware writes", record->state);
	else if (record->name_bytes % 2 != 0 || record->name_bytes < 4)
		add(c, "record-name-size", FINDING_ERROR, record->offset,
			"a record's name has %u bytes", record->name_bytes);
	else if (!record->is_sound)
		add(c, "record-name-end", FINDING_ERROR, record->offset,
			"a record's name does not end with a NUL");
	else if (record->state == EDK2_STATE_HEADER_ONLY)
		add(c, "record-incomplete", FINDING_WARNING, record->offset,
			"a record was never completed");
	else if (!record->is_nameable)
		add(c, "record-name-long", FINDING_WARNING, record->offset,
			"a variable's name has %u characters; Linux would not show it",
			record->name_bytes / 2 - 1);
	if (!edk2_is_erased(live + record->offset + used, record->bytes - used)) {
		/* ArmVirt's driver does not look, and its shipped images have such records. */
		add(c, "record-padding",
			c->g.profile && c->g.profile->id == STORE_PROFILE_ARMVIRT ? FINDING_INFO
										  : FINDING_ERROR,
			record->offset + used,
			"the padding behind a record is not 0xFF");
	}
}

/* How the list ends, and what lies behind it. */
static void check_end(struct check *c, const uint8_t *live, const struct edk2_index *index)
{
	uint32_t header = edk2_record_header(&c->g);
	uint32_t left = c->g.end - index->end;

	if (index->end_kind == EDK2_END_OVERRUN)
		add(c, "record-overrun", FINDING_ERROR, index->end,
			"a record reaches past the end of the store");
	else if (index->end_kind == EDK2_END_TORN)
		add(c, "record-torn", FINDING_WARNING, index->end,
			"a record was being written when the machine stopped");
	else if (left >= 2 && left <= header && live[index->end] == (EDK2_START_ID & 0xff) &&
		live[index->end + 1] == EDK2_START_ID >> 8)
		add(c, "record-start-at-end", FINDING_ERROR, index->end,
			"a record begins where none has room");
	else if (!index->is_tail_erased)
		add(c, "free-space", FINDING_ERROR, index->end,
			"the free space behind the last record is not erased");
}

static void check_values(struct check *c, const uint8_t *live, const struct edk2_index *index)
{
	for (uint32_t i = 0; i < index->count; i++) {
		const struct edk2_record *record = &index->records[i];

		if (!record->is_nameable)
			continue;
		if (record->state == EDK2_STATE_LIVE && !index->live[i])
			add(c, "duplicate", FINDING_WARNING, record->offset,
				"a second live record of one variable; the first is its value");
		else if (record->state == EDK2_STATE_IN_TRANSITION && index->live[i])
			add(c, "in-transition", FINDING_INFO, record->offset,
				"an update was interrupted; the old value stands");
		else if (record->state == EDK2_STATE_IN_TRANSITION)
			add(c, "in-transition-garbage", FINDING_INFO, record->offset,
				"a replaced record was not marked as deleted");
	}
}

static int check_records(struct check *c, const uint8_t *live)
{
	struct edk2_index index = {0};
	int r = edk2_index_build(&index, &c->g, live);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < index.count; i++)
		check_record(c, live, &index.records[i]);
	check_end(c, live, &index);
	check_values(c, live, &index);
	edk2_index_fini(&index);
	return 0;
}

/* Spare, when it is to become the live region. */
static int check_spare(struct check *c, const struct edk2_ftw *ftw)
{
	CLEAN(free) uint8_t *spare = NULL;
	struct edk2_geometry g;
	struct edk2_fault fault;
	int r;

	if (!edk2_ftw_is_live(ftw, &c->g)) {
		add(c, "ftw-foreign", FINDING_ERROR, c->g.work_offset + ftw->record,
			"an interrupted write to something else than the variable store");
		return 0;
	}
	add(c, "ftw-pending", FINDING_WARNING, c->g.work_offset + ftw->record,
		"a fault-tolerant write was interrupted; the store is what spare holds");
	spare = malloc(c->g.live);
	if (!spare)
		return -ENOMEM;
	r = c->source->ops->read(c->source, spare, c->g.live, c->base + c->g.spare_offset);
	if (r < 0)
		return r;
	r = edk2_geometry_read(&g, spare, c->g.live, c->g.volume, &fault);
	if (r < 0)
		add(c, "ftw-spare", FINDING_ERROR, c->g.spare_offset + fault.offset,
			"spare is damaged: %s", fault.text);
	return 0;
}

static int check_ftw(struct check *c)
{
	CLEAN(free) uint8_t *work = NULL;
	struct edk2_ftw ftw;
	int r;

	if (!c->g.has_ftw) {
		add(c, "ftw-unknown", FINDING_INFO, c->g.live,
			"no fault-tolerant write area is known: room cannot be reclaimed");
		return 0;
	}
	work = malloc(c->g.work);
	if (!work)
		return -ENOMEM;
	r = c->source->ops->read(c->source, work, c->g.work, c->base + c->g.work_offset);
	if (r < 0)
		return r;
	ftw = edk2_ftw_read(work, c->g.work);
	if (ftw.state == EDK2_FTW_INVALID)
		add(c, "ftw-header", FINDING_WARNING, c->g.work_offset,
			"the fault-tolerant work area has no valid header");
	else if (ftw.is_abandoned)
		add(c, "ftw-abandoned", FINDING_INFO, c->g.work_offset,
			"a fault-tolerant write was begun and never reached its target");
	return ftw.state == EDK2_FTW_PENDING ? check_spare(c, &ftw) : 0;
}

/* The geometry; 1 when there is none to go on with, every reason then being a finding. */
static int check_header(struct check *c, const struct edk2_place *place)
{
	uint8_t head[EDK2_HEADER_MAX + sizeof(struct edk2_wire_store)];
	uint64_t available = c->source->size - c->base;
	size_t n = available < sizeof(head) ? (size_t)available : sizeof(head);
	struct edk2_fault fault = {0};
	int r;

	r = c->source->ops->read(c->source, head, n, c->base);
	if (r < 0)
		return r;
	r = edk2_geometry_read(&c->g, head, n, available, &fault);
	if (r == 0)
		return 0;
	add(c, fault.code, FINDING_ERROR, fault.offset, "%s", fault.text);
	for (const struct edk2_profile *p = edk2_profiles; p->name; p++) {
		if (p != place->profile && p->volume != available && p->file_size != available)
			continue;
		c->g = edk2_geometry_of(p);
		return 0;
	}
	return 1;
}

static int check_volume(struct check *c, const struct edk2_place *place,
	enum store_profile profile)
{
	const struct edk2_profile *wanted = edk2_profile_of(profile);
	CLEAN(free) uint8_t *live = NULL;
	int r;

	r = check_header(c, place);
	if (r != 0)
		return r < 0 ? r : 0;
	if (wanted && c->g.profile != wanted)
		add(c, "profile", FINDING_ERROR, 0, "the image is %s, not %s",
			c->g.profile ? c->g.profile->name : "of no known build", wanted->name);
	if (!c->g.has_ftw) {
		r = edk2_find_work(c->source, c->base, &c->g);
		if (r < 0)
			return r;
	}
	live = malloc(c->g.live);
	if (!live)
		return -ENOMEM;
	r = c->source->ops->read(c->source, live, c->g.live, c->base);
	if (r < 0)
		return r;
	check_header_details(c, live);
	check_overlap(c, live);
	r = check_records(c, live);
	return r < 0 ? r : check_ftw(c);
}

int edk2_check(struct source *source, uint64_t offset, enum store_profile profile,
	struct store_findings *ret)
{
	struct store_findings findings = {0};
	struct edk2_place place = {0};
	struct check c = {.source = source, .base = offset, .findings = &findings};
	int r;

	if (offset > source->size)
		return -EINVAL;
	r = edk2_locate(source, &place);
	if (r == 0 && place.found == EDK2_FOUND_BLANK)
		add(&c, "blank", FINDING_WARNING, 0,
			"the image is blank; firmware formats it at its first start");
	else if (r == 0 && place.found == EDK2_FOUND_GARBLED)
		add(&c, "garbled", FINDING_ERROR, 0,
			"nothing of a variable store can be seen: garbled or encrypted");
	else if (r == 0)
		r = check_volume(&c, &place, profile);
	if (r < 0) {
		store_findings_fini(&findings);
		return r;
	}
	*ret = findings;
	return 0;
}
