/* SPDX-License-Identifier: MIT */
/*
 * auth.c — see auth.h. The table of who may write what, and the checks of a key variable's content.
 */
#include "uefi/auth/auth.h"

#include <errno.h>

#include "uefi/auth/certdb.h"
#include "uefi/auth/decision.h"
#include "uefi/siglist.h"

#define AUTHENTICATED (UEFI_TIME_BASED_AUTHENTICATED_WRITE_ACCESS | UEFI_AUTHENTICATED_WRITE_ACCESS)

static const struct uefi_name platform_key_name = {.count = 2, .units = {'P', 'K'}};

void auth_verdict_fini(struct auth_verdict *verdict)
{
	buffer_fini(&verdict->certdb);
}

enum uefi_status decision_refuse(
	struct decision *d, enum uefi_status status, const char *format, ...)
{
	va_list args;

	buffer_fini(d->why); /* of two ways that failed, the last one's reason stays */
	va_start(args, format);
	buffer_vprintf(d->why, format, args);
	va_end(args);
	return status;
}

static bool is_named(const struct auth_write *w, const struct guid *vendor, const char *name)
{
	return guid_equal(w->vendor, vendor) && uefi_name_matches(w->name, name);
}

static bool is_database(const struct auth_write *w)
{
	return is_named(w, &uefi_image_security_guid, "db") ||
	       is_named(w, &uefi_image_security_guid, "dbx") ||
	       is_named(w, &uefi_image_security_guid, "dbt");
}

bool decision_find_platform_key(struct decision *d, struct nv_variable *ret)
{
	return d->view->find(d->view->context, &platform_key_name, &uefi_global_guid, ret) == 0;
}

/* A list that has passed siglist_check: its kind is known, and its first certificate an RSA one. */
static enum uefi_status check_list(struct decision *d, struct siglist *list)
{
	const uint8_t *entry;

	if (!siglist_type_name(&list->type)) {
		char type[GUID_TEXT_LENGTH + 1];

		guid_format(&list->type, type);
		return decision_refuse(d, UEFI_INVALID_PARAMETER,
			"the list of signatures at %zu is of the unknown type %s", list->offset,
			type);
	}
	if (!siglist_is_x509(list))
		return UEFI_SUCCESS;
	entry = reader_take(&list->entries, list->entry_size);
	if (entry && certificate_has_rsa_key(
			     entry + SIGLIST_OWNER_SIZE, list->entry_size - SIGLIST_OWNER_SIZE))
		return UEFI_SUCCESS;
	return decision_refuse(d, UEFI_INVALID_PARAMETER,
		"the list of signatures at %zu does not begin with an X.509 certificate with an "
		"RSA key",
		list->offset);
}

/* The content of a variable for keys: known kinds of entries, RSA certificates, one key in PK. */
static enum uefi_status check_keys(struct decision *d, bool is_platform_key)
{
	const struct auth_write *w = d->write;
	CLEAN_BUFFER struct buffer detail = BUFFER_INIT;
	struct reader lists = reader_of(w->content, w->size);
	struct siglist list = {0};

	if (w->size == 0)
		return UEFI_SUCCESS;
	if (siglist_check(w->content, w->size, &detail) < 0)
		return decision_refuse(d, UEFI_INVALID_PARAMETER, "%s", buffer_text(&detail));
	while (siglist_next(&lists, w->content, &list, NULL) == 1) {
		enum uefi_status status = check_list(d, &list);

		if (status != UEFI_SUCCESS)
			return status;
	}
	if (is_platform_key && !siglist_is_one_certificate(w->content, w->size))
		return decision_refuse(d, UEFI_INVALID_PARAMETER,
			"PK is one list of signatures with one X.509 certificate");
	return UEFI_SUCCESS;
}

/* PK and KEK, and the first attempt for db, dbx and dbt. */
static enum uefi_status decide_by_platform_key(struct decision *d, bool is_platform_key)
{
	struct nv_variable platform_key;
	const bool is_setup_mode = !decision_find_platform_key(d, &platform_key);
	enum uefi_status status = UEFI_SUCCESS;

	if (!is_setup_mode)
		status = decision_verify(d, SIGNED_BY_PLATFORM_KEY);
	else if (is_platform_key)
		status = decision_verify(d, SIGNED_BY_CONTENT);
	return status == UEFI_SUCCESS ? check_keys(d, is_platform_key) : status;
}

static enum uefi_status decide_database(struct decision *d)
{
	enum uefi_status status = decide_by_platform_key(d, false);
	struct nv_variable platform_key;

	if (status == UEFI_SUCCESS || !decision_find_platform_key(d, &platform_key))
		return status;
	status = decision_verify(d, SIGNED_BY_EXCHANGE_KEY);
	return status == UEFI_SUCCESS ? check_keys(d, false) : status;
}

/* Makes certdb's new content, with a digest or (NULL) without. */
static enum uefi_status change_certdb(struct decision *d, const void *digest, size_t digest_size)
{
	const struct nv_variable *stored = &d->certdb;
	int r = certdb_change(stored->data, stored->size, d->write->name, d->write->vendor, digest,
		digest_size, &d->verdict->certdb);

	if (r < 0)
		return decision_refuse(d, UEFI_SECURITY_VIOLATION,
			"the firmware's list of owners (certdb) is damaged");
	if (buffer_error(&d->verdict->certdb))
		return decision_refuse(d, UEFI_OUT_OF_RESOURCES, "out of memory");
	d->verdict->changes_certdb = true;
	d->verdict->is_certdb_first = digest != NULL;
	return UEFI_SUCCESS;
}

/* A descriptor and nothing behind it, for a variable that is there with the same attributes. */
static bool is_plain_deletion(const struct auth_write *w)
{
	return w->stored && w->attributes == w->stored->attributes && w->descriptor && w->size == 0;
}

static enum uefi_status decide_private(struct decision *d)
{
	const struct auth_write *w = d->write;
	uint8_t digest[SIGNATURE_DIGEST_MAX];
	struct certdb_node node;
	enum uefi_status status;
	int n;

	if (is_plain_deletion(w)) {
		/* A variable whose owner is not on the list goes all the same. */
		if (certdb_find(d->certdb.data, d->certdb.size, w->name, w->vendor, &node) < 0)
			return UEFI_SUCCESS;
		return change_certdb(d, NULL, 0);
	}
	if (!w->descriptor)
		return decision_refuse(d, UEFI_WRITE_PROTECTED,
			"the variable is authenticated (at): it is changed and deleted by a signed "
			"write with that attribute only");
	status = decision_verify(d, SIGNED_BY_OWNER);
	if (status != UEFI_SUCCESS || w->stored || w->size == 0)
		return status;
	n = signature_fingerprint(d->signature, digest);
	if (n < 0)
		return decision_refuse(d, UEFI_SECURITY_VIOLATION,
			"the signer's certificate has no common name to be known by");
	return change_certdb(d, digest, (size_t)n);
}

/* What only the firmware itself writes. */
static bool is_firmwares_own(const struct auth_write *w)
{
	static const struct guid vendor_keys_guid =
		GUID_OF(0x9073e4e0, 0x60ec, 0x4b6e, 0x99, 0x03, 0x4c, 0x22, 0x3c, 0x26, 0x0f, 0x3c);

	return is_named(w, &certdb_guid, CERTDB_NAME) ||
	       is_named(w, &certdb_guid, CERTDB_VOLATILE_NAME) ||
	       is_named(w, &vendor_keys_guid, "VendorKeysNv");
}

static enum uefi_status decide(struct decision *d)
{
	const struct auth_write *w = d->write;
	const bool is_platform_key = is_named(w, &uefi_global_guid, "PK");
	const bool is_key =
		is_platform_key || is_named(w, &uefi_global_guid, "KEK") || is_database(w);

	if (is_firmwares_own(w))
		return decision_refuse(
			d, UEFI_WRITE_PROTECTED, "only the firmware itself writes this variable");
	if (is_key && (!w->descriptor || !(w->attributes & UEFI_NON_VOLATILE)))
		return decision_refuse(d, UEFI_INVALID_PARAMETER,
			"a variable for keys is written and deleted with the attributes nv and at "
			"and a descriptor in front");
	if (!is_key)
		return decide_private(d);
	return is_database(w) ? decide_database(d) : decide_by_platform_key(d, is_platform_key);
}

enum uefi_status auth_decide(const struct auth_view *view, const struct auth_write *write,
	struct auth_verdict *ret, struct buffer *why)
{
	static const struct uefi_name certdb_name = {
		.count = 6, .units = {'c', 'e', 'r', 't', 'd', 'b'}};
	struct decision d = {.view = view, .write = write, .verdict = ret, .why = why};
	enum uefi_status status;

	*ret = (struct auth_verdict){0};
	if (guid_equal(write->vendor, &uefi_image_security_guid) && !is_database(write))
		return decision_refuse(&d, UEFI_INVALID_PARAMETER,
			"under this GUID a firmware has db, dbx and dbt only");
	if (!(write->attributes & AUTHENTICATED) &&
		!(write->stored && write->stored->attributes & AUTHENTICATED))
		return UEFI_SUCCESS;
	if (view->find(view->context, &certdb_name, &certdb_guid, &d.certdb) < 0)
		d.certdb = (struct nv_variable){0};
	status = decide(&d);
	signature_free(d.signature);
	return status;
}
