/* SPDX-License-Identifier: MIT */
/*
 * vars_from_json.c — snapshots from JSON documents: a pure function from bytes to variables.
 *
 * What is read is foreign: every field is checked, and a message names the variable that is wrong.
 * The JSON itself is parsed by jansson; its names and those of base/json.h collide, so no file
 * includes both.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "tacit/vars_name.h"
#include "tacit/vars_snapshot.h"

DEFINE_CLEAN(json_t *, json_decref)

/* Bytes from a string of hexadecimal digits, owned by the caller. 0, -EINVAL, -ENOMEM. */
static int parse_hex(const char *text, uint8_t **ret_data, size_t *ret_size)
{
	size_t length = strlen(text);
	CLEAN(free) uint8_t *data = NULL;

	if (length % 2 != 0)
		return -EINVAL;
	data = malloc(length / 2 + 1);
	if (!data)
		return -ENOMEM;
	for (size_t i = 0; i < length; i += 2) {
		int high = vars_hex_digit(text[i]);
		int low = vars_hex_digit(text[i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		data[i / 2] = (uint8_t)(high << 4 | low);
	}
	*ret_data = TAKE_PTR(data);
	*ret_size = length / 2;
	return 0;
}

static int json_read_time(const json_t *object, struct uefi_time *ret)
{
	const json_t *value = json_object_get(object, "time");
	CLEAN(free) uint8_t *bytes = NULL;
	size_t size;
	int r;

	if (!value)
		value = json_object_get(object, "timestamp");
	if (!value || json_is_null(value))
		return 0;
	if (!json_is_string(value))
		return -EINVAL;
	r = parse_hex(json_string_value(value), &bytes, &size);
	if (r < 0)
		return r;
	if (size != SNAPSHOT_TIME_SIZE)
		return -EINVAL;
	*ret = snapshot_time_decode(bytes);
	return 0;
}

static int json_read_u64(const json_t *object, const char *key, uint64_t max, uint64_t *ret)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
		(uint64_t)json_integer_value(value) > max)
		return -EINVAL;
	*ret = (uint64_t)json_integer_value(value);
	return 0;
}

/* The numbers of a variable: what may be left out is 0. */
static int json_read_numbers(const json_t *object, struct nv_variable *v, const char **ret_key)
{
	uint64_t attributes = UINT64_MAX, index = 0;

	*ret_key = "attr";
	if (json_read_u64(object, "attr", UINT32_MAX, &attributes) < 0 || attributes > UINT32_MAX)
		return -EINVAL;
	v->attributes = (uint32_t)attributes;
	*ret_key = "monotonic_count";
	if (json_read_u64(object, "monotonic_count", INT64_MAX, &v->monotonic_count) < 0)
		return -EINVAL;
	*ret_key = "public_key_index";
	if (json_read_u64(object, "public_key_index", UINT32_MAX, &index) < 0)
		return -EINVAL;
	v->public_key_index = (uint32_t)index;
	return 0;
}

static int bad_member(char **ret_error, const char *name, const char *key, const char *problem)
{
	return snapshot_fail(ret_error, -EINVAL, "%s: \"%s\" %s", name, key, problem);
}

/* One element of "variables"; number is its place, for messages about one that has no name. */
static int json_read_variable(struct snapshot *snapshot, const json_t *object, size_t number,
	char **ret_error)
{
	const char *name = json_string_value(json_object_get(object, "name"));
	const char *guid = json_string_value(json_object_get(object, "guid"));
	const char *hex = json_string_value(json_object_get(object, "data"));
	CLEAN(free) uint8_t *data = NULL;
	struct nv_variable v = {0};
	const char *key;
	int r;

	if (!name || uefi_name_from_utf8(&v.name, name, strlen(name)) < 0)
		return snapshot_fail(ret_error, -EINVAL, "variable %zu: \"name\" %s", number,
			"is missing or no name");
	if (!guid || guid_parse(guid, strlen(guid), &v.vendor) < 0)
		return bad_member(ret_error, name, "guid", "is missing or no GUID");
	if (json_read_numbers(object, &v, &key) < 0)
		return bad_member(ret_error, name, key, "is missing or no number of its range");
	if (json_read_time(object, &v.time) < 0)
		return bad_member(ret_error, name, "time", "is not 32 hexadecimal digits");
	if (!hex || parse_hex(hex, &data, &v.size) < 0)
		return bad_member(ret_error, name, "data", "is missing or not hexadecimal");
	v.data = data;
	r = snapshot_add(snapshot, &v, true);
	if (r < 0)
		return snapshot_fail(ret_error, r, "%s-%s %s", name, guid, snapshot_add_error(r));
	return 0;
}

int snapshot_from_json(struct snapshot *snapshot, const char *text, size_t size, char **ret_error)
{
	json_error_t error;
	CLEAN(json_decref) json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	const json_t *variables = json_object_get(root, "variables");
	const json_t *version = json_object_get(root, "version");

	if (!root)
		return snapshot_fail(ret_error, -EINVAL, "not JSON: line %d: %s", error.line,
			error.text);
	if (version && json_integer_value(version) != 2)
		return snapshot_fail(ret_error, -EINVAL, "\"version\" is not 2");
	if (!json_is_array(variables))
		return snapshot_fail(ret_error, -EINVAL, "there is no array \"variables\"");
	for (size_t i = 0; i < json_array_size(variables); i++) {
		int r = json_read_variable(snapshot, json_array_get(variables, i), i, ret_error);

		if (r < 0)
			return r;
	}
	return 0;
}
