/* SPDX-License-Identifier: MIT */
/* attributes_test.c — modes, owners, times; the immutable flag; the root's extended attributes. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/test/tap.h"
#include "fs/efivars/test/mounted.h"

static struct fake_services fake;

struct settings {
	struct fs *fs;
	char text[4096];
	int error;
};

static void describe(void *arg, struct buffer *out)
{
	struct settings *settings = arg;
	struct efivars_options options = efivars_get_options(settings->fs);

	buffer_printf(out, "%s,%sstatfs,uid=%u,gid=%u", options.is_read_only ? "ro" : "rw",
		options.statfs ? "" : "no", options.uid, options.gid);
}

static int reconfigure(void *arg, const char *text, bool may_wait, char **ret_error)
{
	struct settings *settings = arg;

	(void)snprintf(settings->text, sizeof(settings->text), "%s", text);
	if (settings->error < 0) {
		*ret_error = strdup("auth: cannot be changed");
		return settings->error;
	}
	if (strcmp(text, "ro") == 0 || strcmp(text, "rw") == 0)
		return !may_wait ? -EAGAIN :
			efivars_set_read_only(settings->fs, text[1] == 'o', ret_error);
	efivars_set_statfs(settings->fs, strcmp(text, "nostatfs") != 0);
	return 0;
}

static struct fs *start(struct settings *settings)
{
	struct efivars_config config = {
		.options = {.statfs = true, .uid = 100, .gid = 200},
		.reserve = EFIVARS_RESERVE,
		.describe = describe,
		.reconfigure = reconfigure,
		.arg = settings,
	};
	struct fs *fs = NULL;

	fake_services_init(&fake, true);
	fake_add(&fake, "BootOrder", &uefi_global_guid, 7, "\1\0", 2);
	fake_add(&fake, "Foo", &other_guid, 7, "hello", 5);
	is_int(efivars_new(&fs, &fake.services, &config), 0, "a file system");
	settings->fs = fs;
	return fs;
}

static void stop(struct fs *fs)
{
	mounted_free(fs);
	fake_services_fini(&fake);
}

static int do_setattr(struct fs *fs, uint64_t node, struct fs_setattr set, struct fs_attr *ret)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	int r = fake_finish(&req, fs->ops->setattr(fs, &req, node, &set));

	if (r == 0)
		*ret = req.attr;
	return r;
}

static void test_setattr(void)
{
	struct settings settings = {0};
	struct fs *fs = start(&settings);
	struct fs_setattr set = {.valid = FS_SET_MODE | FS_SET_UID | FS_SET_GID | FS_SET_MTIME,
		.attr = {.mode = S_IFDIR | 04711, .uid = 1, .gid = 2, .mtime = {.tv_sec = 77}}};
	struct fs_setattr cut = {.valid = FS_SET_SIZE};
	struct fs_entry entry;
	struct fs_attr attr;
	uint64_t handle;

	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "found");
	ok(entry.attr.uid == 100 && entry.attr.gid == 200, "the mount's owner");
	is_int(do_setattr(fs, entry.node, set, &attr), 0, "changed");
	is_int(attr.mode, S_IFREG | 04711, "the mode, not the type");
	ok(attr.uid == 1 && attr.gid == 2 && attr.mtime.tv_sec == 77, "owner and time");
	is_int(do_setattr(fs, entry.node, cut, &attr), 0, "cut");
	is_int(attr.size, 6, "but the size is the content's");
	is_int(do_getattr(fs, entry.node, &attr), 0, "asked again");
	is_int(attr.mode, S_IFREG | 04711, "it is kept");
	cut.valid = FS_SET_SIZE | FS_SET_KILL_SUIDGID;
	is_int(do_setattr(fs, entry.node, cut, &attr), 0, "cut by another");
	is_int(attr.mode, S_IFREG | 0711, "the set-id bit is gone");
	is_int(do_setattr(fs, FS_ROOT, set, &attr), 0, "the root changes too");
	is_int(attr.mode, S_IFDIR | 04711, "its mode");
	is_int(do_setattr(fs, 12345, set, &attr), -ESTALE, "an invented node");

	is_int(do_lookup(fs, "Foo-" OTHER, &entry), 0, "an immutable one is found");
	is_int(do_setattr(fs, entry.node, set, &attr), -EPERM, "it does not change");
	is_int(do_setattr(fs, entry.node, cut, &attr), -EPERM, "nor is it cut");
	is_int(do_open(fs, entry.node, O_RDONLY | O_TRUNC, &handle), -EPERM, "not by open either");
	is_int(do_create(fs, "Bar-" OTHER, O_RDWR, 0644, &entry, &handle), 0, "one is created");
	cut.has_handle = true;
	cut.handle = handle;
	is_int(do_setattr(fs, entry.node, cut, &attr), 0, "its creator may cut it");
	cut.handle = handle + 1;
	is_int(do_setattr(fs, entry.node, cut, &attr), -EPERM, "nobody else");
	stop(fs);
}

static int do_ioctl(struct fs *fs, uint64_t node, uint32_t command, void *data, size_t size)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	struct fs_ioctl ioctl = {.command = command, .out_size = (uint32_t)size};
	struct iovec payload = {.iov_base = data, .iov_len = size};
	int r;

	req.payload = &payload;
	req.payload_count = 1;
	r = fake_finish(&req, fs->ops->ioctl(fs, &req, node, &ioctl));
	if (r == 0 && req.size > 0)
		memcpy(data, req.data, req.size);
	return r;
}

static void test_flags(void)
{
	static const struct {
		const char *what;
		uint32_t get, set;
	} forms[] = {
		{"long", FS_IOC_GETFLAGS, FS_IOC_SETFLAGS},
		{"int", FS_IOC32_GETFLAGS, FS_IOC32_SETFLAGS},
	};
	struct fsxattr extended = {.fsx_xflags = FS_XFLAG_IMMUTABLE};
	struct settings settings = {0};
	struct fs *fs = start(&settings);
	struct fs_entry entry;
	uint32_t flags = 0;
	uint64_t handle = 0;

	is_int(do_lookup(fs, "Foo-" OTHER, &entry), 0, "found");
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		is_int(do_ioctl(fs, entry.node, forms[i].get, &flags, 4), 0, forms[i].what);
		is_int(flags, FS_IMMUTABLE_FL, "immutable");
		flags = 0;
		is_int(do_ioctl(fs, entry.node, forms[i].set, &flags, 4), 0, "cleared");
		is_int(do_ioctl(fs, entry.node, forms[i].get, &flags, 4), 0, "asked again");
		is_int(flags, 0, "not immutable");
		flags = FS_IMMUTABLE_FL;
		is_int(do_ioctl(fs, entry.node, forms[i].set, &flags, 4), 0, "set");
	}
	flags = FS_IMMUTABLE_FL | FS_APPEND_FL;
	is_int(do_ioctl(fs, entry.node, FS_IOC_SETFLAGS, &flags, 4), -EOPNOTSUPP, "another flag");
	is_int(do_ioctl(fs, entry.node, FS_IOC_SETFLAGS, &flags, 3), -EINVAL, "3 bytes");
	is_int(do_ioctl(fs, entry.node, FS_IOC_GETFLAGS, &flags, 0), -EINVAL, "no room");
	is_int(do_ioctl(fs, entry.node, FS_IOC_GETVERSION, &flags, 4), -ENOTTY, "another ioctl");
	is_int(do_ioctl(fs, FS_ROOT, FS_IOC_GETFLAGS, &flags, 4), -ENOTTY, "the root has none");
	is_int(do_ioctl(fs, entry.node, FS_IOC_FSGETXATTR, &extended, sizeof(extended)), 0,
		"the extended form");
	is_int(extended.fsx_xflags, FS_XFLAG_IMMUTABLE, "says the same");
	extended.fsx_xflags = 0;
	is_int(do_ioctl(fs, entry.node, FS_IOC_FSSETXATTR, &extended, sizeof(extended)),
		-EOPNOTSUPP, "and sets nothing");
	flags = 0;
	is_int(do_ioctl(fs, entry.node, FS_IOC_SETFLAGS, &flags, 4), 0, "cleared");
	is_int(do_open(fs, entry.node, O_WRONLY, &handle), 0, "then it can be opened");
	is_int(do_write(fs, entry.node, handle, 0, 7, "x", 1), 5, "and written");
	is_int(do_release(fs, entry.node, handle), 0, "closed");
	is_int(do_unlink(fs, "Foo-" OTHER), 0, "and removed");
	is_int(do_create(fs, "Foo-" OTHER, O_RDWR, 0644, &entry, &handle), 0, "created again");
	is_int(do_ioctl(fs, entry.node, FS_IOC_GETFLAGS, &flags, 4), 0, "asked");
	is_int(flags, FS_IMMUTABLE_FL, "it is immutable again");
	stop(fs);
}

/* A process without any capability, that waits until told to end. */
static void test_capability(void)
{
	struct settings settings = {0};
	struct fs *fs = start(&settings);
	struct iovec payload = {.iov_base = &(uint32_t){0}, .iov_len = 4};
	struct fs_ioctl ioctl = {.command = FS_IOC_SETFLAGS};
	CLEAN_REQUEST struct fs_request denied = FAKE_REQUEST, trusted = FAKE_REQUEST;
	struct fs_entry entry;
	int ready[2], end[2];
	char byte;
	pid_t pid;

	is_int(do_lookup(fs, "Foo-" OTHER, &entry), 0, "found");
	if (pipe(ready) < 0 || pipe(end) < 0 || (pid = fork()) < 0) {
		ok(false, "no process");
		stop(fs);
		return;
	}
	if (pid == 0) {
		close(end[1]);
		if (getuid() == 0 && setuid(65534) < 0)
			_exit(1);
		if (write(ready[1], "x", 1) == 1 && read(end[0], &byte, 1) >= 0)
			_exit(0);
		_exit(1);
	}
	ok(read(ready[0], &byte, 1) == 1, "a process without capabilities");
	denied.caller.pid = (uint32_t)pid;
	denied.payload = trusted.payload = &payload;
	denied.payload_count = trusted.payload_count = 1;
	is_int(fake_finish(&denied, fs->ops->ioctl(fs, &denied, entry.node, &ioctl)), -EPERM,
		"may not clear the flag");
	close(end[0]);
	close(end[1]);
	close(ready[0]);
	close(ready[1]);
	ok(waitpid(pid, NULL, 0) == pid, "it ended");
	trusted.caller.pid = (uint32_t)pid;
	is_int(fake_finish(&trusted, fs->ops->ioctl(fs, &trusted, entry.node, &ioctl)), 0,
		"where it cannot be seen, the kernel's word counts");
	stop(fs);
}

static int do_setxattr(struct fs *fs, uint64_t node, const char *name, const void *value,
	size_t size, uint32_t flags)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;

	return fake_finish(&req, fs->ops->setxattr(fs, &req, node, name, value, size, flags));
}

static void test_options(void)
{
	struct settings settings = {0};
	struct fs *fs = start(&settings);
	struct fs_entry entry;
	uint64_t handle;
	char text[4096];

	ok(do_getxattr(fs, EFIVARS_XATTR_OPTIONS, text) > 0, "options are shown");
	is_text(text, "rw,statfs,uid=100,gid=200", "all of them");
	is_int(do_setxattr(fs, FS_ROOT, EFIVARS_XATTR_OPTIONS, "nostatfs\n", 9, 0), 0, "changed");
	is_text(settings.text, "nostatfs", "without the line's end");
	ok(do_getxattr(fs, EFIVARS_XATTR_OPTIONS, text) > 0, "shown again");
	is_text(text, "rw,nostatfs,uid=100,gid=200", "the new ones");
	is_int(do_setxattr(fs, FS_ROOT, EFIVARS_XATTR_OPTIONS, "a\0b", 3, 0), -EINVAL, "a NUL");
	is_int(do_setxattr(fs, FS_ROOT, EFIVARS_XATTR_OPTIONS, text, 4095, XATTR_CREATE), -EEXIST,
		"it is there already");
	is_int(do_setxattr(fs, FS_ROOT, "user.x", "a", 1, 0), -EOPNOTSUPP, "others are not kept");
	is_int(do_setxattr(fs, 77, EFIVARS_XATTR_OPTIONS, "a", 1, 0), -EOPNOTSUPP, "not on a file");
	settings.error = -EINVAL;
	is_int(do_setxattr(fs, FS_ROOT, EFIVARS_XATTR_OPTIONS, "auth=owner", 10, 0), -EINVAL,
		"a refusal");
	ok(do_getxattr(fs, EFIVARS_XATTR_ERROR, text) > 0, "has a reason");
	is_text(text, "remount: auth: cannot be changed", "which is told");
	settings.error = 0;
	is_int(do_setxattr(fs, FS_ROOT, EFIVARS_XATTR_OPTIONS, "ro", 2, 0), 0, "read-only");
	ok(!fake.is_writable, "for the services too");
	is_int(do_create(fs, "x-" OTHER, O_RDWR, 0644, &entry, &handle), -EROFS, "no creation");
	is_int(do_unlink(fs, "BootOrder-" GLOBAL), -EROFS, "no removal");
	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "found");
	is_int(do_open(fs, entry.node, O_RDWR, &handle), -EROFS, "no open for writing");
	is_int(do_set_flags(fs, entry.node, 0), -EROFS, "no flags");
	is_int(do_open(fs, entry.node, O_RDONLY, &handle), 0, "but for reading");
	fake.writable_error = -EROFS;
	is_int(do_setxattr(fs, FS_ROOT, EFIVARS_XATTR_OPTIONS, "rw", 2, 0), -EROFS, "refused");
	ok(do_getxattr(fs, EFIVARS_XATTR_ERROR, text) > 0, "with a reason");
	is_text(text, "remount: it is in use", "the services'");
	ok(efivars_get_options(fs).is_read_only, "it stays read-only");
	stop(fs);
}

/* What needs no services does not wait for them. */
static void test_options_beside_a_stuck_firmware(void)
{
	CLEAN_REQUEST struct fs_request stuck = FAKE_REQUEST, change = FAKE_REQUEST;
	struct settings settings = {0};
	struct fs *fs = start(&settings);
	char text[4096];

	fake_block(&fake, FAKE_GET);
	is_int(fs->ops->lookup(fs, &stuck, FS_ROOT, "Foo-" OTHER), 0, "a look-up is kept");
	fake_await_blocked(&fake, FAKE_GET);
	ok(do_getxattr(fs, EFIVARS_XATTR_OPTIONS, text) > 0, "the options are shown meanwhile");
	is_text(text, "rw,statfs,uid=100,gid=200", "as they are");
	is_int(do_setxattr(fs, FS_ROOT, EFIVARS_XATTR_OPTIONS, "nostatfs", 8, 0), 0,
		"nostatfs is switched on meanwhile");
	ok(!efivars_get_options(fs).statfs, "and holds");
	settings.error = -EINVAL;
	is_int(do_setxattr(fs, FS_ROOT, EFIVARS_XATTR_OPTIONS, "auth=owner", 10, 0), -EINVAL,
		"a refusal does not wait either");
	ok(do_getxattr(fs, EFIVARS_XATTR_ERROR, text) > 0, "with its reason");
	settings.error = 0;
	is_int(fs->ops->setxattr(fs, &change, FS_ROOT, EFIVARS_XATTR_OPTIONS, "ro", 2, 0), 0,
		"read-only is kept");
	ok(!fake_is_answered(&stuck) && !fake_is_answered(&change), "for it needs the firmware");
	fake_unblock(&fake, FAKE_GET);
	is_int(fake_finish(&stuck, 0), 0, "which comes back");
	is_int(fake_finish(&change, 0), 0, "and changes");
	ok(efivars_get_options(fs).is_read_only, "to read-only");
	stop(fs);
}

static int do_listxattr(struct fs *fs, uint32_t uid, char *text, uint32_t size)
{
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	int r;

	req.caller.uid = uid;
	r = fake_finish(&req, fs->ops->listxattr(fs, &req, FS_ROOT, size));
	if (r < 0)
		return r;
	if (req.answer == FAKE_DATA) {
		for (size_t i = 0; i + 1 < req.size; i++)
			text[i] = (char)(req.data[i] ? req.data[i] : ' ');
		text[req.size > 0 ? req.size - 1 : 0] = 0;
	}
	return (int)req.size;
}

static void test_xattrs(void)
{
	struct settings settings = {0};
	struct fs *fs = start(&settings);
	CLEAN_REQUEST struct fs_request size = FAKE_REQUEST, small = FAKE_REQUEST;
	char text[4096];
	size_t length;

	is_int(do_getxattr(fs, EFIVARS_XATTR_ERROR, text), -ENODATA, "no refusal yet");
	is_int(do_getxattr(fs, EFIVARS_XATTR_DUPLICATES, text), -ENODATA, "no duplicates");
	is_int(do_getxattr(fs, "security.selinux", text), -EOPNOTSUPP, "others there are none");
	is_int(do_listxattr(fs, 1000, text, 100), 0, "none is listed");
	ok(do_listxattr(fs, 0, text, 100) > 0, "to root");
	is_text(text, EFIVARS_XATTR_OPTIONS, "the options");
	is_int(do_unlink(fs, "Foo-" OTHER), -EPERM, "a refusal");
	ok(do_getxattr(fs, EFIVARS_XATTR_ERROR, text) > 0, "is told");
	is_text(text, "Foo-" OTHER ": cannot be deleted: it is immutable (chattr -i allows it)",
		"with its reason");
	length = strlen(text);
	is_int(do_listxattr(fs, 1000, text, 100), 17, "to everybody");
	is_text(text, EFIVARS_XATTR_ERROR, "and listed");
	is_int(do_listxattr(fs, 1000, text, 16), -ERANGE, "where there is room");
	is_int(fake_finish(&size, fs->ops->getxattr(fs, &size, FS_ROOT, EFIVARS_XATTR_ERROR, 0)),
		0, "the size alone");
	ok(size.answer == FAKE_XATTR_SIZE && size.size == length, "is told");
	is_int(fake_finish(&small, fs->ops->getxattr(fs, &small, FS_ROOT, EFIVARS_XATTR_ERROR,
		(uint32_t)length - 1)), -ERANGE, "a byte too few");
	is_int(fs->ops->removexattr(fs, NULL, FS_ROOT, EFIVARS_XATTR_ERROR), -EOPNOTSUPP,
		"none is removed");
	stop(fs);
}

/* Against the kernel's other word for it. */
static void test_realtime(void)
{
	char version[4096] = "";
	FILE *file = fopen("/proc/version", "re");

	ok(file && fgets(version, sizeof(version), file), "the kernel's version");
	if (file)
		(void)fclose(file);
	is_int(efivars_is_realtime_kernel(), strstr(version, "PREEMPT_RT") ? 1 : 0,
		"a real-time kernel is known by it");
}

int main(void)
{
	test_setattr();
	test_flags();
	test_capability();
	test_options();
	test_options_beside_a_stuck_firmware();
	test_xattrs();
	test_realtime();
	return tap_done();
}
