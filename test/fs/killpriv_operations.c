/* SPDX-License-Identifier: MIT */
/*
 * killpriv_operations.c — see killpriv_operations.h.
 */
#include "killpriv_operations.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"

#define BLOCK 4096
#define OTHER_GROUP 3000 /* the owner is a member */
#define ACL_XATTR "system.posix_acl_access"
#define ANYBODY UINT32_MAX

static char content[BLOCK] __attribute__((aligned(BLOCK)));

static long do_write(const struct target *target, int length)
{
	return write(target->fd, content, (size_t)length);
}

static long do_direct_write(const struct target *target, int by_descriptor)
{
	int fd = target->fd;
	long result;

	if (by_descriptor) {
		if (fcntl(fd, F_SETFL, O_DIRECT) < 0)
			return -1;
		return pwrite(fd, content, BLOCK, 0);
	}
	fd = open(target->path, O_WRONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		return -1;
	result = pwrite(fd, content, BLOCK, 0);
	close(fd);
	return result;
}

static long do_append(const struct target *target, int by_flag)
{
	struct iovec part = {.iov_base = content, .iov_len = 10};

	if (by_flag)
		return pwritev2(target->fd, &part, 1, 0, RWF_APPEND);
	if (fcntl(target->fd, F_SETFL, O_APPEND) < 0)
		return -1;
	return write(target->fd, content, 10);
}

static long do_pwritev(const struct target *target, int flags)
{
	struct iovec parts[] = {
		{.iov_base = content, .iov_len = 10}, {.iov_base = content, .iov_len = 20},
	};

	return pwritev2(target->fd, parts, 2, 5, flags);
}

static long do_read(const struct target *target, int length)
{
	return pread(target->fd, content, (size_t)length, 0);
}

static long do_truncate(const struct target *target, int size)
{
	return truncate(target->path, size);
}

static long do_ftruncate(const struct target *target, int size)
{
	return ftruncate(target->fd, size);
}

static long do_open(const struct target *target, int flags)
{
	int fd = open(target->path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static long do_creat(const struct target *target, int mode)
{
	int fd = creat(target->path, (mode_t)mode);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static long do_fallocate(const struct target *target, int mode)
{
	return fallocate(target->fd, mode, BLOCK, BLOCK);
}

static long do_copy_range(const struct target *target, int length)
{
	off_t from = 0, to = 0;

	return copy_file_range(target->source, &from, target->fd, &to, (size_t)length, 0);
}

static long do_splice(const struct target *target, int length)
{
	int ends[2], saved;
	long result = -1;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	if (write(ends[1], content, (size_t)length) == length)
		result = splice(ends[0], NULL, target->fd, NULL, (size_t)length, 0);
	saved = errno;
	close(ends[0]);
	close(ends[1]);
	errno = saved;
	return result;
}

static long do_sendfile(const struct target *target, int length)
{
	off_t from = 0;

	return sendfile(target->fd, target->source, &from, (size_t)length);
}

static long do_store(const struct target *target, int flags)
{
	char *map = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, target->fd, 0);
	long result;

	if (map == MAP_FAILED)
		return -1;
	map[0] = 'm';
	result = msync(map, BLOCK, flags);
	munmap(map, BLOCK);
	return result;
}

/* What chown gets: ids as they are (-1), the caller's own, or others. */
enum { SAME, NONE, OWN_GROUP, GROUP_OTHER, GROUP_SAME, BOTH, OWNER_SAME };

static void choose_ids(const struct target *target, int which, uid_t *ret_uid, gid_t *ret_gid)
{
	uid_t uid = (uid_t)-1;
	gid_t gid = (gid_t)-1;

	if (which == SAME || which == OWNER_SAME)
		uid = target->owner;
	if (which == SAME || which == GROUP_SAME)
		gid = target->group;
	if (which == OWN_GROUP)
		gid = getegid();
	if (which == GROUP_OTHER)
		gid = OTHER_GROUP;
	if (which == BOTH) {
		uid = 4000;
		gid = 4001;
	}
	*ret_uid = uid;
	*ret_gid = gid;
}

static long do_chown(const struct target *target, int which)
{
	uid_t uid;
	gid_t gid;

	choose_ids(target, which, &uid, &gid);
	return chown(target->path, uid, gid);
}

static long do_fchown(const struct target *target, int which)
{
	uid_t uid;
	gid_t gid;

	choose_ids(target, which, &uid, &gid);
	return fchown(target->fd, uid, gid);
}

static long do_chmod(const struct target *target, int mode)
{
	return chmod(target->path, (mode_t)mode);
}

static long do_fchmod(const struct target *target, int mode)
{
	return fchmod(target->fd, (mode_t)mode);
}

static void put_le(unsigned char *at, uint32_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

/* linux/posix_acl_xattr.h: version 2, then tag, permissions and id of each entry. */
static size_t make_acl(unsigned char *acl, bool has_user)
{
	static const struct {
		uint32_t tag, permissions, id;
		bool is_extended;
	} entries[] = {
		{0x01, 7, ANYBODY, false}, {0x02, 6, 1003, true}, {0x04, 7, ANYBODY, false},
		{0x10, 7, ANYBODY, true}, {0x20, 7, ANYBODY, false},
	};
	size_t length = 4;

	put_le(acl, 2, 4);
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		if (entries[i].is_extended && !has_user)
			continue;
		put_le(acl + length, entries[i].tag, 2);
		put_le(acl + length + 2, entries[i].permissions, 2);
		put_le(acl + length + 4, entries[i].id, 4);
		length += 8;
	}
	return length;
}

static long do_acl(const struct target *target, int has_user)
{
	unsigned char acl[64];

	return setxattr(target->path, ACL_XATTR, acl, make_acl(acl, has_user != 0), 0);
}

static long do_acl_by_descriptor(const struct target *target, int has_user)
{
	unsigned char acl[64];

	return fsetxattr(target->fd, ACL_XATTR, acl, make_acl(acl, has_user != 0), 0);
}

static long do_acl_away(const struct target *target, int unused)
{
	return removexattr(target->path, ACL_XATTR);
}

static long do_xattr(const struct target *target, int flags)
{
	return setxattr(target->path, "user.test", content, 10, flags);
}

static long do_utimens(const struct target *target, int unused)
{
	return utimensat(AT_FDCWD, target->path, NULL, 0);
}

static long do_sync(const struct target *target, int unused)
{
	return fsync(target->fd);
}

#define BY_DESCRIPTOR(text, function, number)                                                      \
	{.name = (text), .run = (function), .argument = (number)}
#define BY_NAME(text, function, number)                                                            \
	{.name = (text), .run = (function), .argument = (number), .by_name = true}
#define REFUSED(text, function, number)                                                            \
	{.name = (text), .run = (function), .argument = (number), .is_refused_by_client = true}

const struct operation operations[] = {
	BY_DESCRIPTOR("write", do_write, 10),
	BY_DESCRIPTOR("write of a block", do_write, BLOCK),
	BY_DESCRIPTOR("write of nothing", do_write, 0),
	BY_NAME("write O_DIRECT", do_direct_write, false),
	BY_DESCRIPTOR("write after F_SETFL O_DIRECT", do_direct_write, true),
	BY_DESCRIPTOR("append", do_append, false),
	BY_DESCRIPTOR("append RWF_APPEND", do_append, true),
	BY_DESCRIPTOR("pwritev", do_pwritev, 0),
	BY_DESCRIPTOR("pwritev RWF_DSYNC", do_pwritev, RWF_DSYNC),
	BY_DESCRIPTOR("read", do_read, 10),
	BY_DESCRIPTOR("fsync", do_sync, 0),
	BY_NAME("truncate", do_truncate, 100),
	BY_NAME("truncate to the same size", do_truncate, 2 * BLOCK),
	BY_NAME("truncate to more", do_truncate, 5 * BLOCK),
	BY_DESCRIPTOR("ftruncate", do_ftruncate, 100),
	BY_DESCRIPTOR("ftruncate to the same size", do_ftruncate, 2 * BLOCK),
	BY_DESCRIPTOR("ftruncate to more", do_ftruncate, 5 * BLOCK),
	BY_NAME("open O_TRUNC", do_open, O_WRONLY | O_TRUNC),
	BY_NAME("open O_RDWR O_TRUNC", do_open, O_RDWR | O_TRUNC),
	BY_NAME("open O_CREAT O_TRUNC", do_open, O_WRONLY | O_CREAT | O_TRUNC),
	BY_NAME("open O_CREAT", do_open, O_WRONLY | O_CREAT),
	BY_NAME("open O_WRONLY", do_open, O_WRONLY),
	BY_NAME("creat", do_creat, 0644),
	BY_DESCRIPTOR("fallocate", do_fallocate, 0),
	BY_DESCRIPTOR("fallocate KEEP_SIZE", do_fallocate, FALLOC_FL_KEEP_SIZE),
	BY_DESCRIPTOR("fallocate PUNCH_HOLE", do_fallocate,
		FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE),
	BY_DESCRIPTOR("fallocate ZERO_RANGE", do_fallocate, FALLOC_FL_ZERO_RANGE),
	BY_DESCRIPTOR("fallocate ZERO_RANGE KEEP_SIZE", do_fallocate,
		FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE),
	REFUSED("fallocate COLLAPSE_RANGE", do_fallocate, FALLOC_FL_COLLAPSE_RANGE),
	REFUSED("fallocate INSERT_RANGE", do_fallocate, FALLOC_FL_INSERT_RANGE),
	REFUSED("fallocate UNSHARE_RANGE", do_fallocate, FALLOC_FL_UNSHARE_RANGE),
	BY_DESCRIPTOR("copy_file_range", do_copy_range, 100),
	BY_DESCRIPTOR("copy_file_range of a block", do_copy_range, BLOCK),
	BY_DESCRIPTOR("copy_file_range of nothing", do_copy_range, 0),
	BY_DESCRIPTOR("splice", do_splice, 100),
	BY_DESCRIPTOR("sendfile", do_sendfile, 100),
	BY_DESCRIPTOR("mmap store", do_store, MS_SYNC),
	BY_DESCRIPTOR("mmap store, msync ASYNC", do_store, MS_ASYNC),
	BY_NAME("chown to the same ids", do_chown, SAME),
	BY_NAME("chown to the same owner", do_chown, OWNER_SAME),
	BY_NAME("chown -1 -1", do_chown, NONE),
	BY_NAME("chown to others", do_chown, BOTH),
	BY_NAME("chgrp to the caller's", do_chown, OWN_GROUP),
	BY_NAME("chgrp to another", do_chown, GROUP_OTHER),
	BY_NAME("chgrp to the same", do_chown, GROUP_SAME),
	BY_DESCRIPTOR("fchown to the same ids", do_fchown, SAME),
	BY_DESCRIPTOR("fchown -1 -1", do_fchown, NONE),
	BY_DESCRIPTOR("fchgrp to another", do_fchown, GROUP_OTHER),
	BY_NAME("chmod 06777", do_chmod, 06777),
	BY_NAME("chmod 02767", do_chmod, 02767),
	BY_NAME("chmod 0755", do_chmod, 0755),
	BY_DESCRIPTOR("fchmod 06777", do_fchmod, 06777),
	BY_NAME("ACL of the mode's entries", do_acl, false),
	BY_NAME("ACL with a user", do_acl, true),
	BY_DESCRIPTOR("ACL with a user, by descriptor", do_acl_by_descriptor, true),
	BY_NAME("ACL removed", do_acl_away, 0),
	BY_NAME("setxattr user", do_xattr, 0),
	BY_NAME("utimens", do_utimens, 0),
};
static_assert(ARRAY_SIZE(operations) <= OPERATIONS_MAX, "each has a row in killpriv.c");
const size_t operation_count = ARRAY_SIZE(operations);
