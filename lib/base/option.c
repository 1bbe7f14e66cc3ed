/* SPDX-License-Identifier: MIT */
/*
 * option.c — see option.h. A text is read whole into a list of assignments before any value
 * changes, so that a mistake at its end leaves everything as it was.
 */
#include "base/option.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/option_value.h"
#include "base/text.h"

#define TEXT_MAX 65536 /* bytes of one option text: mount(2) itself takes a page */

/* The value that one option is going to have. */
struct assignment {
	const struct option_spec *spec;
	void *values;
	struct option_value value;
};

struct assignments {
	struct assignment *list; /* owned; at most one for each option */
	size_t count;
};

static void assignments_fini(struct assignments *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->list[i].value.text);
	free(a->list);
}

static size_t count_options(const struct option_set *sets, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += sets[i].table->count;
	return total;
}

/* What an element's name means to a spec: nothing, on, or off. */
enum meaning { MEANS_NOTHING, MEANS_ON, MEANS_OFF };

static enum meaning name_means(const struct option_spec *spec, const char *name)
{
	if (strcmp(spec->name, name) == 0)
		return MEANS_ON;
	if (spec->kind == OPTION_NEGATABLE && strncmp(name, "no", 2) == 0 &&
		strcmp(spec->name, name + 2) == 0)
		return MEANS_OFF;
	if (spec->kind == OPTION_RO_RW && strcmp(name, "rw") == 0)
		return MEANS_OFF;
	return MEANS_NOTHING;
}

static enum meaning find_spec(const struct option_set *sets, size_t count, const char *name,
	const struct option_spec **ret_spec, void **ret_values)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < sets[i].table->count; k++) {
			const struct option_spec *spec = &sets[i].table->specs[k];
			enum meaning meaning = name_means(spec, name);

			if (meaning != MEANS_NOTHING) {
				*ret_spec = spec;
				*ret_values = sets[i].values;
				return meaning;
			}
		}
	}
	return MEANS_NOTHING;
}

static bool is_flag(enum option_kind kind)
{
	return kind == OPTION_FLAG || kind == OPTION_NEGATABLE || kind == OPTION_RO_RW;
}

static void explain_unknown(const struct option_set *sets, size_t count, const char *name,
	struct buffer *why)
{
	const char *separator = "";

	buffer_printf(why, "unknown option '%.*s'; options are ", OPTION_SHOWN_MAX, name);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < sets[i].table->count; k++) {
			buffer_string(why, separator);
			option_value_usage(&sets[i].table->specs[k], why);
			separator = ", ";
		}
	}
}

/* Undoes the escapes of a value in place: "\," and "\\"; any other backslash stands for itself. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && (text[1] == ',' || text[1] == '\\'))
			text++;
		*to++ = *text;
	}
	*to = 0;
}

/* Puts what a list has already before a value. No value has a line's end in it. */
static int join(const char *before, struct option_value *value)
{
	CLEAN_BUFFER struct buffer joined = BUFFER_INIT;
	char *text;

	buffer_printf(&joined, "%s\n%s", before, value->text);
	text = buffer_take_text(&joined);
	free(value->text);
	value->text = text;
	return text ? 0 : -ENOMEM;
}

/* Notes a value; the last one of an option wins. The list has room for each option once. */
static int assign(struct assignments *a, const struct option_spec *spec, void *values,
	struct option_value *take_value)
{
	size_t i = 0;
	int r = 0;

	while (i < a->count && a->list[i].spec != spec)
		i++;
	if (i < a->count && spec->kind == OPTION_LIST)
		r = join(a->list[i].value.text, take_value);
	if (r < 0)
		return r;
	if (i == a->count)
		a->count++;
	else
		free(a->list[i].value.text);
	a->list[i] = (struct assignment){.spec = spec, .values = values, .value = *take_value};
	*take_value = (struct option_value){0};
	return 0;
}

static int read_element(const struct option_set *sets, size_t count, char *element,
	struct assignments *a, struct buffer *why)
{
	const struct option_spec *spec = NULL;
	struct option_value value = {0};
	char *text = strchr(element, '=');
	void *values = NULL;
	enum meaning meaning;
	int r;

	if (text)
		*text++ = 0;
	meaning = find_spec(sets, count, element, &spec, &values);
	if (meaning == MEANS_NOTHING) {
		explain_unknown(sets, count, element, why);
		return -EINVAL;
	}
	if (is_flag(spec->kind)) {
		if (text) {
			buffer_printf(why, "option '%s' takes no value", element);
			return -EINVAL;
		}
		value.flag = meaning == MEANS_ON;
	} else {
		if (text)
			unescape(text);
		r = option_value_read(spec, text, &value, why);
		if (r < 0)
			return r;
	}
	return assign(a, spec, values, &value);
}

static int check_remount(const struct assignments *a, struct buffer *why)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct option_spec *spec = a->list[i].spec;

		if (spec->is_live ||
			option_value_is_current(spec, &a->list[i].value, a->list[i].values))
			continue;
		buffer_printf(why, "option '%s' cannot be changed by a remount (in force: ",
			spec->name);
		option_value_format(spec, a->list[i].values, why);
		buffer_string(why, ")");
		return -EINVAL;
	}
	return 0;
}

/* Errors are one line, and so is what the mount table shows: neither could quote such a text. */
static bool has_control_character(const char *text)
{
	for (; *text; text++) {
		if (iscntrl((unsigned char)*text))
			return true;
	}
	return false;
}

static int read_elements(const struct option_set *sets, size_t count, const char *text,
	struct assignments *a, struct buffer *why)
{
	if (strlen(text) > TEXT_MAX) {
		buffer_printf(why, "the options are longer than %d bytes", TEXT_MAX);
		return -EINVAL;
	}
	if (has_control_character(text)) {
		buffer_string(why, "the options have a control character in them");
		return -EINVAL;
	}
	for (;;) {
		CLEAN(free) char *element = NULL;
		int r = option_next(&text, &element);

		if (r <= 0)
			return r;
		r = read_element(sets, count, element, a, why);
		if (r < 0)
			return r;
	}
}

int option_parse(const struct option_set *sets, size_t count, const char *text, bool is_remount,
	char **ret_error)
{
	CLEAN_BUFFER struct buffer why = BUFFER_INIT;
	struct assignments a = {.list = calloc(count_options(sets, count) + 1, sizeof(*a.list))};
	char *error;
	int r;

	if (!a.list)
		return -ENOMEM;
	r = read_elements(sets, count, text, &a, &why);
	if (r == 0 && is_remount)
		r = check_remount(&a, &why);
	for (size_t i = 0; r == 0 && i < a.count; i++)
		option_value_store(a.list[i].spec, &a.list[i].value, a.list[i].values);
	assignments_fini(&a);
	if (r != -EINVAL)
		return r;
	error = buffer_take_text(&why);
	if (!error)
		return -ENOMEM;
	text_make_line(error, strlen(error));
	*ret_error = error;
	return -EINVAL;
}

void option_format(const struct option_set *sets, size_t count, struct buffer *out)
{
	bool is_first = true;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < sets[i].table->count; k++) {
			CLEAN_BUFFER struct buffer one = BUFFER_INIT;

			option_value_format(&sets[i].table->specs[k], sets[i].values, &one);
			if (buffer_error(&one))
				out->error = buffer_error(&one);
			if (one.size == 0)
				continue;
			buffer_printf(out, "%s%s", is_first ? "" : ",", buffer_text(&one));
			is_first = false;
		}
	}
}

void option_format_changed(const struct option_table *table, const void *values,
	const void *defaults, struct buffer *out)
{
	bool is_first = true;

	for (size_t i = 0; i < table->count; i++) {
		CLEAN_BUFFER struct buffer one = BUFFER_INIT;
		CLEAN_BUFFER struct buffer other = BUFFER_INIT;

		option_value_format(&table->specs[i], values, &one);
		option_value_format(&table->specs[i], defaults, &other);
		if (buffer_error(&one) || buffer_error(&other))
			out->error = -ENOMEM;
		if (one.size == 0 || strcmp(buffer_text(&one), buffer_text(&other)) == 0)
			continue;
		buffer_printf(out, "%s%s", is_first ? "" : ",", buffer_text(&one));
		is_first = false;
	}
}

#define HELP_COLUMN 24 /* where the help begins; longer options get a line of their own */

void option_help(const struct option_table *table, struct buffer *out)
{
	for (size_t i = 0; i < table->count; i++) {
		CLEAN_BUFFER struct buffer usage = BUFFER_INIT;

		option_value_usage(&table->specs[i], &usage);
		buffer_printf(out, "  %s", buffer_text(&usage));
		if (usage.size + 4 > HELP_COLUMN) {
			buffer_u8(out, '\n');
			buffer_fill(out, ' ', HELP_COLUMN);
		} else {
			buffer_fill(out, ' ', HELP_COLUMN - usage.size - 2);
		}
		buffer_printf(out, "%s\n", table->specs[i].help);
	}
}

static char **string_at(const struct option_spec *spec, void *values)
{
	return spec->kind == OPTION_STRING || spec->kind == OPTION_LIST ?
		(void *)((uint8_t *)values + spec->offset) : NULL;
}

int option_copy(const struct option_table *table, const void *values, size_t size, void *ret)
{
	memcpy(ret, values, size);
	for (size_t i = 0; i < table->count; i++) {
		char **text = string_at(&table->specs[i], ret);

		if (!text || !*text)
			continue;
		*text = strdup(*text);
		if (*text)
			continue;
		/* What follows is still the original's. */
		for (size_t k = i + 1; k < table->count; k++) {
			char **borrowed = string_at(&table->specs[k], ret);

			if (borrowed)
				*borrowed = NULL;
		}
		option_fini(table, ret);
		return -ENOMEM;
	}
	return 0;
}

void option_fini(const struct option_table *table, void *values)
{
	for (size_t i = 0; i < table->count; i++) {
		char **text = string_at(&table->specs[i], values);

		if (text) {
			free(*text);
			*text = NULL;
		}
	}
}

int option_next(const char **text, char **ret)
{
	const char *start = *text;
	const char *end;
	char *element;

	while (*start == ',')
		start++;
	if (!*start) {
		*text = start;
		return 0;
	}
	for (end = start; *end && *end != ','; end++) {
		if (*end == '\\' && end[1])
			end++;
	}
	element = strndup(start, (size_t)(end - start));
	if (!element)
		return -ENOMEM;
	*ret = element;
	*text = *end ? end + 1 : end;
	return 1;
}
