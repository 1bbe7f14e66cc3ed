/* SPDX-License-Identifier: MIT */
/* errors_test.c — what each refusal is called: of a write, in order, and of a removal. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/test/tap.h"
#include "fs/efivars/test/mounted.h"

static struct fake_services fake;

static const struct {
	const char *what;
	enum uefi_status status;
	int write, delete, unlink; /* what each gives: 0 or an errno */
} statuses[] = {
	{"success", UEFI_SUCCESS, 0, 0, 0},
	{"invalid parameter", UEFI_INVALID_PARAMETER, -EINVAL, -EINVAL, -EINVAL},
	{"out of resources", UEFI_OUT_OF_RESOURCES, -ENOSPC, -ENOSPC, -ENOSPC},
	{"device error", UEFI_DEVICE_ERROR, -EIO, -EIO, -EIO},
	{"write-protected", UEFI_WRITE_PROTECTED, -EROFS, -EROFS, -EROFS},
	{"security violation", UEFI_SECURITY_VIOLATION, -EACCES, -EACCES, -EACCES},
	{"not found", UEFI_NOT_FOUND, -EIO, -EIO, 0},
	{"unsupported", UEFI_UNSUPPORTED, -EINVAL, -EINVAL, -EINVAL},
	{"access denied", UEFI_ACCESS_DENIED, -EINVAL, -EINVAL, -EINVAL},
	{"an unknown one", (enum uefi_status)99, -EINVAL, -EINVAL, -EINVAL},
};

static struct fs *start(void)
{
	fake_services_init(&fake, true);
	fake_add(&fake, "Boot0000", &uefi_global_guid, 7, "\1\0\0\0\4\0A\0\0\0\x7f\xff\4\0", 14);
	fake_add(&fake, "BootOrder", &uefi_global_guid, 7, "\1\0", 2);
	return mounted_new(&fake, true);
}

static void stop(struct fs *fs)
{
	mounted_free(fs);
	fake_services_fini(&fake);
}

static void test_statuses(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		struct fs *fs = start();
		int r;

		fake_fail(&fake, FAKE_SET, statuses[i].status);
		r = write_file(fs, "BootOrder-" GLOBAL, 7, "\2\0", 2);
		is_int(r > 0 ? 0 : r, statuses[i].write, statuses[i].what);
		r = write_file(fs, "BootOrder-" GLOBAL, 7, NULL, 0);
		is_int(r > 0 ? 0 : r, statuses[i].delete, "deletion by write");
		is_int(do_unlink(fs, "Boot0000-" GLOBAL), statuses[i].unlink, "removal");
		stop(fs);
	}
}

static const struct {
	const char *what, *name;
	uint32_t attributes;
	const char *data;
	size_t size;
	int result;
} writes[] = {
	{"known attributes", "BootOrder-" GLOBAL, 0x7, "\1\0", 2, 6},
	{"the enhanced bit", "BootOrder-" GLOBAL, 0x87, "\1\0", 2, -EINVAL},
	{"a bit that nobody knows", "BootOrder-" GLOBAL, 0x80000007, "\1\0", 2, -EINVAL},
	{"unknown attributes before bad content", "Boot0000-" GLOBAL, 0x87, "x", 1, -EINVAL},
	{"bad content", "Boot0000-" GLOBAL, 0x7, "x", 1, -EINVAL},
	{"a deletion has no content to be bad", "Boot0000-" GLOBAL, 0x7, NULL, 0, 4},
};

static void test_writes(void)
{
	struct fs *fs = start();
	char text[4096];

	for (size_t i = 0; i < ARRAY_SIZE(writes); i++)
		is_int(write_file(fs, writes[i].name, writes[i].attributes, writes[i].data,
			writes[i].size), writes[i].result, writes[i].what);
	is_int(fake_count(&fake, FAKE_SET), 2, "what is refused never reaches the firmware");
	is_int(write_file(fs, "Boot0000-" GLOBAL, 7, "x", 1), -EINVAL, "refused");
	ok(do_getxattr(fs, EFIVARS_XATTR_ERROR, text) > 0, "with a reason");
	is_text(text, "Boot0000-" GLOBAL ": cannot be written: a load option has 8 bytes at least",
		"in words");
	fake.reason = "no room: 40 bytes wanted, 12 free";
	fake_fail(&fake, FAKE_SET, UEFI_OUT_OF_RESOURCES);
	is_int(write_file(fs, "BootOrder-" GLOBAL, 7, "\1\0", 2), -ENOSPC, "no room");
	ok(do_getxattr(fs, EFIVARS_XATTR_ERROR, text) > 0, "the firmware's own words");
	is_text(text, "BootOrder-" GLOBAL ": cannot be written: no room: 40 bytes wanted, 12 free "
		"(EFI_OUT_OF_RESOURCES)", "are told");
	is_int(read_file(fs, "BootOrder-" GLOBAL, text, 64), 6, "the old value stands");
	stop(fs);
}

static int raw_write(struct fs *fs, uint64_t node, uint64_t handle, size_t size)
{
	static uint8_t bytes[FS_WRITE_MAX] = {7};
	CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
	struct fs_write write = {.handle = handle};
	struct iovec payload = {.iov_base = bytes, .iov_len = size};

	req.payload = &payload;
	req.payload_count = 1;
	return fake_finish(&req, fs->ops->write(fs, &req, node, &write));
}

static void test_sizes(void)
{
	struct fs *fs = start();
	struct fs_entry entry;
	uint64_t handle;

	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "found");
	is_int(do_open(fs, entry.node, O_WRONLY, &handle), 0, "opened");
	is_int(raw_write(fs, entry.node, handle, 0), -EINVAL, "nothing");
	is_int(raw_write(fs, entry.node, handle, 3), -EINVAL, "3 bytes");
	is_int(raw_write(fs, entry.node, handle, 4 + 32768), 0, "32 KiB of content");
	is_int(fake.last_size, 32768, "in one piece");
	is_int(raw_write(fs, entry.node, handle, WRITE_MAX), 0, "the largest write");
	is_int(raw_write(fs, entry.node, handle, WRITE_MAX + 1), -EFBIG, "and one byte more");
	is_int(raw_write(fs, entry.node, handle + 1, 6), -EBADF, "an invented handle");
	{
		CLEAN_REQUEST struct fs_request req = FAKE_REQUEST;
		struct fs_write write = {.handle = handle, .is_cached = true};

		is_int(fake_finish(&req, fs->ops->write(fs, &req, entry.node, &write)), -EIO,
			"a page of a mapping");
	}
	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "a large variable is found");
	is_int(entry.attr.size, WRITE_MAX, "with its size");
	stop(fs);
}

/* Writes on a file that is full of questions: interrupted before and after they have begun. */
static void test_interrupts(void)
{
	CLEAN_REQUEST struct fs_request running = FAKE_REQUEST, waiting = FAKE_REQUEST,
		late = FAKE_REQUEST;
	struct iovec payload = {.iov_base = (char[]){7, 0, 0, 0, 9, 0}, .iov_len = 6};
	struct fs_write write = {0};
	struct fs *fs = start();
	struct fs_entry entry;

	is_int(do_lookup(fs, "BootOrder-" GLOBAL, &entry), 0, "found");
	is_int(do_open(fs, entry.node, O_WRONLY, &write.handle), 0, "opened");
	running.payload = waiting.payload = late.payload = &payload;
	running.payload_count = waiting.payload_count = late.payload_count = 1;
	fake_block(&fake, FAKE_SET);
	is_int(fs->ops->write(fs, &running, entry.node, &write), 0, "one write runs");
	fake_await_blocked(&fake, FAKE_SET);
	is_int(fs->ops->write(fs, &waiting, entry.node, &write), 0, "one waits");
	fake_interrupt(&waiting);
	is_int(fake_finish(&waiting, 0), -EINTR, "what waits is dropped");
	fake_interrupt(&running);
	ok(!fake_is_answered(&running), "what runs is not");
	fake_interrupt(&late);
	is_int(fake_finish(&late, fs->ops->write(fs, &late, entry.node, &write)), -EINTR,
		"nor does one begin that was interrupted before");
	fake_unblock(&fake, FAKE_SET);
	is_int(fake_finish(&running, 0), 0, "the one that ran is done");
	is_int(running.size, 6, "whole");
	is_int(fake_count(&fake, FAKE_SET), 1, "it alone");
	stop(fs);
}

int main(void)
{
	test_statuses();
	test_writes();
	test_sizes();
	test_interrupts();
	return tap_done();
}
