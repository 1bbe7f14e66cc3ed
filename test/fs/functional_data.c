/* SPDX-License-Identifier: MIT */
/*
 * functional_data.c — cases of content: read, written, mapped, copied, up to what is allowed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "functional.h"

#define PAGE 4096
#define MEGABYTE (1 << 20)

static char buffer[3 * MEGABYTE] __attribute__((aligned(PAGE)));

static void sizes_and_places(const struct place *place)
{
	static const struct {
		size_t length;
		off_t offset;
	} writes[] = {
		{1, 0}, {0, 5}, {4095, 1}, {4096, 4095}, {4097, 8192}, {100000, 3},
		{MEGABYTE, 70001}, {MEGABYTE + 1, 1}, {3 * MEGABYTE, 12345}, {1, 5 * MEGABYTE},
		{10, ((off_t)1 << 32) - 5}, {0, (off_t)1 << 40},
	};
	int fd = OPEN(open("f", O_RDWR | O_CREAT, 0644));

	for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
		fill_pattern(buffer, writes[i].length, (unsigned)i);
		CALL(pwrite(fd, buffer, writes[i].length, writes[i].offset));
		if (writes[i].offset < 10 * MEGABYTE)
			note_content("f");
		note_fstat(fd);
	}
	for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
		CALL(pread(fd, buffer, writes[i].length, writes[i].offset));
		CALL(pread(fd, buffer, 100, writes[i].offset + (off_t)writes[i].length));
	}
	CALL(ftruncate(fd, 10000));
	CALL(pread(fd, buffer, 20000, 0));
	CALL(pread(fd, buffer, 1, 10000));
	CALL(pread(fd, buffer, 1, 20000));
	CALL(pread(fd, buffer, 1, -1));
	CALL(pwrite(fd, buffer, 1, -1));
}

static void positions(const struct place *place)
{
	int fd, other;

	make_file("f", 100, 1);
	fd = OPEN(open("f", O_RDWR));
	other = dup(fd);
	CALL(read(fd, buffer, 30));
	CALL(lseek(other, 0, SEEK_CUR));
	CALL(lseek(other, 10, SEEK_END));
	CALL(read(fd, buffer, 30));
	CALL(write(fd, "x", 1));
	CALL(lseek(fd, -200, SEEK_CUR));
	CALL(lseek(fd, -1, SEEK_SET));
	CALL(lseek(fd, 5, 77));
	CALL(lseek(fd, 50, SEEK_SET));
	CALL(pwrite(fd, "y", 1, 0));
	CALL(lseek(fd, 0, SEEK_CUR));
}

static void appends(const struct place *place)
{
	struct iovec part = {.iov_base = buffer, .iov_len = 7};
	int a, b;

	memset(buffer, 'a', 100);
	make_file("f", 10, 1);
	a = OPEN(open("f", O_WRONLY | O_APPEND));
	b = OPEN(open("f", O_RDWR | O_APPEND));
	CALL(write(a, buffer, 5));
	CALL(write(b, buffer, 5));
	CALL(write(a, buffer, 5));
	CALL(lseek(a, 0, SEEK_CUR));
	CALL(pwrite(b, "p", 1, 0)); /* appends, pwrite(2) says so */
	CALL(truncate("f", 3));
	CALL(write(a, buffer, 2));
	CALL(ftruncate(b, 20));
	CALL(write(b, buffer, 2));
	CALL(fcntl(a, F_SETFL, 0));
	CALL(pwrite(a, "q", 1, 0));
	CALL(pwritev2(a, &part, 1, 3, RWF_APPEND));
	CALL(pwritev2(a, &part, 1, 3, RWF_DSYNC | RWF_SYNC));
	note_content("f");
	note_stat("f");
}

static void modes_of_opening(const struct place *place)
{
	int reader, writer, path;

	make_file("f", 10, 1);
	reader = OPEN(open("f", O_RDONLY));
	writer = OPEN(open("f", O_WRONLY));
	path = OPEN(open("f", O_PATH));
	CALL(write(reader, "x", 1));
	CALL(ftruncate(reader, 1));
	CALL(fallocate(reader, 0, 0, 10));
	CALL(read(writer, buffer, 1));
	CALL(read(path, buffer, 1));
	CALL(ftruncate(path, 1));
	CALL(fchmod(path, 0600));
	note("map of a writer: %s", mmap(NULL, PAGE, PROT_READ, MAP_SHARED, writer, 0) ==
		MAP_FAILED ? strerrorname_np(errno) : "done");
	note("map of a reader: %s", mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, reader, 0) ==
		MAP_FAILED ? strerrorname_np(errno) : "done");
	CALL(fchmod(writer, 0));
	CALL(write(writer, "still", 5));
	writer = OPEN(open("new", O_WRONLY | O_CREAT, 0));
	CALL(write(writer, "mode 0", 6));
	note_stat("new");
	OPEN(open("f", O_WRONLY | O_TRUNC));
	note_stat("f");
	CALL(write(writer, "x", 1));
	OPEN(open("f", O_RDWR | O_SYNC));
	OPEN(open("f", O_RDWR | O_DSYNC | O_NOATIME | O_NONBLOCK));
}

static void direct_io(const struct place *place)
{
	int fd, cached;

	make_file("f", 10 * PAGE, 1);
	fd = OPEN(open("f", O_RDWR | O_DIRECT));
	cached = OPEN(open("f", O_RDWR));
	fill_pattern(buffer, MEGABYTE, 9);
	CALL(pread(cached, buffer + MEGABYTE, PAGE, 0));
	CALL(pwrite(fd, buffer, 2 * PAGE, 0));
	CALL(pread(cached, buffer + MEGABYTE, 2 * PAGE, 0));
	note("seen through the cache: %d", memcmp(buffer, buffer + MEGABYTE, 2 * PAGE) == 0);
	CALL(pwrite(cached, "cached", 6, 100));
	CALL(pread(fd, buffer, PAGE, 0));
	note("seen directly: %d", memcmp(buffer + 100, "cached", 6) == 0);
	CALL(pread(fd, buffer, PAGE, 9 * PAGE));
	CALL(pread(fd, buffer, PAGE, 10 * PAGE));
	CALL(pread(fd, buffer, 4 * PAGE, 8 * PAGE));
	/* what a short read leaves behind its end is not defined */
	fill_pattern(buffer, MEGABYTE, 10);
	CALL(pwrite(fd, buffer, MEGABYTE, 12 * PAGE));
	note_fstat(fd);
	CALL(fcntl(fd, F_SETFL, O_APPEND | O_DIRECT));
	CALL(write(fd, buffer, PAGE));
	note_fstat(fd);
	note_content("f");
}

static void at_the_end_of_numbers(const struct place *place)
{
	static const off_t sizes[] = {
		INT64_MAX, INT64_MAX - 1, INT64_MAX - PAGE, (off_t)1 << 44, (off_t)1 << 43, 0,
	};
	int fd = OPEN(open("f", O_RDWR | O_CREAT, 0644));

	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		CALL(ftruncate(fd, sizes[i]));
		note_fstat(fd);
		CALL(lseek(fd, 0, SEEK_END));
		CALL(pwrite(fd, "x", 1, sizes[i]));
		CALL(pwrite(fd, "xy", 2, sizes[i] - 1));
		CALL(pread(fd, buffer, 10, sizes[i] - 1));
		CALL(fallocate(fd, FALLOC_FL_KEEP_SIZE, sizes[i], 1));
		note_fstat(fd);
	}
	CALL(ftruncate(fd, -1));
	CALL(truncate("f", -1));
	CALL(truncate("f", INT64_MIN));
	CALL(pread(fd, buffer, 1, INT64_MAX));
	CALL(ftruncate(fd, 0));
}

static void limited_size(const struct place *place)
{
	struct rlimit limit = {.rlim_cur = 5000, .rlim_max = RLIM_INFINITY};
	int fd = OPEN(open("f", O_RDWR | O_CREAT, 0644));

	signal(SIGXFSZ, SIG_IGN);
	CALL(setrlimit(RLIMIT_FSIZE, &limit));
	CALL(pwrite(fd, buffer, 4000, 0));
	CALL(pwrite(fd, buffer, 4000, 3000));
	CALL(pwrite(fd, buffer, 10, 5000));
	CALL(ftruncate(fd, 6000));
	CALL(fallocate(fd, 0, 0, 6000));
	note_fstat(fd);
	limit.rlim_cur = RLIM_INFINITY;
	CALL(setrlimit(RLIMIT_FSIZE, &limit));
}

static void map_dies(const char *map, size_t offset)
{
	pid_t child = fork();

	if (child == 0) {
		signal(SIGBUS, SIG_DFL);
		_exit(*(const volatile char *)(map + offset));
	}
	note_child(child, "a look at the map");
}

static void maps(const struct place *place)
{
	char *shared, *private, *second;
	int fd;

	make_file("f", 3 * PAGE + 100, 1);
	fd = OPEN(open("f", O_RDWR));
	shared = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	private = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	second = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, PAGE);
	if (shared == MAP_FAILED || private == MAP_FAILED || second == MAP_FAILED) {
		note("mmap: %s", strerrorname_np(errno));
		return;
	}
	memcpy(shared + PAGE, "shared", 6);
	note("second map: %.6s", second);
	CALL(pread(fd, buffer, 6, PAGE));
	note("read: %.6s", buffer);
	CALL(pwrite(fd, "written", 7, PAGE));
	note("second map: %.7s", second);
	note("private map: %.7s", private + PAGE);
	memcpy(private + PAGE, "private", 7);
	CALL(msync(private, PAGE, MS_SYNC));
	note("after the end: %d", shared[3 * PAGE + 200]);
	shared[3 * PAGE + 200] = 'x'; /* behind the end: is not kept */
	CALL(msync(shared, 4 * PAGE, MS_SYNC));
	note_content("f");
	note_fstat(fd);
	map_dies(shared, 5 * PAGE);
	CALL(ftruncate(fd, PAGE));
	map_dies(shared, PAGE);
	CALL(ftruncate(fd, 6 * PAGE));
	note("again there: %d", shared[5 * PAGE]);
	CALL(close(fd));
	memcpy(shared + 10, "after close", 11);
	CALL(unlink("f"));
	memcpy(shared + 30, "after unlink", 12);
	CALL(msync(shared, PAGE, MS_SYNC | MS_INVALIDATE));
	CALL(munmap(shared, 8 * PAGE));
}

static void pipes_and_files(const struct place *place)
{
	int from, to, ends[2];
	off_t offset = 100;

	make_file("from", 200000, 1);
	from = OPEN(open("from", O_RDONLY));
	to = OPEN(open("to", O_RDWR | O_CREAT, 0644));
	CALL(sendfile(to, from, &offset, 150000));
	note("offset %lld", (long long)offset);
	CALL(lseek(from, 0, SEEK_CUR));
	note_content("to");
	CALL(sendfile(to, from, NULL, 10));
	CALL(lseek(from, 0, SEEK_CUR));
	CALL(pipe(ends));
	offset = 5;
	CALL(splice(from, &offset, ends[1], NULL, 10000, 0));
	offset = 77;
	CALL(splice(ends[0], NULL, to, &offset, 10000, 0));
	note_content("to");
	CALL(splice(from, NULL, to, NULL, 10, 0));
	CALL(fcntl(to, F_SETFL, O_APPEND));
	CALL(write(ends[1], "x", 1));
	CALL(splice(ends[0], NULL, to, NULL, 1, 0));
	CALL(posix_fadvise(from, 0, 0, POSIX_FADV_DONTNEED));
	CALL(readahead(from, 0, 100000));
	CALL(sync_file_range(to, 0, 0, SYNC_FILE_RANGE_WRITE));
	CALL(fsync(to));
	CALL(fdatasync(from));
	CALL(syncfs(to));
	CALL(pread(from, buffer, 200000, 0));
}

const struct case_entry data_cases[] = {
	{"sizes-and-places", sizes_and_places},
	{"positions", positions},
	{"appends", appends},
	{"modes-of-opening", modes_of_opening},
	{"direct-io", direct_io},
	{"at-the-end-of-numbers", at_the_end_of_numbers},
	{"limited-size", limited_size},
	{"maps", maps},
	{"pipes-and-files", pipes_and_files},
	{NULL, NULL},
};
