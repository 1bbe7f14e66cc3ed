/* SPDX-License-Identifier: MIT */
/* vars_print.c — answers, and what every JSON answer says about a variable; see vars.h. */
#include "base/json.h"
#include "tacit/program.h"
#include "tacit/vars.h"

int vars_print(const struct buffer *out)
{
	return program_print(out) < 0;
}

void vars_json_key(struct json *j, const struct uefi_name *name, const struct guid *vendor)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;
	char guid[GUID_TEXT_LENGTH + 1];

	uefi_name_to_utf8(name, &text);
	json_key(j, "name");
	json_string_n(j, buffer_text(&text), text.size);
	guid_format(vendor, guid);
	json_key(j, "guid");
	json_string(j, guid);
}

/* ["nv", "bs"]: the list that people read, as an array. */
static void json_attributes(struct json *j, uint32_t attributes)
{
	CLEAN_BUFFER struct buffer list = BUFFER_INIT;

	if (attributes)
		uefi_attributes_format(attributes, &list);
	json_key(j, "attributes");
	json_array(j);
	for (const char *word = buffer_text(&list); *word;) {
		size_t length = strcspn(word, ",");

		json_string_n(j, word, length);
		word += length + (word[length] != '\0');
	}
	json_end(j);
}

void vars_json_variable(struct json *j, const struct nv_variable *v, const char *state)
{
	CLEAN_BUFFER struct buffer time = BUFFER_INIT;

	vars_json_key(j, &v->name, &v->vendor);
	json_attributes(j, v->attributes);
	json_key(j, "attr");
	json_u64(j, v->attributes);
	json_key(j, "size");
	json_u64(j, v->size);
	json_key(j, "state");
	json_string(j, state);
	uefi_time_format(&v->time, &time);
	json_key(j, "time");
	if (time.size > 0)
		json_string(j, buffer_text(&time));
	else
		json_null(j);
}
