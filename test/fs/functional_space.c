/* SPDX-License-Identifier: MIT */
/*
 * functional_space.c — cases of space: allocated, punched, sought, copied within the file system.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "functional.h"

#define BLOCK 4096

static void allocation(const struct place *place)
{
	static const struct {
		int mode;
		off_t offset, length;
	} steps[] = {
		{0, 0, 100}, {0, 50000, 10000}, {FALLOC_FL_KEEP_SIZE, 100000, 50000},
		{FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 5000, 10000},
		{FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, BLOCK},
		{FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 100000, 100000},
		{FALLOC_FL_PUNCH_HOLE, 0, BLOCK},
		{FALLOC_FL_ZERO_RANGE, 20000, 5000}, {FALLOC_FL_ZERO_RANGE, 90000, 50000},
		{FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 150000, 50000},
		{0, -1, 10}, {0, 0, 0}, {0, 0, -1}, {0, INT64_MAX, 10}, {1 << 20, 0, 10},
		{FALLOC_FL_KEEP_SIZE, (off_t)1 << 50, BLOCK},
	};
	int fd;

	make_file("f", 60000, 1);
	fd = OPEN(open("f", O_RDWR));
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		note("step %zu", i);
		CALL(fallocate(fd, steps[i].mode, steps[i].offset, steps[i].length));
		note_fstat(fd);
		note_content("f");
	}
	CALL(posix_fallocate(fd, 0, 200000));
	note_fstat(fd);
	CALL(mkfifo("fifo", 0600));
	fd = OPEN(open("fifo", O_RDWR));
	CALL(fallocate(fd, 0, 0, 10));
	fd = OPEN(open(".", O_RDONLY | O_DIRECTORY));
	CALL(fallocate(fd, 0, 0, 10));
}

static void data_and_holes(const struct place *place)
{
	static const off_t places[] = {0, 1, 5000, 65536, 70000, 200000, 262144, 999999, 1000000};
	int fd = OPEN(open("f", O_RDWR | O_CREAT, 0644));

	CALL(ftruncate(fd, 1000000));
	CALL(pwrite(fd, "data", 4, 65536));
	CALL(pwrite(fd, "data", 4, 262144));
	CALL(fsync(fd));
	CALL(lseek(fd, 123, SEEK_SET));
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		note("from %lld", (long long)places[i]);
		CALL(lseek(fd, places[i], SEEK_DATA));
		CALL(lseek(fd, places[i], SEEK_HOLE));
	}
	CALL(lseek(fd, -1, SEEK_DATA));
	CALL(lseek(fd, -1, SEEK_HOLE));
	CALL(ftruncate(fd, 0));
	CALL(lseek(fd, 0, SEEK_DATA));
	CALL(lseek(fd, 0, SEEK_HOLE));
	/* what is not written back yet is data all the same */
	CALL(ftruncate(fd, 100000));
	CALL(pwrite(fd, "new", 3, 50000));
	note("new data is data: %d", lseek(fd, 50000, SEEK_DATA) == 50000);
	CALL(lseek(fd, 0, SEEK_CUR));
}

static long copy(int from, off_t from_offset, int to, off_t to_offset, size_t length)
{
	return copy_file_range(from, &from_offset, to, &to_offset, length, 0);
}

static void copies(const struct place *place)
{
	int from, to, other;
	off_t offset = 10;

	make_file("from", 300000, 1);
	make_file("to", 10, 2);
	from = OPEN(open("from", O_RDWR));
	to = OPEN(open("to", O_RDWR));
	CALL(copy(from, 0, to, 0, 100));
	CALL(copy(from, 1, to, 5000, 200000));
	note_content("to");
	CALL(copy(from, 290000, to, 0, 100000));
	CALL(copy(from, 300000, to, 0, 10));
	CALL(copy(from, 400000, to, 0, 10));
	CALL(copy(from, 0, to, 0, 0));
	CALL(copy_file_range(from, NULL, to, NULL, 1000, 0));
	CALL(lseek(from, 0, SEEK_CUR));
	CALL(lseek(to, 0, SEEK_CUR));
	CALL(copy_file_range(from, &offset, to, NULL, 1000, 0));
	note("offset %lld", (long long)offset);
	CALL(copy_file_range(from, NULL, to, NULL, 10, 1));
	note_content("to");
	CALL(copy(from, 0, from, 150000, 100000));
	CALL(copy(from, 0, from, 50000, 100000));
	CALL(copy(from, 5, from, 5, 10));
	note_content("from");
	/* written, and not yet written back */
	CALL(pwrite(from, "fresh", 5, 40));
	CALL(copy(from, 40, to, 0, 5));
	note_content("to");
	CALL(copy(from, 0, to, INT64_MAX - 5, 100));
	CALL(copy(from, -1, to, 0, 10));
	other = OPEN(open("to", O_WRONLY | O_APPEND));
	CALL(copy(from, 0, other, 0, 10));
	other = OPEN(open("to", O_RDONLY));
	CALL(copy(from, 0, other, 0, 10));
	other = OPEN(open("from", O_WRONLY));
	CALL(copy(other, 0, to, 0, 10));
	other = OPEN(open(".", O_RDONLY | O_DIRECTORY));
	CALL(copy(other, 0, to, 0, 10));
	CALL(copy(from, 0, other, 0, 10));
	CALL(mkfifo("fifo", 0600));
	other = OPEN(open("fifo", O_RDWR));
	CALL(copy(other, 0, to, 0, 10));
	note_fstat(to);
}

static void truncation(const struct place *place)
{
	static const off_t sizes[] = {0, 1, 4095, 4096, 4097, 100000, 99999, 5, 5, 1 << 20, 3};
	int fd;

	make_file("f", 50000, 1);
	fd = OPEN(open("f", O_RDWR));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (i % 2 == 0)
			CALL(ftruncate(fd, sizes[i]));
		else
			CALL(truncate("f", sizes[i]));
		note_fstat(fd);
		note_content("f");
		CALL(pwrite(fd, "mark", 4, sizes[i] / 2));
	}
	CALL(truncate("none", 0));
	CALL(truncate("f/x", 0));
	CALL(truncate(".", 0));
	CALL(close(fd));
	CALL(ftruncate(fd, 0));
	fd = OPEN(open("f", O_RDWR | O_APPEND));
	CALL(ftruncate(fd, 100));
	note_fstat(fd);
	/* what was cut off does not come back */
	CALL(ftruncate(fd, 2));
	CALL(ftruncate(fd, 100));
	note_content("f");
}

const struct case_entry space_cases[] = {
	{"allocation", allocation},
	{"data-and-holes", data_and_holes},
	{"copies", copies},
	{"truncation", truncation},
	{NULL, NULL},
};
