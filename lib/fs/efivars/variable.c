/* SPDX-License-Identifier: MIT */
/* variable.c — questions to the services about one variable; see internal.h. */
#include <errno.h>
#include <string.h>

#include "fs/efivars/internal.h"

enum uefi_status variable_get(struct efivars *e, const struct variable_key *key,
	struct content **ret)
{
	CLEAN(free) uint8_t *data = NULL;
	uint32_t attributes = 0;
	enum uefi_status status;
	struct content *content;
	struct uefi_name name;
	size_t size = 0;

	key_get_name(key, &name);
	status = uefi_read_variable(e->services, &name, &key->vendor, &attributes, &data, &size);
	if (status == UEFI_BUFFER_TOO_SMALL)
		return UEFI_DEVICE_ERROR; /* no room was enough */
	if (status != UEFI_SUCCESS)
		return status;
	content = content_new(attributes & ~UEFI_APPEND_WRITE, data, size);
	if (!content)
		return UEFI_OUT_OF_RESOURCES;
	*ret = content;
	return UEFI_SUCCESS;
}

enum uefi_status variable_set(struct efivars *e, const struct variable_key *key,
	uint32_t attributes, const void *data, size_t size)
{
	struct uefi_name name;

	key_get_name(key, &name);
	return e->services->ops->set_variable(e->services, &name, &key->vendor, attributes, data,
		size);
}

/* What a status means where the services themselves say nothing. */
static const char *explain(enum uefi_status status)
{
	static const struct {
		enum uefi_status status;
		const char *text;
	} texts[] = {
		{UEFI_INVALID_PARAMETER, "the firmware refuses name, attributes, size or content"},
		{UEFI_UNSUPPORTED, "the firmware does not support it"},
		{UEFI_DEVICE_ERROR, "the variable store could not be read or written"},
		{UEFI_WRITE_PROTECTED, "the variable or the store is write-protected"},
		{UEFI_OUT_OF_RESOURCES, "there is no room for it in the variable store"},
		{UEFI_VOLUME_CORRUPTED, "the variable store is damaged"},
		{UEFI_NOT_FOUND, "there is no such variable"},
		{UEFI_ACCESS_DENIED, "the firmware does not allow it"},
		{UEFI_SECURITY_VIOLATION, "the signature is missing, wrong or out of date"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (texts[i].status == status)
			return texts[i].text;
	}
	return "the firmware refuses it";
}

int variable_refused(struct efivars *e, const char *name, const char *what,
	enum uefi_status status)
{
	const char *reason = e->services->ops->reason(e->services);
	int r = uefi_status_errno(status);

	notes_refuse(&e->notes, "%s: %s: %s (%s)", name, what,
		reason && *reason ? reason : explain(status), uefi_status_name(status));
	if (r == 0 || r == -ENOENT)
		return -EIO;
	return r;
}

void variable_load(struct efivars *e, uint64_t id)
{
	CLEAN(content_unref) struct content *content = NULL;
	struct variable_key key;
	char shown[FILE_NAME_SIZE];
	enum uefi_status status;
	struct node *node;
	bool is_needed;

	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, id);
	is_needed = node && id != FS_ROOT && !efivars_knows(e, node);
	if (is_needed) {
		key = node->key;
		memcpy(shown, node->shown, sizeof(shown));
	}
	pthread_mutex_unlock(&e->lock);
	if (!is_needed)
		return;
	status = variable_get(e, &key, &content);
	if (status != UEFI_SUCCESS && status != UEFI_NOT_FOUND)
		(void)variable_refused(e, shown, "cannot be read", status); /* the note matters */
	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, id);
	if (node && node->state == NODE_STORED) {
		if (status == UEFI_NOT_FOUND)
			nodes_remove(&e->nodes, node);
		else
			node_set_content(node, content, e->is_exclusive);
	}
	pthread_mutex_unlock(&e->lock);
}

void variable_load_named(struct efivars *e, const char *canonical)
{
	const struct node *node;
	uint64_t id = 0;

	pthread_mutex_lock(&e->lock);
	node = nodes_find(&e->nodes, canonical);
	if (node)
		id = node->id;
	pthread_mutex_unlock(&e->lock);
	if (id)
		variable_load(e, id);
}
