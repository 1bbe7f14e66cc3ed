/* SPDX-License-Identifier: MIT */
/*
 * vars_diff.c — `tacit vars diff`: what one store has and another has not.
 *
 * Only variables count, not where their records lie or what else the images hold.
 */
#include <assert.h>
#include <string.h>

#include "base/json.h"
#include "tacit/program.h"
#include "tacit/vars.h"
#include "tacit/vars_snapshot.h"

/*
 * Says what is different, in the form of the answer: b is NULL for a variable that is gone, a for a
 * new one.
 */
struct diff_writer {
	void (*difference)(struct diff_writer *w, const struct snapshot_item *a,
		const struct snapshot_item *b);
	struct buffer *out;
	struct json json;
	size_t count;
};

static bool is_data_same(const struct nv_variable *a, const struct nv_variable *b)
{
	return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static bool is_time_same(const struct snapshot_item *a, const struct snapshot_item *b)
{
	return !a->has_time || !b->has_time ||
		uefi_time_compare(&a->variable.time, &b->variable.time) == 0;
}

/* "~ Name-GUID: attributes nv,bs -> nv,bs,rt; 3 -> 4 bytes; another content" */
static void text_changed(struct buffer *out, const struct snapshot_item *a,
	const struct snapshot_item *b)
{
	const struct nv_variable *va = &a->variable, *vb = &b->variable;
	const char *separator = "";

	buffer_string(out, ": ");
	if (va->attributes != vb->attributes) {
		buffer_string(out, "attributes ");
		uefi_attributes_format(va->attributes, out);
		buffer_string(out, " -> ");
		uefi_attributes_format(vb->attributes, out);
		separator = "; ";
	}
	if (va->size != vb->size) {
		buffer_printf(out, "%s%zu -> %zu bytes", separator, va->size, vb->size);
		separator = "; ";
	} else if (!is_data_same(va, vb)) {
		buffer_printf(out, "%sother content, %zu bytes", separator, va->size);
		separator = "; ";
	}
	if (!is_time_same(a, b)) {
		buffer_printf(out, "%stime ", separator);
		uefi_time_format(&va->time, out);
		buffer_string(out, uefi_time_is_zero(&va->time) ? "none -> " : " -> ");
		uefi_time_format(&vb->time, out);
		buffer_string(out, uefi_time_is_zero(&vb->time) ? "none" : "");
	}
}

static void text_difference(struct diff_writer *w, const struct snapshot_item *a,
	const struct snapshot_item *b)
{
	const struct nv_variable *v = a ? &a->variable : &b->variable;

	assert(a || b);
	buffer_string(w->out, a && b ? "~ " : a ? "- " : "+ ");
	vars_key_show(&v->name, &v->vendor, w->out);
	if (a && b) {
		text_changed(w->out, a, b);
	} else {
		buffer_string(w->out, ": ");
		uefi_attributes_format(v->attributes, w->out);
		buffer_printf(w->out, "; %zu bytes", v->size);
	}
	buffer_u8(w->out, '\n');
}

static void json_side(struct json *j, const char *key, const struct snapshot_item *item)
{
	json_key(j, key);
	if (!item) {
		json_null(j);
		return;
	}
	json_object(j);
	vars_json_variable(j, &item->variable, "live");
	json_key(j, "data");
	json_hex(j, item->variable.data, item->variable.size);
	json_end(j);
}

static void json_difference(struct diff_writer *w, const struct snapshot_item *a,
	const struct snapshot_item *b)
{
	const struct nv_variable *v = a ? &a->variable : &b->variable;

	json_object(&w->json);
	json_key(&w->json, "change");
	json_string(&w->json, a && b ? "changed" : a ? "removed" : "added");
	vars_json_key(&w->json, &v->name, &v->vendor);
	json_side(&w->json, "old", a);
	json_side(&w->json, "new", b);
	json_end(&w->json);
}

static void compare(struct diff_writer *w, const struct snapshot *a, const struct snapshot *b)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct snapshot_item *old = &a->items[i];
		const struct snapshot_item *new = snapshot_find(b, &old->variable.name,
			&old->variable.vendor);

		if (new && snapshot_is_same(old, &new->variable, new->has_time))
			continue;
		w->difference(w, old, new);
		w->count++;
	}
	for (size_t i = 0; i < b->count; i++) {
		const struct snapshot_item *new = &b->items[i];

		if (snapshot_find(a, &new->variable.name, &new->variable.vendor))
			continue;
		w->difference(w, NULL, new);
		w->count++;
	}
}

int vars_diff(const struct vars_call *call)
{
	CLEAN_SNAPSHOT struct snapshot a = {0};
	CLEAN_SNAPSHOT struct snapshot b = {0};
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	bool is_json = vars_option(call, "json");
	struct diff_writer w = {
		.difference = is_json ? json_difference : text_difference,
		.out = &out,
		.json = json_to(&out),
	};

	if (snapshot_load(&a, call->operands[0]) < 0 || snapshot_load(&b, call->operands[1]) < 0)
		return 1;
	if (is_json) {
		json_object(&w.json);
		json_key(&w.json, "differences");
		json_array(&w.json);
	}
	compare(&w, &a, &b);
	if (is_json) {
		json_end(&w.json);
		json_key(&w.json, "equal");
		json_bool(&w.json, w.count == 0);
		json_end(&w.json);
	}
	if (vars_print(&out) != 0)
		return 1;
	return w.count > 0 ? VARS_NO : 0;
}
