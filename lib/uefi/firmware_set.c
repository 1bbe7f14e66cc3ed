/* SPDX-License-Identifier: MIT */
/*
 * firmware_set.c — SetVariable of the emulated firmware (UEFI 2.10 §8.2.3): edk2's checks in edk2's
 * order, each with a reason that a person can act on.
 *
 * A request goes down a list of steps; each refuses it or lets it pass, and the last ones change
 * the store. Nothing is changed before all checks have passed.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "uefi/auth/certdb.h"
#include "uefi/firmware_request.h"
#include "uefi/known.h"
#include "uefi/siglist.h"

static enum uefi_status check_arguments(struct firmware *fw, const struct firmware_request *q)
{
	if (!q->name || !q->vendor || (!q->data && q->size > 0))
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, q->name,
			"an argument is missing");
	if (q->name->count == 0 || q->name->count > UEFI_NAME_MAX)
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, NULL,
			"a name has 1 to %d units, this one %zu", UEFI_NAME_MAX, q->name->count);
	for (size_t i = 0; i < q->name->count; i++) {
		if (q->name->units[i] == 0)
			return firmware_refuse(fw, UEFI_INVALID_PARAMETER, NULL,
				"a name cannot hold a NUL (unit %zu)", i);
	}
	if (q->attributes & ~UEFI_ATTRIBUTES_KNOWN)
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, q->name,
			"the attributes 0x%x hold bits outside 0x%x", q->attributes,
			UEFI_ATTRIBUTES_KNOWN);
	return UEFI_SUCCESS;
}

static enum uefi_status check_attributes(struct firmware *fw, const struct firmware_request *q)
{
	const uint32_t attributes = q->attributes;
	const bool is_counted = attributes & UEFI_AUTHENTICATED_WRITE_ACCESS;

	if ((attributes & UEFI_RUNTIME_ACCESS) && !(attributes & UEFI_BOOTSERVICE_ACCESS))
		return firmware_refuse(fw, is_counted ? UEFI_UNSUPPORTED : UEFI_INVALID_PARAMETER,
			q->name, "the attributes 0x%x have rt without bs", attributes);
	if (attributes == UEFI_NON_VOLATILE)
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, q->name,
			"the attribute nv alone gives nobody access: bs, or bs and rt, are needed");
	if ((attributes & UEFI_HARDWARE_ERROR_RECORD) && fw->nv->limits.hardware_error_storage == 0)
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, q->name,
			"this firmware sets nothing aside for hardware error records (hr)");
	if (is_counted && (is_time_based(q) || q->size > 0))
		return firmware_refuse(fw, UEFI_UNSUPPORTED, q->name,
			"count-based authentication (aw, 0x10) is not supported");
	if (is_time_based(q) && !firmware_has_auth(fw))
		return firmware_refuse(fw, UEFI_UNSUPPORTED, q->name,
			"this store has no authenticated variables (at)");
	return UEFI_SUCCESS;
}

/* Header, name with its NUL and `size` bytes of content against the limit of the class. */
static enum uefi_status check_size(struct firmware *fw,
	const struct firmware_request *q, size_t size,
	const char *what)
{
	const struct firmware_limit limit = firmware_limit(fw, q->attributes);
	const uint64_t around = fw->nv->limits.record_header + 2 * ((uint64_t)q->name->count + 1);

	if (around <= limit.bytes && size <= limit.bytes - around)
		return UEFI_SUCCESS;
	return firmware_refuse(fw, UEFI_INVALID_PARAMETER, q->name,
		"%s has %zu bytes; with header and name (%" PRIu64 " bytes) the firmware allows "
		"%" PRIu32 " (%s), so at most %" PRIu64, what, size, around, limit.bytes,
		limit.name, around < limit.bytes ? limit.bytes - around : 0);
}

static enum uefi_status check_known(struct firmware *fw, const struct firmware_request *q)
{
	CLEAN_BUFFER struct buffer why = BUFFER_INIT;

	if (is_deletion(q) ||
		known_variable_accepts(q->name, q->vendor, q->attributes, q->size, &why))
		return UEFI_SUCCESS;
	return firmware_refuse(fw, UEFI_INVALID_PARAMETER, q->name, "%s", buffer_text(&why));
}

static enum uefi_status check_writable(struct firmware *fw, const struct firmware_request *q)
{
	if (fw->nv->ops->is_writable(fw->nv))
		return UEFI_SUCCESS;
	return firmware_refuse(fw, UEFI_WRITE_PROTECTED, q->name,
		"the variable store is open for reading only");
}

static enum uefi_status refuse_attributes(struct firmware *fw, const struct firmware_request *q)
{
	CLEAN_BUFFER struct buffer stored = BUFFER_INIT;
	CLEAN_BUFFER struct buffer wanted = BUFFER_INIT;

	uefi_attributes_format(q->stored.attributes, &stored);
	uefi_attributes_format(q->attributes & ~UEFI_APPEND_WRITE, &wanted);
	return firmware_refuse(fw, UEFI_INVALID_PARAMETER, q->name,
		"the variable is stored with the attributes %s (0x%x), asked for are %s (0x%x); "
		"delete it first to change them", buffer_text(&stored), q->stored.attributes,
		buffer_text(&wanted), q->attributes & ~UEFI_APPEND_WRITE);
}

static enum uefi_status check_stored(struct firmware *fw, struct firmware_request *q)
{
	int r = fw->nv->ops->find(fw->nv, q->name, q->vendor, &q->stored);

	if (r < 0 && r != -ENOENT)
		return firmware_refuse(fw, UEFI_DEVICE_ERROR, q->name,
			"the variable store cannot be read: %s", strerror(-r));
	q->is_existing = r == 0;
	if (!q->is_existing)
		return UEFI_SUCCESS;
	if (firmware_hides(fw, q->stored.attributes))
		return firmware_refuse(fw, UEFI_WRITE_PROTECTED, q->name,
			"the variable belongs to boot services (no rt): an operating system cannot "
			"change it; view=all can");
	if (q->attributes != 0 && (q->attributes & ~UEFI_APPEND_WRITE) != q->stored.attributes)
		return refuse_attributes(fw, q);
	return UEFI_SUCCESS;
}

/* Content of variables for keys: what is no list of signatures would be no key to the firmware. */
static enum uefi_status check_keys(struct firmware *fw, const struct firmware_request *q)
{
	CLEAN_BUFFER struct buffer why = BUFFER_INIT;

	/* With a signature to be checked, that has looked at the content too. */
	if (fw->config.auth == FIRMWARE_AUTH_FIRMWARE || is_deletion(q) ||
		!known_variable_holds_keys(q->name, q->vendor) ||
		known_variable_accepts_keys(q->name, q->data, q->size, &why))
		return UEFI_SUCCESS;
	return firmware_refuse(fw, UEFI_INVALID_PARAMETER, q->name, "%s", buffer_text(&why));
}

static enum uefi_status check_persistent(struct firmware *fw, const struct firmware_request *q)
{
	if (!(q->attributes & UEFI_NON_VOLATILE))
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, q->name,
			"without the attribute nv a variable lives in memory only; an image keeps "
			"only non-volatile ones");
	if (firmware_hides(fw, q->attributes))
		return firmware_refuse(fw, UEFI_INVALID_PARAMETER, q->name,
			"at run time only variables with the attributes nv and rt can be made; "
			"view=all makes others");
	return UEFI_SUCCESS;
}

/* No room: says what is needed and where the room is. */
static enum uefi_status refuse_space(struct firmware *fw,
	const struct firmware_request *q, size_t size)
{
	const uint64_t needed = fw->nv->ops->record_size(fw->nv, q->name, size);
	struct nv_space space;

	fw->nv->ops->space(fw->nv, &space);
	return firmware_refuse(fw, UEFI_OUT_OF_RESOURCES, q->name,
		"no room in the variable store (not on a disk): the record needs %" PRIu64
		" bytes; of %" PRIu64 " bytes %" PRIu64 " are free, %" PRIu64
		" hold dead records and %" PRIu64 " live ones",
		needed, space.capacity, firmware_remaining(&space, true),
		space.all_bytes - space.live_bytes, space.live_bytes);
}

/* A change of the store that failed with r; size is that of the content. */
static enum uefi_status refuse_change(struct firmware *fw, const struct firmware_request *q, int r,
	size_t size)
{
	const char *detail = fw->nv->ops->reason(fw->nv);
	struct nv_space space;

	fw->nv->ops->space(fw->nv, &space);
	if (r == -ENOSPC && fw->nv->ops->record_size(fw->nv, q->name, size) >
			firmware_remaining(&space, false))
		return refuse_space(fw, q, size);
	if (r == -ENOMEM)
		return firmware_refuse(fw, UEFI_OUT_OF_RESOURCES, q->name, "out of memory");
	return firmware_refuse(fw,
		r == -ENOSPC ? UEFI_OUT_OF_RESOURCES :
		r == -EROFS  ? UEFI_WRITE_PROTECTED :
		r == -ENOENT ? UEFI_NOT_FOUND :
			       UEFI_DEVICE_ERROR,
		q->name, "the variable store could not be written: %s",
		*detail ? detail : strerror(-r));
}

static enum uefi_status remove_variable(struct firmware *fw, const struct firmware_request *q)
{
	int r;

	if (!q->is_existing)
		return firmware_refuse(fw, UEFI_NOT_FOUND, q->name,
			"there is no such variable to delete");
	fw->has_cursor = false;
	r = fw->nv->ops->remove(fw->nv, q->name, q->vendor);
	return r < 0 ? refuse_change(fw, q, r, 0) : UEFI_SUCCESS;
}

/*
 * An append may be older than what it is added to: the later time stays. One that creates the
 * variable leaves it without a time in a firmware; the owner's is kept.
 */
static bool takes_time(const struct firmware *fw, const struct firmware_request *q)
{
	if (!q->has_time || !is_append(q))
		return q->has_time;
	if (!q->is_existing)
		return fw->config.auth == FIRMWARE_AUTH_OWNER;
	return uefi_time_compare(&q->time, &q->stored.time) > 0;
}

/* Makes data the content. The time is the descriptor's, else the stored one's, else zero. */
static enum uefi_status store_variable(struct firmware *fw, const struct firmware_request *q,
	const uint8_t *data, size_t size)
{
	struct nv_variable v = {0};
	int r;

	if (q->is_existing)
		v = q->stored;
	v.name = *q->name;
	v.vendor = *q->vendor;
	v.attributes = q->attributes & ~UEFI_APPEND_WRITE;
	v.data = data;
	v.size = size;
	if (takes_time(fw, q))
		v.time = q->time;
	if (q->is_existing && v.size == q->stored.size &&
		uefi_time_equal(&v.time, &q->stored.time) &&
		(v.size == 0 || memcmp(v.data, q->stored.data, v.size) == 0))
		return UEFI_SUCCESS;
	fw->has_cursor = false;
	r = fw->nv->ops->put(fw->nv, &v, true);
	return r < 0 ? refuse_change(fw, q, r, size) : UEFI_SUCCESS;
}

/* The stored content with the request's behind it; of keys only those that are not there yet. */
static enum uefi_status append_variable(struct firmware *fw, const struct firmware_request *q)
{
	CLEAN_BUFFER struct buffer whole = BUFFER_INIT;
	enum uefi_status status;

	buffer_append(&whole, q->stored.data, q->stored.size);
	if (known_variable_holds_keys(q->name, q->vendor))
		siglist_filter(q->stored.data, q->stored.size, q->data, q->size, &whole);
	else
		buffer_append(&whole, q->data, q->size);
	if (buffer_error(&whole))
		return firmware_refuse(fw, UEFI_OUT_OF_RESOURCES, q->name, "out of memory");
	status = check_size(fw, q, whole.size, "the content with what is appended");
	if (status != UEFI_SUCCESS)
		return status;
	return store_variable(fw, q, whole.data, whole.size);
}

static enum uefi_status update_variable(struct firmware *fw, const struct firmware_request *q)
{
	enum uefi_status status;

	if (is_deletion(q))
		return remove_variable(fw, q);
	status = check_persistent(fw, q);
	if (status != UEFI_SUCCESS)
		return status;
	/* Also an append of nothing, or of nothing new: it may bring a later time. */
	if (is_append(q) && q->is_existing)
		return append_variable(fw, q);
	if (q->size == 0)
		return UEFI_SUCCESS;
	return store_variable(fw, q, q->data, q->size);
}

/* The list of owners: a crash between the two leaves an entry too many, never one too few. */
static enum uefi_status update_certdb(struct firmware *fw, const struct firmware_request *q)
{
	const struct nv_variable v = {
		.name = {.count = 6, .units = {'c', 'e', 'r', 't', 'd', 'b'}},
		.vendor = certdb_guid,
		.attributes = CERTDB_ATTRIBUTES,
		.data = q->verdict.certdb.data,
		.size = q->verdict.certdb.size,
	};
	int r;

	fw->has_cursor = false;
	r = fw->nv->ops->put(fw->nv, &v, true);
	return r < 0 ? refuse_change(fw, q, r, v.size) : UEFI_SUCCESS;
}

static enum uefi_status update_all(struct firmware *fw, const struct firmware_request *q)
{
	const struct auth_verdict *verdict = &q->verdict;
	enum uefi_status status = UEFI_SUCCESS;

	if (verdict->changes_certdb && verdict->is_certdb_first)
		status = update_certdb(fw, q);
	if (status == UEFI_SUCCESS)
		status = update_variable(fw, q);
	if (status == UEFI_SUCCESS && verdict->changes_certdb && !verdict->is_certdb_first)
		status = update_certdb(fw, q);
	return status;
}

enum uefi_status firmware_set_variable(struct uefi_services *s, const struct uefi_name *name,
	const struct guid *vendor, uint32_t attributes, const void *data, size_t size)
{
	struct firmware *fw = firmware_enter(s);
	struct firmware_request q = {.name = name, .vendor = vendor, .attributes = attributes,
		.data = data, .size = size};
	enum uefi_status status;

	status = check_arguments(fw, &q);
	if (status == UEFI_SUCCESS)
		status = check_attributes(fw, &q);
	if (status == UEFI_SUCCESS && is_time_based(&q))
		status = firmware_read_descriptor(fw, &q);
	if (status == UEFI_SUCCESS && !is_deletion(&q))
		status = check_size(fw, &q, q.size, "the content");
	if (status == UEFI_SUCCESS)
		status = check_known(fw, &q);
	if (status == UEFI_SUCCESS)
		status = check_writable(fw, &q);
	if (status == UEFI_SUCCESS)
		status = check_stored(fw, &q);
	if (status == UEFI_SUCCESS)
		status = firmware_check_authority(fw, &q);
	if (status == UEFI_SUCCESS)
		status = check_keys(fw, &q);
	if (status == UEFI_SUCCESS)
		status = update_all(fw, &q);
	auth_verdict_fini(&q.verdict);
	return status;
}
