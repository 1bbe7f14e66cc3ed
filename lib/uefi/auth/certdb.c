/* SPDX-License-Identifier: MIT */
/* certdb.c — see certdb.h. */
#include "uefi/auth/certdb.h"

#include <errno.h>

#include "base/reader.h"

#define LENGTH_SIZE 4u      /* of the whole, in front */
#define NODE_FIXED_SIZE 28u /* GUID and three lengths */

const struct guid certdb_guid =
	GUID_OF(0xd9bee56e, 0x75dc, 0x49d9, 0xb4, 0xd7, 0xb5, 0x34, 0x21, 0x0f, 0x63, 0x7a);

static bool is_name(struct reader name, const struct uefi_name *wanted)
{
	if (reader_remaining(&name) != 2 * wanted->count)
		return false;
	for (size_t i = 0; i < wanted->count; i++) {
		if (reader_le16(&name) != wanted->units[i])
			return false;
	}
	return true;
}

/* Takes one node: 1 when it is the wanted one, 0 when not. */
static int take_node(struct reader *nodes, const struct uefi_name *name, const struct guid *vendor,
	struct certdb_node *ret)
{
	struct guid owner;
	uint32_t size, units, digest_size;
	struct reader text;

	reader_copy(nodes, &owner, sizeof(owner));
	size = reader_le32(nodes);
	units = reader_le32(nodes);
	digest_size = reader_le32(nodes);
	if (nodes->failed || size < NODE_FIXED_SIZE || units > UEFI_NAME_MAX ||
		(uint64_t)NODE_FIXED_SIZE + 2 * (uint64_t)units + digest_size != size)
		return -EBADMSG;
	text = reader_sub(nodes, 2 * (size_t)units);
	ret->digest = reader_take(nodes, digest_size);
	ret->digest_size = digest_size;
	ret->size = size;
	if (nodes->failed)
		return -EBADMSG;
	return guid_equal(&owner, vendor) && is_name(text, name);
}

int certdb_find(const void *data, size_t size, const struct uefi_name *name,
	const struct guid *vendor, struct certdb_node *ret)
{
	struct reader nodes = reader_of(data, size);
	struct certdb_node node = {0};

	if (size == 0)
		return -ENOENT;
	if (reader_le32(&nodes) != size || nodes.failed)
		return -EBADMSG;
	while (reader_remaining(&nodes) > 0) {
		int r;

		node.offset = size - reader_remaining(&nodes);
		r = take_node(&nodes, name, vendor, &node);
		if (r < 0)
			return r;
		if (r > 0) {
			*ret = node;
			return 0;
		}
	}
	return -ENOENT;
}

static void append_node(struct buffer *out, const struct uefi_name *name, const struct guid *vendor,
	const void *digest, size_t digest_size)
{
	buffer_append(out, vendor, sizeof(*vendor));
	buffer_le32(out, (uint32_t)(NODE_FIXED_SIZE + 2 * name->count + digest_size));
	buffer_le32(out, (uint32_t)name->count);
	buffer_le32(out, (uint32_t)digest_size);
	for (size_t i = 0; i < name->count; i++)
		buffer_le16(out, name->units[i]);
	buffer_append(out, digest, digest_size);
}

int certdb_change(const void *data, size_t size, const struct uefi_name *name,
	const struct guid *vendor, const void *digest, size_t digest_size, struct buffer *out)
{
	CLEAN_BUFFER struct buffer nodes = BUFFER_INIT;
	struct reader old = reader_of(data, size);
	struct certdb_node node = {0};
	int r = certdb_find(data, size, name, vendor, &node);

	if (r < 0 && r != -ENOENT)
		return r;
	if (size > 0)
		(void)reader_take(&old, LENGTH_SIZE); /* find has seen it */
	if (r == 0) {
		buffer_append(&nodes, old.p, node.offset - LENGTH_SIZE);
		(void)reader_take(&old, node.offset - LENGTH_SIZE + node.size);
	}
	if (reader_remaining(&old) > 0)
		buffer_append(&nodes, old.p, reader_remaining(&old));
	if (digest)
		append_node(&nodes, name, vendor, digest, digest_size);
	buffer_le32(out, (uint32_t)(LENGTH_SIZE + nodes.size));
	buffer_append(out, nodes.data, nodes.size);
	if (buffer_error(&nodes))
		out->error = buffer_error(&nodes);
	return 0;
}
