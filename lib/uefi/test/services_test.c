/* SPDX-License-Identifier: MIT */
/* services_test.c — reading a whole variable from services that behave and from some that do not;
 * the slow layer. */
#include "uefi/services.h"

#include <errno.h>

#include "base/ratelimit.h"
#include "base/test/tap.h"
#include "uefi/delay.h"

#define DELAY_NS UINT64_C(2000000)

/* Services of one variable, in which everything can be made to go wrong. */
struct fake {
	struct uefi_services services; /* first */
	size_t size;                   /* of the content */
	size_t growth;                 /* added with each question */
	size_t lie;                    /* size told on success instead; 0: none */
	enum uefi_status status;       /* of every call, unless UEFI_SUCCESS */
	unsigned calls;
	bool is_destroyed;
};

static struct fake *fake_of(struct uefi_services *s)
{
	return (struct fake *)s;
}

static enum uefi_status fake_get(struct uefi_services *s, const struct uefi_name *name,
	const struct guid *vendor, uint32_t *ret_attributes, void *data, size_t *size)
{
	struct fake *f = fake_of(s);
	size_t room = *size;

	f->calls++;
	f->size += f->growth;
	if (f->status != UEFI_SUCCESS)
		return f->status;
	*size = f->size;
	if (room < f->size)
		return UEFI_BUFFER_TOO_SMALL;
	*ret_attributes = 7;
	memset(data, 'x', f->size);
	if (f->lie)
		*size = f->lie;
	return UEFI_SUCCESS;
}

static enum uefi_status fake_next(
	struct uefi_services *s, struct uefi_name *name, struct guid *vendor)
{
	fake_of(s)->calls++;
	return UEFI_NOT_FOUND;
}

static enum uefi_status fake_set(struct uefi_services *s, const struct uefi_name *name,
	const struct guid *vendor, uint32_t attributes, const void *data, size_t size)
{
	fake_of(s)->calls++;
	return UEFI_WRITE_PROTECTED;
}

static enum uefi_status fake_query(
	struct uefi_services *s, uint32_t attributes, struct uefi_query *ret)
{
	fake_of(s)->calls++;
	*ret = (struct uefi_query){.remaining = attributes};
	return UEFI_SUCCESS;
}

static bool fake_has_changed(struct uefi_services *s)
{
	return true;
}

static int fake_set_writable(struct uefi_services *s, bool is_writable, char **ret_error)
{
	s->is_exclusive = is_writable;
	return is_writable ? 0 : -EROFS;
}

static const char *fake_reason(struct uefi_services *s)
{
	return "because";
}

static void fake_destroy(struct uefi_services *s)
{
	fake_of(s)->is_destroyed = true;
}

static const struct uefi_services_ops fake_ops = {"fake", fake_get, fake_next, fake_set, fake_query,
	fake_has_changed, fake_set_writable, fake_reason, fake_destroy};

static void test_read(void)
{
	static const struct {
		const char *what;
		struct fake fake;
		enum uefi_status status;
		unsigned calls;
		size_t size;
	} cases[] = {
		{"a small variable", {.size = 5}, UEFI_SUCCESS, 1, 5},
		{"an empty one", {.size = 0}, UEFI_SUCCESS, 1, 0},
		{"a large one", {.size = 70000}, UEFI_SUCCESS, 2, 70000},
		{"one that never stops", {.size = 70000, .growth = 1}, UEFI_BUFFER_TOO_SMALL, 4, 0},
		{"one that says it is huge", {.size = SIZE_MAX}, UEFI_BUFFER_TOO_SMALL, 1, 0},
		{"one that tells more than there was room for", {.size = 5, .lie = 1 << 20},
			UEFI_DEVICE_ERROR, 1, 0},
		{"one that asks for room that there is", {.status = UEFI_BUFFER_TOO_SMALL},
			UEFI_BUFFER_TOO_SMALL, 1, 0},
		{"one that is not there", {.status = UEFI_NOT_FOUND}, UEFI_NOT_FOUND, 1, 0},
	};
	static const struct uefi_name name = {.count = 1, .units = {'A'}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fake f = cases[i].fake;
		CLEAN(free) uint8_t *data = NULL;
		uint32_t attributes = 99;
		size_t size = 99;

		f.services.ops = &fake_ops;
		is_int(uefi_read_variable(
			       &f.services, &name, &uefi_global_guid, &attributes, &data, &size),
			cases[i].status, cases[i].what);
		is_int(f.calls, cases[i].calls, "questions");
		if (cases[i].status == UEFI_SUCCESS)
			ok(attributes == 7 && data && size == cases[i].size &&
					(size == 0 || data[size - 1] == 'x'),
				"attributes and content");
		else
			ok(attributes == 99 && !data && size == 99, "the results are untouched");
	}
}

static void test_delay(void)
{
	struct fake f = {
		.services = {.ops = &fake_ops, .supported = UEFI_HAS_QUERY_INFO}, .size = 3};
	struct uefi_services *slow = NULL;
	struct uefi_name name = {.count = 1, .units = {'A'}};
	struct guid vendor = uefi_global_guid;
	struct uefi_query query = {0};
	CLEAN(free) char *error = NULL;
	uint32_t attributes = 0;
	char data[8];
	size_t size = sizeof(data);
	uint64_t start = clock_now_ns();

	is_int(uefi_delay_new(&slow, &f.services, DELAY_NS), 0, "a slow layer");
	is_int(slow->supported, UEFI_HAS_QUERY_INFO, "supports what is below");
	is_int(slow->ops->get_variable(slow, &name, &vendor, &attributes, data, &size),
		UEFI_SUCCESS, "get is passed on");
	ok(size == 3 && attributes == 7 && data[0] == 'x', "with its answer");
	is_int(slow->ops->get_next(slow, &name, &vendor), UEFI_NOT_FOUND, "next too");
	is_int(slow->ops->set_variable(slow, &name, &vendor, 7, "x", 1), UEFI_WRITE_PROTECTED,
		"set");
	is_int(slow->ops->query_info(slow, 5, &query), UEFI_SUCCESS, "query");
	is_int(query.remaining, 5, "with its answer");
	is_int(f.calls, 4, "four questions");
	ok(clock_now_ns() - start >= 4 * DELAY_NS, "each takes its time at least");
	is_text(slow->ops->reason(slow), "because", "the reason is that from below");
	ok(slow->ops->has_changed(slow), "changes are told");
	is_int(slow->ops->set_writable(slow, false, &error), -EROFS, "remounts are passed on");
	is_int(slow->ops->set_writable(slow, true, &error), 0, "either way");
	ok(slow->is_exclusive, "and exclusiveness follows");
	uefi_services_free(slow);
	ok(f.is_destroyed, "what is below goes with it");
}

int main(void)
{
	test_read();
	test_delay();
	return tap_done();
}
