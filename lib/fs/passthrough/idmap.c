/* SPDX-License-Identifier: MIT */
/* idmap.c — see idmap.h. */
#include "fs/passthrough/idmap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/reader.h"
#include "base/text.h"

#define WORD_SIZE 32u /* of a type or a number, with its NUL */
#define SHOWN_MAX 80  /* bytes of a translation that a message repeats */

enum action { MOVE, SQUASH, FORBID };

struct range {
	uint32_t first;
	uint32_t count; /* never 0; first + count - 1 is an id, which UINT32_MAX is not */
	uint32_t to;
	enum action action;
};

struct direction {
	size_t count;
	struct range ranges[IDMAP_RANGES_MAX];
};

struct idmap {
	struct direction to_host;
	struct direction to_client;
};

enum { TO_HOST = 1, TO_CLIENT = 2 };

static const struct type {
	const char *name;
	enum action action;
	unsigned directions;
} types[] = {
	{"guest", MOVE, TO_HOST},
	{"host", MOVE, TO_CLIENT},
	{"squash-guest", SQUASH, TO_HOST},
	{"squash-host", SQUASH, TO_CLIENT},
	{"forbid-guest", FORBID, TO_HOST},
	{"map", MOVE, TO_HOST | TO_CLIENT},
};

/* ---- reading ---- */

struct parser {
	const char *option;
	const char *line; /* the translation that is read, for messages */
	size_t length;
	struct reader input;
	struct buffer *why;
};

static int complain(struct parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static int complain(struct parser *p, const char *format, ...)
{
	int shown = p->length < SHOWN_MAX ? (int)p->length : SHOWN_MAX;
	va_list args;

	buffer_printf(p->why, "%s: '%.*s': ", p->option, shown, p->line);
	va_start(args, format);
	buffer_vprintf(p->why, format, args);
	va_end(args);
	return -EINVAL;
}

/* The word up to the next ':', which is taken too, or to the end. */
static int take_word(struct parser *p, char ret[static WORD_SIZE])
{
	size_t length = 0;

	while (reader_remaining(&p->input) > 0) {
		uint8_t byte = reader_u8(&p->input);

		if (byte == ':')
			break;
		if (length == WORD_SIZE - 1)
			return complain(p, "a word in it is longer than %u bytes", WORD_SIZE - 1);
		ret[length++] = (char)byte;
	}
	ret[length] = '\0';
	return 0;
}

static int take_number(struct parser *p, const char *what, uint32_t *ret)
{
	char word[WORD_SIZE];
	uint32_t number = 0;
	int r;

	if (reader_remaining(&p->input) == 0)
		return complain(p, "the %s is missing", what);
	r = take_word(p, word);
	if (r < 0)
		return r;
	for (const char *digit = word; *digit; digit++) {
		if (*digit < '0' || *digit > '9' || __builtin_mul_overflow(number, 10u, &number) ||
			__builtin_add_overflow(number, (uint32_t)(*digit - '0'), &number))
			return complain(p, "the %s '%s' is no number from 0 to %u", what, word,
				UINT32_MAX);
	}
	if (!*word)
		return complain(p, "the %s is missing", what);
	*ret = number;
	return 0;
}

static bool overlaps(const struct range *a, const struct range *b)
{
	return a->first <= b->first ? b->first - a->first < a->count :
		a->first - b->first < b->count;
}

static int add(struct parser *p, struct direction *direction, const struct range *range)
{
	for (size_t i = 0; i < direction->count; i++) {
		if (overlaps(&direction->ranges[i], range))
			return complain(p, "an id from %u to %u has a translation already",
				range->first, range->first + range->count - 1);
	}
	if (direction->count == IDMAP_RANGES_MAX)
		return complain(p, "there are more than %u", IDMAP_RANGES_MAX);
	direction->ranges[direction->count++] = *range;
	return 0;
}

static const struct type *find_type(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	}
	return NULL;
}

/* NULL: it has been complained about. */
static const struct type *read_type(struct parser *p)
{
	const struct type *type;
	char word[WORD_SIZE];

	if (take_word(p, word) < 0)
		return NULL;
	type = find_type(word);
	if (type)
		return type;
	(void)complain(p, "'%s' is no type: there are", word); /* the caller returns its error */
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		buffer_printf(p->why, "%s %s", i > 0 ? "," : "", types[i].name);
	return NULL;
}

/* The numbers behind the type. */
static int read_range(struct parser *p, const struct type *type, struct range *ret)
{
	struct range range = {.action = type->action};
	int r;

	r = take_number(p, "first id", &range.first);
	if (r == 0 && type->action != FORBID)
		r = take_number(p, "other side's id", &range.to);
	if (r == 0)
		r = take_number(p, "count", &range.count);
	if (r < 0)
		return r;
	if (reader_remaining(&p->input) > 0)
		return complain(p, "nothing may follow the count");
	if (range.count == 0)
		return complain(p, "the count is 0");
	if (range.count > UINT32_MAX - range.first || range.to == UINT32_MAX ||
		(type->action == MOVE && range.count > UINT32_MAX - range.to))
		return complain(p, "the last id would be more than %u", UINT32_MAX - 1);
	*ret = range;
	return 0;
}

static int read_translation(struct parser *p, struct idmap *map)
{
	const struct type *type = read_type(p);
	struct range range = {0}, back;
	int r;

	if (!type)
		return -EINVAL;
	r = read_range(p, type, &range);
	if (r == 0 && type->directions & TO_HOST)
		r = add(p, &map->to_host, &range);
	if (r < 0 || !(type->directions & TO_CLIENT))
		return r;
	back = range;
	if (type->directions & TO_HOST) {
		back.first = range.to;
		back.to = range.first;
	}
	return add(p, &map->to_client, &back);
}

int idmap_parse(struct idmap **ret, const char *option, const char *text, char **ret_error)
{
	CLEAN_BUFFER struct buffer why = BUFFER_INIT;
	struct parser parser = {.option = option, .line = text, .why = &why};
	struct idmap *map = calloc(1, sizeof(*map));
	char *error;
	int r = map ? 0 : -ENOMEM;

	for (bool is_last = false; r == 0 && !is_last; parser.line += parser.length + 1) {
		parser.length = strcspn(parser.line, "\n");
		parser.input = reader_of(parser.line, parser.length);
		is_last = parser.line[parser.length] == '\0';
		r = read_translation(&parser, map);
	}
	if (r == 0) {
		*ret = map;
		return 0;
	}
	free(map);
	error = r == -EINVAL ? buffer_take_text(&why) : NULL;
	if (!error)
		return -ENOMEM;
	text_make_line(error, strlen(error));
	*ret_error = error;
	return r;
}

struct idmap *idmap_free(struct idmap *map)
{
	free(map);
	return NULL;
}

/* ---- using ---- */

static int translate(const struct direction *direction, uint32_t id, uint32_t *ret)
{
	for (size_t i = 0; i < direction->count; i++) {
		const struct range *range = &direction->ranges[i];

		if (id < range->first || id - range->first >= range->count)
			continue;
		if (range->action == FORBID)
			return -EPERM;
		*ret = range->action == SQUASH ? range->to : range->to + (id - range->first);
		return 0;
	}
	*ret = id;
	return 0;
}

int idmap_to_host(const struct idmap *map, uint32_t id, uint32_t *ret)
{
	if (map)
		return translate(&map->to_host, id, ret);
	*ret = id;
	return 0;
}

uint32_t idmap_to_client(const struct idmap *map, uint32_t id)
{
	if (map)
		(void)translate(&map->to_client, id, &id); /* none of the host's is forbidden */
	return id;
}
