/* SPDX-License-Identifier: MIT */
/*
 * decode.c — the bytes of a request to a struct message, by the table of opcodes.
 *
 * A guest can change its memory while we look at it, so each byte is copied out once and only the
 * copy is checked: header and arguments into the message, strings into the request's scratch.
 * Data (of a write) is left where it is.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "fuse/internal.h"

#define TARGET_MAX 4095 /* bytes of a symbolic link, PATH_MAX without the NUL */

/* The header; its length must be that of the bytes, which a foreign byte order cannot meet. */
static int header_decode(struct fs_request *req, struct fuse_in_header *header)
{
	size_t size = req->in.remaining;

	if (!iov_reader_copy(&req->in, header, sizeof(*header)))
		return -EIO;
	req->unique = header->unique;
	req->opcode = header->opcode;
	req->node = header->nodeid;
	req->caller = (struct fs_caller){header->uid, header->gid, header->pid};
	return header->opcode != FUSE_INIT_BSWAP_RESERVED && header->len != size ? -EIO : 0;
}

/* FUSE_CREATE_SUPP_GROUP: at most one group, the parent directory's (fuse.h 7.38). */
static int groups_decode(struct fs_request *req, struct iov_reader *r, size_t size)
{
	uint32_t count;

	if (size < sizeof(count) || !iov_reader_copy(r, &count, sizeof(count)))
		return -EINVAL;
	size -= sizeof(count);
	if (count > size / sizeof(req->group))
		return -EINVAL;
	if (count > 0) {
		if (!iov_reader_copy(r, &req->group, sizeof(req->group)))
			return -EINVAL;
		req->has_group = true;
		size -= sizeof(req->group);
	}
	return iov_reader_skip(r, size) ? 0 : -EINVAL;
}

/*
 * The extensions at a request's end: each a size that counts its own header, and a type. Those we
 * did not ask for are stepped over.
 */
static int extensions_decode(struct fs_request *req, size_t size)
{
	struct iov_reader r = req->in;
	struct fuse_ext_header extension;
	int error;

	if (size > r.remaining || !iov_reader_skip(&r, r.remaining - size) ||
		!iov_reader_limit(&req->in, req->in.remaining - size))
		return -EINVAL;
	while (r.remaining > 0) {
		if (!iov_reader_copy(&r, &extension, sizeof(extension)) ||
			extension.size < sizeof(extension) ||
			extension.size - sizeof(extension) > r.remaining)
			return -EINVAL;
		extension.size -= (uint32_t)sizeof(extension);
		if (extension.type == FUSE_EXTENSION_GROUPS) {
			error = groups_decode(req, &r, extension.size);
			if (error < 0)
				return error;
		} else if (!iov_reader_skip(&r, extension.size)) {
			return -EINVAL;
		}
	}
	return 0;
}

static size_t arguments_size(const struct fuse_session *session, uint32_t number,
	const struct opcode *opcode)
{
	if (number == FUSE_SETXATTR && (session->agreed.flags & FUSE_SETXATTR_EXT) == 0)
		return FUSE_COMPAT_SETXATTR_IN_SIZE;
	return opcode->args;
}

static int arguments_decode(const struct fuse_session *session, struct fs_request *req,
	struct message *m)
{
	size_t size = arguments_size(session, req->opcode, m->opcode);

	if (!m->opcode->handle)
		return -ENOSYS; /* nobody looks at what came */
	if (m->opcode->args_max > size && req->in.remaining > size)
		size = req->in.remaining < m->opcode->args_max ? req->in.remaining :
			m->opcode->args_max;
	if (!iov_reader_copy(&req->in, &m->args, size))
		return -EINVAL;
	m->args_size = size;
	return 0;
}

/* A file name: no '/', and not "." or ".." unless they may be looked up. */
static int file_name_check(const char *name, size_t length, bool dots_allowed)
{
	if (length > FS_NAME_MAX)
		return -ENAMETOOLONG;
	if (memchr(name, '/', length))
		return -EINVAL;
	if (!dots_allowed && (strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
		return -EINVAL;
	return 0;
}

static int name_check(const struct fuse_session *session, enum name_rule rule, const char *name)
{
	size_t length = strlen(name);

	if (length == 0)
		return rule == NAME_TARGET ? -ENOENT : -EINVAL;
	switch (rule) {
	case NAME_FIND:
		return file_name_check(name, length, session->agreed.flags & FUSE_EXPORT_SUPPORT);
	case NAME_ENTRY:
		return file_name_check(name, length, false);
	case NAME_TARGET:
		return length > TARGET_MAX ? -ENAMETOOLONG : 0;
	case NAME_XATTR:
		return length > FS_NAME_MAX ? -ERANGE : 0;
	case NAME_UNUSED:
	case NAME_NONE:
		break;
	}
	return 0;
}

/* Strings, and the value that follows them, go to the scratch in one copy. */
static int strings_decode(const struct fuse_session *session, struct fs_request *req,
	struct message *m)
{
	size_t size = req->in.remaining;
	struct reader r;
	int error;

	if (size > FUSE_SCRATCH_SIZE)
		return m->opcode->has_data ? -E2BIG : -ENAMETOOLONG;
	if (!iov_reader_copy(&req->in, req->scratch, size))
		return -EINVAL;
	r = reader_of(req->scratch, size);
	for (size_t i = 0; i < 2 && m->opcode->names[i] != NAME_NONE; i++) {
		m->names[i] = reader_cstr(&r, size);
		if (!m->names[i])
			return -EINVAL;
		error = name_check(session, m->opcode->names[i], m->names[i]);
		if (error < 0)
			return error;
	}
	m->value_size = reader_remaining(&r);
	m->value = reader_take(&r, m->value_size);
	return m->value_size > 0 && !m->opcode->has_data ? -EINVAL : 0;
}

int message_decode(const struct fuse_session *session, struct fs_request *req, struct message *m)
{
	struct fuse_in_header header;
	int r;

	*m = (struct message){.is_silent = true};
	r = header_decode(req, &header);
	if (req->in.failed)
		return r;
	m->opcode = opcode_find(header.opcode);
	m->is_silent = m->opcode && m->opcode->is_silent;
	if (r < 0)
		return r;
	if (header.opcode == FUSE_INIT_BSWAP_RESERVED) {
		log_limited(LOG_LEVEL_ERROR,
			"the FUSE client has the other byte order, which is not supported");
		return -EIO;
	}
	if (atomic_load_explicit(&session->state, memory_order_acquire) != SESSION_READY &&
		!(m->opcode && m->opcode->is_before_init))
		return -EIO;
	if (!m->opcode)
		return -ENOSYS;
	if (header.total_extlen > 0 && m->opcode->names[0] != NAME_NONE) {
		r = extensions_decode(req, (size_t)header.total_extlen * 8);
		if (r < 0)
			return r;
	}
	r = arguments_decode(session, req, m);
	if (r < 0)
		return r;
	if (m->opcode->names[0] != NAME_NONE)
		return strings_decode(session, req, m);
	return req->in.remaining > 0 && !m->opcode->has_data ? -EINVAL : 0;
}
