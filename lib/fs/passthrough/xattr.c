/* SPDX-License-Identifier: MIT */
/*
 * xattr.c — extended attributes and access lists, and the mount's own options as one.
 *
 * A map (xattrmap.h) may give attributes other names on the host. Where it does that to access
 * lists there are none: the host would not obey them.
 *
 * Attributes are reached through /proc/self/fd, which leads to the very inode of an O_PATH
 * descriptor, also when that is a symbolic link or a device.
 */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "fs/passthrough/internal.h"

/* ---- names ---- */

static const char *const access_lists[] = {XATTR_ACCESS_LIST, XATTR_DEFAULT_LIST};

int xattr_init(struct passthrough *pt)
{
	const struct xattrmap *map = pt->xattrmap;
	struct xattr_name host;

	pt->has_access_lists = true;
	if (!map)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(access_lists); i++)
		pt->has_access_lists &= xattrmap_keeps(map, access_lists[i]);
	if (xattrmap_to_host(map, XATTR_CAPABILITY, &host) < 0 ||
		strcmp(host.text, XATTR_CAPABILITY) == 0)
		return 0;
	pt->capability_name = strdup(host.text);
	return pt->capability_name ? 0 : -ENOMEM;
}

/* Access lists under another name would be kept and obeyed by nobody. */
static bool is_blocked(const struct passthrough *pt, const char *name)
{
	return !pt->has_access_lists &&
	       (strcmp(name, access_lists[0]) == 0 || strcmp(name, access_lists[1]) == 0);
}

/* The host's name of an attribute, in space where it is another. 0 or -errno. */
static int name_to_host(
	const struct passthrough *pt, const char *name, struct xattr_name *space, const char **ret)
{
	int r;

	if (!pt->config.options.xattr || is_blocked(pt, name))
		return -EOPNOTSUPP;
	if (!pt->xattrmap) {
		*ret = name;
		return 0;
	}
	r = xattrmap_to_host(pt->xattrmap, name, space);
	if (r == 0)
		*ret = space->text;
	return r;
}

static const char *name_to_client(const struct passthrough *pt, const char *name)
{
	const char *client = pt->xattrmap ? xattrmap_to_client(pt->xattrmap, name) : name;

	return client && is_blocked(pt, client) ? NULL : client;
}

/* ---- the mount's own ---- */

/* One of the root's attributes that are the mount's. */
static bool is_mount_xattr(uint64_t node, const char *name)
{
	return node == FS_ROOT && (strcmp(name, PASSTHROUGH_XATTR_OPTIONS) == 0 ||
		strcmp(name, PASSTHROUGH_XATTR_ERROR) == 0);
}

static int reply_text(struct fs_request *req, const char *text, uint32_t size)
{
	size_t length = strlen(text);

	if (size == 0) {
		fs_reply_xattr_size(req, length);
		return 0;
	}
	if (length > size)
		return -ERANGE;
	fs_reply_data(req, text, length);
	return 0;
}

static int get_mount_xattr(struct passthrough *pt, struct fs_request *req, const char *name,
	uint32_t size)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;

	pthread_mutex_lock(&pt->options_lock);
	if (strcmp(name, PASSTHROUGH_XATTR_OPTIONS) == 0)
		pt->config.describe(pt->config.arg, &text);
	else if (pt->options_error)
		buffer_string(&text, pt->options_error);
	pthread_mutex_unlock(&pt->options_lock);
	if (buffer_error(&text) || text.size == 0)
		return buffer_error(&text) ? -ENOMEM : -ENODATA;
	return reply_text(req, buffer_text(&text), size);
}

static int set_mount_xattr(struct passthrough *pt, struct fs_request *req, const char *name,
	const void *value, size_t size)
{
	CLEAN(free) char *text = NULL;
	char *error = NULL;
	int r;

	if (strcmp(name, PASSTHROUGH_XATTR_OPTIONS) != 0)
		return -EPERM;
	text = strndup(value, size);
	if (!text)
		return -ENOMEM;
	pthread_mutex_lock(&pt->options_lock);
	r = pt->config.reconfigure(pt->config.arg, text, &error);
	free(pt->options_error);
	pt->options_error = error;
	pthread_mutex_unlock(&pt->options_lock);
	if (r < 0)
		return r;
	fs_reply_ok(req);
	return 0;
}

/* ---- reading ---- */

/* The value of an attribute, straight into the answer. */
static int reply_value(struct fs_request *req, int fd, const char *name, uint32_t size)
{
	struct proc_path path = proc_path(fd);
	CLEAN(free) char *copy = NULL;
	struct iovec iov;
	char *place = NULL;
	ssize_t n;
	int r;

	if (size > 0) {
		r = fs_reply_buffer(req, size, &iov, 1);
		if (r < 0 && r != -EMSGSIZE)
			return r;
		place = r == 1 ? iov.iov_base : (copy = malloc(size)); /* in pieces: copied */
		if (!place)
			return -ENOMEM;
	}
	n = getxattr(path.text, name, place, size);
	if (n < 0)
		return -errno;
	if (size == 0)
		fs_reply_xattr_size(req, (size_t)n);
	else if (copy)
		fs_reply_data(req, copy, (size_t)n);
	else
		fs_reply_filled(req, (size_t)n);
	return 0;
}

/* Who lists names. What he may is only looked at when it matters. */
struct lister {
	const struct passthrough *pt;
	struct fs_caller caller;
	bool is_known;
	bool is_admin;
};

/* Names that only CAP_SYS_ADMIN may see. */
static bool may_see(struct lister *lister, const char *name)
{
	if (!lister->pt->is_privileged || strncmp(name, "trusted.", strlen("trusted.")) != 0)
		return true;
	if (!lister->is_known)
		lister->is_admin = caller_has(lister->pt, &lister->caller, CAP_SYS_ADMIN);
	lister->is_known = true;
	return lister->is_admin;
}

/* The host's names become the client's, which are not longer. Returns the size that is left. */
static size_t names_filter(struct lister *lister, char *names, size_t size)
{
	size_t left = 0;

	for (size_t at = 0, length; at < size; at += length) {
		const char *name = names + at;

		length = strnlen(name, size - at) + 1;
		if (length > size - at)
			break; /* a last name without its end: the host's mistake */
		name = name_to_client(lister->pt, name);
		if (!name || !may_see(lister, name))
			continue;
		memmove(names + left, name, strlen(name) + 1);
		left += strlen(names + left) + 1;
	}
	return left;
}

/* The value of an attribute whose ids have a map. */
static int reply_translated(struct passthrough *pt, struct fs_request *req, int fd,
	const char *name, const char *host, uint32_t size)
{
	CLEAN(free) char *value = malloc(size);
	ssize_t n;

	if (!value)
		return -ENOMEM;
	n = getxattr(proc_path(fd).text, host, value, size);
	if (n < 0)
		return -errno;
	if (value_to_client(pt, name, value, (size_t)n) < 0)
		return -EIO; /* the host has something else under that name */
	fs_reply_data(req, value, (size_t)n);
	return 0;
}

static int reply_names(struct passthrough *pt, struct fs_request *req, int fd, uint32_t size)
{
	struct lister lister = {.pt = pt, .caller = fs_request_caller(req)};
	CLEAN(free) char *names = malloc(XATTR_LIST_MAX);
	ssize_t n;
	size_t left;

	if (!names)
		return -ENOMEM;
	n = listxattr(proc_path(fd).text, names, XATTR_LIST_MAX);
	if (n < 0)
		return -errno;
	left = names_filter(&lister, names, (size_t)n);
	if (size == 0)
		fs_reply_xattr_size(req, left);
	else if (left > size)
		return -ERANGE;
	else
		fs_reply_data(req, names, left);
	return 0;
}

int op_getxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	uint32_t size)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held held = {0};
	struct xattr_name space;
	const char *host = NULL;
	int r;

	if (is_mount_xattr(node, name))
		return get_mount_xattr(pt, req, name, size);
	r = name_to_host(pt, name, &space, &host);
	if (r < 0)
		return r == -EPERM ? -ENODATA : r;
	r = node_hold(pt, node, &held);
	if (r < 0)
		return r;
	return size > 0 && value_has_ids(pt, name) ?
		reply_translated(pt, req, held.fd, name, host, size) :
		reply_value(req, held.fd, host, size);
}

int op_listxattr(struct fs *fs, struct fs_request *req, uint64_t node, uint32_t size)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held held = {0};
	int r;

	if (!pt->config.options.xattr)
		return -EOPNOTSUPP;
	r = node_hold(pt, node, &held);
	return r < 0 ? r : reply_names(pt, req, held.fd, size);
}

/* ---- changing ---- */

/* A capability under a name that the host does not know: killpriv.c takes it away. */
static void see_capability(const struct passthrough *pt, struct node *node, const char *host)
{
	if (pt->capability_name && strcmp(host, pt->capability_name) == 0)
		killpriv_see_capability(node);
}

/* An access list that was set by somebody outside the file's group takes set-group-id away. */
static int drop_setgid(const struct held *held)
{
	struct statx stx = {0};
	int r;

	r = stat_descriptor(held->fd, &stx);
	if (r < 0 || !(stx.stx_mode & S_ISGID))
		return r;
	if (chmod(proc_path(held->fd).text, stx.stx_mode & 07777u & ~(unsigned)S_ISGID) < 0)
		return -errno;
	return 0;
}

/* Replaces a value by one with the host's ids, where it has some; *ret_copy is to be freed. */
static int translate_value(const struct passthrough *pt, const char *name, const void **value,
	size_t size, void **ret_copy)
{
	void *copy;

	if (size == 0 || !value_has_ids(pt, name))
		return 0;
	copy = malloc(size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, *value, size);
	*value = *ret_copy = copy;
	return value_to_host(pt, name, copy, size);
}

int op_setxattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name,
	const void *value, size_t size, uint32_t flags)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held held = {0};
	CLEAN(free) void *copy = NULL;
	struct xattr_name space;
	const char *host = NULL;
	int r;

	if (is_mount_xattr(node, name))
		return set_mount_xattr(pt, req, name, value, size);
	r = name_to_host(pt, name, &space, &host);
	if (r == 0)
		r = translate_value(pt, name, &value, size, &copy);
	if (r == 0)
		r = node_hold(pt, node, &held);
	if (r < 0)
		return r;
	identity_keep_setid(pt, true); /* the client has judged by its caller, and says so */
	if (setxattr(proc_path(held.fd).text, host, value, size,
		    (int)(flags & (XATTR_CREATE | XATTR_REPLACE))) < 0)
		return -errno;
	see_capability(pt, held.node, host);
	r = flags & FS_XATTR_KILL_SETGID ? drop_setgid(&held) : 0;
	if (r < 0)
		return r;
	fs_reply_ok(req);
	return 0;
}

int op_removexattr(struct fs *fs, struct fs_request *req, uint64_t node, const char *name)
{
	struct passthrough *pt = passthrough_of(fs);
	CLEAN_HELD struct held held = {0};
	struct xattr_name space;
	const char *host = NULL;
	int r;

	if (is_mount_xattr(node, name))
		return -EPERM;
	r = name_to_host(pt, name, &space, &host);
	if (r == 0)
		r = node_hold(pt, node, &held);
	if (r < 0)
		return r;
	if (removexattr(proc_path(held.fd).text, host) < 0)
		return -errno;
	if (strcmp(name, XATTR_CAPABILITY) == 0)
		atomic_store(&held.node->lost_capability, true);
	fs_reply_ok(req);
	return 0;
}
