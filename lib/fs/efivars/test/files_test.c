/* SPDX-License-Identifier: MIT */
/* files_test.c — variables as files: list, read, write, delete, and the life of an open file. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/test/tap.h"
#include "fs/efivars/test/mounted.h"

static struct fake_services fake;

static struct fs *start(bool is_exclusive)
{
	fake_services_init(&fake, is_exclusive);
	fake_add(&fake, "BootOrder", &uefi_global_guid, 7, "\1\0", 2);
	fake_add(&fake, "Foo", &other_guid, 7, "hello", 5);
	fake_add(&fake, "a/b", &other_guid, 6, "", 0);
	return mounted_new(&fake, true);
}

static void stop(struct fs *fs)
{
	mounted_free(fs);
	ok(fake.is_destroyed, "the services are destroyed with the file system");
	fake_services_fini(&fake);
}

static void test_list_and_read(void)
{
	struct fs *fs = start(true);
	char text[4096];
	struct fs_entry entry;
	struct fs_attr attr;

	is_int(fake_count(&fake, FAKE_GET), 0, "mounting reads no content");
	do_list(fs, 0, text, sizeof(text));
	is_text(text, "BootOrder-" GLOBAL " Foo-" OTHER " a!b-" OTHER, "all are listed");
	do_list(fs, 1, text, sizeof(text));
	is_text(text, "BootOrder-" GLOBAL " Foo-" OTHER " a!b-" OTHER, "one at a time too");
	is_int(do_lookup(fs, "Foo-" OTHER, &entry), 0, "Foo is found");
	is_int(entry.attr.size, 9, "with its size");
	is_int(entry.attr.mode, S_IFREG | 0644, "and mode");
	is_int(entry.attr.nlink, 1, "one link");
	is_int(entry.attr.blocks, 0, "no blocks");
	ok(entry.attr_timeout == 0 && entry.entry_timeout == 0, "nothing may be remembered");
	is_int(do_lookup(fs, "Foo-12345678-9ABC-DEF0-1234-56789ABCDEF0", &entry), 0,
		"the GUID's case does not matter");
	is_int(do_lookup(fs, "foo-" OTHER, &entry), -ENOENT, "the name's does");
	is_int(do_lookup(fs, "Foo", &entry), -ENOENT, "an ill-formed name is not there");
	is_int(do_lookup(fs, "\xff-" OTHER, &entry), -ENOENT, "nor is one that is not UTF-8");
	is_int(read_file(fs, "Foo-" OTHER, text, 100), 9, "Foo is read");
	ok(memcmp(text, "\7\0\0\0hello", 9) == 0, "attributes, then data");
	is_int(read_file(fs, "Foo-" OTHER, text, 6), 6, "or as much as is asked for");
	is_int(fake_count(&fake, FAKE_GET), 1, "one question did for all of that");
	is_int(read_file(fs, "a!b-" OTHER, text, 100), 4, "an empty variable has its attributes");
	is_int(do_getattr(fs, FS_ROOT, &attr), 0, "the root has attributes");
	ok(attr.mode == (S_IFDIR | 0755) && attr.nlink == 2 && attr.ino == 1, "as a directory");
	is_int(do_getattr(fs, 99, &attr), -ESTALE, "an invented node is not known");
	stop(fs);
}

/* SetupMode changes when PK does, without a write to it. */
static void test_volatile_is_asked(void)
{
	struct fs *fs;
	char data[64];

	fake_services_init(&fake, true);
	fake_add(&fake, "SetupMode", &other_guid, 6, "\1", 1);
	fs = mounted_new(&fake, true);
	ok(read_file(fs, "SetupMode-" OTHER, data, 64) == 5 && data[4] == 1, "a volatile variable");
	fake_find(&fake, "SetupMode")->data[0] = 0;
	ok(read_file(fs, "SetupMode-" OTHER, data, 64) == 5 && data[4] == 0,
		"is asked for at each reading");
	stop(fs);
}

static void test_read_at_offsets(void)
{
	struct fs *fs = start(true);
	struct fs_entry entry;
	uint64_t handle = 0;
	char text[16];

	is_int(do_lookup(fs, "Foo-" OTHER, &entry), 0, "Foo is found");
	is_int(do_open(fs, entry.node, O_RDONLY, &handle), 0, "opened");
	is_int(do_read(fs, entry.node, handle, 4, text, 3), 3, "a part is read");
	ok(memcmp(text, "hel", 3) == 0, "the right one");
	is_int(do_read(fs, entry.node, handle, 9, text, 3), 0, "the end is the end");
	is_int(do_read(fs, entry.node, handle, UINT64_MAX, text, 3), 0, "also far behind it");
	is_int(do_write(fs, entry.node, handle, 0, 7, "x", 1), -EBADF, "not open for writing");
	is_int(do_read(fs, entry.node, handle + 1, 0, text, 3), -EBADF, "an invented handle");
	is_int(do_read(fs, FS_ROOT, handle, 0, text, 3), -EBADF, "a handle of another node");
	is_int(do_release(fs, entry.node, handle), 0, "closed");
	is_int(do_release(fs, entry.node, handle), -EBADF, "once");
	stop(fs);
}

static void test_write(void)
{
	struct fs *fs = start(true);
	struct fs_entry entry;
	uint64_t handle;
	char text[64];

	is_int(write_file(fs, "BootOrder-" GLOBAL, 7, "\1\0\2\0", 4), 8, "a write of all");
	is_int(fake_count(&fake, FAKE_SET), 1, "is one SetVariable");
	ok(fake.last_attributes == 7 && fake.last_size == 4, "with what was written");
	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "found");
	is_int(entry.attr.size, 8, "the size is true");
	is_int(write_file(fs, "BootOrder-" GLOBAL, 0x47, "\3\0", 2), 6, "an append");
	is_int(fake.last_attributes, 0x47, "goes through with its bit");
	is_int(read_file(fs, "BootOrder-" GLOBAL, text, 64), 10, "and the file grows");
	ok(memcmp(text, "\7\0\0\0\1\0\2\0\3\0", 10) == 0, "at its end, without the bit");
	fake.does_truncate = true;
	is_int(write_file(fs, "BootOrder-" GLOBAL, 7, "\1\0\2\0", 4), 8,
		"services that shorten it still return the whole count");
	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "found");
	is_int(entry.attr.size, 6, "but the size is true");
	fake.does_truncate = false;
	is_int(do_open(fs, entry.node, O_RDWR | O_TRUNC, &handle), 0, "opened with O_TRUNC");
	is_int(do_read(fs, entry.node, handle, 0, text, 64), 6, "nothing is cut");
	is_int(do_write(fs, entry.node, handle, 12345, 7, "\5\0", 2), 6, "an offset means nothing");
	is_int(do_read(fs, entry.node, handle, 0, text, 64), 6, "read back");
	ok(memcmp(text, "\7\0\0\0\5\0", 6) == 0, "as it was written");
	stop(fs);
}

static void test_second_piece(void)
{
	struct fs *fs = start(true);
	struct fs_entry entry;
	uint64_t handle;
	char text[4096];

	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "found");
	is_int(do_open(fs, entry.node, O_RDWR, &handle), 0, "opened");
	is_int(do_write(fs, entry.node, handle, 0, 7, "\1\0", 2), 6, "a first write");
	is_int(do_write(fs, entry.node, handle, 6, 0, "\1\0", 2), -EINVAL,
		"what follows it is no variable, and deletes none");
	is_int(do_write(fs, entry.node, handle, 6, 7, "\2\0", 2), 6,
		"but a whole variable may follow");
	is_int(do_write(fs, entry.node, handle, 12, 0x47, "\3\0", 2), 6, "or an append");
	is_int(do_read(fs, entry.node, handle, 0, text, 64), 8, "read back");
	ok(do_getxattr(fs, EFIVARS_XATTR_ERROR, text) > 0 && strstr(text, "one piece"),
		"the reason is told");
	stop(fs);
}

static void test_delete_by_write(void)
{
	struct fs *fs = start(true);
	struct fs_entry entry, again;
	uint64_t reader, writer;
	char text[4096];

	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "found");
	is_int(do_open(fs, entry.node, O_RDONLY, &reader), 0, "opened to read");
	is_int(do_open(fs, entry.node, O_WRONLY, &writer), 0, "and to write");
	is_int(do_write(fs, entry.node, writer, 0, 7, NULL, 0), 4, "4 bytes delete");
	ok(!fake_find(&fake, "BootOrder"), "the variable");
	is_int(do_write(fs, entry.node, writer, 4, 7, "\1\0", 2), -EIO, "a later write fails");
	is_int(do_read(fs, entry.node, reader, 0, text, 64), 0, "a read finds the end");
	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &again), 0, "the entry stays while it is open");
	is_int(again.attr.size, 0, "and is empty");
	is_int(do_release(fs, entry.node, writer), 0, "closed");
	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &again), 0, "once: still there");
	is_int(do_release(fs, entry.node, reader), 0, "closed again");
	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &again), -ENOENT, "gone");
	do_list(fs, 0, text, sizeof(text));
	is_text(text, "Foo-" OTHER " a!b-" OTHER, "also from the list");
	is_int(write_file(fs, "BootOrder-" GLOBAL, 7, NULL, 0), -EIO,
		"deleting what was not there is an error");
	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &again), 0, "the new file stays");
	is_int(again.attr.size, 0, "empty");
	stop(fs);
}

static void test_unlink(void)
{
	struct fs *fs = start(true);
	struct fs_entry entry;
	uint64_t handle;
	struct fs_attr attr;
	char text[64];

	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "found");
	is_int(do_open(fs, entry.node, O_RDWR, &handle), 0, "opened");
	is_int(do_unlink(fs, "BootOrder-" GLOBAL), 0, "removed");
	ok(fake.last_attributes == 0 && fake.last_size == 0, "by a SetVariable of nothing");
	is_int(do_read(fs, entry.node, handle, 0, text, 64), 0, "the open file is empty");
	is_int(do_write(fs, entry.node, handle, 0, 7, "\1\0", 2), -EIO, "and cannot be written");
	is_int(do_getattr(fs, entry.node, &attr), 0, "it has attributes");
	ok(attr.nlink == 0 && attr.size == 0, "without link and size");
	is_int(do_unlink(fs, "BootOrder-" GLOBAL), -ENOENT, "it is not there twice");
	is_int(do_unlink(fs, "Foo-" OTHER), -EPERM, "an immutable file stays");
	ok(fake_find(&fake, "Foo"), "in the store");
	is_int(do_release(fs, entry.node, handle), 0, "closed");
	fs->ops->forget(fs, entry.node, 1);
	is_int(do_getattr(fs, entry.node, &attr), -ESTALE, "then the node is gone");
	fs->ops->forget(fs, entry.node, 1000);
	stop(fs);
}

static void test_create(void)
{
	struct fs *fs = start(true);
	struct fs_entry entry, again;
	uint64_t handle, other;
	char text[4096];

	is_int(do_create(fs, "Bar-12345678-9ABC-DEF0-1234-56789ABCDEF0", O_RDWR, 0600, &entry,
		&handle), 0, "created");
	is_int(entry.attr.size, 0, "empty");
	is_int(entry.attr.mode, S_IFREG | 0600, "with the mode given");
	is_int(fake_count(&fake, FAKE_SET), 0, "nothing is asked of the firmware");
	is_int(do_read(fs, entry.node, handle, 0, text, 64), 0, "it reads as empty");
	is_int(do_release(fs, entry.node, handle), 0, "closed");
	is_int(do_lookup(fs, "Bar-" OTHER, &again), 0, "it stays when it is closed");
	ok(again.node == entry.node && again.attr.ino == entry.attr.ino, "the same file");
	do_list(fs, 0, text, sizeof(text));
	ok(strstr(text, " Bar-12345678-9ABC-DEF0-1234-56789ABCDEF0"), "listed as it was typed");
	is_int(do_open(fs, entry.node, O_WRONLY, &other), -EPERM, "it is immutable from birth");
	is_int(do_create(fs, "Bar-" OTHER, O_RDWR | O_EXCL, 0600, &again, &other), -EEXIST,
		"O_EXCL finds it");
	is_int(do_create(fs, "Bar-" OTHER, O_RDONLY, 0600, &again, &other), 0,
		"without, it is opened");
	is_int(do_unlink(fs, "Bar-" OTHER), -EPERM, "it cannot be removed");
	is_int(do_create(fs, "Baz-" OTHER, O_RDWR, 0600, &entry, &handle), 0, "another");
	is_int(do_write(fs, entry.node, handle, 0, 7, "abc", 3), 7, "its creator may write");
	is_int(do_release(fs, entry.node, handle), 0, "closed");
	is_int(read_file(fs, "Baz-" OTHER, text, 64), 7, "it is read");
	is_int(do_create(fs, "Boot0001-" GLOBAL, O_RDWR, 0600, &entry, &handle), 0, "removable");
	is_int(do_release(fs, entry.node, handle), 0, "closed");
	is_int(do_unlink(fs, "Boot0001-" GLOBAL), 0, "an empty file is removed");
	is_int(fake_count(&fake, FAKE_SET), 1, "without a question");
	stop(fs);
}

static void test_create_refused(void)
{
	static const struct {
		const char *what, *name;
		int error;
	} cases[] = {
		{"an ill-formed name", "Foo", -EINVAL},
		{"a name that is not UTF-8", "\xff-" OTHER, -EINVAL},
		{"the kernel's random seed", "RandomSeed-1ce1e5bc-7ceb-42f2-81e5-8aadf180f57b",
			-EPERM},
	};
	struct fs *fs = start(true);
	struct fs_create pipe = {.mode = S_IFIFO | 0600}, file = {.mode = S_IFREG | 0666};
	struct fs_entry entry;
	uint64_t handle;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_int(do_create(fs, cases[i].name, O_RDWR, 0600, &entry, &handle), cases[i].error,
			cases[i].what);
	file.umask = 027;
	{
		CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;

		is_int(fake_finish(&req, fs->ops->mknod(fs, &req, FS_ROOT, "p-" OTHER, &pipe)),
			-EPERM, "a FIFO");
	}
	{
		CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;

		is_int(fake_finish(&req, fs->ops->mknod(fs, &req, FS_ROOT, "f-" OTHER, &file)), 0,
			"mknod of a file creates it");
		is_int(req.entry.attr.mode, S_IFREG | 0640, "with the mask applied");
	}
	{
		CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;

		is_int(fake_finish(&req, fs->ops->mknod(fs, &req, FS_ROOT, "f-" OTHER, &file)),
			-EEXIST, "once");
	}
	is_int(fs->ops->mkdir(fs, NULL, FS_ROOT, "d", &file), -EPERM, "mkdir");
	is_int(fs->ops->symlink(fs, NULL, FS_ROOT, "s", "t"), -EPERM, "symlink");
	is_int(fs->ops->link(fs, NULL, 2, FS_ROOT, "l"), -EPERM, "link");
	is_int(fs->ops->rename(fs, NULL, FS_ROOT, "a", FS_ROOT, "b", 0), -EPERM, "rename");
	is_int(fs->ops->rmdir(fs, NULL, FS_ROOT, "a"), -ENOTDIR, "rmdir");
	is_int(fs->ops->fsync(fs, NULL, 2, 0, false), -EINVAL, "fsync");
	stop(fs);
}

int main(void)
{
	test_list_and_read();
	test_volatile_is_asked();
	test_read_at_offsets();
	test_write();
	test_second_piece();
	test_delete_by_write();
	test_unlink();
	test_create();
	test_create_refused();
	return tap_done();
}
