/* SPDX-License-Identifier: MIT */
/*
 * json.h — a streaming JSON writer into a buffer.
 *
 * Strings are UTF-8; bytes that are not, and control characters, are escaped so that the document
 * is always valid. Wrong nesting is a mistake of ours and asserts. The buffer's sticky error is the
 * only error. One owner, no locks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#define JSON_DEPTH_MAX 16

struct json {
	struct buffer *out; /* borrowed */
	unsigned depth;
	bool is_first;         /* no member or element yet at this depth */
	bool has_key;          /* a key was written and waits for its value */
	char closers[JSON_DEPTH_MAX];
};

static inline struct json json_to(struct buffer *out)
{
	return (struct json){.out = out, .is_first = true};
}

void json_object(struct json *j);
void json_array(struct json *j);
void json_end(struct json *j); /* closes the innermost object or array */
void json_key(struct json *j, const char *key);
void json_string(struct json *j, const char *text);
void json_string_n(struct json *j, const char *text, size_t length);
void json_hex(struct json *j, const void *data, size_t size); /* a string of lower-case digits */
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
