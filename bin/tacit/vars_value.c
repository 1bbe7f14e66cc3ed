/* SPDX-License-Identifier: MIT */
/*
 * vars_value.c — `tacit vars get`, `set` and `rm`: one variable.
 *
 * Changes go through the emulated firmware, which stands for the image's owner here: it makes every
 * check that does not ask for a signature, and says why it refuses. One change is one step of the
 * store's own protocol, in place.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/io.h"
#include "base/json.h"
#include "tacit/program.h"
#include "tacit/vars.h"
#include "uefi/firmware.h"
#include "uefi/services.h"

/* Largest content that set reads, bytes; no firmware takes as much. */
#define CONTENT_MAX (1u << 20)
#define HEX_LINE 32 /* bytes a line of get --hex */

static int find_record(struct store *store, const struct vars_key *key, struct store_record *ret)
{
	uint64_t cursor = 0;

	while (store->format->next_record(store, &cursor, ret) > 0) {
		if (ret->is_live && guid_equal(&ret->variable.vendor, &key->vendor) &&
			uefi_name_equal(&ret->variable.name, &key->name))
			return 0;
	}
	return -ENOENT;
}

static void print_hex(const struct nv_variable *v, struct buffer *out)
{
	for (size_t i = 0; i < v->size; i++) {
		bool is_line_end = i + 1 == v->size || (i + 1) % HEX_LINE == 0;

		buffer_printf(out, "%02x%s", v->data[i], is_line_end ? "\n" : "");
	}
}

static void print_json(const struct store_record *record, struct buffer *out)
{
	struct json j = json_to(out);

	json_object(&j);
	vars_json_variable(&j, &record->variable, record->state_name);
	json_key(&j, "data");
	json_hex(&j, record->variable.data, record->variable.size);
	json_end(&j);
}

int vars_get(const struct vars_call *call)
{
	CLEAN(store_free) struct store *store = NULL;
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	struct store_record record;
	struct vars_key key;

	if (vars_option(call, "hex") && vars_option(call, "json")) {
		program_usage_error("--hex and --json exclude each other");
		return 1;
	}
	if (vars_open_store(call, false, &store) < 0 ||
		vars_key_resolve(store, call->operands[1], false, &key) < 0)
		return 1;
	if (find_record(store, &key, &record) < 0) {
		program_error("there is no variable '%s'", call->operands[1]);
		return 1;
	}
	if (vars_option(call, "hex"))
		print_hex(&record.variable, &out);
	else if (vars_option(call, "json"))
		print_json(&record, &out);
	else
		buffer_append(&out, record.variable.data, record.variable.size);
	return vars_print(&out);
}

static int content_from_file(const char *path, struct buffer *ret)
{
	CLEAN_FD int opened = -1;
	int fd = STDIN_FILENO;
	int r;

	if (strcmp(path, "-") != 0) {
		opened = vars_open_input(path);
		if (opened < 0) {
			program_error("%s: %s", path, strerror(-opened));
			return opened;
		}
		fd = opened;
	}
	r = io_read_all(fd, CONTENT_MAX, &ret->data, &ret->size);
	if (r < 0) {
		program_error("%s: %s", path, strerror(-r));
		return r;
	}
	ret->capacity = ret->size;
	return 0;
}

static int content_from_hex(const char *text, struct buffer *ret)
{
	int high = -1;

	for (const char *p = text; *p; p++) {
		int digit;

		if (isspace((unsigned char)*p))
			continue;
		digit = vars_hex_digit(*p);
		if (digit < 0) {
			program_error("option '--hex' takes hexadecimal digits, not '%c'", *p);
			return -EINVAL;
		}
		if (high >= 0)
			buffer_u8(ret, (uint8_t)(high << 4 | digit));
		high = high < 0 ? digit : -1;
	}
	if (high >= 0) {
		program_error("option '--hex' takes two digits for each byte: one is missing");
		return -EINVAL;
	}
	return buffer_error(ret);
}

/* The new content, from exactly one of the options. */
static int read_content(const struct vars_call *call, struct buffer *ret)
{
	const char *file = vars_option(call, "data");
	const char *hex = vars_option(call, "hex");
	const char *text = vars_option(call, "text");
	int r = 0;

	if (!!file + !!hex + !!text != 1) {
		program_usage_error("the content is exactly one of --data, --hex and --text");
		return -EINVAL;
	}
	if (file)
		r = content_from_file(file, ret);
	else if (hex)
		r = content_from_hex(hex, ret);
	else
		buffer_string(ret, text);
	if (r < 0)
		return r;
	if (ret->size == 0) {
		program_error("a variable cannot be empty; 'tacit vars rm' deletes one");
		return -EINVAL;
	}
	return buffer_error(ret);
}

static int read_attributes(const struct vars_call *call, uint32_t *attributes)
{
	const char *text = vars_option(call, "attrs");

	if (text && uefi_attributes_parse(text, attributes) < 0) {
		program_usage_error("option '--attrs' does not know '%s'; it takes a list of nv, "
			"bs, rt, hr, at, append, or a number", text);
		return -EINVAL;
	}
	if (vars_option(call, "append"))
		*attributes |= UEFI_APPEND_WRITE;
	return 0;
}

/* Asks the firmware, as the owner, to set a variable; takes the store's place in `store`. */
static int set_by_firmware(struct store **store, const char *text, const struct vars_key *key,
	uint32_t attributes, const struct buffer *content)
{
	static const struct firmware_config config = {
		.auth = FIRMWARE_AUTH_OWNER,
		.view = FIRMWARE_VIEW_ALL,
	};
	CLEAN(uefi_services_free) struct uefi_services *services = NULL;
	enum uefi_status status;
	const char *reason;
	int r = firmware_new(&services, &TAKE_PTR(*store)->nv, &config);

	if (r < 0) {
		program_error("%s", strerror(-r));
		return r;
	}
	status = services->ops->set_variable(services, &key->name, &key->vendor, attributes,
		content->data, content->size);
	if (status == UEFI_SUCCESS)
		return 0;
	reason = services->ops->reason(services); /* names the variable */
	if (*reason)
		program_error("%s", reason);
	else
		program_error("%s: %s", text, uefi_status_name(status));
	return uefi_status_errno(status);
}

int vars_set(const struct vars_call *call)
{
	CLEAN(store_free) struct store *store = NULL;
	CLEAN_BUFFER struct buffer content = BUFFER_INIT;
	uint32_t attributes = 0;
	struct nv_variable old;
	struct vars_key key;

	/* What the command line says is looked at before the image is. */
	if (read_attributes(call, &attributes) < 0 || read_content(call, &content) < 0 ||
		vars_open_store(call, true, &store) < 0 ||
		vars_key_resolve(store, call->operands[1], true, &key) < 0)
		return 1;
	if (!vars_option(call, "attrs")) {
		attributes |= store->nv.ops->find(&store->nv, &key.name, &key.vendor, &old) == 0 ?
			old.attributes : UEFI_ATTRIBUTES_DEFAULT;
	}
	return set_by_firmware(&store, call->operands[1], &key, attributes, &content) < 0;
}

int vars_rm(const struct vars_call *call)
{
	CLEAN(store_free) struct store *store = NULL;
	struct buffer nothing = BUFFER_INIT;
	struct nv_variable old;
	struct vars_key key;

	if (vars_open_store(call, true, &store) < 0 ||
		vars_key_resolve(store, call->operands[1], false, &key) < 0)
		return 1;
	if (store->nv.ops->find(&store->nv, &key.name, &key.vendor, &old) < 0) {
		program_error("there is no variable '%s'", call->operands[1]);
		return 1;
	}
	return set_by_firmware(&store, call->operands[1], &key, old.attributes, &nothing) < 0;
}
