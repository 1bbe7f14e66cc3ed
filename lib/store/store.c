/* SPDX-License-Identifier: MIT */
/* store.c — see store.h. */
#include "store/store.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "store/internal.h"

const char *const store_profile_names[] = {"auto", "ovmf-2m", "ovmf-4m", "armvirt", NULL};

/* In the order in which they are tried. edk2 comes last: it also claims a garbled image by size. */
const struct store_format *const store_formats[] = {&edk2_format, NULL};

void store_findings_fini(struct store_findings *findings)
{
	free(findings->list);
	*findings = (struct store_findings){0};
}

int store_fail(char **ret_error, int error, const char *format, ...)
{
	CLEAN_BUFFER struct buffer b = BUFFER_INIT;
	va_list args;

	if (!ret_error)
		return error;
	va_start(args, format);
	buffer_vprintf(&b, format, args);
	va_end(args);
	*ret_error = buffer_take_text(&b);
	return error;
}

void store_finding(struct store_findings *findings, const char *code,
	enum finding_severity severity, uint64_t offset, const char *format, ...)
{
	struct store_finding *finding;
	va_list args;

	if (findings->count >= STORE_FINDINGS_MAX) {
		findings->dropped++;
		return;
	}
	if (!findings->list)
		findings->list = calloc(STORE_FINDINGS_MAX, sizeof(*findings->list));
	if (!findings->list) {
		findings->dropped++;
		return;
	}
	finding = &findings->list[findings->count++];
	finding->code = code;
	finding->severity = severity;
	finding->offset = offset;
	va_start(args, format);
	/* cut is good enough */
	(void)vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
}

/* A container's clusters may lie in any order: what looks like a store in one need not be whole. */
static bool is_container(struct source *source)
{
	uint8_t magic[4];

	return source->size >= sizeof(magic) &&
		source->ops->read(source, magic, sizeof(magic), 0) == 0 &&
		memcmp(magic, "QFI\xfb", sizeof(magic)) == 0;
}

const struct store_format *store_probe(struct source *source, uint64_t *ret_offset)
{
	if (is_container(source))
		return NULL;
	for (size_t i = 0; store_formats[i]; i++) {
		if (store_formats[i]->probe(source, ret_offset))
			return store_formats[i];
	}
	return NULL;
}

/* Says what was tried, and what to do about a container that is known but not read here. */
static int fail_unknown(struct source *source, char **ret_error)
{
	CLEAN_BUFFER struct buffer tried = BUFFER_INIT;

	if (is_container(source))
		return store_fail(ret_error, -ENODATA,
			"this is a qcow2 image: make it raw with qemu-img convert -O raw");
	for (size_t i = 0; store_formats[i]; i++)
		buffer_printf(&tried, "%s%s", i > 0 ? ", " : "", store_formats[i]->name);
	return store_fail(ret_error, -ENODATA, "no variable store of a known format (tried: %s)",
		buffer_text(&tried));
}

int store_open(struct store **ret, struct source *take_source, enum store_profile profile,
	char **ret_error)
{
	const struct store_format *format;
	uint64_t offset = 0;
	int r;

	format = store_probe(take_source, &offset);
	if (format)
		return format->open(ret, take_source, offset, profile, ret_error);
	r = fail_unknown(take_source, ret_error);
	source_free(take_source);
	return r;
}
