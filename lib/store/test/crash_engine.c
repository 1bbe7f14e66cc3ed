/* SPDX-License-Identifier: MIT */
/* crash_engine.c — see crash_engine.h. */
#include "store/test/crash_engine.h"

#include <errno.h>

#define NAMES_MAX 8
#define VALUE_MAX 1024
#define VERSIONS_MAX (PLAN_STEPS_MAX + 1)
#define PIECE 64u
#define PIECES_MAX 2048
#define ALL_SUBSETS 10u
#define SAMPLES 400
#define SEEN_SIZE (1u << 18)

const char *const plan_names[] = {"a", "b", "c", "d", PLAN_NAME_LIKE_HEADER, NULL};

struct value {
	bool is_there;
	size_t size;
	uint8_t data[VALUE_MAX];
};

/* What every variable is after so many operations. */
struct version {
	struct value values[NAMES_MAX];
};

struct prover {
	const struct plan *plan;
	const struct model_layout *layout;
	struct proof *proof;
	struct version versions[VERSIONS_MAX];
	unsigned version_count;
	uint64_t *seen; /* owned; hashes of images that were looked at */
	bool is_crashing_recovery;
	unsigned complaints;
	size_t interval, write, bytes; /* where the crash in question is; write 0: a subset */
};

static void complain(struct prover *p, const char *what, const char *how)
{
	p->proof->failures++;
	if (p->complaints++ < 5)
		printf("# %s: %s (%s; interval %zu, write %zu, byte %zu)\n", p->plan->what, what,
			how, p->interval, p->write, p->bytes);
}

static unsigned name_index(const char *name)
{
	unsigned i = 0;

	while (strcmp(plan_names[i], name) != 0)
		i++;
	return i;
}

bool plan_run(struct store *store, const struct plan_step *steps, struct recorder *recorder)
{
	uint8_t data[VALUE_MAX];
	struct nv_variable v;
	int r = 0;

	for (; r == 0 && steps->kind != PLAN_END; steps++) {
		memset(data, steps->fill, sizeof(data));
		switch (steps->kind) {
		case PLAN_PUT:
			v = fixture_variable(steps->name, data, steps->size);
			r = store->nv.ops->put(&store->nv, &v, true);
			break;
		case PLAN_REMOVE:
			v = fixture_variable(steps->name, NULL, 0);
			r = store->nv.ops->remove(&store->nv, &v.name, &v.vendor);
			break;
		case PLAN_RECLAIM:
		case PLAN_END:
			r = store->nv.ops->reclaim(&store->nv);
			break;
		}
		if (recorder)
			recorder_mark(recorder);
	}
	if (r < 0)
		printf("# step failed: %d %s\n", r, store->nv.ops->reason(&store->nv));
	return r == 0;
}

static struct store *open_source(struct source *source)
{
	CLEAN(free) char *error = NULL;
	struct store *store = NULL;

	if (store_open(&store, source, STORE_PROFILE_AUTO, &error) < 0)
		printf("# cannot open: %s\n", error ? error : "?");
	return store;
}

/* A view's variables as a version; false when it holds anything that no plan wrote. */
static bool version_of_view(const struct model_view *view, struct version *ret)
{
	*ret = (struct version){0};
	for (unsigned i = 0; i < view->count; i++) {
		const struct model_value *v = &view->values[i];
		bool is_known = false;

		for (unsigned n = 0; plan_names[n]; n++) {
			struct uefi_name name = fixture_name(plan_names[n]);
			struct value *value = &ret->values[n];

			if (v->name_bytes != 2 * (name.count + 1) || v->data_bytes > VALUE_MAX ||
				memcmp(v->name, name.units, 2 * name.count) != 0 ||
				memcmp(v->vendor, &fixture_vendor, 16) != 0)
				continue;
			value->is_there = is_known = true;
			value->size = v->data_bytes;
			memcpy(value->data, v->data, v->data_bytes);
		}
		if (!is_known)
			return false;
	}
	return true;
}

static bool version_of_store(struct store *store, struct version *ret)
{
	struct nv_variable v, again;
	struct model_view view = {0};
	static uint8_t names[MODEL_VALUES_MAX][2 * UEFI_NAME_MAX + 2];
	static struct guid vendors[MODEL_VALUES_MAX];
	uint64_t cursor = 0;

	while (view.count < MODEL_VALUES_MAX && store->nv.ops->next(&store->nv, &cursor, &v) == 1) {
		memset(names[view.count], 0, sizeof(names[0]));
		memcpy(names[view.count], v.name.units, 2 * v.name.count);
		vendors[view.count] = v.vendor;
		if (store->nv.ops->find(&store->nv, &v.name, &v.vendor, &again) != 0 ||
			again.data != v.data)
			return false;
		view.values[view.count] = (struct model_value){names[view.count],
			(uint32_t)(2 * v.name.count + 2), vendors[view.count].b, v.data,
			(uint32_t)v.size};
		view.count++;
	}
	return version_of_view(&view, ret);
}

static bool is_same_version(const struct version *a, const struct version *b)
{
	for (unsigned i = 0; plan_names[i]; i++) {
		const struct value *x = &a->values[i], *y = &b->values[i];

		if (x->is_there != y->is_there || x->size != y->size ||
			memcmp(x->data, y->data, x->size) != 0)
			return false;
	}
	return true;
}

static void apply_step(struct version *version, const struct plan_step *step)
{
	struct value *value;

	if (step->kind != PLAN_PUT && step->kind != PLAN_REMOVE)
		return;
	value = &version->values[name_index(step->name)];
	*value = (struct value){.is_there = step->kind == PLAN_PUT};
	if (step->kind == PLAN_PUT) {
		value->size = step->size;
		memset(value->data, step->fill, step->size);
	}
}

/* True when the image was not looked at before. A full table only costs time. */
static bool is_new(struct prover *p, const uint8_t *image, unsigned low, unsigned high)
{
	uint64_t hash = 0xcbf29ce484222325u ^ low << 8 ^ high, word;
	uint32_t slot;

	for (uint32_t i = 0; i < p->layout->volume; i += (uint32_t)sizeof(word)) {
		memcpy(&word, image + i, sizeof(word)); /* volumes are whole words */
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	hash |= 1;
	slot = (uint32_t)(hash >> 40) & (SEEN_SIZE - 1);
	for (unsigned tries = 0; tries < 16; tries++, slot = (slot + 1) & (SEEN_SIZE - 1)) {
		if (p->seen[slot] == hash)
			return false;
		if (p->seen[slot] == 0) {
			p->seen[slot] = hash;
			return true;
		}
	}
	return true;
}

/* The version in [low, high] that firmware sees, whichever way it looks; -1 after a complaint. */
static int judge_model(struct prover *p, const uint8_t *image, unsigned low, unsigned high,
	const char *how)
{
	struct version seen[3];
	struct model m;
	int found = -1;

	model_start(&m, p->layout, image);
	if (m.damage)
		complain(p, m.damage, how);
	else if (m.is_formatted && !p->plan->is_lost)
		complain(p, "the firmware would format the store", how);
	else if (!version_of_view(&m.views[0], &seen[0]) ||
		!version_of_view(&m.views[1], &seen[1]) || !version_of_view(&m.views[2], &seen[2]))
		complain(p, "the firmware sees a variable that nobody wrote", how);
	else if (!is_same_version(&seen[1], &seen[2]) || !is_same_version(&seen[0], &seen[1]))
		complain(p, "the firmware's views differ", how);
	else {
		for (unsigned v = low; v <= high && found < 0; v++) {
			if (is_same_version(&p->versions[v], &seen[1]))
				found = (int)v;
		}
		if (found < 0)
			complain(p, "the firmware sees neither the old nor the new values", how);
	}
	model_fini(&m);
	return found;
}

static void prove_log(struct prover *p, const uint8_t *start, const struct recorder *log,
	unsigned version, bool has_marks, const char *how);

/* The store, opened for writing, sees the version and leaves an image that firmware takes. */
static void judge_recovery(struct prover *p, const uint8_t *image, unsigned version,
	const char *how)
{
	static const struct plan_step again[] = {{PLAN_PUT, "d", 'z', 3}, {0}};
	struct recorder recorder;
	struct version seen;
	struct store *store;

	recorder_init(&recorder, image, p->layout->volume);
	store = open_source(&recorder.source);
	if (!store || !version_of_store(store, &seen) ||
		!is_same_version(&seen, &p->versions[version]))
		complain(p, "the recovered store sees something else than the firmware", how);
	else if (judge_model(p, recorder.data, version, version, "recovered") >= 0 &&
		!p->is_crashing_recovery && recorder.count > 0 &&
		p->proof->images % (64 * p->proof->stride) == 0) {
		p->is_crashing_recovery = true;
		prove_log(p, image, &recorder, version, false, "recovery crashed");
		p->is_crashing_recovery = false;
	}
	if (store && !p->is_crashing_recovery) {
		struct version *got = &p->versions[VERSIONS_MAX - 1];

		seen = p->versions[version];
		apply_step(&seen, again);
		if (!plan_run(store, again, NULL) || !version_of_store(store, got) ||
			!is_same_version(&seen, got))
			complain(p, "the recovered store cannot be written", how);
	}
	store_free(store);
	recorder_fini(&recorder);
}

static void judge(struct prover *p, const uint8_t *image, unsigned low, unsigned high,
	const char *how)
{
	struct store *store;
	struct version seen;
	int version;

	if (!is_new(p, image, low, high))
		return;
	p->proof->images++;
	version = judge_model(p, image, low, high, how);
	if (version < 0)
		return;
	store = fixture_open(image, p->layout->volume, false);
	if (!store || !version_of_store(store, &seen) ||
		!is_same_version(&seen, &p->versions[version]))
		complain(p, "the store, read-only, sees something else than the firmware", how);
	store_free(store);
	judge_recovery(p, image, (unsigned)version, how);
}

/* Part of one write. */
struct piece {
	uint64_t offset;
	size_t size;
	const uint8_t *data;
};

static void apply(uint8_t *image, const struct piece *piece, size_t n)
{
	memcpy(image + piece->offset, piece->data, n);
}

static unsigned cut(const struct event *events, size_t count, struct piece *pieces)
{
	unsigned n = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t at = 0; events[i].kind == EVENT_WRITE && at < events[i].size;
			at += PIECE) {
			size_t left = events[i].size - at;

			if (n == PIECES_MAX)
				return n;
			pieces[n++] = (struct piece){events[i].offset + at,
				left < PIECE ? left : PIECE, events[i].data + at};
		}
	}
	return n;
}

static void prove_subsets(struct prover *p, const uint8_t *base, const struct piece *pieces,
	unsigned count, unsigned low, unsigned high, const char *how)
{
	uint8_t *image = malloc(p->layout->volume);
	unsigned rounds = count <= ALL_SUBSETS ? 1u << count : SAMPLES / p->proof->stride + 8;
	uint32_t random = 12345;

	if (!image)
		abort();
	for (unsigned round = 0; round < rounds; round++) {
		memcpy(image, base, p->layout->volume);
		for (unsigned i = 0; i < count; i++) {
			bool is_in = round >> (i & 31) & 1;

			if (count > ALL_SUBSETS) {
				random = random * 1664525 + 1013904223;
				is_in = random >> 24 < (round * 37 + 20) % 256;
			}
			p->bytes = round;
			if (is_in)
				apply(image, &pieces[i], pieces[i].size);
		}
		judge(p, image, low, high, how);
	}
	free(image);
}

/* The writes between two barriers. base becomes the image with all of them. */
static void prove_interval(struct prover *p, uint8_t *base, const struct event *events,
	size_t count, unsigned low, unsigned high, const char *how)
{
	struct piece *pieces = calloc(PIECES_MAX, sizeof(*pieces));
	uint8_t *before = malloc(p->layout->volume), *image = malloc(p->layout->volume);

	if (!pieces || !before || !image)
		abort();
	memcpy(before, base, p->layout->volume);
	judge(p, base, low, high, how);
	for (size_t i = 0; i < count; i++) {
		struct piece whole = {events[i].offset, events[i].size, events[i].data};
		size_t step = whole.size > 256 ? p->proof->stride : 1;

		if (events[i].kind != EVENT_WRITE)
			continue;
		for (size_t n = 1; n <= whole.size; n += n + step < whole.size ? step : 1) {
			p->write = i + 1;
			p->bytes = n;
			memcpy(image, base, p->layout->volume);
			apply(image, &whole, n);
			judge(p, image, low, high, how);
			if (n > 8 && n + 8 < whole.size && n % 64 != 0)
				continue;
			memcpy(image, before, p->layout->volume);
			apply(image, &whole, n);
			judge(p, image, low, high, how);
		}
		apply(base, &whole, whole.size);
	}
	p->write = 0;
	prove_subsets(p, before, pieces, cut(events, count, pieces), low, high, how);
	free(pieces);
	free(before);
	free(image);
}

/* Every crash of a log. With marks, version counts the operations that had returned before it. */
static void prove_log(struct prover *p, const uint8_t *start, const struct recorder *log,
	unsigned version, bool has_marks, const char *how)
{
	uint8_t *base = malloc(p->layout->volume);
	size_t from = 0;

	if (!base)
		abort();
	memcpy(base, start, p->layout->volume);
	for (size_t i = 0; i <= log->count; i++) {
		unsigned high;

		if (i < log->count && log->events[i].kind == EVENT_RETURN)
			version += has_marks;
		if (i < log->count && log->events[i].kind != EVENT_BARRIER)
			continue;
		high = has_marks && version + 1 < p->version_count ? version + 1 : version;
		p->interval++;
		prove_interval(p, base, log->events + from, i - from, version, high, how);
		from = i + 1;
	}
	free(base);
}

/* The image that a plan starts from. */
static void make_start(struct prover *p, const uint8_t *empty, struct recorder *recorder)
{
	struct store *store;

	recorder_init(recorder, empty, p->layout->volume);
	if (p->plan->setup[0].kind != PLAN_END) {
		store = open_source(&recorder->source);
		if (!store || !plan_run(store, p->plan->setup, NULL))
			complain(p, "the setup failed", "setup");
		store_free(store);
	}
	if (p->plan->prepare)
		p->plan->prepare(recorder->data);
	recorder_reset(recorder);
}

/* What firmware sees at the start, and after each step. */
static void make_versions(struct prover *p, const uint8_t *start)
{
	struct model m;

	model_start(&m, p->layout, start);
	if (!version_of_view(&m.views[1], &p->versions[0]))
		complain(p, "the start holds something unknown", "setup");
	model_fini(&m);
	p->version_count = 1;
	for (const struct plan_step *s = p->plan->steps; s->kind != PLAN_END; s++) {
		p->versions[p->version_count] = p->versions[p->version_count - 1];
		apply_step(&p->versions[p->version_count++], s);
	}
}

static struct prover *prover_new(const struct plan *plan, const struct model_layout *layout,
	struct proof *proof)
{
	struct prover *p = calloc(1, sizeof(*p));

	if (!p)
		abort();
	p->plan = plan;
	p->layout = layout;
	p->proof = proof;
	p->seen = calloc(SEEN_SIZE, sizeof(*p->seen));
	if (!p->seen)
		abort();
	return p;
}

static void prover_free(struct prover *p)
{
	free(p->seen);
	free(p);
}

void plan_prove(const struct plan *plan, const struct model_layout *layout, const uint8_t *empty,
	struct proof *proof)
{
	struct prover *p = prover_new(plan, layout, proof);
	struct recorder recorder;
	struct store *store;
	uint8_t *start = malloc(layout->volume);
	unsigned syncs;

	if (!start)
		abort();
	make_start(p, empty, &recorder);
	memcpy(start, recorder.data, layout->volume);
	make_versions(p, start);
	store = open_source(&recorder.source);
	syncs = recorder.syncs;
	if (!store || !plan_run(store, plan->steps, &recorder))
		complain(p, "the plan failed", "first run");
	if (plan->syncs > 0 && recorder.syncs - syncs != plan->syncs) {
		complain(p, "another number of barriers than is claimed", "first run");
		printf("# %u instead of %u\n", recorder.syncs - syncs, plan->syncs);
	}
	store_free(store);
	prove_log(p, start, &recorder, 0, true, "crashed");
	recorder_fini(&recorder);
	free(start);
	prover_free(p);
}

/* One run in which a call fails. True when the failure came to pass. */
static bool fail_once(struct prover *p, const uint8_t *start, unsigned fail_at, int error,
	bool is_failing_on)
{
	static const struct plan_step again[] = {{PLAN_PUT, "d", 'y', 5}, {0}};
	unsigned version = 0, high = 0;
	struct recorder recorder;
	struct version seen;
	struct store *store;
	bool was_failing;

	recorder_init(&recorder, start, p->layout->volume);
	recorder.source.is_writable = false;
	store = open_source(&recorder.source);
	recorder.error = error;
	recorder.fail_at = fail_at;
	recorder.is_failing_on = is_failing_on;
	if (store && store->nv.ops->set_writable(&store->nv, true, NULL) == 0) {
		for (const struct plan_step *s = p->plan->steps; s->kind != PLAN_END; s++) {
			struct plan_step one[2] = {*s};

			high = version + 1;
			if (!plan_run(store, one, NULL))
				break;
			version = high;
		}
	}
	was_failing = recorder.calls >= fail_at;
	recorder.fail_at = 0;
	p->proof->images++;
	if (store && !store->nv.ops->is_writable(&store->nv) &&
		store->nv.ops->set_writable(&store->nv, true, NULL) < 0)
		complain(p, "the store stays read-only", "failing");
	if (!store || !version_of_store(store, &seen) ||
		(!is_same_version(&seen, &p->versions[version]) &&
			!is_same_version(&seen, &p->versions[high])))
		complain(p, "neither old nor new values after a failure", "failing");
	else if (judge_model(p, recorder.data, is_same_version(&seen, &p->versions[version])
		? version : high, high, "failing") >= 0 && !plan_run(store, again, NULL))
		complain(p, "the store cannot be written after a failure", "failing");
	store_free(store);
	recorder_fini(&recorder);
	return was_failing;
}

void plan_fail(const struct plan *plan, const struct model_layout *layout, const uint8_t *empty,
	int error, bool is_failing_on, struct proof *proof)
{
	struct prover *p = prover_new(plan, layout, proof);
	struct recorder recorder;
	unsigned n = 1;

	make_start(p, empty, &recorder);
	make_versions(p, recorder.data);
	while (fail_once(p, recorder.data, n, error, is_failing_on))
		n++;
	recorder_fini(&recorder);
	prover_free(p);
}
