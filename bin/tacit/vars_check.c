/* SPDX-License-Identifier: MIT */
/*
 * vars_check.c — `tacit vars check`, `repair`, `compact` and `create`: the image as a whole.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "tacit/program.h"
#include "tacit/vars.h"

#define CLEAN_FINDINGS __attribute__((cleanup(store_findings_fini)))

static const char *const severities[] = {
	[FINDING_INFO] = "info",
	[FINDING_WARNING] = "warning",
	[FINDING_ERROR] = "error",
};

/*
 * The format of an image that may be damaged. Where there is none the error line is that of
 * opening, which explains what was tried, and the source is gone.
 */
static const struct store_format *find_format(const struct vars_call *call, struct source **source,
	uint64_t *ret_offset)
{
	const struct store_format *format = store_probe(*source, ret_offset);
	CLEAN(store_free) struct store *store = NULL;
	CLEAN(free) char *error = NULL;
	int r;

	if (format)
		return format;
	r = store_open(&store, TAKE_PTR(*source), call->profile, &error);
	program_error("%s: %s", call->operands[0], error ? error : strerror(r < 0 ? -r : EBUSY));
	return NULL;
}

static unsigned count_errors(const struct store_findings *findings)
{
	unsigned errors = 0;

	for (size_t i = 0; i < findings->count; i++)
		errors += findings->list[i].severity == FINDING_ERROR;
	return errors;
}

static void check_json(const struct store_findings *findings, struct buffer *out)
{
	struct json j = json_to(out);

	json_object(&j);
	json_key(&j, "healthy");
	json_bool(&j, count_errors(findings) == 0);
	json_key(&j, "findings");
	json_array(&j);
	for (size_t i = 0; i < findings->count; i++) {
		const struct store_finding *f = &findings->list[i];

		json_object(&j);
		json_key(&j, "code");
		json_string(&j, f->code);
		json_key(&j, "severity");
		json_string(&j, severities[f->severity]);
		json_key(&j, "offset");
		json_u64(&j, f->offset);
		json_key(&j, "text");
		json_string(&j, f->text);
		json_end(&j);
	}
	json_end(&j);
	json_key(&j, "dropped");
	json_u64(&j, findings->dropped);
	json_end(&j);
}

static void check_text(const struct store_findings *findings, struct buffer *out)
{
	unsigned errors = count_errors(findings);

	for (size_t i = 0; i < findings->count; i++) {
		const struct store_finding *f = &findings->list[i];

		buffer_printf(out, "%s: 0x%" PRIx64 ": %s (%s)\n", severities[f->severity],
			f->offset, f->text, f->code);
	}
	if (findings->dropped > 0)
		buffer_printf(out, "and %zu more\n", findings->dropped);
	if (errors == 0)
		buffer_string(out, "healthy\n");
	else
		buffer_printf(out, "not healthy: %u error%s\n", errors, errors == 1 ? "" : "s");
}

int vars_check(const struct vars_call *call)
{
	const char *path = call->operands[0];
	CLEAN(source_free) struct source *source = NULL;
	CLEAN_FINDINGS struct store_findings findings = {0};
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	const struct store_format *format;
	uint64_t offset;
	int r;

	if (vars_open_source(path, false, &source) < 0)
		return 1;
	format = find_format(call, &source, &offset);
	if (!format)
		return 1;
	r = format->check(source, offset, call->profile, &findings);
	if (r < 0) {
		program_error("%s: %s", path, strerror(-r));
		return 1;
	}
	if (vars_option(call, "json"))
		check_json(&findings, &out);
	else
		check_text(&findings, &out);
	if (vars_print(&out) != 0)
		return 1;
	return count_errors(&findings) > 0 ? VARS_NO : 0;
}

/*
 * 1 when a check finds more than remarks, 0 when not, or -errno. Dead records are none of repair's
 * business: compact is for them.
 */
static int needs_repair(const struct vars_call *call, const struct store_format *format,
	struct source *source, uint64_t offset)
{
	CLEAN_FINDINGS struct store_findings findings = {0};
	int r = format->check(source, offset, call->profile, &findings);

	if (r < 0)
		return r;
	for (size_t i = 0; i < findings.count; i++) {
		if (findings.list[i].severity != FINDING_INFO)
			return 1;
	}
	return findings.dropped > 0;
}

/* Repairs into memory. 1, 0 when there was nothing to do, or -errno after an error line. */
static int repair_copy(const struct vars_call *call, struct source **source, uint8_t **ret_data,
	size_t *ret_size, struct buffer *out)
{
	const char *path = call->operands[0];
	CLEAN(free) char *report = NULL;
	CLEAN(free) char *error = NULL;
	uint64_t offset;
	const struct store_format *format = find_format(call, source, &offset);
	int r;

	if (!format)
		return -ENODATA;
	r = needs_repair(call, format, *source, offset);
	if (r < 0) {
		program_error("%s: %s", path, strerror(-r));
		return r;
	}
	if (r == 0 && !vars_option(call, "output")) {
		buffer_string(out, "nothing to repair\n");
		return 0;
	}
	r = format->repair(*source, offset, call->profile, ret_data, ret_size, &report, &error);
	if (r < 0) {
		program_error("%s: %s", path, error ? error : strerror(-r));
		return r;
	}
	if (!*report) {
		buffer_string(out, "nothing to repair\n");
		return 0;
	}
	buffer_string(out, report);
	if (report[strlen(report) - 1] != '\n')
		buffer_u8(out, '\n');
	return 1;
}

int vars_repair(const struct vars_call *call)
{
	const char *path = call->operands[0];
	const char *output = vars_option(call, "output");
	CLEAN(source_free) struct source *source = NULL; /* holds the lock until the end */
	CLEAN(free) uint8_t *data = NULL;
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	size_t size = 0;
	int r;

	if (vars_open_source(path, !output, &source) < 0)
		return 1;
	r = repair_copy(call, &source, &data, &size, &out);
	if (r < 0)
		return 1;
	if (output)
		r = vars_write_image(output, data, size, vars_option(call, "force"));
	else if (r > 0)
		r = vars_replace(path, source, data, size);
	return r < 0 ? 1 : vars_print(&out);
}

int vars_compact(const struct vars_call *call)
{
	CLEAN(store_free) struct store *store = NULL;
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	struct nv_space before, after;
	int r;

	if (vars_open_store(call, true, &store) < 0)
		return 1;
	store->nv.ops->space(&store->nv, &before);
	if (before.all_bytes > before.live_bytes) {
		r = store->nv.ops->reclaim(&store->nv);
		if (r < 0) {
			program_error("%s: %s", call->operands[0], vars_reason(store, r));
			return 1;
		}
	}
	store->nv.ops->space(&store->nv, &after);
	buffer_printf(&out, "%u dead records, %" PRIu64 " bytes freed\n", before.dead - after.dead,
		before.all_bytes - after.all_bytes);
	return vars_print(&out);
}

int vars_create(const struct vars_call *call)
{
	CLEAN(free) uint8_t *data = NULL;
	size_t size = 0;
	int r = -EINVAL;

	if (call->profile == STORE_PROFILE_AUTO) {
		program_usage_error("--profile must say for which firmware the store is: ovmf-2m, "
			"ovmf-4m, armvirt");
		return 1;
	}
	for (size_t i = 0; r == -EINVAL && store_formats[i]; i++)
		r = store_formats[i]->create(call->profile, &data, &size);
	if (r < 0) {
		program_error("%s: %s", call->operands[0], strerror(-r));
		return 1;
	}
	return vars_write_image(call->operands[0], data, size, vars_option(call, "force")) < 0;
}
