/* SPDX-License-Identifier: MIT */
/*
 * random_file_image.c — what a file must contain, and what differs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "random_file.h"

void image_fail(struct image *image, const char *format, ...)
{
	va_list args;

	if (image->has_failed)
		return;
	image->has_failed = true;
	printf("#   step %u: ", image->steps->number);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" (size %u)\n", image->size);
}

void image_expect(struct image *image, long got, long wanted)
{
	if (got < 0)
		image_fail(image, "%s", strerrorname_np(errno));
	else if (got != wanted)
		image_fail(image, "the call gave %ld and not %ld", got, wanted);
}

void image_compare(struct image *image, const unsigned char *got, unsigned from, unsigned length)
{
	const unsigned char *wanted = image->content + from;
	unsigned first = 0, last = length;

	if (memcmp(got, wanted, length) == 0)
		return;
	while (got[first] == wanted[first])
		first++;
	while (got[last - 1] == wanted[last - 1])
		last--;
	image_fail(image, "content differs from %u to %u: the first is %u and not %u, "
		"which step %u has set", from + first, from + last, got[first], wanted[first],
		image->setter[from + first]);
}

static void set_setter(struct image *image, unsigned from, unsigned length)
{
	for (unsigned i = from; i < from + length; i++)
		image->setter[i] = image->steps->number;
}

void image_resize(struct image *image, unsigned size)
{
	if (size > image->size) {
		memset(image->content + image->size, 0, size - image->size);
		set_setter(image, image->size, size - image->size);
	}
	image->size = size;
}

void image_put(struct image *image, unsigned from, const unsigned char *bytes, unsigned length)
{
	if (from + length > image->size)
		image_resize(image, from + length);
	memcpy(image->content + from, bytes, length);
	set_setter(image, from, length);
}

void image_zero(struct image *image, unsigned from, unsigned length)
{
	if (from >= image->size)
		return;
	if (length > image->size - from)
		length = image->size - from;
	memset(image->content + from, 0, length);
	set_setter(image, from, length);
}

void image_remove(struct image *image, unsigned from, unsigned length)
{
	unsigned rest = image->size - from - length;

	memmove(image->content + from, image->content + from + length, rest);
	memmove(image->setter + from, image->setter + from + length, rest * sizeof(unsigned));
	image->size -= length;
}

void image_insert(struct image *image, unsigned from, unsigned length)
{
	unsigned rest = image->size - from;

	memmove(image->content + from + length, image->content + from, rest);
	memmove(image->setter + from + length, image->setter + from, rest * sizeof(unsigned));
	image->size += length;
	image_zero(image, from, length);
}

void image_check(struct image *image, const char *path)
{
	static unsigned char whole[FILE_MAX + 1];
	CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = {0};

	if (fd < 0 || fstat(fd, &st) < 0)
		image_fail(image, "%s: %s", path, strerrorname_np(errno));
	else if (st.st_size != image->size)
		image_fail(image, "%s has the size %ld", path, (long)st.st_size);
	image_expect(image, pread(fd, whole, sizeof(whole), 0), image->size);
	if (!image->has_failed)
		image_compare(image, whole, 0, image->size);
}
