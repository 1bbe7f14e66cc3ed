/* SPDX-License-Identifier: MIT */
/* fake_services.c — see fake_services.h. */
#include "fs/efivars/test/fake_services.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct fake_services *fake_of(struct uefi_services *s)
{
	return (struct fake_services *)s;
}

/* Takes the lock, counts the call, and waits as long as such calls are blocked. */
static enum uefi_status begin_call(struct fake_services *fake, enum fake_call call)
{
	pthread_mutex_lock(&fake->lock);
	fake->calls[call]++;
	fake->waiting[call]++;
	pthread_cond_broadcast(&fake->is_awaited);
	while (fake->blocks[call])
		pthread_cond_wait(&fake->is_awaited, &fake->lock);
	fake->waiting[call]--;
	return fake->fails[call];
}

static enum uefi_status end_call(struct fake_services *fake, enum uefi_status status)
{
	pthread_mutex_unlock(&fake->lock);
	return status;
}

static struct fake_variable *find(struct fake_services *fake, const struct uefi_name *name,
	const struct guid *vendor)
{
	for (size_t i = 0; i < fake->count; i++) {
		struct fake_variable *v = &fake->variables[i];

		if (!v->is_hidden && uefi_name_equal(&v->name, name) &&
			guid_equal(&v->vendor, vendor))
			return v;
	}
	return NULL;
}

static void take_away(struct fake_services *fake, struct fake_variable *v)
{
	size_t index = (size_t)(v - fake->variables);

	free(v->data);
	fake->count--;
	memmove(v, v + 1, (fake->count - index) * sizeof(*v));
}

static enum uefi_status fake_get_variable(struct uefi_services *s, const struct uefi_name *name,
	const struct guid *vendor, uint32_t *ret_attributes, void *data, size_t *size)
{
	struct fake_services *fake = fake_of(s);
	enum uefi_status status = begin_call(fake, FAKE_GET);
	const struct fake_variable *v = find(fake, name, vendor);
	size_t room = *size;

	if (status != UEFI_SUCCESS)
		return end_call(fake, status);
	if (!v)
		return end_call(fake, UEFI_NOT_FOUND);
	*size = v->size;
	if (v->size > room)
		return end_call(fake, UEFI_BUFFER_TOO_SMALL);
	*ret_attributes = v->attributes;
	if (v->size > 0)
		memcpy(data, v->data, v->size);
	return end_call(fake, UEFI_SUCCESS);
}

static enum uefi_status fake_get_next(struct uefi_services *s, struct uefi_name *name,
	struct guid *vendor)
{
	struct fake_services *fake = fake_of(s);
	enum uefi_status status = begin_call(fake, FAKE_NEXT);
	size_t place = name->count == 0 ? 0 : fake->cursor;

	if (status != UEFI_SUCCESS)
		return end_call(fake, status);
	if (fake->next_status != UEFI_SUCCESS && place == fake->next_fails_at)
		return end_call(fake, fake->next_status);
	if (place >= fake->count && fake->is_circle)
		place = 0;
	if (place >= fake->count)
		return end_call(fake, UEFI_NOT_FOUND);
	*name = fake->variables[place].name;
	*vendor = fake->variables[place].vendor;
	fake->cursor = place + 1;
	return end_call(fake, UEFI_SUCCESS);
}

/* The new content: behind the old one with the append bit. */
static void store(struct fake_services *fake, struct fake_variable *v, uint32_t attributes,
	const void *data, size_t size)
{
	size_t old = attributes & UEFI_APPEND_WRITE ? v->size : 0;

	if (fake->does_truncate)
		size /= 2;
	v->data = realloc(v->data, old + size);
	assert(v->data);
	memcpy(v->data + old, data, size);
	v->size = old + size;
	v->attributes = attributes & ~UEFI_APPEND_WRITE;
}

static enum uefi_status set_locked(struct fake_services *fake, const struct uefi_name *name,
	const struct guid *vendor, uint32_t attributes, const void *data, size_t size)
{
	struct fake_variable *v = find(fake, name, vendor);

	fake->last_attributes = attributes;
	fake->last_size = size;
	if (attributes == 0 || (size == 0 && !(attributes & UEFI_APPEND_WRITE))) {
		if (!v)
			return UEFI_NOT_FOUND;
		take_away(fake, v);
		return UEFI_SUCCESS;
	}
	if (v && !fake->may_change_attributes &&
		v->attributes != (attributes & ~UEFI_APPEND_WRITE))
		return UEFI_INVALID_PARAMETER;
	if (!v) {
		assert(fake->count < FAKE_VARIABLES_MAX);
		v = &fake->variables[fake->count++];
		*v = (struct fake_variable){.name = *name, .vendor = *vendor};
	}
	store(fake, v, attributes, data, size);
	return UEFI_SUCCESS;
}

static enum uefi_status fake_set_variable(struct uefi_services *s, const struct uefi_name *name,
	const struct guid *vendor, uint32_t attributes, const void *data, size_t size)
{
	struct fake_services *fake = fake_of(s);
	enum uefi_status status = begin_call(fake, FAKE_SET);

	if (status == UEFI_SUCCESS)
		status = set_locked(fake, name, vendor, attributes, data, size);
	return end_call(fake, status);
}

static enum uefi_status fake_query_info(struct uefi_services *s, uint32_t attributes,
	struct uefi_query *ret)
{
	struct fake_services *fake = fake_of(s);
	enum uefi_status status = begin_call(fake, FAKE_QUERY);

	if (status == UEFI_SUCCESS && attributes != UEFI_ATTRIBUTES_DEFAULT)
		status = UEFI_INVALID_PARAMETER;
	if (status == UEFI_SUCCESS)
		*ret = fake->query;
	return end_call(fake, status);
}

static bool fake_has_changed(struct uefi_services *s)
{
	struct fake_services *fake = fake_of(s);
	bool is_changed;

	pthread_mutex_lock(&fake->lock);
	fake->changed_calls++;
	is_changed = fake->is_changed;
	fake->is_changed = false;
	pthread_mutex_unlock(&fake->lock);
	return is_changed;
}

static int fake_set_writable(struct uefi_services *s, bool is_writable, char **ret_error)
{
	struct fake_services *fake = fake_of(s);

	if (fake->writable_error < 0) {
		*ret_error = strdup("it is in use");
		return fake->writable_error;
	}
	fake->is_writable = is_writable;
	return 0;
}

static const char *fake_reason(struct uefi_services *s)
{
	return fake_of(s)->reason;
}

static void fake_destroy(struct uefi_services *s)
{
	fake_of(s)->is_destroyed = true;
}

static const struct uefi_services_ops fake_ops = {
	.name = "fake",
	.get_variable = fake_get_variable,
	.get_next = fake_get_next,
	.set_variable = fake_set_variable,
	.query_info = fake_query_info,
	.has_changed = fake_has_changed,
	.set_writable = fake_set_writable,
	.reason = fake_reason,
	.destroy = fake_destroy,
};

void fake_services_init(struct fake_services *fake, bool is_exclusive)
{
	memset(fake, 0, sizeof(*fake));
	fake->services = (struct uefi_services){
		.ops = &fake_ops,
		.supported = UEFI_HAS_GET_VARIABLE | UEFI_HAS_GET_NEXT | UEFI_HAS_SET_VARIABLE |
			UEFI_HAS_QUERY_INFO,
		.is_exclusive = is_exclusive,
	};
	pthread_mutex_init(&fake->lock, NULL);
	pthread_cond_init(&fake->is_awaited, NULL);
	fake->query = (struct uefi_query){.max_storage = 90024, .remaining = 33387};
	fake->reason = "";
	fake->is_writable = true;
}

void fake_services_fini(struct fake_services *fake)
{
	for (size_t i = 0; i < fake->count; i++)
		free(fake->variables[i].data);
	pthread_cond_destroy(&fake->is_awaited);
	pthread_mutex_destroy(&fake->lock);
}

void fake_add(struct fake_services *fake, const char *name, const struct guid *vendor,
	uint32_t attributes, const void *data, size_t size)
{
	struct fake_variable v = {.vendor = *vendor, .attributes = attributes, .size = size};
	int r = uefi_name_from_utf8(&v.name, name, strlen(name));

	assert(r >= 0);
	v.data = malloc(size + 1);
	assert(v.data);
	memcpy(v.data, data, size);
	pthread_mutex_lock(&fake->lock);
	assert(fake->count < FAKE_VARIABLES_MAX);
	fake->variables[fake->count++] = v;
	pthread_mutex_unlock(&fake->lock);
}

struct fake_variable *fake_find(struct fake_services *fake, const char *name)
{
	struct uefi_name wanted;
	int r = uefi_name_from_utf8(&wanted, name, strlen(name));

	assert(r >= 0);
	for (size_t i = 0; i < fake->count; i++) {
		if (uefi_name_equal(&fake->variables[i].name, &wanted))
			return &fake->variables[i];
	}
	return NULL;
}

void fake_remove(struct fake_services *fake, const char *name)
{
	struct fake_variable *v;

	pthread_mutex_lock(&fake->lock);
	v = fake_find(fake, name);
	assert(v);
	take_away(fake, v);
	pthread_mutex_unlock(&fake->lock);
}

void fake_fail(struct fake_services *fake, enum fake_call call, enum uefi_status status)
{
	pthread_mutex_lock(&fake->lock);
	fake->fails[call] = status;
	pthread_mutex_unlock(&fake->lock);
}

void fake_block(struct fake_services *fake, enum fake_call call)
{
	pthread_mutex_lock(&fake->lock);
	fake->blocks[call] = true;
	pthread_mutex_unlock(&fake->lock);
}

void fake_unblock(struct fake_services *fake, enum fake_call call)
{
	pthread_mutex_lock(&fake->lock);
	fake->blocks[call] = false;
	pthread_cond_broadcast(&fake->is_awaited);
	pthread_mutex_unlock(&fake->lock);
}

void fake_await_blocked(struct fake_services *fake, enum fake_call call)
{
	pthread_mutex_lock(&fake->lock);
	while (!fake->blocks[call] || fake->waiting[call] == 0)
		pthread_cond_wait(&fake->is_awaited, &fake->lock);
	pthread_mutex_unlock(&fake->lock);
}

unsigned fake_count(struct fake_services *fake, enum fake_call call)
{
	unsigned count;

	pthread_mutex_lock(&fake->lock);
	count = fake->calls[call];
	pthread_mutex_unlock(&fake->lock);
	return count;
}

void fake_set_changed(struct fake_services *fake)
{
	pthread_mutex_lock(&fake->lock);
	fake->is_changed = true;
	pthread_mutex_unlock(&fake->lock);
}
