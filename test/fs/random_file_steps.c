/* SPDX-License-Identifier: MIT */
/*
 * random_file_steps.c — each kind of step: what the call is, and what it makes of the image.
 *
 * A step that does not fit (a read through a descriptor that cannot read, a place behind the end of
 * the file) is left out, or cut to what fits; so steps may be taken out of a log.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "random_file.h"

#define VECTOR_PARTS 3
#define PIPE_SIZE (64u << 10)

enum kind {
	READ, READV, SPLICE_READ, WRITE, WRITEV, SPLICE_WRITE, APPEND, TRUNCATE, FTRUNCATE, MAP,
	MAP_READ, MAP_WRITE, UNMAP, ALLOCATE, COPY, REOPEN, SYNC, FORGET, SEEK, CHECK, KIND_COUNT
};
const char *const file_kinds[] = {
	"read", "readv", "splice-read", "write", "writev", "splice-write", "append", "truncate",
	"ftruncate", "map", "map-read", "map-write", "unmap", "allocate", "copy", "reopen", "sync",
	"forget", "seek", "check",
};
const unsigned file_kind_count = KIND_COUNT;

/* Aligned, for O_DIRECT. */
static unsigned char buffer[FILE_MAX] __attribute__((aligned(BLOCK)));

static unsigned draw_length(struct steps *steps)
{
	switch (steps_random(steps, 4)) {
	case 0:
		return 1 + steps_random(steps, 100);
	case 1:
		return 1 + steps_random(steps, 3 * BLOCK);
	case 2:
		return BLOCK * (1 + steps_random(steps, 8));
	default:
		return 1 + steps_random(steps, PART_MAX);
	}
}

void file_draw(struct steps *steps, struct step *step)
{
	step->kind = steps_random(steps, KIND_COUNT);
	step->slot = steps_random(steps, SLOTS);
	step->number[0] = steps_random(steps, steps_random(steps, 2) ? FILE_MAX : FILE_MAX / 8);
	if (steps_random(steps, 3) == 0)
		step->number[0] &= ~(BLOCK - 1);
	step->number[1] = draw_length(steps);
	step->number[2] = steps_random(steps, 1u << 16);
}

static bool can_read(const struct image *image, const struct step *step)
{
	return (image->flags[step->slot] & O_ACCMODE) != O_WRONLY;
}

static bool can_write(const struct image *image, const struct step *step)
{
	return (image->flags[step->slot] & O_ACCMODE) != O_RDONLY;
}

static bool is_direct(const struct image *image, const struct step *step)
{
	return image->flags[step->slot] & O_DIRECT;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Where a step reads or writes, within the longest file, and on blocks where it must be. */
static void choose_part(const struct image *image, const struct step *step, unsigned *ret_from,
	unsigned *ret_length)
{
	unsigned from = step->number[0], length = step->number[1];

	if (is_direct(image, step)) {
		from &= ~(BLOCK - 1);
		length = (length + BLOCK - 1) & ~(BLOCK - 1);
	}
	*ret_from = from;
	*ret_length = least(length, FILE_MAX - from);
}

/* How much of a part is in the file. */
static unsigned length_there(const struct image *image, unsigned from, unsigned length)
{
	return from >= image->size ? 0 : least(length, image->size - from);
}

static void fill(const struct image *image, unsigned length)
{
	unsigned number = image->steps->number;

	for (unsigned i = 0; i < length; i++)
		buffer[i] = (unsigned char)(number * 7 + i * 13 + (i >> 7) + 1);
}

/* Cuts the buffer into parts of odd lengths; with O_DIRECT only the whole is right. */
static int make_vector(const struct image *image, const struct step *step, unsigned length,
	struct iovec *ret_parts)
{
	unsigned at = 0, part = length / VECTOR_PARTS + step->number[2] % 50;
	int count = 0;

	if (is_direct(image, step))
		part = length;
	while (at < length) {
		unsigned now = count == VECTOR_PARTS - 1 ? length - at : least(part, length - at);

		ret_parts[count++] = (struct iovec){.iov_base = buffer + at, .iov_len = now};
		at += now;
	}
	return count;
}

static void do_read(struct image *image, const struct step *step)
{
	struct iovec parts[VECTOR_PARTS];
	unsigned from, length, there;
	int fd = image->fds[step->slot];

	if (!can_read(image, step))
		return;
	choose_part(image, step, &from, &length);
	there = length_there(image, from, length);
	memset(buffer, 0xa5, length);
	if (step->kind == READV)
		image_expect(image, preadv(fd, parts, make_vector(image, step, length, parts), from),
			there);
	else
		image_expect(image, pread(fd, buffer, length, from), there);
	image_compare(image, buffer, from, there);
}

static void do_write(struct image *image, const struct step *step)
{
	struct iovec parts[VECTOR_PARTS];
	unsigned from, length;
	int fd = image->fds[step->slot];

	if (!can_write(image, step))
		return;
	choose_part(image, step, &from, &length);
	/* Linux appends, wherever pwrite says */
	if (image->flags[step->slot] & O_APPEND)
		from = image->size;
	if (length > FILE_MAX - from)
		return;
	fill(image, length);
	if (step->kind == WRITEV)
		image_expect(image,
			pwritev(fd, parts, make_vector(image, step, length, parts), from), length);
	else
		image_expect(image, pwrite(fd, buffer, length, from), length);
	image_put(image, from, buffer, length);
}

static void do_append(struct image *image, const struct step *step)
{
	unsigned length = step->number[1];
	struct iovec part = {.iov_base = buffer, .iov_len = length};

	if (!can_write(image, step) || is_direct(image, step) || length > FILE_MAX - image->size)
		return;
	fill(image, length);
	image_expect(image, pwritev2(image->fds[step->slot], &part, 1, 0, RWF_APPEND), length);
	image_put(image, image->size, buffer, length);
}

static void do_splice(struct image *image, const struct step *step)
{
	unsigned from = step->number[0], length = least(step->number[1], PIPE_SIZE / 2), there;
	int fd = image->fds[step->slot], ends[2];
	off_t at = from;
	ssize_t moved;

	if (is_direct(image, step) || pipe2(ends, O_CLOEXEC) < 0)
		return;
	length = least(length, FILE_MAX - from);
	there = length_there(image, from, length);
	if (step->kind == SPLICE_READ && can_read(image, step)) {
		moved = splice(fd, &at, ends[1], NULL, length, 0);
		if (moved < 0 || moved > there || (moved == 0 && there > 0))
			image_expect(image, moved, there);
		else if (moved > 0)
			image_expect(image, read(ends[0], buffer, length), moved);
		if (!image->has_failed)
			image_compare(image, buffer, from, (unsigned)moved);
	} else if (step->kind == SPLICE_WRITE && can_write(image, step) &&
		!(image->flags[step->slot] & O_APPEND)) {
		fill(image, length);
		image_expect(image, write(ends[1], buffer, length), length);
		moved = splice(ends[0], NULL, fd, &at, length, 0);
		if (moved <= 0)
			image_expect(image, moved, length);
		else
			image_put(image, from, buffer, (unsigned)moved);
	}
	close(ends[0]);
	close(ends[1]);
}

static void do_truncate(struct image *image, const struct step *step)
{
	unsigned size = step->number[0];

	if (step->kind == TRUNCATE)
		image_expect(image, truncate(image->path, size), 0);
	else if (can_write(image, step))
		image_expect(image, ftruncate(image->fds[step->slot], size), 0);
	else
		return;
	image_resize(image, size);
}

static void do_unmap(struct image *image)
{
	if (image->map)
		munmap(image->map, image->map_length);
	image->map = NULL;
	image->map_length = 0;
}

/* Writable where the descriptor can do both: others give EACCES. */
static void do_map(struct image *image, const struct step *step)
{
	void *map;

	if (!can_read(image, step) || !can_write(image, step) || image->size == 0)
		return;
	do_unmap(image);
	map = mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_SHARED, image->fds[step->slot], 0);
	if (map == MAP_FAILED) {
		image_fail(image, "mmap: %s", strerrorname_np(errno));
		return;
	}
	image->map = map;
	image->map_length = image->size;
}

/* The file may have become shorter than the mapping, where a page behind its end gives a signal. */
static void do_map_access(struct image *image, const struct step *step)
{
	unsigned end = least(image->map_length, image->size), from, length;

	if (!image->map || end == 0)
		return;
	from = step->number[0] % end;
	length = least(step->number[1], end - from);
	if (step->kind == MAP_READ) {
		image_compare(image, image->map + from, from, length);
		return;
	}
	fill(image, length);
	memcpy(image->map + from, buffer, length);
	image_put(image, from, buffer, length);
	if (step->number[2] % 3 == 0)
		image_expect(image, msync(image->map, end, MS_SYNC), 0);
}

static void apply_allocation(struct image *image, int mode, unsigned from, unsigned length)
{
	if (mode == FALLOC_FL_COLLAPSE_RANGE) {
		image_remove(image, from, length);
	} else if (mode == FALLOC_FL_INSERT_RANGE) {
		image_insert(image, from, length);
	} else {
		if (!(mode & FALLOC_FL_KEEP_SIZE) && from + length > image->size)
			image_resize(image, from + length);
		if (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
			image_zero(image, from, length);
	}
}

static void do_allocate(struct image *image, const struct step *step)
{
	static const int modes[] = {0, FALLOC_FL_KEEP_SIZE,
		FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, FALLOC_FL_ZERO_RANGE,
		FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, FALLOC_FL_COLLAPSE_RANGE,
		FALLOC_FL_INSERT_RANGE};
	int mode = modes[step->number[2] % ARRAY_SIZE(modes)];
	unsigned from = step->number[0], length = least(step->number[1], FILE_MAX - from);

	if (mode & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE)) {
		from &= ~(BLOCK - 1);
		length = (length + BLOCK - 1) & ~(BLOCK - 1);
		/* neither reaches the end of the file */
		if (from + length >= image->size || length > FILE_MAX - image->size)
			return;
	}
	if (!can_write(image, step))
		return;
	if (fallocate(image->fds[step->slot], mode, from, length) == 0)
		apply_allocation(image, mode, from, length);
	else if (errno != EOPNOTSUPP)
		image_fail(image, "mode %d: %s", mode, strerrorname_np(errno));
}

/* From a place in the first half of the file to one in the second, or back. */
static void do_copy(struct image *image, const struct step *step)
{
	unsigned other = step->number[2] % SLOTS, half = FILE_MAX / 2;
	unsigned from = step->number[0] % half, to = half + step->number[2] * 4 % half, length;
	bool is_back = step->number[2] % 3 == 0;
	off_t in, out;
	long copied;

	if (is_back) {
		unsigned place = from;

		from = to;
		to = place;
	}
	length = length_there(image, from, step->number[1]);
	length = least(length, half - to % half);
	length = least(length, half - from % half);
	if (length == 0 || !can_write(image, step) || (image->flags[other] & O_ACCMODE) == O_WRONLY ||
		image->flags[step->slot] & O_APPEND ||
		(image->flags[step->slot] | image->flags[other]) & O_DIRECT)
		return;
	in = from;
	out = to;
	copied = copy_file_range(image->fds[other], &in, image->fds[step->slot], &out, length, 0);
	if (copied <= 0 || copied > length) {
		image_expect(image, copied, length);
		return;
	}
	memcpy(buffer, image->content + from, (unsigned)copied);
	image_put(image, to, buffer, (unsigned)copied);
}

static void do_reopen(struct image *image, const struct step *step)
{
	static const int choices[] = {O_RDWR, O_RDWR, O_RDWR, O_RDONLY, O_WRONLY, O_RDWR | O_APPEND,
		O_RDWR | O_DIRECT, O_RDWR | O_DIRECT, O_RDWR | O_DSYNC, O_WRONLY | O_APPEND,
		O_RDWR | O_TRUNC};
	int flags = choices[step->number[2] % ARRAY_SIZE(choices)], fd;

	image_expect(image, close(image->fds[step->slot]), 0);
	fd = open(image->path, flags | O_CLOEXEC);
	if (fd < 0 && flags & O_DIRECT && errno == EINVAL) {
		flags &= ~O_DIRECT; /* not offered here */
		fd = open(image->path, flags | O_CLOEXEC);
	}
	if (fd < 0)
		image_fail(image, "open with %#o: %s", (unsigned)flags, strerrorname_np(errno));
	else if (flags & O_TRUNC)
		image_resize(image, 0);
	image->fds[step->slot] = fd;
	image->flags[step->slot] = flags;
}

static void do_sync(struct image *image, const struct step *step)
{
	int fd = image->fds[step->slot];

	image_expect(image, step->number[2] % 2 ? fsync(fd) : fdatasync(fd), 0);
}

/* Pages that are clean are dropped, so that they are asked for again. */
static void do_forget(struct image *image, const struct step *step)
{
	errno = posix_fadvise(image->fds[step->slot], 0, 0, POSIX_FADV_DONTNEED);
	if (errno != 0)
		image_fail(image, "fadvise: %s", strerrorname_np(errno));
}

/* What lies between a place and the next data is a hole, so it is zero. */
static void do_seek(struct image *image, const struct step *step)
{
	unsigned from = step->number[0];
	int fd = image->fds[step->slot];
	off_t data;

	/* the client hands the question on, and keeps to itself what is not written back */
	image_expect(image, fdatasync(fd), 0);
	data = lseek(fd, from, SEEK_DATA);
	if (data < 0 && errno != ENXIO)
		image_fail(image, "%s", strerrorname_np(errno));
	if (data < 0 || data > image->size)
		data = image->size;
	for (unsigned i = from; i < (unsigned)data; i++)
		if (image->content[i] != 0) {
			image_fail(image, "a hole where data is, at %u", i);
			return;
		}
}

void file_do(struct image *image, const struct step *step)
{
	static void (*const functions[KIND_COUNT])(struct image *, const struct step *) = {
		[READ] = do_read, [READV] = do_read, [SPLICE_READ] = do_splice,
		[WRITE] = do_write, [WRITEV] = do_write, [SPLICE_WRITE] = do_splice,
		[APPEND] = do_append, [TRUNCATE] = do_truncate, [FTRUNCATE] = do_truncate,
		[MAP] = do_map, [MAP_READ] = do_map_access, [MAP_WRITE] = do_map_access,
		[ALLOCATE] = do_allocate, [COPY] = do_copy, [REOPEN] = do_reopen, [SYNC] = do_sync,
		[FORGET] = do_forget, [SEEK] = do_seek,
	};
	struct stat st;

	if (step->kind == UNMAP)
		do_unmap(image);
	else if (step->kind == CHECK)
		image_check(image, image->path);
	else
		functions[step->kind](image, step);
	if (image->has_failed)
		return;
	image_expect(image, fstat(image->fds[step->slot], &st), 0);
	if (st.st_size != image->size)
		image_fail(image, "the size is %ld", (long)st.st_size);
}
