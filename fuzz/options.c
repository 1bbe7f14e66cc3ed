/* SPDX-License-Identifier: MIT */
/* options.c — fuzz target: option strings. What is accepted and printed is read the same again. */
#include <string.h>

#include "base/cleanup.h"
#include "base/option.h"
#include "target.h"

struct values {
	bool flag;
	bool statfs;
	bool is_read_only;
	uint32_t uid;
	uint32_t threads;
	uint64_t size;
	uint64_t delay;
	uint32_t view;
	char *name;
	char *list;
};

static const char *const views[] = {"all", "runtime", NULL};

static const struct option_spec specs[] = {
	{.name = "flag", .kind = OPTION_FLAG, .offset = offsetof(struct values, flag)},
	{.name = "statfs", .kind = OPTION_NEGATABLE, .offset = offsetof(struct values, statfs),
		.is_live = true},
	{.name = "ro", .kind = OPTION_RO_RW, .offset = offsetof(struct values, is_read_only),
		.is_live = true},
	{.name = "uid", .kind = OPTION_UID, .offset = offsetof(struct values, uid)},
	{.name = "threads", .kind = OPTION_U32, .offset = offsetof(struct values, threads),
		.min = 1, .max = 64},
	{.name = "size", .kind = OPTION_SIZE, .offset = offsetof(struct values, size)},
	{.name = "delay", .kind = OPTION_TIME, .offset = offsetof(struct values, delay),
		.max = 60000000000u},
	{.name = "view", .kind = OPTION_ENUM, .offset = offsetof(struct values, view),
		.choices = views},
	{.name = "name", .kind = OPTION_STRING, .offset = offsetof(struct values, name)},
	{.name = "list", .kind = OPTION_LIST, .offset = offsetof(struct values, list)},
};

static const struct option_table table = {specs, sizeof(specs) / sizeof(specs[0])};

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void describe(const struct values *v, struct buffer *out)
{
	struct values copy = *v;
	const struct option_set set = {&table, &copy};

	option_format(&set, 1, out);
	buffer_append(out, "", 1);
	require(buffer_error(out) == 0);
}

/* Reads a text twice, the second time as it was printed after the first. */
static void check(const char *text, bool is_remount)
{
	struct values first = {.threads = 1}, second = {.threads = 1};
	const struct option_set set = {&table, &first}, again = {&table, &second};
	CLEAN_BUFFER struct buffer printed = BUFFER_INIT, printed_again = BUFFER_INIT;
	CLEAN(free) char *error = NULL;
	CLEAN(free) char *other_error = NULL;

	if (option_parse(&set, 1, text, is_remount, &error) < 0) {
		require(error && !strchr(error, '\n') && !first.name && !first.list);
		return;
	}
	describe(&first, &printed);
	require(option_parse(&again, 1, (const char *)printed.data, false, &other_error) == 0);
	describe(&second, &printed_again);
	require(strcmp((const char *)printed.data, (const char *)printed_again.data) == 0);
	option_fini(&table, &first);
	option_fini(&table, &second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEAN(free) char *text = size > 0 ? strndup((const char *)data + 1, size - 1) : strdup("");

	if (!text)
		return 0;
	check(text, size > 0 && (data[0] & 1));
	return 0;
}
