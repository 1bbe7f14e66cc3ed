/* SPDX-License-Identifier: MIT */
/*
 * opcode.c — the one table of FUSE opcodes: what each looks like on the wire, and who handles it.
 *
 * A row without a handler is an opcode that we know and answer ENOSYS: BMAP and POLL belong to
 * block devices and character devices, the mappings to DAX.
 */
#include "fuse/internal.h"

#define SIZE(type) sizeof(struct type)

static const struct opcode opcodes[FUSE_OPCODE_COUNT] = {
	[FUSE_LOOKUP] = {"LOOKUP", .names = {NAME_FIND}, .handle = call_lookup},
	[FUSE_FORGET] = {"FORGET", SIZE(fuse_forget_in), .is_silent = true, .handle = call_forget},
	[FUSE_GETATTR] = {"GETATTR", SIZE(fuse_getattr_in), .handle = call_getattr},
	[FUSE_SETATTR] = {"SETATTR", SIZE(fuse_setattr_in), .handle = call_setattr},
	[FUSE_READLINK] = {"READLINK", .handle = call_readlink},
	[FUSE_SYMLINK] = {"SYMLINK", .names = {NAME_ENTRY, NAME_TARGET}, .handle = call_symlink},
	[FUSE_MKNOD] = {"MKNOD", SIZE(fuse_mknod_in), .names = {NAME_ENTRY}, .handle = call_mknod},
	[FUSE_MKDIR] = {"MKDIR", SIZE(fuse_mkdir_in), .names = {NAME_ENTRY}, .handle = call_mkdir},
	[FUSE_UNLINK] = {"UNLINK", .names = {NAME_ENTRY}, .handle = call_unlink},
	[FUSE_RMDIR] = {"RMDIR", .names = {NAME_ENTRY}, .handle = call_rmdir},
	[FUSE_RENAME] = {"RENAME", SIZE(fuse_rename_in), .names = {NAME_ENTRY, NAME_ENTRY},
		.handle = call_rename},
	[FUSE_LINK] = {"LINK", SIZE(fuse_link_in), .names = {NAME_ENTRY}, .handle = call_link},
	[FUSE_OPEN] = {"OPEN", SIZE(fuse_open_in), .handle = call_open},
	[FUSE_READ] = {"READ", SIZE(fuse_read_in), .handle = call_read},
	[FUSE_WRITE] = {"WRITE", SIZE(fuse_write_in), .has_data = true, .handle = call_write},
	[FUSE_STATFS] = {"STATFS", .handle = call_statfs},
	[FUSE_RELEASE] = {"RELEASE", SIZE(fuse_release_in), .handle = call_release},
	[FUSE_FSYNC] = {"FSYNC", SIZE(fuse_fsync_in), .handle = call_fsync},
	/* the short form unless SETXATTR_EXT was agreed; see arguments_size() */
	[FUSE_SETXATTR] = {"SETXATTR", SIZE(fuse_setxattr_in), .names = {NAME_XATTR},
		.has_data = true, .handle = call_setxattr},
	[FUSE_GETXATTR] = {"GETXATTR", SIZE(fuse_getxattr_in), .names = {NAME_XATTR},
		.handle = call_getxattr},
	[FUSE_LISTXATTR] = {"LISTXATTR", SIZE(fuse_getxattr_in), .handle = call_listxattr},
	[FUSE_REMOVEXATTR] = {"REMOVEXATTR", .names = {NAME_XATTR}, .handle = call_removexattr},
	[FUSE_FLUSH] = {"FLUSH", SIZE(fuse_flush_in), .handle = call_flush},
	/* grew in 7.36, may grow again: what is beyond our structure is left unread */
	[FUSE_INIT] = {"INIT", offsetof(struct fuse_init_in, flags2), SIZE(fuse_init_in),
		.has_data = true, .is_before_init = true, .handle = call_init},
	[FUSE_OPENDIR] = {"OPENDIR", SIZE(fuse_open_in), .handle = call_opendir},
	[FUSE_READDIR] = {"READDIR", SIZE(fuse_read_in), .handle = call_readdir},
	[FUSE_RELEASEDIR] = {"RELEASEDIR", SIZE(fuse_release_in), .handle = call_releasedir},
	[FUSE_FSYNCDIR] = {"FSYNCDIR", SIZE(fuse_fsync_in), .handle = call_fsyncdir},
	[FUSE_GETLK] = {"GETLK", SIZE(fuse_lk_in), .handle = call_getlk},
	[FUSE_SETLK] = {"SETLK", SIZE(fuse_lk_in), .handle = call_setlk},
	[FUSE_SETLKW] = {"SETLKW", SIZE(fuse_lk_in), .handle = call_setlk},
	[FUSE_ACCESS] = {"ACCESS", SIZE(fuse_access_in), .handle = call_access},
	[FUSE_CREATE] = {"CREATE", SIZE(fuse_create_in), .names = {NAME_ENTRY},
		.handle = call_create},
	/* silent when it finds its request, answered EAGAIN when not */
	[FUSE_INTERRUPT] = {"INTERRUPT", SIZE(fuse_interrupt_in), .is_silent = true,
		.handle = call_interrupt},
	[FUSE_BMAP] = {"BMAP", .args = SIZE(fuse_bmap_in)},
	[FUSE_DESTROY] = {"DESTROY", .handle = call_destroy},
	[FUSE_IOCTL] = {"IOCTL", SIZE(fuse_ioctl_in), .has_data = true, .handle = call_ioctl},
	[FUSE_POLL] = {"POLL", .args = SIZE(fuse_poll_in)},
	[FUSE_NOTIFY_REPLY] = {"NOTIFY_REPLY", SIZE(fuse_notify_retrieve_in), .has_data = true,
		.is_silent = true, .handle = call_notify_reply},
	[FUSE_BATCH_FORGET] = {"BATCH_FORGET", SIZE(fuse_batch_forget_in), .has_data = true,
		.is_silent = true, .handle = call_batch_forget},
	[FUSE_FALLOCATE] = {"FALLOCATE", SIZE(fuse_fallocate_in), .handle = call_fallocate},
	[FUSE_READDIRPLUS] = {"READDIRPLUS", SIZE(fuse_read_in), .handle = call_readdir},
	[FUSE_RENAME2] = {"RENAME2", SIZE(fuse_rename2_in), .names = {NAME_ENTRY, NAME_ENTRY},
		.handle = call_rename2},
	[FUSE_LSEEK] = {"LSEEK", SIZE(fuse_lseek_in), .handle = call_lseek},
	[FUSE_COPY_FILE_RANGE] = {"COPY_FILE_RANGE", SIZE(fuse_copy_file_range_in),
		.handle = call_copy_file_range},
	[FUSE_SETUPMAPPING] = {"SETUPMAPPING", .args = SIZE(fuse_setupmapping_in)},
	[FUSE_REMOVEMAPPING] = {"REMOVEMAPPING", SIZE(fuse_removemapping_in), .has_data = true},
	[FUSE_SYNCFS] = {"SYNCFS", SIZE(fuse_syncfs_in), .handle = call_syncfs},
	/* the kernel sends its own placeholder, "/", where the name would be */
	[FUSE_TMPFILE] = {"TMPFILE", SIZE(fuse_create_in), .names = {NAME_UNUSED},
		.handle = call_tmpfile},
	[FUSE_OPCODE_STATX] = {"STATX", SIZE(tacit_statx_in), .handle = call_statx},
	[FUSE_OPCODE_COPY_FILE_RANGE_64] = {"COPY_FILE_RANGE_64", SIZE(fuse_copy_file_range_in),
		.handle = call_copy_file_range},
};

const struct opcode *opcode_find(uint32_t number)
{
	if (number >= FUSE_OPCODE_COUNT || !opcodes[number].name)
		return NULL;
	return &opcodes[number];
}
