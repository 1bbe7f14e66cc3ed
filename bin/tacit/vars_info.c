/* SPDX-License-Identifier: MIT */
/*
 * vars_info.c — `tacit vars info`: what a store is, how full it is, and in which secure boot state
 * a machine with it starts.
 *
 * The secure boot state is not in the image; firmware derives it from what is (edk2's
 * AuthVariableLib): with a PK it is in user mode, and secure boot is on unless SecureBootEnable
 * says 0, which is made as 1 where it is missing.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "tacit/program.h"
#include "tacit/vars.h"
#include "uefi/firmware.h"

#define BIGGEST 5

struct big_variable {
	struct vars_key key;
	size_t size;
};

struct summary {
	struct nv_space space;
	uint64_t max_variable; /* bytes of a name and its content */
	unsigned boot_entries;
	unsigned dumps;
	uint64_t dump_bytes;
	struct big_variable biggest[BIGGEST]; /* the first has most */
	size_t biggest_count;
	bool has_pk;
	bool is_secure_boot;
	int secure_boot_enable; /* the byte, or -1 */
	int custom_mode;
};

bool vars_is_dump(const struct nv_variable *v)
{
	static const char prefix[] = "dump-type";

	if (!guid_equal(&v->vendor, &uefi_linux_crash_guid) || v->name.count < sizeof(prefix) - 1)
		return false;
	for (size_t i = 0; i < sizeof(prefix) - 1; i++) {
		if (v->name.units[i] != (uint8_t)prefix[i])
			return false;
	}
	return true;
}

/* Boot#### of the global GUID. */
static bool is_boot_entry(const struct nv_variable *v)
{
	static const char pattern[] = "Boot";

	if (v->name.count != 8 || !guid_equal(&v->vendor, &uefi_global_guid))
		return false;
	for (size_t i = 0; i < 8; i++) {
		uint16_t unit = v->name.units[i];

		if (i < 4 ? unit != (uint8_t)pattern[i] :
			    unit > 0x7f || vars_hex_digit((char)unit) < 0)
			return false;
	}
	return true;
}

static void note_size(struct summary *s, const struct nv_variable *v)
{
	size_t at = s->biggest_count;

	while (at > 0 && s->biggest[at - 1].size < v->size)
		at--;
	if (at == BIGGEST)
		return;
	if (s->biggest_count < BIGGEST)
		s->biggest_count++;
	for (size_t i = s->biggest_count - 1; i > at; i--)
		s->biggest[i] = s->biggest[i - 1];
	s->biggest[at] = (struct big_variable){{v->name, v->vendor}, v->size};
}

/* A variable by its well-known name. */
static int find_known(struct store *store, const char *name, struct nv_variable *ret)
{
	struct uefi_name units;
	const struct guid *vendor;
	int r = uefi_name_from_utf8(&units, name, strlen(name));

	vendor = r < 0 ? NULL : uefi_well_known_guid(&units);
	return vendor ? store->nv.ops->find(&store->nv, &units, vendor, ret) : -ENOENT;
}

/* The first byte of a variable, or -1. */
static int find_byte(struct store *store, const char *name)
{
	struct nv_variable v;

	return find_known(store, name, &v) == 0 && v.size > 0 ? v.data[0] : -1;
}

static void summarize(struct store *store, struct summary *ret)
{
	const struct nv_limits *limits = &store->nv.limits;
	struct nv_variable v;
	uint64_t cursor = 0;

	store->nv.ops->space(&store->nv, &ret->space);
	ret->max_variable = limits->max_variable > limits->record_header ?
		limits->max_variable - limits->record_header : 0;
	while (store->nv.ops->next(&store->nv, &cursor, &v) > 0) {
		ret->boot_entries += is_boot_entry(&v);
		if (vars_is_dump(&v)) {
			ret->dumps++;
			ret->dump_bytes += store->nv.ops->record_size(&store->nv, &v.name, v.size);
		}
		note_size(ret, &v);
	}
	ret->has_pk = find_known(store, "PK", &v) == 0;
	ret->secure_boot_enable = find_byte(store, "SecureBootEnable");
	ret->custom_mode = find_byte(store, "CustomMode");
	ret->is_secure_boot = ret->has_pk && ret->secure_boot_enable != 0;
}

static void json_byte(struct json *j, const char *key, int byte)
{
	json_key(j, key);
	if (byte < 0)
		json_null(j);
	else
		json_i64(j, byte);
}

static void json_number(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_u64(j, value);
}

static void json_secure_boot(struct json *j, const struct summary *s)
{
	json_key(j, "secure_boot");
	json_object(j);
	json_key(j, "mode");
	json_string(j, s->has_pk ? "user" : "setup");
	json_key(j, "enabled");
	json_bool(j, s->is_secure_boot);
	json_byte(j, "secure_boot_enable", s->secure_boot_enable);
	json_byte(j, "custom_mode", s->custom_mode);
	json_end(j);
}

static void json_biggest(struct json *j, const struct summary *s)
{
	json_key(j, "biggest");
	json_array(j);
	for (size_t i = 0; i < s->biggest_count; i++) {
		json_object(j);
		vars_json_key(j, &s->biggest[i].key.name, &s->biggest[i].key.vendor);
		json_number(j, "size", s->biggest[i].size);
		json_end(j);
	}
	json_end(j);
}

static void info_json(struct store *store, const struct summary *s, struct buffer *out)
{
	struct json j = json_to(out);

	json_object(&j);
	json_key(&j, "format");
	json_string(&j, store->format->name);
	json_key(&j, "profile");
	json_string(&j, store->format->profile_name(store));
	json_number(&j, "max_storage", s->space.capacity);
	json_number(&j, "max_variable", s->max_variable);
	json_number(&j, "remaining_boot", firmware_remaining(&s->space, false));
	json_number(&j, "remaining_runtime", firmware_remaining(&s->space, true));
	json_number(&j, "live_bytes", s->space.live_bytes);
	json_number(&j, "dead_bytes", s->space.all_bytes - s->space.live_bytes);
	json_number(&j, "live", s->space.live);
	json_number(&j, "dead", s->space.dead);
	json_number(&j, "boot_entries", s->boot_entries);
	json_number(&j, "dumps", s->dumps);
	json_number(&j, "dump_bytes", s->dump_bytes);
	json_secure_boot(&j, s);
	json_biggest(&j, s);
	json_end(&j);
}

static void info_text(struct store *store, const struct summary *s, struct buffer *out)
{
	buffer_printf(out, "Format:            %s (%s)\n", store->format->name,
		store->format->description);
	buffer_printf(out, "Profile:           %s\n", store->format->profile_name(store));
	buffer_printf(out, "Storage:           %" PRIu64 " bytes\n", s->space.capacity);
	buffer_printf(out, "Largest variable:  %" PRIu64 " bytes\n", s->max_variable);
	buffer_printf(out, "Live records:      %u, %" PRIu64 " bytes\n", s->space.live,
		s->space.live_bytes);
	buffer_printf(out, "Dead records:      %u, %" PRIu64 " bytes\n", s->space.dead,
		s->space.all_bytes - s->space.live_bytes);
	buffer_printf(out, "Free at boot:      %" PRIu64 " bytes\n",
		firmware_remaining(&s->space, false));
	buffer_printf(out, "Free at run time:  %" PRIu64 " bytes\n",
		firmware_remaining(&s->space, true));
	buffer_printf(out, "Boot entries:      %u\n", s->boot_entries);
	buffer_printf(out, "Crash dumps:       %u, %" PRIu64 " bytes\n", s->dumps, s->dump_bytes);
	buffer_printf(out, "Secure boot:       %s (%s mode)\n", s->is_secure_boot ? "on" : "off",
		s->has_pk ? "user" : "setup");
	for (size_t i = 0; i < s->biggest_count; i++) {
		buffer_printf(out, "%-18s %zu bytes, ", i ? "" : "Biggest variables:",
			s->biggest[i].size);
		vars_key_show(&s->biggest[i].key.name, &s->biggest[i].key.vendor, out);
		buffer_u8(out, '\n');
	}
}

int vars_info(const struct vars_call *call)
{
	CLEAN(store_free) struct store *store = NULL;
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	struct summary s = {0};

	if (vars_open_store(call, false, &store) < 0)
		return 1;
	summarize(store, &s);
	if (vars_option(call, "json"))
		info_json(store, &s, &out);
	else
		info_text(store, &s, &out);
	return vars_print(&out);
}
