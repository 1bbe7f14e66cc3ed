/* SPDX-License-Identifier: MIT */
/*
 * backing_test.c — backing files with the real kernel: it reads and writes them itself, and what it
 * refuses comes through as an error.
 */
#include <sys/syscall.h>

#include <linux/capability.h>

#include "transport/devfuse/test/served.h"
#include "transport/devfuse/test/testfs.h"

static char backing_path[96];

static int backing_file(void)
{
	int fd;

	(void)snprintf(backing_path, sizeof(backing_path), "%s/backing", base);
	fd = open(backing_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	must(fd >= 0, "backing file");
	must(pwrite(fd, "behind", 6, 0) == 6, "its bytes");
	return fd;
}

static struct testfs *serve_backed(struct served *s, int backing)
{
	struct testfs *testfs = testfs_new();

	testfs->backing_fd = backing;
	testfs->fs.wants = FS_WANT_PASSTHROUGH;
	serve(s, &testfs->fs, 2);
	return testfs;
}

static void test_passed_through(int backing)
{
	struct served s;
	struct testfs *testfs = serve_backed(&s, backing);
	char text[8] = "";
	uint32_t id;
	int fd;

	fd = open(file, O_RDWR | O_CLOEXEC);
	ok(fd >= 0 && atomic_load(&testfs->backing) > 0, "a file is opened with one behind it");
	is_int(pread(fd, text, 6, 0), 6, "it is read");
	is_text(text, "behind", "the bytes are those behind it");
	is_int(pwrite(fd, "BEFORE", 6, 0), 6, "it is written");
	is_int(pread(backing, text, 6, 0), 6, "the file behind it");
	is_text(text, "BEFORE", "has the bytes");
	is_int(atomic_load(&testfs->data_requests), 0, "the server was not asked");
	close(fd);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	ok(fd >= 0, "it is opened again after its close");
	close(fd);
	is_int(umount2(dir, 0), 0, "it is unmounted");
	served_join(&s);
	is_int(fs_backing_open(&testfs->fs, backing, &id), -ENOTCONN,
		"nothing is registered once the server has ended");
	served_free(&s);
}

/* This thread is without CAP_SYS_ADMIN from then on, until it has it back. */
static void set_sys_admin(bool wanted)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	must(syscall(SYS_capget, &header, data) == 0, "capget");
	data[0].effective &= ~(1u << CAP_SYS_ADMIN);
	if (wanted)
		data[0].effective |= 1u << CAP_SYS_ADMIN;
	must(syscall(SYS_capset, &header, data) == 0, "capset");
}

static void test_refused(int backing)
{
	struct served s;
	struct testfs *testfs = serve_backed(&s, -1);
	uint32_t id = 0;
	int pipes[2];

	must(pipe2(pipes, O_CLOEXEC) == 0, "pipe");
	is_int(fs_backing_open(&testfs->fs, -1, &id), -EBADF, "no descriptor");
	ok(fs_backing_open(&testfs->fs, pipes[0], &id) < 0, "not a regular file");
	set_sys_admin(false);
	is_int(fs_backing_open(&testfs->fs, backing, &id), -EPERM, "without CAP_SYS_ADMIN");
	set_sys_admin(true);
	is_int(id, 0, "nothing was registered");
	is_int(fs_backing_open(&testfs->fs, backing, &id), 0, "with it");
	fs_backing_close(&testfs->fs, id);
	fs_backing_close(&testfs->fs, id); /* one that is not known does nothing */
	close(pipes[0]);
	close(pipes[1]);
	is_int(umount2(dir, 0), 0, "it is unmounted");
	served_join(&s);
	served_free(&s);
}

static bool is_offered(void)
{
	struct served s;
	struct testfs *testfs = serve_backed(&s, -1);
	bool agreed = testfs->fs.agreed & FS_WANT_PASSTHROUGH;

	is_int(umount2(dir, 0), 0, "it is unmounted");
	served_join(&s);
	served_free(&s);
	return agreed;
}

int main(void)
{
	int backing;

	served_setup();
	if (is_offered()) {
		backing = backing_file();
		test_passed_through(backing);
		test_refused(backing);
		close(backing);
		must(unlink(backing_path) == 0, "unlink");
	} else {
		ok(true, "backing files # SKIP this kernel has no FUSE passthrough");
	}
	served_cleanup();
	return tap_done();
}
