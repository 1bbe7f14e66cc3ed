/* SPDX-License-Identifier: MIT */
/*
 * source_test.c — images in files: what is refused, locks against QEMU's, changes by others, files
 * that shrink.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "store/test/fixture.h"

static char folder[] = "/tmp/source-test-XXXXXX";

static char *path_of(const char *name)
{
	static char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const void *data, size_t size)
{
	CLEAN_FD int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || io_write(fd, data, size) < 0)
		abort();
}

static void check_refused(void)
{
	static const struct {
		const char *name;
		int error;
	} cases[] = {{"folder", -EISDIR}, {"fifo", -EINVAL}, {"missing", -ENOENT}};
	CLEAN(source_free) struct source *source = NULL;

	if (mkdir(path_of("folder"), 0755) < 0 || mkfifo(path_of("fifo"), 0644) < 0)
		abort();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEAN(free) char *error = NULL;

		is_int(source_open_file(&source, path_of(cases[i].name), false, &error),
			cases[i].error, cases[i].name);
		ok(error && error[0] && !source, "with a reason: %s", error ? error : "");
	}
	is_int(source_open_file(&source, "/dev/null", false, NULL), -EINVAL,
		"a device of characters");
}

/* qemu-io with the file open for writing, until its standard input ends. */
static pid_t start_qemu(int *ret_input, int *ret_output)
{
	int input[2], output[2];
	pid_t pid;

	if (pipe2(input, O_CLOEXEC) < 0 || pipe2(output, O_CLOEXEC) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		if (dup2(input[0], 0) < 0 || dup2(output[1], 1) < 0)
			_exit(126);
		execlp("qemu-io", "qemu-io", "-f", "raw", path_of("locked"), (char *)NULL);
		_exit(127);
	}
	(void)close(input[0]);
	(void)close(output[1]);
	*ret_input = input[1];
	*ret_output = output[0];
	return pid;
}

static int run_qemu(const char *option, const char *command)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
			_exit(126);
		if (option)
			execlp("qemu-io", "qemu-io", "-f", "raw", option, "-c", command,
				path_of("locked"), (char *)NULL);
		else
			execlp("qemu-io", "qemu-io", "-f", "raw", "-c", command, path_of("locked"),
				(char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Waits until qemu-io has opened the image: it then prompts. */
static bool wait_for_prompt(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	char seen[256];

	return poll(&poll_fd, 1, 20000) == 1 && read(fd, seen, sizeof(seen)) > 0;
}

static void check_locks(void)
{
	static uint8_t data[0x10000];
	CLEAN(source_free) struct source *ours = NULL;
	CLEAN(free) char *busy = NULL, *second_busy = NULL;
	struct source *other = NULL;
	int input = -1, output = -1, status;
	pid_t pid;

	write_file("locked", data, sizeof(data));
	if (run_qemu(NULL, "read 0 512") != 0) {
		printf("ok %u # SKIP qemu-io is not installed\n", ++tap_count);
		return;
	}
	is_int(source_open_file(&ours, path_of("locked"), true, NULL), 0, "we lock the image");
	ok(ours && ours->is_exclusive && ours->is_writable, "and have it for ourselves");
	ok(run_qemu(NULL, "write 0 512") != 0, "QEMU does not write what we write");
	is_int(run_qemu("-rU", "read 0 512"), 0, "a forced reader of QEMU's is let in");
	is_int(source_open_file(&other, path_of("locked"), true, &second_busy), -EBUSY,
		"nor do we twice");
	is_int(source_open_file(&other, path_of("locked"), false, NULL), 0, "reading is shared");
	source_free(other);
	other = NULL;
	is_int(ours->ops->set_writable(ours, false, NULL), 0, "we stop writing");
	ok(!ours->is_exclusive, "and are no longer alone");

	pid = start_qemu(&input, &output);
	ok(pid > 0 && wait_for_prompt(output), "QEMU opens the image beside a reader");
	is_int(source_open_file(&other, path_of("locked"), true, &busy), -EBUSY,
		"we do not write what QEMU writes");
	ok(busy && strstr(busy, "in use"), "and say why: %s", busy ? busy : "");
	is_int(ours->ops->set_writable(ours, true, NULL), -EBUSY, "nor by a remount");
	ok(!ours->is_writable, "which leaves us a reader");
	(void)close(input);
	(void)close(output);
	ok(pid > 0 && waitpid(pid, &status, 0) == pid, "QEMU ends");
	is_int(ours->ops->set_writable(ours, true, NULL), 0, "then the remount works");
}

static void check_changes(void)
{
	static uint8_t data[1000];
	CLEAN(source_free) struct source *s = NULL;
	uint8_t byte = 7;

	write_file("changing", data, sizeof(data));
	if (source_open_file(&s, path_of("changing"), true, NULL) < 0)
		abort();
	ok(!s->ops->has_changed(s), "nothing changed");
	is_int(s->ops->write(s, &byte, 1, 5), 0, "a write of ours");
	ok(!s->ops->has_changed(s), "is no change");
	is_int(s->ops->write(s, &byte, 1, 1000), -EIO, "a write past the end is refused");
	write_file("new", data, 900);
	{
		CLEAN(free) char *from = strdup(path_of("new"));

		if (!from || rename(from, path_of("changing")) < 0)
			abort();
	}
	ok(s->ops->has_changed(s), "a file that takes the place of ours is a change");
	is_int(s->size, 900, "and is the one that is read then");
	ok(!s->ops->has_changed(s), "once");
	if (truncate(path_of("changing"), 100) < 0)
		abort();
	is_int(s->ops->read(s, data, 200, 0), -EIO, "a file that shrank cannot be read");
	is_int(s->ops->write(s, &byte, 1, 500), -EIO, "nor does it grow again");
	ok(s->ops->has_changed(s), "and it has changed");
}

/* A store in a file that is cut while it is open. */
static void check_shrinking_store(void)
{
	CLEAN(store_free) struct store *store = NULL;
	CLEAN(free) char *error = NULL;
	struct nv_variable v = fixture_variable("a", "1", 1), got;
	struct source *source = NULL;
	uint8_t image[TINY_SIZE];

	fixture_tiny(image, true);
	write_file("store", image, sizeof(image));
	if (source_open_file(&source, path_of("store"), true, NULL) < 0 ||
		store_open(&store, source, STORE_PROFILE_AUTO, &error) < 0)
		abort();
	is_int(store->nv.ops->put(&store->nv, &v, true), 0, "a variable is set in a file");
	if (truncate(path_of("store"), 0x300) < 0)
		abort();
	v.data = (const uint8_t *)"2";
	is_int(store->nv.ops->put(&store->nv, &v, true), -EIO, "not when the file has shrunk");
	is_int(store->nv.ops->find(&store->nv, &v.name, &v.vendor, &got), -EIO, "nor is it read");
	ok(store->nv.ops->reason(&store->nv)[0] != '\0', "with a reason: %s",
		store->nv.ops->reason(&store->nv));
	write_file("store", image, sizeof(image));
	ok(store->nv.ops->has_changed(&store->nv), "the image is put back");
	is_int(store->nv.ops->put(&store->nv, &v, true), 0, "and can be used again");
}

/* Another image takes the place of ours, as `tacit vars import` puts it there. */
static void check_replaced_store(void)
{
	CLEAN(store_free) struct store *store = NULL;
	CLEAN(free) char *from = strdup(path_of("new"));
	struct source *source = NULL;
	uint8_t *image = NULL;
	size_t size = 0;

	if (!from || edk2_create(STORE_PROFILE_OVMF_2M, &image, &size) < 0)
		abort();
	write_file("store", image, size);
	free(image);
	if (source_open_file(&source, path_of("store"), false, NULL) < 0 ||
		store_open(&store, source, STORE_PROFILE_AUTO, NULL) < 0)
		abort();
	is_int(store->nv.limits.max_variable, 0x2000, "the limits are those of the image");
	if (edk2_create(STORE_PROFILE_OVMF_4M, &image, &size) < 0)
		abort();
	write_file("new", image, size);
	free(image);
	if (rename(from, path_of("store")) < 0)
		abort();
	ok(store->nv.ops->has_changed(&store->nv), "a larger image takes its place");
	is_int(store->nv.limits.max_variable, 0x8400, "and brings its own limits");
}

int main(void)
{
	static const char *const names[] = {"fifo", "locked", "changing", "store"};

	if (!mkdtemp(folder))
		tap_skip_all("no room in /tmp");
	check_refused();
	check_locks();
	check_changes();
	check_shrinking_store();
	check_replaced_store();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		(void)unlink(path_of(names[i]));
	(void)rmdir(path_of("folder"));
	(void)rmdir(folder);
	return tap_done();
}
