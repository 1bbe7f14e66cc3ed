/* SPDX-License-Identifier: MIT */
/*
 * flags.c — ioctl of file flags: chattr(1), lsattr(1), project quotas.
 *
 * The client checks who may change them. Other commands would act on the host in ways that nobody
 * has looked at.
 */
#include <errno.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>

#include "fs/passthrough/internal.h"

static const struct {
	unsigned long command;
	size_t size; /* of the argument, whatever its number says */
	bool is_change;
} commands[] = {
	{FS_IOC_GETFLAGS, sizeof(int), false},
	{FS_IOC_SETFLAGS, sizeof(int), true},
	{FS_IOC_FSGETXATTR, sizeof(struct fsxattr), false},
	{FS_IOC_FSSETXATTR, sizeof(struct fsxattr), true},
};

int op_ioctl(struct fs *fs, struct fs_request *req, uint64_t node, const struct fs_ioctl *in)
{
	CLEAN_FILE struct held_file held = {0};
	struct iov_reader payload = fs_request_payload(req);
	struct fsxattr argument = {0}; /* the largest */
	size_t i;
	int r;

	r = file_hold(passthrough_of(fs), in->handle, &held);
	if (r < 0)
		return r;
	for (i = 0; i < ARRAY_SIZE(commands) && commands[i].command != in->command; i++)
		;
	if (i == ARRAY_SIZE(commands))
		return -ENOTTY;
	if (commands[i].is_change ? !iov_reader_copy(&payload, &argument, commands[i].size) :
		in->out_size < commands[i].size)
		return -EINVAL;
	if (ioctl(held.file->fd, commands[i].command, &argument) < 0)
		return -errno;
	fs_reply_ioctl(req, 0, &argument, commands[i].is_change ? 0 : commands[i].size);
	return 0;
}
