/* SPDX-License-Identifier: MIT */
/* option_value.c — see option_value.h. */
#include "base/option_value.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LOOKUP_MAX (1u << 20) /* bytes for one entry of the user or group database */

struct unit {
	const char *suffix;
	uint64_t factor;
};

/* From the largest: printing takes the first that divides, and one of 1 always does. The empty
 * suffix ends a list. */
static const struct unit size_units[] = {
	{"G", 1u << 30}, {"M", 1u << 20}, {"K", 1u << 10}, {"", 1}};
static const struct unit time_units[] = {
	{"s", 1000000000u}, {"ms", 1000000u}, {"us", 1000u}, {"ns", 1}, {"", 1000000000u}};

/* Decimal digits at *text, which moves behind them. False for none, or too many for the type. */
static bool read_digits(const char **text, uint64_t *ret)
{
	const char *p = *text;
	uint64_t v = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(v, 10u, &v) ||
			__builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	}
	if (p == *text)
		return false;
	*text = p;
	*ret = v;
	return true;
}

/* Digits and nothing behind them. */
static bool read_number(const char *text, uint64_t *ret)
{
	uint64_t v;

	if (!read_digits(&text, &v) || *text)
		return false;
	*ret = v;
	return true;
}

static bool read_with_unit(const char *text, const struct unit *units, uint64_t *ret)
{
	uint64_t v;

	if (!read_digits(&text, &v))
		return false;
	for (const struct unit *unit = units;; unit++) {
		if (strcasecmp(text, unit->suffix) == 0)
			return !__builtin_mul_overflow(v, unit->factor, ret);
		if (!*unit->suffix)
			return false;
	}
}

static void format_with_unit(uint64_t v, const struct unit *units, struct buffer *out)
{
	if (v == 0) {
		buffer_u8(out, '0');
		return;
	}
	while (v % units->factor != 0)
		units++;
	buffer_printf(out, "%" PRIu64 "%s", v / units->factor, units->suffix);
}

/* 0, -ENOENT, -ENOMEM, or the database's own error. */
static int find_id(enum option_kind kind, const char *name, uint32_t *ret)
{
	struct passwd user, *found_user = NULL;
	struct group group, *found_group = NULL;

	for (size_t room = 4096; room <= LOOKUP_MAX; room *= 4) {
		CLEAN(free) char *memory = malloc(room);
		int r;

		if (!memory)
			return -ENOMEM;
		if (kind == OPTION_UID)
			r = getpwnam_r(name, &user, memory, room, &found_user);
		else
			r = getgrnam_r(name, &group, memory, room, &found_group);
		if (r == ERANGE)
			continue;
		if (!found_user && !found_group)
			return r > 0 && r != ESRCH ? -r : -ENOENT;
		*ret = found_user ? user.pw_uid : group.gr_gid;
		return 0;
	}
	return -ENOENT;
}

static int read_id(const struct option_spec *spec, const char *text, uint32_t *ret,
	struct buffer *why)
{
	const char *what = spec->kind == OPTION_UID ? "user" : "group";
	uint64_t number;
	int r;

	if (read_number(text, &number)) {
		if (number >= UINT32_MAX) { /* (uid_t)-1 means "none" */
			buffer_printf(why, "option '%s': %.*s is no %s id (0 to %" PRIu32 ")",
				spec->name, OPTION_SHOWN_MAX, text, what, UINT32_MAX - 1);
			return -EINVAL;
		}
		*ret = (uint32_t)number;
		return 0;
	}
	r = *text ? find_id(spec->kind, text, ret) : -ENOENT;
	if (r < 0 && r != -ENOMEM) {
		buffer_printf(why, "option '%s': there is no %s '%.*s'", spec->name, what,
			OPTION_SHOWN_MAX, text);
		return -EINVAL;
	}
	return r;
}

static int read_choice(const struct option_spec *spec, const char *text, uint32_t *ret,
	struct buffer *why)
{
	for (uint32_t i = 0; spec->choices[i]; i++) {
		if (strcmp(spec->choices[i], text) == 0) {
			*ret = i;
			return 0;
		}
	}
	buffer_printf(why, "option '%s': '%.*s' is not one of", spec->name, OPTION_SHOWN_MAX, text);
	for (uint32_t i = 0; spec->choices[i]; i++)
		buffer_printf(why, "%s %s", i > 0 ? "," : "", spec->choices[i]);
	return -EINVAL;
}

static bool is_in_range(const struct option_spec *spec, uint64_t v)
{
	return v >= spec->min && (spec->max == 0 || v <= spec->max) &&
		(spec->kind != OPTION_U32 || v <= UINT32_MAX);
}

static const char *kind_help(enum option_kind kind)
{
	if (kind == OPTION_SIZE)
		return "a size in bytes, or with K, M or G";
	if (kind == OPTION_TIME)
		return "a time in seconds, or with ns, us, ms or s";
	return "a number";
}

static void format_number(const struct option_spec *spec, uint64_t v, struct buffer *out)
{
	if (spec->kind == OPTION_U32)
		buffer_printf(out, "%" PRIu64, v);
	else
		format_with_unit(v, spec->kind == OPTION_SIZE ? size_units : time_units, out);
}

static int read_quantity(const struct option_spec *spec, const char *text, uint64_t *ret,
	struct buffer *why)
{
	bool is_number = spec->kind == OPTION_U32 ? read_number(text, ret) :
		read_with_unit(text, spec->kind == OPTION_SIZE ? size_units : time_units, ret);

	if (is_number && is_in_range(spec, *ret))
		return 0;
	buffer_printf(why, "option '%s': '%.*s' is not %s", spec->name, OPTION_SHOWN_MAX, text,
		kind_help(spec->kind));
	if (spec->max) {
		buffer_string(why, " from ");
		format_number(spec, spec->min, why);
		buffer_string(why, " to ");
		format_number(spec, spec->max, why);
	} else if (spec->min) {
		buffer_string(why, " of at least ");
		format_number(spec, spec->min, why);
	}
	return -EINVAL;
}

int option_value_read(const struct option_spec *spec, const char *text, struct option_value *ret,
	struct buffer *why)
{
	struct option_value value = {0};
	int r = 0;

	if (!text) {
		buffer_printf(why, "option '%s' needs a value: ", spec->name);
		option_value_usage(spec, why);
		return -EINVAL;
	}
	switch (spec->kind) {
	case OPTION_UID:
	case OPTION_GID:
		r = read_id(spec, text, &value.u32, why);
		break;
	case OPTION_ENUM:
		r = read_choice(spec, text, &value.u32, why);
		break;
	case OPTION_U32:
	case OPTION_SIZE:
	case OPTION_TIME:
		r = read_quantity(spec, text, &value.u64, why);
		value.u32 = (uint32_t)value.u64;
		break;
	case OPTION_STRING:
	case OPTION_LIST:
		value.text = strdup(text);
		r = value.text ? 0 : -ENOMEM;
		break;
	case OPTION_FLAG:
	case OPTION_NEGATABLE:
	case OPTION_RO_RW:
		break;
	}
	if (r == 0)
		*ret = value;
	return r;
}

static void *member(const struct option_spec *spec, void *values)
{
	return (uint8_t *)values + spec->offset;
}

static const void *const_member(const struct option_spec *spec, const void *values)
{
	return (const uint8_t *)values + spec->offset;
}

bool option_value_is_current(const struct option_spec *spec, const struct option_value *value,
	const void *values)
{
	const void *at = const_member(spec, values);
	const char *text;

	switch (spec->kind) {
	case OPTION_FLAG:
	case OPTION_NEGATABLE:
	case OPTION_RO_RW:
		return *(const bool *)at == value->flag;
	case OPTION_UID:
	case OPTION_GID:
	case OPTION_U32:
	case OPTION_ENUM:
		return *(const uint32_t *)at == value->u32;
	case OPTION_SIZE:
	case OPTION_TIME:
		return *(const uint64_t *)at == value->u64;
	case OPTION_STRING:
	case OPTION_LIST:
		text = *(char *const *)at;
		return text && strcmp(text, value->text) == 0;
	}
	return false;
}

void option_value_store(const struct option_spec *spec, struct option_value *take_value,
	void *values)
{
	void *at = member(spec, values);

	switch (spec->kind) {
	case OPTION_FLAG:
	case OPTION_NEGATABLE:
	case OPTION_RO_RW:
		*(bool *)at = take_value->flag;
		break;
	case OPTION_UID:
	case OPTION_GID:
	case OPTION_U32:
	case OPTION_ENUM:
		*(uint32_t *)at = take_value->u32;
		break;
	case OPTION_SIZE:
	case OPTION_TIME:
		*(uint64_t *)at = take_value->u64;
		break;
	case OPTION_STRING:
	case OPTION_LIST:
		free(*(char **)at);
		*(char **)at = TAKE_PTR(take_value->text);
		break;
	}
}

/* A comma would end the value and a backslash begins an escape: both are written behind one. The
 * end of a line is the value's. */
static void format_escaped(const char *text, struct buffer *out)
{
	for (; *text && *text != '\n'; text++) {
		if (*text == ',' || *text == '\\')
			buffer_u8(out, '\\');
		buffer_u8(out, (uint8_t)*text);
	}
}

static void format_list(const char *name, const char *text, struct buffer *out)
{
	for (bool is_first = true; text; is_first = false) {
		buffer_printf(out, "%s%s=", is_first ? "" : ",", name);
		format_escaped(text, out);
		text = strchr(text, '\n');
		if (text)
			text++;
	}
}

void option_value_format(const struct option_spec *spec, const void *values, struct buffer *out)
{
	const void *at = const_member(spec, values);

	switch (spec->kind) {
	case OPTION_FLAG:
		if (*(const bool *)at)
			buffer_string(out, spec->name);
		break;
	case OPTION_NEGATABLE:
		buffer_printf(out, "%s%s", *(const bool *)at ? "" : "no", spec->name);
		break;
	case OPTION_RO_RW:
		buffer_string(out, *(const bool *)at ? "ro" : "rw");
		break;
	case OPTION_UID:
	case OPTION_GID:
	case OPTION_U32:
		buffer_printf(out, "%s=%" PRIu32, spec->name, *(const uint32_t *)at);
		break;
	case OPTION_ENUM:
		buffer_printf(out, "%s=%s", spec->name, spec->choices[*(const uint32_t *)at]);
		break;
	case OPTION_SIZE:
	case OPTION_TIME:
		buffer_printf(out, "%s=", spec->name);
		format_number(spec, *(const uint64_t *)at, out);
		break;
	case OPTION_STRING:
		if (*(char *const *)at) {
			buffer_printf(out, "%s=", spec->name);
			format_escaped(*(char *const *)at, out);
		}
		break;
	case OPTION_LIST:
		format_list(spec->name, *(char *const *)at, out);
		break;
	}
}

void option_value_usage(const struct option_spec *spec, struct buffer *out)
{
	static const char *const values[] = {
		[OPTION_UID] = "USER",
		[OPTION_GID] = "GROUP",
		[OPTION_U32] = "N",
		[OPTION_SIZE] = "SIZE",
		[OPTION_TIME] = "TIME",
		[OPTION_STRING] = "TEXT",
		[OPTION_LIST] = "TEXT",
	};

	switch (spec->kind) {
	case OPTION_FLAG:
		buffer_string(out, spec->name);
		break;
	case OPTION_NEGATABLE:
		buffer_printf(out, "[no]%s", spec->name);
		break;
	case OPTION_RO_RW:
		buffer_string(out, "ro|rw");
		break;
	case OPTION_ENUM:
		buffer_printf(out, "%s=", spec->name);
		for (uint32_t i = 0; spec->choices[i]; i++)
			buffer_printf(out, "%s%s", i > 0 ? "|" : "", spec->choices[i]);
		break;
	case OPTION_UID:
	case OPTION_GID:
	case OPTION_U32:
	case OPTION_SIZE:
	case OPTION_TIME:
	case OPTION_STRING:
	case OPTION_LIST:
		buffer_printf(out, "%s=%s", spec->name, values[spec->kind]);
		break;
	}
}
