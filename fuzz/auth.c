/* SPDX-License-Identifier: MIT */
/*
 * auth.c — a write to an authenticated variable, with PK, KEK and certdb as hostile as the write.
 *
 * The input: a byte that chooses the variable, a byte of attributes, three contents (PK or KEK's,
 * certdb's, the stored variable's) each behind its length in two bytes, and the write.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/reader.h"
#include "target.h"
#include "uefi/auth/auth.h"
#include "uefi/auth/certdb.h"

enum { KEYS, OWNERS, STORED, CONTENTS };

struct stored {
	struct nv_variable variables[CONTENTS];
};

static const struct {
	const char *name;
	const struct guid *vendor;
} names[] = {
	{"PK", &uefi_global_guid},
	{"KEK", &uefi_global_guid},
	{"db", &uefi_image_security_guid},
	{"dbr", &uefi_image_security_guid},
	{"certdb", &certdb_guid},
	{"TacitOwned", &uefi_linux_crash_guid},
};

static int find(void *context, const struct uefi_name *name, const struct guid *vendor,
	struct nv_variable *ret)
{
	const struct stored *s = context;
	const struct nv_variable *v =
		&s->variables[guid_equal(vendor, &certdb_guid) ? OWNERS : KEYS];

	if (v->size == 0)
		return -ENOENT;
	*ret = *v;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader r = reader_of(data, size);
	struct stored stored = {0};
	const struct auth_view view = {.find = find, .context = &stored};
	const uint8_t choice = reader_u8(&r);
	struct uefi_name name = {0};
	struct auth_descriptor descriptor = {0};
	struct auth_write write = {.name = &name,
		.vendor = names[choice % ARRAY_SIZE(names)].vendor,
		.attributes = reader_u8(&r)};
	struct auth_verdict verdict;
	CLEAN_BUFFER struct buffer why = BUFFER_INIT;
	const uint8_t *given;
	size_t left;

	for (int i = 0; i < CONTENTS; i++) {
		stored.variables[i].size = reader_le16(&r);
		stored.variables[i].data = reader_take(&r, stored.variables[i].size);
	}
	left = reader_remaining(&r);
	given = reader_take(&r, left);
	if (r.failed || left < DESCRIPTOR_FIXED_SIZE)
		return 0;
	if (uefi_name_from_utf8(&name, names[choice % ARRAY_SIZE(names)].name,
		    strlen(names[choice % ARRAY_SIZE(names)].name)) < 0)
		abort();
	if (descriptor_read(given, left, &descriptor) == 0 && descriptor.is_complete &&
		(write.attributes & UEFI_TIME_BASED_AUTHENTICATED_WRITE_ACCESS)) {
		write.descriptor = &descriptor;
		write.descriptor_data = given;
		write.content = given + descriptor.size;
		write.size = left - descriptor.size;
	}
	stored.variables[STORED].attributes = 0x27;
	if (stored.variables[STORED].size > 0)
		write.stored = &stored.variables[STORED];
	if (auth_decide(&view, &write, &verdict, &why) != UEFI_SUCCESS &&
		(why.size == 0 || verdict.changes_certdb))
		abort();
	auth_verdict_fini(&verdict);
	return 0;
}
