/* SPDX-License-Identifier: MIT */
/* slots_test.c — ids for objects: what finds one, what no longer does, how many there may be. */
#include "base/slots.h"

#include <errno.h>

#include "base/test/tap.h"

static int objects[100];

static void test_ids(void)
{
	struct slots s = {0};
	uint64_t a = 0, b = 0, c = 0;

	ok(!slots_get(&s, 0) && !slots_get(&s, 1) && !slots_at(&s, 0),
		"an empty map finds nothing");
	is_int(slots_add(&s, &objects[0], &a), 0, "an object");
	is_int(slots_add(&s, &objects[1], &b), 0, "another");
	ok(a > UINT32_MAX && b > UINT32_MAX && a != b, "get ids that FUSE's root cannot have");
	ok(slots_get(&s, a) == &objects[0] && slots_get(&s, b) == &objects[1], "that find them");
	ok(!slots_get(&s, 0) && !slots_get(&s, 1) && !slots_get(&s, a + 2) &&
			!slots_get(&s, UINT64_MAX) && !slots_get(&s, a & UINT32_MAX),
		"invented ones find nothing");
	is_int(s.live, 2, "two are live");

	ok(slots_remove(&s, a) == &objects[0], "the first is taken out");
	ok(!slots_get(&s, a) && !slots_remove(&s, a), "its id is at an end");
	is_int(s.live, 1, "one is live");
	is_int(slots_add(&s, &objects[2], &c), 0, "a third");
	ok((uint32_t)c == (uint32_t)a && c != a, "has the place, not the id");
	ok(!slots_get(&s, a) && slots_get(&s, c) == &objects[2], "the old id finds nothing");
	slots_fini(&s);
	ok(!slots_get(&s, c), "nor does any after fini");
}

/* One slot that is used over and over: every id is new. */
static void test_generations(void)
{
	struct slots s = {0};
	uint64_t id = 0, last = 0;
	bool is_new = true;

	for (int i = 0; i < 1000; i++) {
		is_new &= slots_add(&s, &objects[0], &id) == 0 && id > last && !slots_get(&s, last);
		is_new &= slots_remove(&s, id) == &objects[0];
		last = id;
	}
	ok(is_new && s.used == 1, "a slot that is used a thousand times has a thousand ids");
	slots_fini(&s);
}

static void test_many(void)
{
	struct slots s = {.limit = 100};
	uint64_t ids[100], more = 7;
	bool all_found = true;
	unsigned walked = 0;

	for (int i = 0; i < 100; i++)
		all_found &= slots_add(&s, &objects[i], &ids[i]) == 0;
	for (int i = 0; i < 100; i++)
		all_found &= slots_get(&s, ids[i]) == &objects[i];
	ok(all_found, "a hundred are found, also after the table has grown");
	is_int(slots_add(&s, &objects[0], &more), -ENFILE, "one more is past the limit");
	is_int(more, 7, "and has no id");
	for (int i = 0; i < 100; i += 2)
		all_found &= slots_remove(&s, ids[i]) == &objects[i];
	for (uint32_t i = 0; i < s.used; i++)
		walked += slots_at(&s, i) != NULL;
	ok(all_found && walked == 50, "a walk finds those that are left");
	ok(!slots_at(&s, s.used), "and ends");
	is_int(slots_add(&s, &objects[0], &more), 0, "there is room again");
	slots_fini(&s);
}

int main(void)
{
	test_ids();
	test_generations();
	test_many();
	return tap_done();
}
