/* SPDX-License-Identifier: MIT */
/*
 * edk2_repair.c — a new image, and a damaged one made good. Both give bytes and write nothing.
 *
 * Repair trusts, in this order: a pending spare area that is whole, the live region with its own
 * headers, the live region under headers made anew from a profile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "store/edk2.h"
#include "store/internal.h"

#define REPAIR_MAX (256ull << 20) /* largest image that is repaired, bytes */

static void write_work_header(const struct edk2_geometry *g, uint8_t *volume)
{
	struct edk2_wire_work header;

	edk2_work_header(g->work, &header);
	memset(volume + g->work_offset, EDK2_ERASED, g->work);
	memcpy(volume + g->work_offset, &header, sizeof(header));
}

/* An empty volume. */
static void format(const struct edk2_geometry *g, uint8_t *volume)
{
	memset(volume, EDK2_ERASED, g->volume);
	edk2_geometry_write(g, volume);
	write_work_header(g, volume);
}

int edk2_create(enum store_profile profile, uint8_t **ret_data, size_t *ret_size)
{
	const struct edk2_profile *p = edk2_profile_of(profile);
	struct edk2_geometry g;
	uint8_t *data;

	if (!p)
		return -EINVAL;
	data = calloc(1, p->file_size);
	if (!data)
		return -ENOMEM;
	g = edk2_geometry_of(p);
	format(&g, data);
	*ret_data = data;
	*ret_size = p->file_size;
	return 0;
}

struct repair {
	uint8_t *volume;  /* borrowed: the image from the volume on */
	uint64_t available;
	struct edk2_geometry g;
	struct buffer report; /* owned */
};

/* A header that has nothing for `check` to find. */
static bool is_good_header(const struct edk2_geometry *g, const uint8_t *live)
{
	static const uint8_t zero_vector[sizeof(((struct edk2_wire_volume *)0)->zero_vector)];
	struct edk2_wire_volume volume;
	uint32_t attributes;

	memcpy(&volume, live, sizeof(volume));
	attributes = le32_get(volume.attributes);
	return memcmp(volume.zero_vector, zero_vector, sizeof(zero_vector)) == 0 &&
		(!g->profile || attributes == EDK2_ATTRIBUTES_OVMF ||
			attributes == g->profile->attributes);
}

/* Of a volume of no profile, whose header is kept otherwise. */
static void clear_zero_vector(struct repair *p)
{
	const size_t at = offsetof(struct edk2_wire_volume, checksum);
	le16 sum;

	memset(p->volume, 0, sizeof(((struct edk2_wire_volume *)0)->zero_vector));
	sum = le16_of(edk2_volume_checksum(p->volume, p->g.header));
	memcpy(p->volume + at, &sum, sizeof(sum));
}

/* The geometry, from the header or the profile; the header is made anew where it is wrong. */
static int repair_header(struct repair *p, const struct edk2_profile *profile, char **ret_error)
{
	const uint32_t at = (uint32_t)sizeof(struct edk2_wire_volume) +
		2 * (uint32_t)sizeof(struct edk2_wire_block);
	size_t n = p->available > EDK2_VOLUME_MAX ? EDK2_VOLUME_MAX : (size_t)p->available;
	struct edk2_fault fault = {0};
	int r;

	r = edk2_geometry_read(&p->g, p->volume, n, p->available, &fault);
	if (r == 0 && is_good_header(&p->g, p->volume))
		return 0;
	if (r == 0 && !p->g.profile) {
		clear_zero_vector(p);
		buffer_string(&p->report, "volume header: cleared the zero vector\n");
		return 0;
	}
	if (r < 0) {
		if (!profile || profile->volume > p->available)
			return store_fail(ret_error, r, "%s, and the image's size is that of no "
				"known build: name its profile", fault.text);
		p->g = edk2_geometry_of(profile);
		p->g.is_authenticated = memcmp(p->volume + at, &edk2_plain_guid,
			sizeof(struct guid)) != 0;
	}
	edk2_geometry_write(&p->g, p->volume);
	buffer_printf(&p->report, "volume header: made anew for %s%s%s\n", p->g.profile->name,
		fault.text ? ": " : "", fault.text ? fault.text : "");
	return 0;
}

/* Replays spare. True when it was, and the live region needs no other header. */
static bool repair_from_spare(struct repair *p, const struct edk2_geometry *g)
{
	struct edk2_geometry spare;
	struct edk2_fault fault;
	struct edk2_ftw ftw;

	if (!g->has_ftw)
		return false;
	ftw = edk2_ftw_read(p->volume + g->work_offset, g->work);
	if (ftw.state != EDK2_FTW_PENDING || !edk2_ftw_is_live(&ftw, g))
		return false;
	if (edk2_geometry_read(&spare, p->volume + g->spare_offset, g->live, g->volume,
		    &fault) < 0 ||
		spare.volume != g->volume || spare.end != g->end || spare.first != g->first) {
		buffer_string(&p->report, "spare: damaged, not replayed\n");
		return false;
	}
	memcpy(p->volume, p->volume + g->spare_offset, g->live);
	p->g.is_authenticated = spare.is_authenticated; /* of what is live from now on */
	buffer_string(&p->report, "spare: replayed an interrupted write\n");
	return true;
}

static uint32_t count_content(const uint8_t *data, uint32_t n)
{
	uint32_t content = 0;

	for (uint32_t i = 0; i < n; i++)
		content += data[i] != EDK2_ERASED;
	return content;
}

/*
 * Takes damaged bytes out of the list, so that it goes on with the next value behind them. What
 * they were cannot be told: a record whose sizes are damaged may have swallowed its neighbour.
 */
static void rejoin_list(struct repair *p)
{
	const struct edk2_geometry *g = &p->g;
	struct edk2_walk walk = edk2_walk_of(g, p->volume);
	struct edk2_record record;
	uint32_t to = g->first, at, found;

	for (;;) {
		at = walk.at;
		if (edk2_walk_next(&walk, &record) && record.is_sound) {
			memmove(p->volume + to, p->volume + at, record.bytes);
			to += record.bytes;
			continue;
		}
		if (walk.at == at && walk.end == EDK2_END_TORN)
			break;
		found = edk2_find_lost(g, p->volume, at);
		if (found == EDK2_NO_RECORD)
			break;
		if (found == at) {
			p->volume[at] = EDK2_START_ID & 0xff;
			p->volume[at + 1] = EDK2_START_ID >> 8;
			buffer_printf(&p->report, "records: mended the start at 0x%x\n", at);
		} else {
			buffer_printf(&p->report, "records: left out %u damaged bytes at 0x%x\n",
				found - at, at);
		}
		walk.at = found;
	}
	memmove(p->volume + to, p->volume + at, g->end - at);
	memset(p->volume + to + (g->end - at), EDK2_ERASED, at - to);
}

/* The list without what is dead, torn or damaged. */
static int repair_records(struct repair *p)
{
	CLEAN(free) uint8_t *image = malloc(p->g.live);
	struct edk2_index index = {0};
	int r;

	if (!image)
		return -ENOMEM;
	rejoin_list(p);
	r = edk2_index_build(&index, &p->g, p->volume);
	if (r < 0)
		return r;
	r = edk2_compact_image(&p->g, p->volume, &index, NULL, image);
	if (r == 0 && memcmp(image, p->volume, p->g.live) != 0) {
		buffer_printf(&p->report, "records: kept %u, dropped %u dead or damaged\n",
			index.live_count, index.count - index.live_count);
		if (!index.is_tail_erased)
			buffer_printf(&p->report, "free space: erased from offset 0x%x on, "
				"with %u bytes that were not\n", index.end,
				count_content(p->volume + index.end, p->g.end - index.end));
		memcpy(p->volume, image, p->g.live);
	}
	edk2_index_fini(&index);
	return r;
}

static void repair_ftw(struct repair *p)
{
	uint8_t *work = p->volume + p->g.work_offset;
	uint8_t *spare = p->volume + p->g.spare_offset;

	if (!p->g.has_ftw)
		return;
	if (edk2_ftw_read(work, p->g.work).state != EDK2_FTW_READY) {
		write_work_header(&p->g, p->volume);
		buffer_string(&p->report, "fault-tolerant work area: made anew\n");
	}
	if (!edk2_is_erased(spare, p->g.spare)) {
		memset(spare, EDK2_ERASED, p->g.spare);
		buffer_string(&p->report, "spare: erased\n");
	}
}

static int find_work_in(struct source *source, uint64_t offset, struct edk2_geometry *g)
{
	return g->has_ftw ? 0 : edk2_find_work(source, offset, g);
}

static int repair_volume(struct repair *p, struct source *source, uint64_t offset,
	const struct edk2_profile *profile, char **ret_error)
{
	struct edk2_geometry known;
	int r;

	if (profile && profile->volume <= p->available) {
		known = edk2_geometry_of(profile);
		(void)repair_from_spare(p, &known); /* the header tells what is left to do */
	}
	r = repair_header(p, profile, ret_error);
	if (r < 0)
		return r;
	r = find_work_in(source, offset, &p->g);
	if (r == 0 && !p->g.profile)
		(void)repair_from_spare(p, &p->g); /* as above */
	if (r == 0)
		r = repair_records(p);
	if (r < 0)
		return store_fail(ret_error, r, "cannot repair the records: %s", strerror(-r));
	repair_ftw(p);
	return 0;
}

/* The build of the image: what the user says, what was recognised, or what its size says. */
static const struct edk2_profile *choose_profile(const struct edk2_place *place,
	enum store_profile wanted, uint64_t available)
{
	const struct edk2_profile *profile = edk2_profile_of(wanted);

	if (!profile)
		profile = place->profile;
	for (const struct edk2_profile *p = edk2_profiles; p->name && !profile; p++) {
		if (p->volume == available || p->file_size == available)
			return p;
	}
	return profile;
}

static int read_image(struct source *source, uint8_t **ret, char **ret_error)
{
	CLEAN(free) uint8_t *data = NULL;
	int r;

	if (source->size > REPAIR_MAX)
		return store_fail(ret_error, -EFBIG, "the image is too large to be repaired");
	data = malloc(source->size > 0 ? (size_t)source->size : 1);
	if (!data)
		return store_fail(ret_error, -ENOMEM, "out of memory");
	r = source->ops->read(source, data, (size_t)source->size, 0);
	if (r < 0)
		return store_fail(ret_error, r, "cannot read the image: %s", strerror(-r));
	*ret = TAKE_PTR(data);
	return 0;
}

int edk2_repair(struct source *source, uint64_t offset, enum store_profile profile,
	uint8_t **ret_data, size_t *ret_size, char **ret_report, char **ret_error)
{
	CLEAN(free) uint8_t *data = NULL;
	CLEAN(free) char *report = NULL;
	struct edk2_place place = {0};
	const struct edk2_profile *known;
	struct repair p;
	int r;

	if (offset > source->size)
		return store_fail(ret_error, -EINVAL, "the image has no such offset");
	r = edk2_locate(source, &place);
	if (r < 0)
		return store_fail(ret_error, r, "cannot read the image: %s", strerror(-r));
	if (place.found == EDK2_FOUND_NOTHING || place.found == EDK2_FOUND_GARBLED)
		return store_fail(ret_error, -EBADMSG,
			"nothing of a variable store can be seen: nothing can be saved");
	r = read_image(source, &data, ret_error);
	if (r < 0)
		return r;
	p = (struct repair){.volume = data + offset, .available = source->size - offset};
	known = choose_profile(&place, profile, p.available);
	if (place.found == EDK2_FOUND_BLANK) {
		p.g = edk2_geometry_of(place.profile);
		format(&p.g, p.volume);
		buffer_printf(&p.report, "formatted the blank image for %s\n", place.profile->name);
	} else {
		r = repair_volume(&p, source, offset, known, ret_error);
	}
	if (r == 0)
		buffer_string(&p.report, "");
	report = buffer_take_text(&p.report);
	if (r < 0)
		return r;
	*ret_size = (size_t)source->size;
	*ret_data = TAKE_PTR(data);
	*ret_report = report ? TAKE_PTR(report) : strdup("");
	return 0;
}
