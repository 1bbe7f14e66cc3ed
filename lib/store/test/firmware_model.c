/* SPDX-License-Identifier: MIT */
/* firmware_model.c — see firmware_model.h. */
#include "store/test/firmware_model.h"

#include <stdlib.h>
#include <string.h>

#define FIRST 0x64u
#define HEADER 60u

static const uint8_t work_signature[16] = {0x2b, 0x29, 0x58, 0x9e, 0x68, 0x7c, 0x7d, 0x49, 0xa0,
	0xce, 0x65, 0x00, 0xfd, 0x9f, 0x1b, 0x95};
static const uint8_t volume_guid[16] = {0x8d, 0x2b, 0xf1, 0xff, 0x96, 0x76, 0x8b, 0x4c, 0xa9, 0x85,
	0x27, 0x47, 0x07, 0x5b, 0x4f, 0x50};
static const uint8_t auth_guid[16] = {0x78, 0x2c, 0xf3, 0xaa, 0x7b, 0x94, 0x9a, 0x43, 0xa1, 0x80,
	0x2e, 0x14, 0x4e, 0xc3, 0x77, 0x92};

static uint64_t number(const uint8_t *p, int bytes)
{
	uint64_t v = 0;

	for (int i = bytes - 1; i >= 0; i--)
		v = v << 8 | p[i];
	return v;
}

static bool is_erased(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != 0xff)
			return false;
	}
	return true;
}

/* ArmVirt's flash driver: true when it takes the store as it is. */
static bool is_accepted(const uint8_t *live, const struct model_layout *l)
{
	uint32_t size = l->live - 0x48, at = 28;
	const uint8_t *store = live + 0x48;
	unsigned sum = 0;

	for (unsigned i = 0; i < 0x48; i += 2)
		sum += (unsigned)number(live + i, 2);
	if (live[0x37] != 2 || memcmp(live + 0x28, "_FVH", 4) != 0 ||
		number(live + 0x20, 8) != l->volume || memcmp(live + 0x10, volume_guid, 16) != 0 ||
		(uint16_t)sum != 0 || memcmp(store, auth_guid, 16) != 0 ||
		number(store + 16, 4) != size)
		return false;
	for (;;) {
		uint64_t end, name, data;
		const uint8_t *p = store + at;

		if ((uint64_t)at + HEADER >= size)
			return at > size - 2 || number(p, 2) != 0x55aa;
		if (number(p, 2) != 0x55aa || p[2] == 0xff)
			return true;
		if (p[2] != 0x7f && p[2] != 0x3f && p[2] != 0x3e && p[2] != 0x3d && p[2] != 0x3c)
			return false;
		name = number(p + 36, 4);
		data = number(p + 40, 4);
		end = at + HEADER + name + data;
		if (end > size || name % 2 != 0 || name < 4)
			return false;
		if (p[2] != 0x7f && number(p + HEADER + name - 2, 2) != 0)
			return false;
		at = (uint32_t)((end + 3) & ~3ull);
	}
}

/* A record as the variable driver meets it; 0 at the end of the list. */
static uint32_t next_record(const uint8_t *live, const struct model_layout *l, uint32_t at,
	struct model_value *ret)
{
	const uint8_t *p = live + at;
	uint64_t name, data, next;

	if ((uint64_t)at + HEADER > l->live || number(p, 2) != 0x55aa)
		return 0;
	name = number(p + 36, 4);
	data = number(p + 40, 4);
	if (p[2] == 0xff || name == UINT32_MAX || data == UINT32_MAX ||
		number(p + 4, 4) == UINT32_MAX)
		name = data = 0;
	next = (at + HEADER + name + data + 3) & ~3ull;
	if (next > l->live)
		return 0;
	*ret = (struct model_value){p + HEADER, (uint32_t)name, p + 44, p + HEADER + name,
		(uint32_t)data};
	return (uint32_t)next;
}

static bool is_same_key(const struct model_value *a, const struct model_value *b)
{
	return a->name_bytes == b->name_bytes && memcmp(a->vendor, b->vendor, 16) == 0 &&
		memcmp(a->name, b->name, a->name_bytes) == 0;
}

/* The value that a look-up of this record's key finds: the first 0x3F, else the last 0x3E. */
static const uint8_t *look_up(const uint8_t *live, const struct model_layout *l,
	const struct model_value *key, bool *ret_is_duplicate)
{
	const uint8_t *added = NULL, *in_transition = NULL;
	struct model_value v;
	uint32_t at = FIRST, next;

	for (; (next = next_record(live, l, at, &v)) != 0; at = next) {
		if (!is_same_key(&v, key))
			continue;
		if (live[at + 2] == 0x3f && added)
			*ret_is_duplicate = true;
		else if (live[at + 2] == 0x3f)
			added = live + at;
		else if (live[at + 2] == 0x3e)
			in_transition = live + at;
	}
	return added ? added : in_transition;
}

static void list(struct model_view *view, const uint8_t *live, const struct model_layout *l)
{
	struct model_value v;
	uint32_t at = FIRST, next;

	*view = (struct model_view){0};
	for (; (next = next_record(live, l, at, &v)) != 0; at = next) {
		if ((live[at + 2] != 0x3f && live[at + 2] != 0x3e) ||
			look_up(live, l, &v, &view->has_duplicates) != live + at)
			continue;
		if (view->count < MODEL_VALUES_MAX)
			view->values[view->count++] = v;
	}
}

/* The variable driver's reclaim: live records, then those in transition without a live twin. */
static void reclaim(uint8_t *out, const uint8_t *live, const struct model_layout *l)
{
	uint32_t to = FIRST;

	memcpy(out, live, FIRST);
	memset(out + FIRST, 0xff, l->live - FIRST);
	for (int pass = 0; pass < 2; pass++) {
		struct model_value v, other;
		uint32_t at = FIRST, next;

		for (; (next = next_record(live, l, at, &v)) != 0; at = next) {
			bool has_twin = false;
			uint32_t i = FIRST, after;

			if (live[at + 2] != (pass == 0 ? 0x3f : 0x3e))
				continue;
			for (; pass == 1 && (after = next_record(out, l, i, &other)) != 0;
				i = after)
				has_twin = has_twin || is_same_key(&v, &other);
			if (has_twin)
				continue;
			memcpy(out + to, live + at, next - at);
			out[to + 2] = 0x3f;
			to += next - at;
		}
	}
}

static void make_work_header(uint8_t out[32], uint32_t work)
{
	uint32_t crc = UINT32_MAX;

	memset(out, 0xff, 32);
	memcpy(out, work_signature, 16);
	for (int i = 0; i < 8; i++)
		out[24 + i] = (uint8_t)((uint64_t)(work - 32) >> 8 * i);
	for (int i = 0; i < 32 * 8; i++) {
		unsigned bit = out[i / 8] >> i % 8 & 1;

		crc = crc >> 1 ^ ((crc ^ bit) & 1 ? 0xedb88320u : 0);
	}
	crc = ~crc;
	for (int i = 0; i < 4; i++)
		out[16 + i] = (uint8_t)(crc >> 8 * i);
	out[20] = 0xfe;
}

static bool is_valid_work(const uint8_t *work, const struct model_layout *l)
{
	uint8_t header[32];

	make_work_header(header, l->work);
	return memcmp(work, header, sizeof(header)) == 0;
}

/* The newest group and its newest record; false when the queue is damaged. Arithmetic wraps. */
static bool last_write(const uint8_t *work, const struct model_layout *l, uint64_t *ret_header,
	uint64_t *ret_record)
{
	uint64_t at = 32, record, count, extra;

	for (;;) {
		if (at + 40 > l->work)
			return false;
		if ((work[at] & 4) != 0)
			break;
		at += 40 + number(work + at + 24, 8) * (40 + number(work + at + 32, 8));
		if (at >= l->work)
			return false;
	}
	if (at + 80 > l->work)
		return false;
	count = number(work + at + 24, 8);
	extra = number(work + at + 32, 8);
	record = at + 40;
	for (uint64_t i = 0; i < count && record + 40 <= l->work; i++) {
		if ((work[record] & 4) != 0)
			break;
		record += 40 + extra;
		if (i + 1 == count)
			record -= 40 + extra;
	}
	if (count == 0)
		record = at; /* the driver steps back from the first record */
	*ret_header = at;
	*ret_record = record;
	return record + 40 <= l->work;
}

static bool is_pending(const uint8_t *work, uint64_t record)
{
	return (work[record] & 2) == 0 && (work[record] & 4) != 0;
}

/* The early reader: which bytes are the store. */
static void read_early(struct model *m)
{
	const struct model_layout *l = m->layout;
	const uint8_t *work = m->image + l->work_at, *spare = m->image + l->spare_at;
	uint64_t header, record;

	memcpy(m->early, m->image, l->live);
	if (is_valid_work(work, l)) {
		if (!last_write(work, l, &header, &record) || !is_pending(work, record))
			return;
		if (number(work + record + 32, 8) + l->spare_at != 0)
			m->damage = "pending write to something else than the store";
		memcpy(m->early, spare, l->live);
		if (!is_accepted(m->early, l))
			m->damage = "spare is pending but no valid store";
		return;
	}
	for (uint32_t i = 0; i + 32 <= l->spare; i += 16) {
		if (is_valid_work(spare + i, l) && i != 0)
			m->damage = "spare has something that looks like a work area";
	}
}

static void renew_work(struct model *m, const uint8_t *group, size_t bytes)
{
	uint8_t *work = m->image + m->layout->work_at;
	uint8_t kept[256];

	if (bytes > sizeof(kept))
		bytes = 0;
	if (bytes > 0)
		memcpy(kept, group, bytes);
	memset(work, 0xff, m->layout->work);
	make_work_header(work, m->layout->work);
	if (bytes > 0)
		memcpy(work + 32, kept, bytes);
}

/* The driver of the fault-tolerant write at its start. */
static void recover(struct model *m)
{
	const struct model_layout *l = m->layout;
	uint8_t *work = m->image + l->work_at, *spare = m->image + l->spare_at;
	uint64_t header, record, used;

	if (!is_valid_work(work, l)) {
		bool has_copy = is_valid_work(spare, l);

		renew_work(m, NULL, 0);
		if (has_copy)
			memcpy(work, spare, l->work);
		if (has_copy && last_write(work, l, &header, &record))
			work[header] &= (uint8_t)~4; /* whatever it held is given up */
	}
	if (!last_write(work, l, &header, &record))
		renew_work(m, NULL, 0);
	if (!last_write(work, l, &header, &record))
		return;
	if ((work[header] & 1) == 0 && (work[record] & 2) != 0 && record == header + 40)
		work[header] &= (uint8_t)~4;
	if ((work[header] & 4) != 0 && (work[record] & 4) == 0)
		work[header] &= (uint8_t)~4;
	used = header;
	if (work[header] != 0xff)
		used += 40 + number(work + header + 24, 8) * (40 + number(work + header + 32, 8));
	if (used > l->work || !is_erased(work + used, l->work - used)) {
		bool is_kept = (work[header] & 1) == 0 && (work[header] & 4) != 0;

		renew_work(m, work + header, is_kept && used > header ? used - header : 0);
		if (!last_write(work, l, &header, &record))
			return;
	}
	if ((work[header] & 4) == 0 || (work[record] & 2) != 0)
		return;
	if (number(work + record + 8, 8) != 0 ||
		number(work + record + 16, 8) + number(work + record + 24, 8) > l->live) {
		m->damage = "replays something else than the store";
		return;
	}
	used = number(work + record + 16, 8) + number(work + record + 24, 8);
	memcpy(m->image, spare, (used + l->block - 1) / l->block * l->block);
	work[record] &= (uint8_t)~4;
	work[header] &= (uint8_t)~4;
	memset(spare, 0xff, l->spare);
}

void model_start(struct model *m, const struct model_layout *layout, const uint8_t *image)
{
	*m = (struct model){
		.layout = layout,
		.image = malloc(layout->volume),
		.early = malloc(layout->live),
		.reclaimed = malloc(layout->live),
	};
	if (!m->image || !m->early || !m->reclaimed)
		abort();
	memcpy(m->image, image, layout->volume);
	read_early(m);
	m->is_formatted = !is_accepted(m->image, layout);
	recover(m);
	if (!m->is_formatted && !is_accepted(m->image, layout))
		m->damage = "the store is no longer accepted after the recovery";
	reclaim(m->reclaimed, m->image, layout);
	list(&m->views[0], m->early, layout);
	list(&m->views[1], m->image, layout);
	list(&m->views[2], m->reclaimed, layout);
}

void model_fini(struct model *m)
{
	free(m->image);
	free(m->early);
	free(m->reclaimed);
}
