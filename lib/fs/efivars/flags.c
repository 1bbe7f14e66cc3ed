/* SPDX-License-Identifier: MIT */
/*
 * flags.c — the immutable flag: chattr and lsattr; see internal.h.
 *
 * A kernel asks for the flags by an ioctl of either word size, or, before it changes any, for the
 * extended form, which shows the same one flag. That form sets nothing, as in Linux's efivarfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "fs/efivars/internal.h"

#define STATUS_MAX 65536
#define CAPABILITY_LINUX_IMMUTABLE 9 /* linux/capability.h */

/*
 * True unless the process is known to lack the capability. Kernels judge by it too, but older ones
 * only by the flags that they had fetched before.
 */
static bool may_change_immutable(const struct efivars *e, struct fs_caller caller)
{
	CLEAN(free) uint8_t *data = NULL;
	CLEAN_FD int fd = -1;
	unsigned long long effective;
	char path[64];
	const char *line;
	size_t size;

	if (caller.pid == 0 || e->config.are_callers_remote)
		return true;
	(void)snprintf(path, sizeof(path), "/proc/%u/status", caller.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || io_read_all(fd, STATUS_MAX, &data, &size) < 0)
		return true;
	line = memmem(data, size, "\nCapEff:", strlen("\nCapEff:"));
	if (!line)
		return true;
	if (size - (size_t)(line - (const char *)data) < strlen("\nCapEff:\t0123456789abcdef"))
		return true;
	memcpy(path, line + strlen("\nCapEff:\t"), 16);
	path[16] = 0;
	if (sscanf(path, "%16llx", &effective) != 1)
		return true;
	return effective >> CAPABILITY_LINUX_IMMUTABLE & 1;
}

static int set_immutable(struct efivars *e, struct fs_request *req, uint64_t id, bool is_immutable)
{
	bool may_change = may_change_immutable(e, fs_request_caller(req));
	struct node *node;
	int r = 0;

	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, id);
	if (!node) {
		r = -ESTALE;
	} else if (node->is_immutable != is_immutable && !may_change) {
		r = -EPERM;
	} else {
		node->is_immutable = is_immutable;
		clock_gettime(CLOCK_REALTIME, &node->ctime);
	}
	pthread_mutex_unlock(&e->lock);
	if (r == 0)
		fs_reply_ioctl(req, 0, NULL, 0);
	return r;
}

static int set_flags(struct efivars *e, struct fs_request *req, uint64_t node)
{
	struct iov_reader payload = fs_request_payload(req);
	uint32_t flags;

	if (!iov_reader_copy(&payload, &flags, sizeof(flags)))
		return -EINVAL;
	if (flags & ~(uint32_t)FS_IMMUTABLE_FL)
		return -EOPNOTSUPP;
	return set_immutable(e, req, node, flags & FS_IMMUTABLE_FL);
}

static int get_flags(struct fs_request *req, const struct fs_ioctl *ioctl, bool is_immutable)
{
	uint32_t flags = is_immutable ? FS_IMMUTABLE_FL : 0;

	if (ioctl->out_size < sizeof(flags))
		return -EINVAL;
	fs_reply_ioctl(req, 0, &flags, sizeof(flags));
	return 0;
}

static int get_extended(struct fs_request *req, const struct fs_ioctl *ioctl, bool is_immutable)
{
	struct fsxattr flags = {.fsx_xflags = is_immutable ? FS_XFLAG_IMMUTABLE : 0};

	if (ioctl->out_size < sizeof(flags))
		return -EINVAL;
	fs_reply_ioctl(req, 0, &flags, sizeof(flags));
	return 0;
}

int efivars_ioctl(struct fs *fs, struct fs_request *req, uint64_t id,
	const struct fs_ioctl *ioctl)
{
	struct efivars *e = efivars_of(fs);
	const struct node *node;
	bool is_immutable;

	if (id == FS_ROOT)
		return -ENOTTY;
	pthread_mutex_lock(&e->lock);
	node = nodes_get(&e->nodes, id);
	is_immutable = node && node->is_immutable;
	pthread_mutex_unlock(&e->lock);
	if (!node)
		return -ESTALE;
	switch (ioctl->command) {
	case FS_IOC_GETFLAGS:
	case FS_IOC32_GETFLAGS:
		return get_flags(req, ioctl, is_immutable);
	case FS_IOC_FSGETXATTR:
		return get_extended(req, ioctl, is_immutable);
	case FS_IOC_SETFLAGS:
	case FS_IOC32_SETFLAGS:
		return efivars_check_writable(e) < 0 ? -EROFS : set_flags(e, req, id);
	case FS_IOC_FSSETXATTR:
		return -EOPNOTSUPP;
	default:
		return -ENOTTY;
	}
}
