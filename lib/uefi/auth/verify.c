/* SPDX-License-Identifier: MIT */
/* verify.c — see decision.h. What is signed, and the four ways to be signed by the right one. */
#include <errno.h>

#include "uefi/auth/certdb.h"
#include "uefi/auth/decision.h"
#include "uefi/siglist.h"

static const struct uefi_name exchange_key_name = {.count = 3, .units = {'K', 'E', 'K'}};

/*
 * Year to second, all else being 0. A write must be later than what it replaces; what it is added
 * to may be later than it.
 */
static enum uefi_status check_time(struct decision *d)
{
	const struct auth_write *w = d->write;
	CLEAN_BUFFER struct buffer given = BUFFER_INIT;
	CLEAN_BUFFER struct buffer stored = BUFFER_INIT;

	if (!w->descriptor->is_time_plain)
		return decision_refuse(d, UEFI_SECURITY_VIOLATION,
			"the descriptor's time has a nanosecond, zone, daylight or pad other than "
			"0");
	if (!w->stored || (w->attributes & UEFI_APPEND_WRITE))
		return UEFI_SUCCESS;
	if (uefi_time_compare(&w->descriptor->time, &w->stored->time) > 0)
		return UEFI_SUCCESS;
	uefi_time_format(&w->descriptor->time, &given);
	uefi_time_format(&w->stored->time, &stored);
	return decision_refuse(d, UEFI_SECURITY_VIOLATION,
		"the time stamp %s is not later than that of what is stored, %s",
		given.size ? buffer_text(&given) : "0", stored.size ? buffer_text(&stored) : "0");
}

static enum uefi_status read_signature(struct decision *d)
{
	const struct auth_write *w = d->write;
	CLEAN_BUFFER struct buffer detail = BUFFER_INIT;
	int r;

	if (!w->descriptor->is_pkcs7)
		return decision_refuse(d, UEFI_SECURITY_VIOLATION,
			"the descriptor's certificate is not of the type PKCS#7");
	if (d->signature)
		return UEFI_SUCCESS;
	r = signature_new(&d->signature, w->descriptor_data + DESCRIPTOR_FIXED_SIZE,
		w->descriptor->size - DESCRIPTOR_FIXED_SIZE, &detail);
	if (r == -ENOMEM)
		return decision_refuse(d, UEFI_OUT_OF_RESOURCES, "out of memory");
	return r < 0 ? decision_refuse(d, UEFI_SECURITY_VIOLATION, "%s", buffer_text(&detail))
		     : UEFI_SUCCESS;
}

/* Name without NUL, GUID, attributes, time, content. */
static enum uefi_status make_signed_bytes(struct decision *d, struct buffer *out)
{
	const struct auth_write *w = d->write;

	for (size_t i = 0; i < w->name->count; i++)
		buffer_le16(out, w->name->units[i]);
	buffer_append(out, w->vendor, sizeof(*w->vendor));
	buffer_le32(out, w->attributes);
	buffer_append(out, w->descriptor_data, DESCRIPTOR_TIME_SIZE);
	buffer_append(out, w->content, w->size);
	return buffer_error(out) ? decision_refuse(d, UEFI_OUT_OF_RESOURCES, "out of memory")
				 : UEFI_SUCCESS;
}

/* The first entry's data of lists of signatures, NULL when there is none. */
static const uint8_t *first_entry(const uint8_t *data, size_t size, size_t *ret_size)
{
	struct reader lists = reader_of(data, size);
	struct siglist list = {0};
	const uint8_t *entry = NULL;

	if (siglist_next(&lists, data, &list, NULL) == 1)
		entry = reader_take(&list.entries, list.entry_size);
	if (!entry)
		return NULL;
	*ret_size = list.entry_size - SIGLIST_OWNER_SIZE;
	return entry + SIGLIST_OWNER_SIZE;
}

static enum uefi_status verify_by_platform_key(struct decision *d, const struct buffer *content)
{
	struct nv_variable stored;
	const uint8_t *certificate = NULL;
	size_t size = 0;

	if (decision_find_platform_key(d, &stored))
		certificate = first_entry(stored.data, stored.size, &size);
	if (!certificate || !signature_is_signer(d->signature, certificate, size))
		return decision_refuse(
			d, UEFI_SECURITY_VIOLATION, "it is not signed with the platform key (PK)");
	if (!signature_is_valid(d->signature, certificate, size, content->data, content->size))
		return decision_refuse(d, UEFI_SECURITY_VIOLATION,
			"the platform key's signature is not one of this name, GUID, attributes, "
			"time and content");
	return UEFI_SUCCESS;
}

static bool has_valid_entry(struct decision *d, struct siglist *list, const struct buffer *content)
{
	while (reader_remaining(&list->entries) > 0) {
		const uint8_t *entry = reader_take(&list->entries, list->entry_size);

		if (entry && signature_is_valid(d->signature, entry + SIGLIST_OWNER_SIZE,
				     list->entry_size - SIGLIST_OWNER_SIZE, content->data,
				     content->size))
			return true;
	}
	return false;
}

static enum uefi_status verify_by_exchange_key(struct decision *d, const struct buffer *content)
{
	struct nv_variable stored;
	struct siglist list = {0};
	struct reader lists;

	if (d->view->find(d->view->context, &exchange_key_name, &uefi_global_guid, &stored) < 0)
		return decision_refuse(d, UEFI_NOT_FOUND,
			"it is not signed with the platform key (PK), and there is no key "
			"exchange key (KEK)");
	lists = reader_of(stored.data, stored.size);
	while (siglist_next(&lists, stored.data, &list, NULL) == 1) {
		if (siglist_is_x509(&list) && has_valid_entry(d, &list, content))
			return UEFI_SUCCESS;
	}
	return decision_refuse(d, UEFI_SECURITY_VIOLATION,
		"neither the platform key (PK) nor a key exchange key (KEK) signed this name, "
		"GUID, attributes, time and content");
}

static enum uefi_status verify_by_content(struct decision *d, const struct buffer *content)
{
	size_t size = 0;
	const uint8_t *certificate = first_entry(d->write->content, d->write->size, &size);

	if (certificate &&
		signature_is_valid(d->signature, certificate, size, content->data, content->size))
		return UEFI_SUCCESS;
	return decision_refuse(d, UEFI_SECURITY_VIOLATION,
		"in setup mode PK is signed with the very key that it holds, and this is not");
}

static enum uefi_status verify_by_owner(struct decision *d, const struct buffer *content)
{
	const struct auth_write *w = d->write;
	uint8_t digest[SIGNATURE_DIGEST_MAX];
	struct certdb_node node;
	int n;

	if (w->stored) {
		if (certdb_find(d->certdb.data, d->certdb.size, w->name, w->vendor, &node) < 0)
			return decision_refuse(d, UEFI_SECURITY_VIOLATION,
				"the variable's owner is not on the firmware's list (certdb)");
		n = signature_fingerprint(d->signature, digest);
		if (n < 0 || node.digest_size != (size_t)n ||
			memcmp(node.digest, digest, (size_t)n) != 0)
			return decision_refuse(d, UEFI_SECURITY_VIOLATION,
				"it is not signed by the one who first wrote the variable");
	}
	if (!signature_is_valid_by_signer(d->signature, content->data, content->size))
		return decision_refuse(d, UEFI_SECURITY_VIOLATION,
			"the signature is not one of this name, GUID, attributes, time and "
			"content");
	return UEFI_SUCCESS;
}

enum uefi_status decision_verify(struct decision *d, enum decision_signer signer)
{
	CLEAN_BUFFER struct buffer content = BUFFER_INIT;
	enum uefi_status status = check_time(d);

	if (status == UEFI_SUCCESS)
		status = read_signature(d);
	if (status == UEFI_SUCCESS)
		status = make_signed_bytes(d, &content);
	if (status != UEFI_SUCCESS)
		return status;
	switch (signer) {
	case SIGNED_BY_PLATFORM_KEY:
		return verify_by_platform_key(d, &content);
	case SIGNED_BY_EXCHANGE_KEY:
		return verify_by_exchange_key(d, &content);
	case SIGNED_BY_CONTENT:
		return verify_by_content(d, &content);
	case SIGNED_BY_OWNER:
		return verify_by_owner(d, &content);
	}
	return UEFI_SECURITY_VIOLATION;
}
