/* SPDX-License-Identifier: MIT */
/* ratelimit_test.c — never more than so many events in any window, wherever it begins. */
#include "base/ratelimit.h"

#include "base/test/tap.h"

#define WINDOW 2000u
#define BURST 5

static void test_window(void)
{
	static const struct {
		uint64_t now;
		bool is_allowed;
	} steps[] = {
		{1000, true},
		{1000, true},
		{1500, true},
		{2000, true},
		{2999, true},
		{2999, false}, /* five since 1000 */
		{2999, false},
		{3000, true}, /* the first is 2000 old */
		{3000, true}, /* the second too */
		{3000, false},
		{3499, false},
		{3500, true},
		{3500, false},
		{4000, true},
		{4998, false},
		{4999, true},
		{4999, false},
		{100000, true},
		{100000, true},
		{100000, true},
		{100000, true},
		{100000, true},
		{100000, false},
	};
	struct ratelimit r = RATELIMIT_OF(WINDOW, BURST);

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		ok(ratelimit_allow(&r, steps[i].now) == steps[i].is_allowed,
			"step %zu at %ju is %s", i, (uintmax_t)steps[i].now,
			steps[i].is_allowed ? "allowed" : "refused");
}

/* Every window of a long run is looked at, against the list of all that was allowed. */
static void test_any_window(void)
{
	static uint64_t allowed[20000];
	struct ratelimit r = RATELIMIT_OF(WINDOW, BURST);
	uint64_t now = 0, random = 12345;
	size_t n = 0;
	bool is_kept = true;

	for (int i = 0; i < 20000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		now += (random >> 33) % 600;
		if (ratelimit_allow(&r, now))
			allowed[n++] = now;
	}
	for (size_t i = BURST; i < n; i++)
		is_kept &= allowed[i] - allowed[i - BURST] >= WINDOW;
	ok(n > BURST && is_kept, "no window of %zu allowed events has more than %d", n, BURST);
}

static void test_edges(void)
{
	struct ratelimit one = RATELIMIT_OF(WINDOW, 1);
	struct ratelimit most = RATELIMIT_OF(WINDOW, RATELIMIT_BURST_MAX);
	unsigned n = 0;

	ok(ratelimit_allow(&one, 0) && !ratelimit_allow(&one, WINDOW - 1) &&
			ratelimit_allow(&one, WINDOW),
		"a burst of one");
	for (int i = 0; i < 100; i++)
		n += ratelimit_allow(&most, 5);
	is_int(n, RATELIMIT_BURST_MAX, "the largest burst");
	one = RATELIMIT_OF(WINDOW, 1);
	ok(ratelimit_allow(&one, 10) && !ratelimit_allow(&one, 9),
		"a time before the last event is refused");
	ok(clock_now_ns() <= clock_now_ns(), "the clock does not go back");
}

int main(void)
{
	test_window();
	test_any_window();
	test_edges();
	return tap_done();
}
