/* SPDX-License-Identifier: MIT */
/*
 * devfuse_test.c — the transport against the kernel's own client: mounts that are used, unmounted,
 * aborted and stopped in every way, by root and by a user.
 *
 * Needs root and /dev/fuse. All mounts are made in a mount namespace of the test's own, so that
 * nothing stays behind.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "base/test/tap.h"
#include "fs/null/null.h"
#include "transport/devfuse/devfuse.h"
#include "transport/devfuse/test/served.h"
#include "transport/devfuse/test/testfs.h"

#define NOBODY 65534u

static bool is_mounted(const char *text)
{
	char line[1024];
	bool found = false;
	FILE *f = fopen("/proc/thread-self/mountinfo", "re");

	must(f, "mountinfo");
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, dir) && strstr(line, text))
			found = true;
	}
	fclose(f);
	return found;
}

static int entries_of(const char *path)
{
	DIR *d = opendir(path);
	int count = 0;

	if (!d)
		return -errno;
	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

static void test_null(void)
{
	struct served s;
	struct fs *null;
	struct statfs fs;
	struct stat st;

	must(null_fs_new(&null) == 0, "null file system");
	serve(&s, null, 0);
	ok(is_mounted(" - fuse.tacit a,b\\040c rw"), "shown with its type and source");
	ok(is_mounted("rw,nosuid,nodev,relatime"), "and its flags");
	ok(is_mounted("default_permissions,allow_other"), "and its options");
	is_int(statfs(dir, &fs), 0, "statfs");
	ok(fs.f_blocks == 0 && fs.f_bsize == 4096 && fs.f_namelen == 255, "answers nothing");
	is_int(stat(dir, &st), 0, "stat");
	ok(S_ISDIR(st.st_mode) && st.st_ino == 1, "answers a directory");
	is_int(entries_of(dir), 2, "which is empty");
	is_int(open(file, O_RDONLY) < 0 ? errno : 0, ENOENT, "a file is not there");
	is_int(mkdir(file, 0755) < 0 ? errno : 0, ENOSYS, "nothing can be made");
	is_int(rename(file, wait_file) < 0 ? errno : 0, ENOENT, "nor renamed");
	is_int(umount2(dir, 0), 0, "it is unmounted");
	served_join(&s);
	served_free(&s);
}

static void test_lazy(void)
{
	struct served s;
	struct testfs *testfs = testfs_new();
	char byte;
	int fd;

	serve(&s, &testfs->fs, 2);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	is_int(umount2(dir, MNT_DETACH), 0, "unmounted lazily with an open file");
	ok(!is_mounted("fuse.tacit"), "the mount is out of sight");
	is_int(pread(fd, &byte, 1, 100), 1, "the file is still read");
	is_int(devfuse_mount_detach(s.mount) < 0, 1, "there is nothing to detach");
	close(fd);
	served_join(&s);
	served_free(&s);
}

static void test_force(void)
{
	struct served s;
	struct testfs *testfs = testfs_new();
	char byte;
	int fd;

	serve(&s, &testfs->fs, 2);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	is_int(umount2(dir, MNT_FORCE) < 0 ? errno : 0, EBUSY, "umount -f of a busy mount");
	served_join(&s);
	is_int(pread(fd, &byte, 1, 0) < 0 ? errno : 0, ENOTCONN, "aborts it for its users");
	served_free(&s);
	ok(!is_mounted("fuse.tacit"), "the dead mount is taken away at the end");
	close(fd);
}

static void test_abort(void)
{
	struct served s;
	struct testfs *testfs = testfs_new();
	struct stat st;

	serve(&s, &testfs->fs, 2);
	connection_abort(connection_of_mount());
	served_join(&s);
	is_int(stat(file, &st) < 0 ? errno : 0, ENOTCONN,
		"users of an aborted connection are told");
	served_free(&s);
	ok(!is_mounted("fuse.tacit"), "the dead mount is taken away at the end");
}

/* Reads one byte of "wait" in a thread. */
struct reader_thread {
	pthread_t thread;
	int fd;
	ssize_t result; /* or -errno */
};

static void *reader_main(void *arg)
{
	struct reader_thread *r = arg;
	char byte;

	r->result = pread(r->fd, &byte, 1, 0);
	if (r->result < 0)
		r->result = -errno;
	return NULL;
}

static void reader_start(struct reader_thread *r, struct testfs *testfs)
{
	r->fd = open(wait_file, O_RDONLY | O_CLOEXEC);
	must(r->fd >= 0, "open");
	must(pthread_create(&r->thread, NULL, reader_main, r) == 0, "thread");
	ok(sem_wait_long(&testfs->kept_event), "a read is kept");
}

static void test_stop(void)
{
	struct served s;
	struct testfs *testfs = testfs_new();
	struct reader_thread reader;
	char byte;
	int fd;

	serve(&s, &testfs->fs, 2);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	reader_start(&reader, testfs);
	devfuse_server_stop(s.server);
	served_join(&s);
	pthread_join(reader.thread, NULL);
	is_int(reader.result, -EINTR, "what was kept is interrupted by the stop");
	is_int(pread(fd, &byte, 1, 0) < 0 ? errno : 0, ENOTCONN,
		"a user of a stopped file system is told");
	ok(!is_mounted("fuse.tacit"), "the mount is gone");
	is_int(devfuse_mount_fd(s.mount), -1, "the device is closed");
	is_int(fs_notify_node(&testfs->fs, TESTFS_FILE, 0, 0), -ENOTCONN,
		"nobody is there to notify");
	close(fd);
	close(reader.fd);
	served_free(&s);
}

/* One worker is enough for many requests that wait. */
static void test_kept(void)
{
	struct served s;
	struct testfs *testfs = testfs_new();
	struct reader_thread readers[20];
	struct stat st;
	unsigned right = 0;

	serve(&s, &testfs->fs, 1);
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		reader_start(&readers[i], testfs);
	is_int(stat(dir, &st), 0, "one worker answers while 20 reads wait");
	testfs_release(testfs);
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		pthread_join(readers[i].thread, NULL);
		right += readers[i].result == 1;
		close(readers[i].fd);
	}
	is_int(right, ARRAY_SIZE(readers), "each gets its answer");
	is_int(umount2(dir, 0), 0, "it is unmounted");
	served_join(&s);
	served_free(&s);
}

static void signal_arrived(int number)
{
}

/* A child that reads "wait": its exit status is 10 when a signal interrupted it. */
static pid_t child_read(void)
{
	struct sigaction action = {.sa_handler = signal_arrived};
	pid_t pid = fork();
	char byte;
	int fd;

	if (pid != 0)
		return pid;
	sigaction(SIGUSR1, &action, NULL);
	fd = open(wait_file, O_RDONLY | O_CLOEXEC);
	_exit(fd >= 0 && pread(fd, &byte, 1, 0) < 0 && errno == EINTR ? 10 : 11);
}

static void test_signals(void)
{
	struct served s;
	struct testfs *testfs = testfs_new();
	int status = 0;
	pid_t pid;

	serve(&s, &testfs->fs, 2);
	pid = child_read();
	ok(sem_wait_long(&testfs->kept_event), "a child's read is kept");
	kill(pid, SIGUSR1);
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 10, "a signal interrupts it");
	is_int(atomic_load(&testfs->interrupted), 1, "through the file system");
	pid = child_read();
	ok(sem_wait_long(&testfs->kept_event), "another");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status), "can be killed");
	is_int(umount2(dir, 0), 0, "it is unmounted");
	served_join(&s);
	served_free(&s);
}

static void test_notifications(void)
{
	struct served s;
	struct testfs *testfs = testfs_new();
	struct stat st;
	unsigned before;

	serve(&s, &testfs->fs, 2);
	must(stat(file, &st) == 0, "stat");
	is_int(st.st_size, 1, "a size");
	atomic_store(&testfs->size, 2);
	before = atomic_load(&testfs->getattrs);
	must(stat(file, &st) == 0, "stat");
	is_int(st.st_size, 1, "is not asked for again");
	is_int(atomic_load(&testfs->getattrs), before, "because it may be kept for ever");
	is_int(fs_notify_node(&testfs->fs, TESTFS_FILE, -1, 0), 0,
		"the kernel is told of a change");
	must(stat(file, &st) == 0, "stat");
	is_int(st.st_size, 2, "and shows it");
	is_int(fs_notify_node(&testfs->fs, 999, 0, 0), -ENOENT, "a node the kernel does not know");
	is_int(fs_notify_entry(&testfs->fs, FS_ROOT, "file"), 0, "an entry is dropped");
	is_int(fs_notify_entry(&testfs->fs, FS_ROOT, "none"), -ENOENT, "one it does not know");
	is_int(umount2(dir, 0), 0, "it is unmounted");
	served_join(&s);
	served_free(&s);
}

/* ---- many at a time ---- */

static void *busy_main(void *arg)
{
	static const size_t size = 128 * 1024;
	size_t offset = (size_t)(uintptr_t)arg * size;
	uint8_t *out = malloc(size), *in = malloc(size);
	uintptr_t wrong = 0;
	int fd = open(file, O_RDWR | O_CLOEXEC);

	for (unsigned i = 0; i < 50; i++) {
		struct stat st;

		memset(out, (int)(i + offset), size);
		if (pwrite(fd, out, size, (off_t)offset) != (ssize_t)size ||
			pread(fd, in, size, (off_t)offset) != (ssize_t)size ||
			memcmp(in, out, size) != 0 || stat(dir, &st) < 0 || entries_of(dir) != 2)
			wrong++;
	}
	close(fd);
	free(in);
	free(out);
	return (void *)wrong;
}

static void test_parallel(void)
{
	struct served s;
	struct testfs *testfs = testfs_new();
	pthread_t threads[8];
	uintptr_t wrong = 0;
	void *result;

	serve(&s, &testfs->fs, 4);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		must(pthread_create(&threads[i], NULL, busy_main, (void *)i) == 0, "thread");
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &result);
		wrong += (uintptr_t)result;
	}
	is_int(wrong, 0, "8 threads read what they wrote");
	ok(!atomic_load(&testfs->is_misaligned), "each write's bytes began on a page");
	is_int(umount2(dir, 0), 0, "it is unmounted");
	served_join(&s);
	served_free(&s);
}

static void test_large(void)
{
	static uint8_t in[TESTFS_SIZE], out[TESTFS_SIZE];
	struct served s;
	struct testfs *testfs = testfs_new();
	int fd;

	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 31 + i / 999);
	serve(&s, &testfs->fs, 1);
	fd = open(file, O_RDWR | O_CLOEXEC);
	is_int(pread(fd, in, sizeof(in), 0), sizeof(in), "4 MiB are read");
	ok(in[0] == 0 && in[1] == 7 && in[4096] == 1, "as they are");
	is_int(pwrite(fd, out, sizeof(out), 0), sizeof(out), "4 MiB are written");
	is_int(pread(fd, in, sizeof(in), 0), sizeof(in), "and read again");
	ok(memcmp(out, in, sizeof(out)) == 0, "as they were given");
	close(fd);
	is_int(umount2(dir, 0), 0, "it is unmounted");
	served_join(&s);
	served_free(&s);
}

/* ---- places ---- */

static void test_other_mounts(void)
{
	struct served s;
	struct testfs *testfs = testfs_new();

	serve(&s, &testfs->fs, 1);
	must(mount("none", dir, "tmpfs", 0, NULL) == 0, "tmpfs");
	is_int(devfuse_mount_detach(s.mount), -EBUSY, "somebody else's mount over ours stays");
	ok(is_mounted("tmpfs"), "it is there");
	must(umount2(dir, 0) == 0, "umount");
	is_int(umount2(dir, 0), 0, "ours is unmounted by another");
	served_join(&s);
	must(mount("none", dir, "tmpfs", 0, NULL) == 0, "tmpfs");
	served_free(&s);
	ok(is_mounted("tmpfs"), "and what is mounted there then stays at our end");
	must(umount2(dir, 0) == 0, "umount");

	testfs = testfs_new();
	serve(&s, &testfs->fs, 1);
	is_int(devfuse_mount_detach(s.mount), 0, "a mount detaches");
	served_join(&s);
	is_int(devfuse_mount_detach(s.mount), 0, "once and for all");
	served_free(&s);
}

static void test_relative(void)
{
	struct devfuse_mount_options options = {.source = "null", .is_read_only = true};
	struct devfuse_mount *mount = NULL;
	char *error = NULL;

	must(chdir(base) == 0, "chdir");
	is_int(devfuse_mount_new(&mount, "mnt", &options, &error), 0, "a relative mount point");
	must(chdir("/") == 0, "chdir");
	ok(is_mounted(" - fuse null ro"), "is mounted, read-only");
	devfuse_mount_free(mount);
	ok(!is_mounted("fuse"), "and found again from elsewhere");
	options.stay_attached = true;
	is_int(devfuse_mount_new(&mount, dir, &options, &error), 0, "one that is to stay");
	devfuse_mount_free(mount);
	ok(is_mounted("fuse"), "stays");
	must(umount2(dir, MNT_DETACH) == 0, "umount");
}

static void mount_fails(const char *path, int wanted, const char *word)
{
	struct devfuse_mount_options options = {.source = "null", .subtype = "tacit"};
	struct devfuse_mount *mount = NULL;
	char *error = NULL;

	is_int(devfuse_mount_new(&mount, path, &options, &error), wanted, path);
	ok(error && strstr(error, word) && strstr(error, path) && !strchr(error, '\n'),
		"told in one line: %s", error ? error : "(nothing)");
	ok(!mount, "and there is no mount");
	free(error);
}

static void test_errors(void)
{
	char regular[96];
	int fd;

	(void)snprintf(regular, sizeof(regular), "%s/regular", base);
	fd = open(regular, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	must(fd >= 0, "file");
	close(fd);
	mount_fails("/nonexistent/mnt", -ENOENT, "No such file");
	mount_fails(regular, -ENOTDIR, "Not a directory");
	must(unlink(regular) == 0, "unlink");
}

/* ---- as a user ---- */

static void become_nobody(void)
{
	must(setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
			setresuid(NOBODY, NOBODY, NOBODY) == 0,
		"nobody");
}

/* Runs checks in a child, and takes over their count. */
static void in_child(void (*checks)(void))
{
	int numbers[2] = {0, 1};
	int pipes[2], status = 0;
	pid_t pid;

	fflush(stdout);
	must(pipe(pipes) == 0, "pipe");
	pid = fork();
	if (pid == 0) {
		checks();
		numbers[0] = (int)tap_count;
		numbers[1] = (int)tap_failures;
		_exit(write(pipes[1], numbers, sizeof(numbers)) == sizeof(numbers) ? 0 : 1);
	}
	close(pipes[1]);
	if (read(pipes[0], numbers, sizeof(numbers)) == sizeof(numbers)) {
		tap_count = (unsigned)numbers[0];
		tap_failures = (unsigned)numbers[1];
	}
	close(pipes[0]);
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended well");
}

static void checks_without_helper(void)
{
	become_nobody();
	must(setenv("PATH", "/nonexistent", 1) == 0, "PATH");
	mount_fails(dir, -EPERM, "fusermount3");
}

static void checks_not_owner(void)
{
	become_nobody();
	/* its own words go to standard error, which is not ours to test */
	must(freopen("/dev/null", "w", stderr) != NULL, "stderr");
	mount_fails("/usr", -EPROTO, "fusermount3");
}

static void checks_user(void)
{
	struct devfuse_mount_options options = {.source = "a,b\\c d", .subtype = "tacit"};
	struct served s = {.result = 1};
	struct stat st;
	char *error = NULL;
	int fd;

	become_nobody();
	sem_init(&s.ready, 0, 0);
	must(null_fs_new(&s.fs) == 0, "null file system");
	is_int(devfuse_mount_new(&s.mount, dir, &options, &error), 0,
		error ? error : "a user mounts");
	must(s.mount != NULL, "mount");
	ok(is_mounted("nosuid,nodev"), "without set-id bits and devices");
	ok(is_mounted(" - fuse.tacit a,b\\134c\\040d rw,user_id=65534"),
		"as the user, with its source");
	must(devfuse_server_new(&s.server, s.mount, s.fs, 2, NULL) == 0, "server");
	must(pthread_create(&s.thread, NULL, served_main, &s) == 0, "thread");
	ok(sem_wait_long(&s.ready), "the mount is ready");
	is_int(stat(dir, &st), 0, "and used");
	is_int(st.st_uid, NOBODY, "by its owner");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	devfuse_server_stop(s.server);
	served_join(&s);
	ok(!is_mounted("fuse.tacit"), "a stop unmounts it though it is in use");
	is_int(fstat(fd, &st) < 0 ? errno : 0, ENOTCONN, "its user is told");
	close(fd);
	served_free(&s);
}

static void test_user(void)
{
	must(chown(dir, NOBODY, NOBODY) == 0 && chmod(base, 0755) == 0, "chown");
	in_child(checks_without_helper);
	if (access("/usr/bin/fusermount3", X_OK) < 0 && access("/bin/fusermount3", X_OK) < 0) {
		ok(true, "mounting as a user # SKIP fusermount3 is missing (package fuse3)");
		return;
	}
	in_child(checks_not_owner);
	in_child(checks_user);
}

int main(void)
{
	served_setup();
	test_null();
	test_lazy();
	test_force();
	test_abort();
	test_stop();
	test_kept();
	test_signals();
	test_notifications();
	test_parallel();
	test_large();
	test_other_mounts();
	test_relative();
	test_errors();
	test_user();
	served_cleanup();
	return tap_done();
}
