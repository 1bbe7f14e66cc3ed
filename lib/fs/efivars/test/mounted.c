/* SPDX-License-Identifier: MIT */
/* mounted.c — see mounted.h. */
#include "fs/efivars/test/mounted.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct guid other_guid = GUID_OF(
	0x12345678, 0x9abc, 0xdef0, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0);

struct fs *mounted_new(struct fake_services *fake, bool statfs)
{
	struct efivars_config config = {.options = {.statfs = statfs}, .reserve = EFIVARS_RESERVE};
	struct fs *fs;

	if (efivars_new(&fs, &fake->services, &config) < 0) {
		printf("Bail out! no file system\n");
		exit(1);
	}
	return fs;
}

void mounted_free(struct fs *fs)
{
	fs->ops->destroy(fs);
}

int do_lookup(struct fs *fs, const char *name, struct fs_entry *ret)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	int r = fake_finish(&req, fs->ops->lookup(fs, &req, FS_ROOT, name));

	if (r == 0)
		*ret = req.entry;
	return r;
}

int do_getattr(struct fs *fs, uint64_t node, struct fs_attr *ret)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	int r = fake_finish(&req, fs->ops->getattr(fs, &req, node, false, 0));

	if (r == 0)
		*ret = req.attr;
	return r;
}

int do_open(struct fs *fs, uint64_t node, uint32_t flags, uint64_t *ret)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	int r = fake_finish(&req, fs->ops->open(fs, &req, node, flags, false));

	if (r == 0)
		*ret = req.open.handle;
	return r;
}

int do_create(struct fs *fs, const char *name, uint32_t flags, uint32_t mode,
	struct fs_entry *ret_entry, uint64_t *ret_handle)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	struct fs_create create = {.mode = S_IFREG | mode};
	int r;

	r = fake_finish(&req, fs->ops->create(fs, &req, FS_ROOT, name, flags, &create, false));
	if (r == 0) {
		*ret_entry = req.entry;
		*ret_handle = req.open.handle;
	}
	return r;
}

int do_read(struct fs *fs, uint64_t node, uint64_t handle, uint64_t offset, void *data,
	uint32_t size)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	int r;

	r = fake_finish(&req, fs->ops->read(fs, &req, node, handle, offset, size, O_RDONLY));
	if (r < 0)
		return r;
	memcpy(data, req.data, req.size < size ? req.size : size);
	return (int)req.size;
}

int do_write(struct fs *fs, uint64_t node, uint64_t handle, uint64_t offset, uint32_t attributes,
	const void *data, size_t size)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	struct fs_write write = {.handle = handle, .offset = offset};
	struct iovec payload[] = {
		{.iov_base = &attributes, .iov_len = sizeof(attributes)},
		{.iov_base = (void *)(uintptr_t)data, .iov_len = size},
	};
	int r;

	req.payload = payload;
	req.payload_count = size > 0 ? 2 : 1;
	r = fake_finish(&req, fs->ops->write(fs, &req, node, &write));
	return r < 0 ? r : (int)req.size;
}

int do_release(struct fs *fs, uint64_t node, uint64_t handle)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;

	return fake_finish(&req, fs->ops->release(fs, &req, node, handle, 0));
}

int do_unlink(struct fs *fs, const char *name)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;

	return fake_finish(&req, fs->ops->unlink(fs, &req, FS_ROOT, name));
}

int do_statfs(struct fs *fs, struct fs_statfs *ret)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	int r = fake_finish(&req, fs->ops->statfs(fs, &req, FS_ROOT));

	if (r == 0)
		*ret = req.statfs;
	return r;
}

int do_set_flags(struct fs *fs, uint64_t node, uint32_t flags)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	struct fs_ioctl ioctl = {.command = FS_IOC_SETFLAGS};
	struct iovec payload = {.iov_base = &flags, .iov_len = sizeof(flags)};

	req.payload = &payload;
	req.payload_count = 1;
	return fake_finish(&req, fs->ops->ioctl(fs, &req, node, &ioctl));
}

int do_getxattr(struct fs *fs, const char *name, char *text)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	int r = fake_finish(&req, fs->ops->getxattr(fs, &req, FS_ROOT, name, 4095));

	text[0] = 0;
	if (r < 0)
		return r;
	memcpy(text, req.data, req.size + 1);
	return (int)req.size;
}

void do_list(struct fs *fs, size_t batch, char *text, size_t size)
{
	uint64_t offset = 0;
	size_t used = 0;

	text[0] = 0;
	for (;;) {
		CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;

		req.dirents_max = batch;
		if (fake_finish(&req, fs->ops->readdir(fs, &req, FS_ROOT, 0, offset, false)) < 0 ||
			req.dirent_count == 0)
			return;
		for (size_t i = 0; i < req.dirent_count; i++) {
			const struct fake_dirent *entry = &req.dirents[i];

			offset = entry->next;
			if (entry->name[0] == '.' && strlen(entry->name) <= 2)
				continue;
			used += (size_t)snprintf(text + used, size - used, "%s%s",
				used > 0 ? " " : "", entry->name);
			if (used >= size)
				return;
		}
	}
}

int write_file(struct fs *fs, const char *name, uint32_t attributes, const void *data,
	size_t size)
{
	struct fs_entry entry = {0};
	uint64_t handle;
	int r;

	r = do_lookup(fs, name, &entry);
	if (r == 0)
		r = do_open(fs, entry.node, O_WRONLY, &handle);
	else
		r = do_create(fs, name, O_WRONLY, 0644, &entry, &handle);
	if (r < 0)
		return r;
	r = do_write(fs, entry.node, handle, 0, attributes, data, size);
	if (do_release(fs, entry.node, handle) < 0)
		abort();
	fs->ops->forget(fs, entry.node, 1);
	return r;
}

int read_file(struct fs *fs, const char *name, void *data, uint32_t size)
{
	struct fs_entry entry = {0};
	uint64_t handle;
	int r;

	r = do_lookup(fs, name, &entry);
	if (r < 0)
		return r;
	r = do_open(fs, entry.node, O_RDONLY, &handle);
	if (r < 0)
		return r;
	r = do_read(fs, entry.node, handle, 0, data, size);
	if (do_release(fs, entry.node, handle) < 0)
		abort();
	fs->ops->forget(fs, entry.node, 1);
	return r;
}
