/* SPDX-License-Identifier: MIT */
/*
 * xattrmap.c — see xattrmap.h.
 *
 * A text is read into a list of rules before anything uses them; the short form becomes the rules
 * that it stands for, so that matching knows of none.
 */
#include "fs/passthrough/xattrmap.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/reader.h"
#include "base/text.h"

#define EXPANDED_MAX 3u /* rules that the short form stands for */
#define WORD_SHOWN_MAX 32

enum verdict { PREFIX, PASS, BAD, UNSUPPORTED };

enum { OF_CLIENT = 1, OF_SERVER = 2, OF_ALL = OF_CLIENT | OF_SERVER };

struct rule {
	enum verdict verdict;
	unsigned scope;
	struct xattr_name key;
	struct xattr_name prepend;
};

struct xattrmap {
	size_t count;
	struct rule rules[XATTRMAP_RULES_MAX + EXPANDED_MAX];
};

static const struct word {
	const char *text;
	unsigned value;
} types[] =
	{
		{"prefix", PREFIX},
		{"ok", PASS},
		{"bad", BAD},
		{"unsupported", UNSUPPORTED},
},
  scopes[] = {
	  {"client", OF_CLIENT},
	  {"server", OF_SERVER},
	  {"all", OF_ALL},
};

/* ---- reading ---- */

struct parser {
	struct reader input;
	size_t length;
	size_t number; /* of the rule, from 1 */
	uint8_t separator;
	struct buffer *why;
};

/* The next character's place, from 1. */
static size_t place(const struct parser *p)
{
	return p->length - reader_remaining(&p->input) + 1;
}

static int complain(struct parser *p, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static int complain(struct parser *p, size_t at, const char *format, ...)
{
	va_list args;

	buffer_printf(p->why, "xattrmap: rule %zu, character %zu: ", p->number, at);
	va_start(args, format);
	buffer_vprintf(p->why, format, args);
	va_end(args);
	return -EINVAL;
}

/* The bytes up to the next separator, which is taken too. */
static int take_field(struct parser *p, const char *what, struct xattr_name *ret)
{
	struct xattr_name field = {0};
	size_t at = place(p);
	size_t length = 0;

	for (;;) {
		uint8_t byte = reader_u8(&p->input);

		if (p->input.failed)
			return complain(p, at, "the %s has no '%c' behind it", what, p->separator);
		if (byte == p->separator)
			break;
		if (length == XATTR_NAME_MAX)
			return complain(
				p, at, "the %s is longer than %d bytes", what, XATTR_NAME_MAX);
		field.text[length++] = (char)byte;
	}
	*ret = field;
	return 0;
}

static int unknown_word(struct parser *p, size_t at, const char *what, const char *got,
	const struct word *words, size_t count, const char *more)
{
	int r = complain(p, at, "'%.*s' is no %s: there are", WORD_SHOWN_MAX, got, what);

	for (size_t i = 0; i < count; i++)
		buffer_printf(p->why, "%s %s", i > 0 ? "," : "", words[i].text);
	buffer_string(p->why, more);
	return r;
}

static const struct word *find_word(const char *text, const struct word *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(words[i].text, text) == 0)
			return &words[i];
	}
	return NULL;
}

/* White space before a rule. */
static void skip_space(struct parser *p)
{
	while (reader_remaining(&p->input) > 0 && isspace(*p->input.p))
		(void)reader_u8(&p->input);
}

/* What is behind the type: the scope, the key, the text before it. */
static int read_long_form(struct parser *p, enum verdict verdict, struct xattrmap *map)
{
	struct rule *rule = &map->rules[map->count];
	size_t at = place(p);
	struct xattr_name scope;
	const struct word *word;
	int r;

	r = take_field(p, "scope", &scope);
	if (r < 0)
		return r;
	word = find_word(scope.text, scopes, ARRAY_SIZE(scopes));
	if (!word)
		return unknown_word(p, at, "scope", scope.text, scopes, ARRAY_SIZE(scopes), "");
	rule->verdict = verdict;
	rule->scope = word->value;
	r = take_field(p, "key", &rule->key);
	if (r == 0)
		r = take_field(p, "prefix", &rule->prepend);
	if (r == 0)
		map->count++;
	return r;
}

static int read_short_form(struct parser *p, struct xattrmap *map)
{
	struct rule *rules = &map->rules[map->count];
	int r;

	rules[0] = (struct rule){.verdict = PREFIX, .scope = OF_ALL};
	r = take_field(p, "key", &rules[0].key);
	if (r == 0)
		r = take_field(p, "prefix", &rules[0].prepend);
	if (r < 0)
		return r;
	skip_space(p);
	if (reader_remaining(&p->input) > 0) {
		p->number++;
		return complain(p, place(p), "nothing may follow a rule of type map");
	}
	/* the client's view of the host's names, and the host's own names of that kind */
	rules[1] = (struct rule){.verdict = BAD, .scope = OF_ALL, .prepend = rules[0].key};
	map->count += 2;
	if (*rules[0].key.text) {
		rules[1].key = rules[0].prepend;
		rules[2] = (struct rule){.verdict = PASS, .scope = OF_ALL};
		map->count++;
	}
	return 0;
}

static int read_rule(struct parser *p, struct xattrmap *map)
{
	const struct word *word;
	struct xattr_name type;
	size_t at = place(p);
	int r;

	p->number++;
	if (map->count == XATTRMAP_RULES_MAX)
		return complain(p, at, "there are more than %u rules", XATTRMAP_RULES_MAX);
	p->separator = reader_u8(&p->input);
	at = place(p);
	r = take_field(p, "type", &type);
	if (r < 0)
		return r;
	if (strcmp(type.text, "map") == 0)
		return read_short_form(p, map);
	word = find_word(type.text, types, ARRAY_SIZE(types));
	if (!word)
		return unknown_word(p, at, "type", type.text, types, ARRAY_SIZE(types), ", map");
	return read_long_form(p, (enum verdict)word->value, map);
}

static int read_rules(struct parser *p, struct xattrmap *map)
{
	int r = 0;

	for (skip_space(p); r == 0 && reader_remaining(&p->input) > 0; skip_space(p))
		r = read_rule(p, map);
	if (r == 0 && map->count == 0) {
		buffer_string(p->why, "xattrmap: there is no rule in it");
		return -EINVAL;
	}
	return r;
}

int xattrmap_parse(struct xattrmap **ret, const char *text, char **ret_error)
{
	CLEAN_BUFFER struct buffer why = BUFFER_INIT;
	size_t length = strlen(text);
	struct parser parser = {
		.input = reader_of(text, length),
		.length = length,
		.why = &why,
	};
	struct xattrmap *map = calloc(1, sizeof(*map));
	char *error;
	int r;

	if (!map)
		return -ENOMEM;
	r = read_rules(&parser, map);
	if (r == 0) {
		*ret = map;
		return 0;
	}
	free(map);
	error = buffer_take_text(&why);
	if (!error)
		return -ENOMEM;
	text_make_line(error, strlen(error));
	*ret_error = error;
	return r;
}

struct xattrmap *xattrmap_free(struct xattrmap *map)
{
	free(map);
	return NULL;
}

/* ---- using ---- */

static bool begins_with(const char *name, const struct xattr_name *beginning)
{
	return strncmp(name, beginning->text, strlen(beginning->text)) == 0;
}

int xattrmap_to_host(const struct xattrmap *map, const char *name, struct xattr_name *ret)
{
	const struct rule *rule = map->rules, *end = map->rules + map->count;
	const char *before;
	size_t room;

	while (rule < end && !(rule->scope & OF_CLIENT && begins_with(name, &rule->key)))
		rule++;
	if (rule == end || rule->verdict == BAD)
		return -EPERM;
	if (rule->verdict == UNSUPPORTED)
		return -EOPNOTSUPP;
	before = rule->verdict == PREFIX ? rule->prepend.text : "";
	room = XATTR_NAME_MAX - strlen(before);
	if (strlen(name) > room)
		return -ERANGE;
	(void)stpcpy(stpcpy(ret->text, before), name);
	return 0;
}

const char *xattrmap_to_client(const struct xattrmap *map, const char *name)
{
	const struct rule *rule = map->rules, *end = map->rules + map->count;

	while (rule < end && !(rule->scope & OF_SERVER && begins_with(name, &rule->prepend)))
		rule++;
	if (rule == end || rule->verdict == BAD || rule->verdict == UNSUPPORTED)
		return NULL;
	if (rule->verdict == PREFIX)
		name += strlen(rule->prepend.text);
	return *name ? name : NULL; /* a name that is the prefix alone leaves none */
}

bool xattrmap_keeps(const struct xattrmap *map, const char *name)
{
	struct xattr_name host;
	const char *client = xattrmap_to_client(map, name);

	return xattrmap_to_host(map, name, &host) == 0 && strcmp(host.text, name) == 0 && client &&
	       strcmp(client, name) == 0;
}
