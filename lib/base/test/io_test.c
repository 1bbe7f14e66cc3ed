/* SPDX-License-Identifier: MIT */
/* io_test.c — whole reads and writes, and replacing a file: what stays when it fails. */
#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/test/tap.h"

static char folder[] = "/tmp/io_test-XXXXXX";

/* Writes a file into the current folder. */
static void make_file(const char *name, const char *content, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || io_write(fd, content, strlen(content)) < 0 || fchmod(fd, mode) < 0)
		printf("Bail out! cannot write %s\n", name);
	(void)close(fd);
}

static void has_content(const char *name, const char *content, const char *what)
{
	CLEAN_FD int fd = open(name, O_RDONLY | O_CLOEXEC);
	CLEAN(free) uint8_t *data = NULL;
	size_t size = 0;

	ok(fd >= 0 && io_read_all(fd, 100, &data, &size) == 0 && size == strlen(content) &&
			memcmp(data, content, size) == 0,
		"%s", what);
}

/* How many entries the current folder has. */
static unsigned count_entries(void)
{
	DIR *dir = opendir(".");
	unsigned n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static void test_at_offsets(void)
{
	CLEAN_FD int fd = open("offsets", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char data[8];

	is_int(io_pwrite(fd, "abc", 3, 2), 0, "a write at an offset");
	is_int(io_pread(fd, data, 8, 0), 5, "a read gets what is there before the end");
	ok(memcmp(data, "\0\0abc", 5) == 0, "the bytes");
	is_int(io_pread(fd, data, 2, 3), 2, "a read within");
	is_int(io_pread(fd, data, 8, 5), 0, "at the end there is nothing");
	is_int(io_pread(fd, data, 8, UINT64_MAX), -EINVAL, "an offset that no file has");
	is_int(io_pread(-1, data, 8, 0), -EBADF, "no file");
	is_int(io_pwrite(-1, data, 8, 0), -EBADF, "either way");
	is_int(io_pwrite(-1, data, 0, 0), 0, "nothing is written anywhere");
}

static void test_read_all(void)
{
	CLEAN(free) uint8_t *data = NULL;
	size_t size = 9;
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return;
	is_int(io_write(pipes[1], "hello", 5), 0, "into a pipe");
	(void)close(pipes[1]);
	is_int(io_read_all(pipes[0], 5, &data, &size), 0, "and out of it to its end");
	ok(size == 5 && memcmp(data, "hello", 5) == 0, "all");
	(void)close(pipes[0]);

	make_file("six", "sixsix", 0600);
	CLEAN_FD int six = open("six", O_RDONLY | O_CLOEXEC);
	CLEAN(free) uint8_t *more = NULL;

	is_int(io_read_all(six, 5, &more, &size), -EFBIG, "more than the limit");
	ok(!more && size == 5, "leaves the results alone");
	CLEAN_FD int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CLEAN(free) uint8_t *nothing = NULL;

	ok(io_read_all(empty, SIZE_MAX, &nothing, &size) == 0 && size == 0 && nothing,
		"nothing is memory too");
	is_int(io_read_all(-1, 5, &more, &size), -EBADF, "no file");
}

static void test_replace(void)
{
	struct stat st;
	mode_t mask = umask(027);
	unsigned before;

	is_int(io_replace_file("new", "one", 3), 0, "a file that is made");
	has_content("new", "one", "has the content");
	ok(stat("new", &st) == 0 && (st.st_mode & 07777) == 0640, "and the mode that umask leaves");
	umask(mask);
	before = count_entries();
	make_file("new", "old", 0604);
	is_int(io_replace_file("new", "longer content", 14), 0, "a file that is there");
	has_content("new", "longer content", "has the new content");
	ok(stat("new", &st) == 0 && (st.st_mode & 07777) == 0604, "and the old mode");
	is_int(io_replace_file("new", NULL, 0), 0, "nothing");
	has_content("new", "", "is a content");
	is_int(count_entries(), before, "no other file is left");
}

static void test_replace_link(void)
{
	struct stat st;

	make_file("target", "old", 0600);
	ok(symlink("target", "link") == 0 && symlink("nowhere", "broken") == 0, "symbolic links");
	is_int(io_replace_file("link", "new", 3), 0, "a file behind one");
	has_content("target", "new", "is replaced");
	ok(lstat("link", &st) == 0 && S_ISLNK(st.st_mode), "the link stays");
	is_int(io_replace_file("broken", "new", 3), -ENOENT, "one to nothing is not replaced");
	ok(lstat("broken", &st) == 0 && S_ISLNK(st.st_mode), "and stays too");
}

static void test_replace_refused(void)
{
	static const struct {
		const char *path;
		int error;
	} cases[] = {
		{"folder", -EINVAL},
		{"fifo", -EINVAL},
		{"/dev/null", -EINVAL},
		{"none/file", -ENOENT},
		{"old/file", -ENOTDIR},
		{"", -ENOENT},
	};

	make_file("old", "old", 0600);
	ok(mkdir("folder", 0700) == 0 && mkfifo("fifo", 0600) == 0, "what is no file");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_int(io_replace_file(cases[i].path, "new", 3), cases[i].error, cases[i].path);
}

/* The write fails half way: at the largest size that this process may give a file. */
static void test_replace_fails(void)
{
	struct rlimit old_limit, limit;
	static const char content[1000];
	unsigned before = count_entries();

	make_file("kept", "old", 0600);
	before++;
	ok(getrlimit(RLIMIT_FSIZE, &old_limit) == 0, "the limit");
	limit = (struct rlimit){.rlim_cur = 500, .rlim_max = old_limit.rlim_max};
	(void)signal(SIGXFSZ, SIG_IGN);
	ok(setrlimit(RLIMIT_FSIZE, &limit) == 0, "is lowered");
	is_int(io_replace_file("kept", content, sizeof(content)), -EFBIG, "a write that fails");
	ok(setrlimit(RLIMIT_FSIZE, &old_limit) == 0, "and raised again");
	has_content("kept", "old", "leaves the old file");
	is_int(count_entries(), before, "and no other");
}

/* What a crash of a process with the same number left is in nobody's way. */
static void test_replace_leftover(void)
{
	char name[64];

	make_file("again", "old", 0600);
	snprintf(name, sizeof(name), "again.tacit-%ld-0", (long)getpid());
	make_file(name, "left", 0600);
	is_int(io_replace_file("again", "new", 3), 0, "beside a left-over");
	has_content("again", "new", "the content is new");
	has_content(name, "left", "the left-over is nobody's");
}

static void remove_folder(void)
{
	DIR *dir = opendir(".");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (unlink(entry->d_name) < 0)
			(void)rmdir(entry->d_name);
	}
	if (dir)
		closedir(dir);
	ok(chdir("/") == 0 && rmdir(folder) == 0, "the folder goes");
}

int main(void)
{
	if (!mkdtemp(folder) || chdir(folder) < 0)
		tap_skip_all("a folder in /tmp");
	test_at_offsets();
	test_read_all();
	test_replace();
	test_replace_link();
	test_replace_refused();
	test_replace_fails();
	test_replace_leftover();
	remove_folder();
	return tap_done();
}
