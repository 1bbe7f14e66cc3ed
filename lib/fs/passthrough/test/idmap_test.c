/* SPDX-License-Identifier: MIT */
/* idmap_test.c — maps of users' and groups' ids: what they say, and texts that are none. */
#include "fs/passthrough/idmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/test/tap.h"

#define FORBIDDEN UINT32_MAX

/* host: of the client's id; client: of the host's id */
static const struct {
	const char *map;
	uint32_t id, host, client;
} cases[] = {
	{"guest:1000:2000:10", 999, 999, 999},
	{"guest:1000:2000:10", 1000, 2000, 1000},
	{"guest:1000:2000:10", 1009, 2009, 1009},
	{"guest:1000:2000:10", 1010, 1010, 1010},
	{"guest:1000:2000:10", 2000, 2000, 2000},
	{"host:2000:1000:10", 2009, 2009, 1009},
	{"host:2000:1000:10", 1000, 1000, 1000},
	{"map:1000:2000:10", 1005, 2005, 1005},
	{"map:1000:2000:10", 2005, 2005, 1005},
	{"squash-guest:0:1001:4294967295", 0, 1001, 0},
	{"squash-guest:0:1001:4294967295", 4294967294, 1001, 4294967294},
	{"squash-host:0:65534:1000", 999, 999, 65534},
	{"squash-host:0:65534:1000", 1000, 1000, 1000},
	{"forbid-guest:0:1", 0, FORBIDDEN, 0},
	{"forbid-guest:0:1", 1, 1, 1},
	{"squash-guest:0:100:4294967295\nhost:100:1000:1", 7, 100, 7},
	{"squash-guest:0:100:4294967295\nhost:100:1000:1", 100, 100, 1000},
	{"map:0:1000:1\nforbid-guest:1:10\nguest:11:4294967294:1", 5, FORBIDDEN, 5},
	{"map:0:1000:1\nforbid-guest:1:10\nguest:11:4294967294:1", 11, 4294967294, 11},
	{"map:0:1000:1\nforbid-guest:1:10\nguest:11:4294967294:1", 1000, 1000, 0},
};

static const struct {
	const char *map;
	const char *error;
} refused[] = {
	{"", "translate-uid: '': '' is no type: there are guest, host, squash-guest, squash-host, "
		"forbid-guest, map"},
	{"1000:2000:10", "translate-uid: '1000:2000:10': '1000' is no type"},
	{"Guest:1:1:1", "translate-uid: 'Guest:1:1:1': 'Guest' is no type"},
	{"guest", "translate-uid: 'guest': the first id is missing"},
	{"guest:", "translate-uid: 'guest:': the first id is missing"},
	{"guest:1:2", "translate-uid: 'guest:1:2': the count is missing"},
	{"guest:1::3", "translate-uid: 'guest:1::3': the other side's id is missing"},
	{"guest:1:2:0", "translate-uid: 'guest:1:2:0': the count is 0"},
	{"guest:1:2:3:4", "translate-uid: 'guest:1:2:3:4': nothing may follow the count"},
	{"forbid-guest:1:2:3", "translate-uid: 'forbid-guest:1:2:3': nothing may follow"},
	{"guest:-1:2:3", "translate-uid: 'guest:-1:2:3': the first id '-1' is no number from 0 to "
		"4294967295"},
	{"guest: 1:2:3", "translate-uid: 'guest: 1:2:3': the first id ' 1' is no number"},
	{"guest:0x1:2:3", "translate-uid: 'guest:0x1:2:3': the first id '0x1' is no number"},
	{"guest:4294967296:2:3", "translate-uid: 'guest:4294967296:2:3': the first id"},
	{"guest:4294967295:2:1", "translate-uid: 'guest:4294967295:2:1': the last id would be more "
		"than 4294967294"},
	{"guest:1:0:4294967295", "translate-uid: 'guest:1:0:4294967295': the last id would be"},
	{"guest:0:4294967295:1", "translate-uid: 'guest:0:4294967295:1': the last id would be"},
	{"squash-guest:0:4294967295:1", "translate-uid: 'squash-guest:0:4294967295:1': the last id"},
	{"guest:1:2:3\nguest:3:9:1", "translate-uid: 'guest:3:9:1': an id from 3 to 3 has a "
		"translation already"},
	{"guest:3:9:1\nsquash-guest:1:2:3", "translate-uid: 'squash-guest:1:2:3': an id from 1"},
	{"map:1:2:3\nhost:4:9:1", "translate-uid: 'host:4:9:1': an id from 4 to 4 has a"},
	{"guest:1:2:3\n", "translate-uid: '': '' is no type"},
	{"guest:11111111111111111111111111111111:2:3", "translate-uid: 'guest:111111111111111111111"
		"11111111111:2:3': a word in it is longer than 31 bytes"},
};

static void test_cases(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEAN(free) char *error = NULL;
		struct idmap *map = NULL;
		uint32_t host = 0;
		int r;

		if (idmap_parse(&map, "translate-uid", cases[i].map, &error) < 0) {
			ok(false, "case %zu is read: %s", i, error ? error : "no memory");
			continue;
		}
		r = idmap_to_host(map, cases[i].id, &host);
		ok(cases[i].host == FORBIDDEN ? r == -EPERM : r == 0 && host == cases[i].host,
			"case %zu: the host's id of %u", i, cases[i].id);
		ok(idmap_to_client(map, cases[i].id) == cases[i].client,
			"case %zu: the client's id of %u", i, cases[i].id);
		idmap_free(map);
	}
}

static void test_refused(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		CLEAN(free) char *error = NULL;
		struct idmap *map = NULL;
		int r = idmap_parse(&map, "translate-uid", refused[i].map, &error);

		ok(r == -EINVAL && !map && error && !strchr(error, '\n') &&
			strncmp(error, refused[i].error, strlen(refused[i].error)) == 0,
			"no map: %s", refused[i].error);
		if (error && strncmp(error, refused[i].error, strlen(refused[i].error)) != 0)
			printf("# got %s\n", error);
	}
}

static void test_limit(void)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;
	CLEAN(free) char *error = NULL;
	struct idmap *map = NULL;

	for (unsigned i = 0; i < IDMAP_RANGES_MAX; i++)
		buffer_printf(&text, "%sguest:%u:%u:1", i > 0 ? "\n" : "", i * 2, i);
	is_int(idmap_parse(&map, "x", buffer_text(&text), &error), 0, "as many as there may be");
	idmap_free(map);
	buffer_string(&text, "\nguest:1:1:1");
	is_int(idmap_parse(&map, "x", buffer_text(&text), &error), -EINVAL, "one more");
	ok(error && strcmp(error, "x: 'guest:1:1:1': there are more than 340") == 0, "is said");
}

static void test_no_map(void)
{
	uint32_t id = 0;

	is_int(idmap_to_host(NULL, 5, &id), 0, "without a map");
	is_int(id, 5, "an id is the same on the host");
	is_int(idmap_to_client(NULL, 5), 5, "and for the client");
}

int main(void)
{
	test_cases();
	test_refused();
	test_limit();
	test_no_map();
	return tap_done();
}
