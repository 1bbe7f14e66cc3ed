/* SPDX-License-Identifier: MIT */
/*
 * random_file.c — reads and writes of every kind on one file, against an image in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "random.h"

#define FILE_MAX (400u << 10)
#define PART_MAX (100u << 10)
#define BLOCK 4096u

struct image {
	struct random_run *run;
	char path[PATH_MAX];
	int fd;
	unsigned number; /* of the operation */
	unsigned size;
	bool has_failed;
	char what[128];
	unsigned char content[FILE_MAX];
};

/* Aligned, for the direct operations. */
static unsigned char buffer[FILE_MAX + BLOCK] __attribute__((aligned(BLOCK)));

__attribute__((format(printf, 2, 3)))
static void announce(struct image *image, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(image->what, sizeof(image->what), format, args);
	va_end(args);
	if (image->run->is_verbose)
		printf("# %u: %s (size %u)\n", image->number, image->what, image->size);
}

static void fail(struct image *image, const char *problem, long at)
{
	if (!image->has_failed)
		printf("#   operation %u, %s: %s %ld\n", image->number, image->what, problem, at);
	image->has_failed = true;
}

/* A call gave what it should; else the run has failed. */
static void expect(struct image *image, long got, long wanted)
{
	if (got < 0)
		fail(image, strerrorname_np(errno), got);
	else if (got != wanted)
		fail(image, "the call gave", got);
}

static void compare_part(struct image *image, const unsigned char *got, unsigned from,
	unsigned length)
{
	for (unsigned i = 0; i < length; i++)
		if (got[i] != image->content[from + i]) {
			fail(image, "content differs at", from + i);
			return;
		}
}

/* The image grows: what lies between is zero. */
static void grow(struct image *image, unsigned size)
{
	if (size > image->size) {
		memset(image->content + image->size, 0, size - image->size);
		image->size = size;
	}
}

static void choose_part(struct image *image, unsigned *ret_from, unsigned *ret_length)
{
	*ret_from = random_below(image->run, FILE_MAX - PART_MAX);
	*ret_length = 1 + random_below(image->run,
		random_below(image->run, 2) ? PART_MAX - 1 : 2 * BLOCK);
}

static void fill(struct image *image, unsigned length)
{
	for (unsigned i = 0; i < length; i++)
		buffer[i] = (unsigned char)(image->number * 7 + i * 13 + (i >> 7) + 1);
}

static void do_read(struct image *image)
{
	unsigned from, length, there;

	choose_part(image, &from, &length);
	announce(image, "read %u+%u", from, length);
	there = from >= image->size ? 0 : image->size - from;
	expect(image, pread(image->fd, buffer, length, from), there < length ? there : length);
	compare_part(image, buffer, from, there < length ? there : length);
}

static void put(struct image *image, unsigned from, unsigned length)
{
	grow(image, from > image->size ? from : image->size);
	memcpy(image->content + from, buffer, length);
	if (from + length > image->size)
		image->size = from + length;
}

static void do_write(struct image *image)
{
	unsigned from, length;

	choose_part(image, &from, &length);
	announce(image, "write %u+%u", from, length);
	fill(image, length);
	expect(image, pwrite(image->fd, buffer, length, from), length);
	put(image, from, length);
}

static void do_append(struct image *image)
{
	unsigned length = 1 + random_below(image->run, 5000);
	struct iovec part = {.iov_base = buffer, .iov_len = length};

	if (image->size + length > FILE_MAX)
		return;
	announce(image, "append %u", length);
	fill(image, length);
	expect(image, pwritev2(image->fd, &part, 1, 0, RWF_APPEND), length);
	put(image, image->size, length);
}

static void do_direct(struct image *image)
{
	CLEAN_FD int fd = open(image->path, O_RDWR | O_DIRECT | O_CLOEXEC);
	unsigned from = random_below(image->run, 70) * BLOCK;
	unsigned length = (1 + random_below(image->run, 20)) * BLOCK, there;

	if (fd < 0)
		return; /* not offered here */
	if (random_below(image->run, 2)) {
		announce(image, "direct write %u+%u", from, length);
		fill(image, length);
		expect(image, pwrite(fd, buffer, length, from), length);
		put(image, from, length);
	} else {
		announce(image, "direct read %u+%u", from, length);
		there = from >= image->size ? 0 : image->size - from;
		there = there < length ? there : length;
		expect(image, pread(fd, buffer, length, from), there);
		compare_part(image, buffer, from, there);
	}
}

static void do_truncate(struct image *image)
{
	unsigned size = random_below(image->run, FILE_MAX);

	announce(image, "truncate %u", size);
	expect(image, random_below(image->run, 2) ? ftruncate(image->fd, size) :
		truncate(image->path, size), 0);
	grow(image, size);
	image->size = size;
}

static void do_map(struct image *image)
{
	unsigned from, length;
	unsigned char *map;

	choose_part(image, &from, &length);
	if (from >= image->size)
		return;
	if (length > image->size - from)
		length = image->size - from;
	map = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_SHARED, image->fd, 0);
	announce(image, "map %u+%u", from, length);
	if (map == MAP_FAILED) {
		fail(image, strerrorname_np(errno), 0);
		return;
	}
	compare_part(image, map + from, from, length);
	if (random_below(image->run, 2)) {
		fill(image, length);
		memcpy(map + from, buffer, length);
		put(image, from, length);
		if (random_below(image->run, 2))
			expect(image, msync(map, image->size, MS_SYNC), 0);
	}
	munmap(map, image->size);
}

static void do_fallocate(struct image *image)
{
	static const int modes[] = {0, FALLOC_FL_KEEP_SIZE,
		FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, FALLOC_FL_ZERO_RANGE,
		FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE};
	int mode = modes[random_below(image->run, ARRAY_SIZE(modes))];
	unsigned from, length, end;

	choose_part(image, &from, &length);
	announce(image, "fallocate mode %d %u+%u", mode, from, length);
	if (fallocate(image->fd, mode, from, length) < 0) {
		if (errno != EOPNOTSUPP)
			fail(image, strerrorname_np(errno), 0);
		return;
	}
	if (!(mode & FALLOC_FL_KEEP_SIZE))
		grow(image, from + length);
	end = from + length < image->size ? from + length : image->size;
	if ((mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) && from < end)
		memset(image->content + from, 0, end - from);
}

static void do_copy(struct image *image)
{
	unsigned length = 1 + random_below(image->run, 50000);
	unsigned from = random_below(image->run, FILE_MAX / 2 - length);
	unsigned to = FILE_MAX / 2 + random_below(image->run, FILE_MAX / 2 - length);
	off_t in = from, out = to;
	long copied;

	if (from + length > image->size)
		return;
	announce(image, "copy %u+%u to %u", from, length, to);
	copied = copy_file_range(image->fd, &in, image->fd, &out, length, 0);
	expect(image, copied, length);
	memcpy(buffer, image->content + from, length);
	put(image, to, length);
}

static void do_reopen(struct image *image)
{
	announce(image, "close and open");
	expect(image, close(image->fd), 0);
	image->fd = open(image->path, O_RDWR | O_CLOEXEC);
	if (image->fd < 0)
		fail(image, strerrorname_np(errno), 0);
}

static void do_sync(struct image *image)
{
	announce(image, "fsync");
	expect(image, random_below(image->run, 2) ? fsync(image->fd) : fdatasync(image->fd), 0);
}

static void do_seek(struct image *image)
{
	unsigned from = random_below(image->run, FILE_MAX);
	off_t data;

	announce(image, "seek data from %u", from);
	/* FUSE's client sends the question and keeps what is not written back yet to itself */
	expect(image, fdatasync(image->fd), 0);
	data = lseek(image->fd, from, SEEK_DATA);
	if (data < 0 && errno != ENXIO)
		fail(image, strerrorname_np(errno), 0);
	if (data < 0 || data > image->size)
		data = image->size;
	/* what is passed over is a hole */
	for (unsigned i = from; i < (unsigned)data; i++)
		if (image->content[i] != 0) {
			fail(image, "a hole where data is at", i);
			return;
		}
}

static void check_whole(struct image *image, const char *path)
{
	CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = {0};

	announce(image, "whole of %s", path);
	expect(image, fd < 0 ? -1 : fstat(fd, &st), 0);
	if (st.st_size != image->size)
		fail(image, "size is", (long)st.st_size);
	expect(image, pread(fd, buffer, FILE_MAX, 0), image->size);
	compare_part(image, buffer, 0, image->size);
}

static void (*const operations[])(struct image *) = {
	do_read, do_read, do_read, do_write, do_write, do_write, do_append, do_direct, do_truncate,
	do_map, do_map, do_fallocate, do_copy, do_reopen, do_sync, do_seek,
};

bool random_file(struct random_run *run)
{
	CLEAN(free) struct image *image = calloc(1, sizeof(*image));
	char behind[PATH_MAX];

	if (!image)
		return false;
	image->run = run;
	snprintf(image->path, sizeof(image->path), "%s/random-file", run->mount);
	snprintf(image->what, sizeof(image->what), "creation");
	image->fd = open(image->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (image->fd < 0)
		fail(image, strerrorname_np(errno), 0);
	while (!image->has_failed && image->number < run->count) {
		image->number++;
		operations[random_below(run, ARRAY_SIZE(operations))](image);
		if (image->number % 200 == 0)
			check_whole(image, image->path);
	}
	check_whole(image, image->path);
	expect(image, close(image->fd), 0);
	if (run->behind) {
		snprintf(behind, sizeof(behind), "%s/random-file", run->behind);
		check_whole(image, behind);
	}
	(void)unlink(image->path);
	return !image->has_failed;
}
