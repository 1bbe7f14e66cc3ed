/* SPDX-License-Identifier: MIT */
/*
 * idvalues.c — ids within the values of extended attributes: those of access lists, and the user
 * who is root for a capability.
 *
 * Specification: Linux, include/uapi/linux/posix_acl_xattr.h (version 2) and capability.h (struct
 * vfs_ns_cap_data, revision 3).
 */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>

#include "base/le.h"
#include "fs/passthrough/internal.h"

#define ACL_VERSION 2u
#define ACL_USER 0x02u
#define ACL_GROUP 0x08u
#define ACL_ID_SIZE 4u

typedef int (*translation)(const struct idmap *map, uint32_t id, uint32_t *ret);

static int to_client(const struct idmap *map, uint32_t id, uint32_t *ret)
{
	*ret = idmap_to_client(map, id);
	return 0;
}

/* The id that lies at an offset. */
static int translate_at(const struct idmap *map, translation translate, uint8_t *value,
	size_t offset, uint32_t id)
{
	uint32_t other = id;
	le32 wire;
	int r;

	r = translate(map, id, &other);
	wire = le32_of(other);
	memcpy(value + offset, &wire, sizeof(wire));
	return r;
}

static int translate_list(const struct passthrough *pt, translation translate, uint8_t *value,
	size_t size)
{
	struct reader r = reader_of(value, size);
	int error = 0;

	if (reader_le32(&r) != ACL_VERSION)
		return -EINVAL;
	while (error == 0 && reader_remaining(&r) > 0) {
		uint16_t tag = reader_le16(&r);
		uint32_t id;
		size_t offset;

		(void)reader_le16(&r); /* permissions */
		id = reader_le32(&r);
		if (r.failed)
			return -EINVAL;
		offset = size - reader_remaining(&r) - ACL_ID_SIZE;
		if (tag == ACL_USER)
			error = translate_at(pt->uids, translate, value, offset, id);
		else if (tag == ACL_GROUP)
			error = translate_at(pt->gids, translate, value, offset, id);
	}
	return error;
}

/* Only the third revision says whose capability it is. What is malformed is the host's to refuse. */
static int translate_capability(const struct passthrough *pt, translation translate, uint8_t *value,
	size_t size)
{
	struct reader r = reader_of(value, size);
	uint32_t magic = reader_le32(&r);
	size_t offset = sizeof(struct vfs_ns_cap_data) - sizeof(le32);

	if (size != sizeof(struct vfs_ns_cap_data) ||
		(magic & VFS_CAP_REVISION_MASK) != VFS_CAP_REVISION_3)
		return 0;
	(void)reader_take(&r, offset - sizeof(le32));
	return translate_at(pt->uids, translate, value, offset, reader_le32(&r));
}

static bool is_access_list(const char *name)
{
	return strcmp(name, XATTR_ACCESS_LIST) == 0 || strcmp(name, XATTR_DEFAULT_LIST) == 0;
}

bool value_has_ids(const struct passthrough *pt, const char *name)
{
	return (pt->uids || pt->gids) && (is_access_list(name) ||
		strcmp(name, XATTR_CAPABILITY) == 0);
}

int value_to_host(const struct passthrough *pt, const char *name, void *value, size_t size)
{
	return is_access_list(name) ? translate_list(pt, idmap_to_host, value, size) :
		translate_capability(pt, idmap_to_host, value, size);
}

int value_to_client(const struct passthrough *pt, const char *name, void *value, size_t size)
{
	return is_access_list(name) ? translate_list(pt, to_client, value, size) :
		translate_capability(pt, to_client, value, size);
}
