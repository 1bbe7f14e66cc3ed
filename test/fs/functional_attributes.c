/* SPDX-License-Identifier: MIT */
/*
 * functional_attributes.c — cases of extended attributes, access control lists and file flags.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "caller.h"
#include "functional.h"

#define ACCESS "system.posix_acl_access"
#define DEFAULT "system.posix_acl_default"
#define LARGEST 65536

static char value[LARGEST + 1];

static void attributes(const struct place *place)
{
	char names[256];

	make_file("f", 10, 1);
	CALL(setxattr("f", "user.a", "one", 3, 0));
	CALL(setxattr("f", "user.a", "two", 3, XATTR_CREATE));
	CALL(setxattr("f", "user.a", "three", 5, XATTR_REPLACE));
	CALL(setxattr("f", "user.b", "x", 1, XATTR_REPLACE));
	CALL(setxattr("f", "user.b", "x", 1, XATTR_CREATE | XATTR_REPLACE));
	CALL(setxattr("f", "user.b", "x", 1, 77));
	CALL(setxattr("f", "user.empty", "", 0, 0));
	CALL(setxattr("f", "trusted.t", "t", 1, 0));
	CALL(setxattr("f", "security.test", "s", 1, 0));
	CALL(setxattr("f", "user.", "x", 1, 0));
	CALL(setxattr("f", "user", "x", 1, 0));
	CALL(setxattr("f", "none.a", "x", 1, 0));
	CALL(setxattr("f", "system.a", "x", 1, 0));
	CALL(setxattr("f", "", "x", 1, 0));
	CALL(setxattr("none", "user.a", "x", 1, 0));
	note_xattrs("f");
	CALL(getxattr("f", "user.a", NULL, 0));
	CALL(getxattr("f", "user.a", value, 2));
	CALL(getxattr("f", "user.a", value, 5));
	CALL(getxattr("f", "user.empty", value, 5));
	CALL(getxattr("f", "user.none", value, 5));
	CALL(getxattr("f", "trusted.none", NULL, 0));
	CALL(getxattr("f", "none.a", value, 5));
	CALL(listxattr("f", NULL, 0));
	CALL(listxattr("f", names, 3));
	CALL(removexattr("f", "user.a"));
	CALL(removexattr("f", "user.a"));
	CALL(removexattr("f", "none.a"));
	CALL(removexattr("f", "trusted.t"));
	CALL(setxattr("f", "user.binary\xff\xfe", "\0\1\2", 3, 0));
	note_xattrs("f");
	CALL(mkdir("d", 0755));
	CALL(setxattr("d", "user.a", "folder", 6, 0));
	note_xattrs("d");
}

/* With the root's own hidden from others, and what others may not set. */
static void attributes_of_others(const struct place *place)
{
	static const struct caller owner = {.uid = 1000, .gid = 1000};
	static const struct caller other = {.uid = 1001, .gid = 1001};
	char names[256];

	make_file("f", 10, 1);
	CALL(mkdir("sticky", 0777));
	CALL(chmod("sticky", 01777));
	CALL(chown("f", 1000, 1000));
	CALL(setxattr("f", "trusted.t", "t", 1, 0));
	CALL(setxattr("f", "user.u", "u", 1, 0));
	caller_become(&owner);
	CALL(listxattr("f", names, sizeof(names)));
	CALL(getxattr("f", "trusted.t", value, 10));
	CALL(setxattr("f", "trusted.t", "x", 1, 0));
	CALL(setxattr("f", "security.test", "x", 1, 0));
	CALL(setxattr("f", "user.u", "v", 1, 0));
	CALL(setxattr("sticky", "user.u", "v", 1, 0));
	caller_return();
	caller_become(&other);
	CALL(getxattr("f", "user.u", value, 10));
	CALL(setxattr("f", "user.u", "v", 1, 0));
	CALL(removexattr("f", "user.u"));
	CALL(setxattr("f", "user.w", "v", 1, 0));
	caller_return();
	CALL(chmod("f", 0600));
	caller_become(&other);
	CALL(getxattr("f", "user.u", value, 10));
	CALL(listxattr("f", names, sizeof(names)));
	caller_return();
	note_xattrs("f");
}

static void large_attributes(const struct place *place)
{
	static const size_t sizes[] = {100, 1000, 3000, 4096, 5000, 65535, LARGEST, LARGEST + 1};
	char name[300];

	make_file("f", 10, 1);
	memset(value, 'v', sizeof(value));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		note("%zu bytes", sizes[i]);
		CALL(setxattr("f", "user.large", value, sizes[i], 0));
		CALL(getxattr("f", "user.large", NULL, 0));
		CALL(getxattr("f", "user.large", value, sizeof(value) - 1));
		CALL(removexattr("f", "user.large"));
	}
	memset(name, 'n', sizeof(name));
	memcpy(name, "user.", 5);
	for (size_t length = 254; length <= 257; length++) {
		memset(name + 5, 'n', sizeof(name) - 5);
		name[length] = 0;
		note_result(setxattr("f", name, "x", 1, 0), "long name");
		note_result(getxattr("f", name, value, 1), "long name read");
	}
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "user.number%d", i);
		CALL(setxattr("f", name, name, 10, 0));
	}
	note_xattrs("f");
}

static void attributes_of_nodes(const struct place *place)
{
	int fd;

	make_file("f", 10, 1);
	CALL(symlink("f", "s"));
	CALL(symlink("none", "dangling"));
	CALL(mkfifo("fifo", 0600));
	CALL(lsetxattr("s", "user.a", "x", 1, 0));
	CALL(lsetxattr("s", "trusted.a", "x", 1, 0));
	CALL(lgetxattr("s", "user.a", value, 10));
	CALL(lgetxattr("s", "trusted.a", value, 10));
	CALL(setxattr("s", "user.through", "x", 1, 0));
	CALL(setxattr("dangling", "user.a", "x", 1, 0));
	CALL(setxattr("fifo", "user.a", "x", 1, 0));
	CALL(setxattr("fifo", "trusted.a", "x", 1, 0));
	CALL(getxattr("fifo", "user.a", value, 10));
	note_xattrs("s");
	note_xattrs("f");
	note_xattrs("fifo");
	fd = OPEN(open("f", O_RDONLY));
	CALL(fsetxattr(fd, "user.fd", "x", 1, 0));
	CALL(flistxattr(fd, value, sizeof(value)));
	CALL(fremovexattr(fd, "user.fd"));
	fd = OPEN(open("f", O_PATH));
	CALL(fsetxattr(fd, "user.fd", "x", 1, 0));
	CALL(removexattr("f", "user.through"));
	note_xattrs("f");
}

struct acl_entry {
	uint16_t tag;
	uint16_t permissions;
	uint32_t id;
};

#define ANYBODY UINT32_MAX
#define OWNER(bits) {0x01, (bits), ANYBODY}
#define USER(bits, uid) {0x02, (bits), (uid)}
#define GROUP(bits) {0x04, (bits), ANYBODY}
#define NAMED_GROUP(bits, gid) {0x08, (bits), (gid)}
#define MASK(bits) {0x10, (bits), ANYBODY}
#define OTHERS(bits) {0x20, (bits), ANYBODY}

/* linux/posix_acl_xattr.h: a version, 2, and the entries, all little-endian as this machine. */
static long set_acl(const char *path, const char *name, const struct acl_entry *entries,
	size_t count)
{
	char text[4 + 8 * 16] = {2, 0, 0, 0};

	memcpy(text + 4, entries, count * sizeof(*entries));
	return setxattr(path, name, text, 4 + count * sizeof(*entries), 0);
}

static const struct acl_entry with_user[] = {
	OWNER(7), USER(6, 1001), GROUP(5), MASK(7), OTHERS(0),
};
static const struct acl_entry with_group[] = {
	OWNER(6), GROUP(4), NAMED_GROUP(7, 2000), MASK(5), OTHERS(4),
};
static const struct acl_entry minimal[] = {OWNER(6), GROUP(4), OTHERS(1)};
static const struct acl_entry without_mask[] = {OWNER(6), USER(6, 1001), GROUP(4), OTHERS(1)};
static const struct acl_entry unordered[] = {OTHERS(1), OWNER(6), GROUP(4)};

static void access_lists(const struct place *place)
{
	static const struct caller user = {.uid = 1001, .gid = 1001};
	static const struct caller team = {.uid = 1002, .gid = 1002, .groups = {2000},
		.group_count = 1};
	static const struct caller *const callers[] = {&user, &team};

	make_file("f", 10, 1);
	CALL(set_acl("f", ACCESS, without_mask, ARRAY_SIZE(without_mask)));
	CALL(set_acl("f", ACCESS, unordered, ARRAY_SIZE(unordered)));
	CALL(set_acl("f", ACCESS, minimal, 0));
	CALL(setxattr("f", ACCESS, "rubbish", 7, 0));
	CALL(set_acl("f", ACCESS, with_user, ARRAY_SIZE(with_user)));
	note_stat("f");
	note_xattrs("f");
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++) {
		caller_become(callers[i]);
		OPEN(open("f", O_RDWR));
		CALL(access("f", R_OK));
		CALL(faccessat(AT_FDCWD, "f", R_OK, AT_EACCESS));
		CALL(set_acl("f", ACCESS, minimal, ARRAY_SIZE(minimal)));
		caller_return();
	}
	CALL(chmod("f", 0640));
	note_xattrs("f");
	CALL(set_acl("f", ACCESS, with_group, ARRAY_SIZE(with_group)));
	note_stat("f");
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++) {
		caller_become(callers[i]);
		OPEN(open("f", O_WRONLY));
		OPEN(open("f", O_RDONLY));
		caller_return();
	}
	CALL(chmod("f", 0777));
	note_xattrs("f");
	CALL(set_acl("f", ACCESS, minimal, ARRAY_SIZE(minimal)));
	note_stat("f");
	note_xattrs("f");
	CALL(removexattr("f", ACCESS));
	CALL(set_acl("f", DEFAULT, minimal, ARRAY_SIZE(minimal)));
	CALL(symlink("f", "s"));
	CALL(lsetxattr("s", ACCESS, "x", 1, 0));
	CALL(lgetxattr("s", ACCESS, value, 10));
	CALL(getxattr("f", ACCESS, value, 100));
}

static void default_lists(const struct place *place)
{
	CALL(mkdir("d", 0755));
	CALL(set_acl("d", DEFAULT, with_user, ARRAY_SIZE(with_user)));
	umask(077);
	CALL(chdir("d"));
	OPEN(open("file", O_WRONLY | O_CREAT, 0666));
	OPEN(open("narrow", O_WRONLY | O_CREAT, 0600));
	CALL(mkdir("folder", 0777));
	OPEN(open("folder/inside", O_WRONLY | O_CREAT, 0660));
	CALL(mkfifo("fifo", 0666));
	CALL(mknod("node", S_IFREG | 0640, 0));
	CALL(symlink("x", "link"));
	OPEN(open(".", O_TMPFILE | O_WRONLY, 0666));
	CALL(chdir(".."));
	note_tree("d");
	CALL(removexattr("d", DEFAULT));
	CALL(removexattr("d", DEFAULT));
	OPEN(open("d/after", O_WRONLY | O_CREAT, 0666));
	note_stat("d/after");
	CALL(set_acl("d", DEFAULT, minimal, ARRAY_SIZE(minimal)));
	umask(0);
	OPEN(open("d/minimal", O_WRONLY | O_CREAT, 0666));
	CALL(mkdir("d/minimal-folder", 0777));
	note_tree("d");
}

static void flags(const struct place *place)
{
	int fd, value_of = 0;
	struct fsxattr extended = {0};

	make_file("f", 10, 1);
	fd = OPEN(open("f", O_RDWR));
	CALL(ioctl(fd, FS_IOC_GETFLAGS, &value_of));
	note("flags %x", (unsigned)value_of);
	value_of |= FS_NODUMP_FL | FS_NOATIME_FL;
	CALL(ioctl(fd, FS_IOC_SETFLAGS, &value_of));
	value_of = 0;
	CALL(ioctl(fd, FS_IOC_GETFLAGS, &value_of));
	note("flags %x", (unsigned)value_of);
	CALL(ioctl(fd, FS_IOC_FSGETXATTR, &extended));
	note("extended flags %x", extended.fsx_xflags);
	value_of |= FS_APPEND_FL;
	CALL(ioctl(fd, FS_IOC_SETFLAGS, &value_of));
	OPEN(open("f", O_WRONLY));
	OPEN(open("f", O_WRONLY | O_APPEND));
	CALL(unlink("f"));
	value_of = (value_of & ~FS_APPEND_FL) | FS_IMMUTABLE_FL;
	CALL(ioctl(fd, FS_IOC_SETFLAGS, &value_of));
	CALL(chmod("f", 0600));
	CALL(link("f", "g"));
	OPEN(open("f", O_WRONLY));
	value_of = 0;
	CALL(ioctl(fd, FS_IOC_SETFLAGS, &value_of));
	CALL(chmod("f", 0600));
	fd = OPEN(open(".", O_RDONLY | O_DIRECTORY));
	CALL(ioctl(fd, FS_IOC_GETFLAGS, &value_of));
	note("flags of the folder %x", (unsigned)value_of);
	CALL(ioctl(fd, _IOR('z', 99, int), &value_of));
}

const struct case_entry attribute_cases[] = {
	{"attributes", attributes},
	{"attributes-of-others", attributes_of_others},
	{"large-attributes", large_attributes},
	{"attributes-of-nodes", attributes_of_nodes},
	{"access-lists", access_lists},
	{"default-lists", default_lists},
	{"flags", flags},
	{NULL, NULL},
};
