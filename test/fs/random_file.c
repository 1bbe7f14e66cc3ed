/* SPDX-License-Identifier: MIT */
/*
 * random_file.c — reads and writes of every kind on one file, against an image in memory.
 *
 * Runs on any file system. The file is made anew; it stays when the run has failed. BEHIND is the
 * same file as the host of a mount sees it, compared once all is written back.
 *
 * usage: random_file [--seed N] [--count N] [--log FILE] [--replay FILE] [--verbose] FILE [BEHIND]
 */
#include "random_file.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/test/tap.h"

#define USAGE "random_file [--seed N] [--count N] [--log FILE] [--replay FILE] [--verbose] FILE [BEHIND]"

static void open_file(struct image *image)
{
	for (int i = 0; i < SLOTS; i++) {
		image->flags[i] = O_RDWR;
		image->fds[i] = open(image->path, O_RDWR | O_CLOEXEC | (i ? 0 : O_CREAT | O_TRUNC),
			0644);
		if (image->fds[i] < 0)
			image_fail(image, "%s: %s", image->path, strerrorname_np(errno));
	}
}

static void close_file(struct image *image)
{
	if (image->map)
		munmap(image->map, image->map_length);
	for (int i = 0; i < SLOTS; i++) {
		if (i == 0)
			image_expect(image, fsync(image->fds[i]), 0);
		image_expect(image, close(image->fds[i]), 0);
	}
}

static void run(struct image *image, const char *behind)
{
	struct step step;

	open_file(image);
	while (!image->has_failed && steps_next(image->steps, &step))
		file_do(image, &step);
	if (!image->has_failed)
		image_check(image, image->path);
	if (!image->has_failed)
		close_file(image);
	if (!image->has_failed && behind)
		image_check(image, behind);
}

int main(int argc, char **argv)
{
	struct steps steps = {.kinds = file_kinds, .kind_count = file_kind_count, .draw = file_draw};
	CLEAN(free) struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return 2;
	steps_parse_options(&steps, argc, argv, USAGE, 1, 2);
	image->steps = &steps;
	image->path = argv[optind];
	steps_begin(&steps);
	run(image, argv[optind + 1]);
	if (image->has_failed)
		steps_print_tail(&steps);
	else
		(void)unlink(image->path);
	ok(!image->has_failed, "%u steps on %s, seed %llu", steps.number, image->path,
		(unsigned long long)steps.seed);
	steps_end(&steps);
	return tap_done();
}
