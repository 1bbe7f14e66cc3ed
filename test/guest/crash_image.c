/* SPDX-License-Identifier: MIT */
/*
 * crash_image.c — the image that a crash in the middle of a change leaves to the firmware.
 *
 *	crash-image IMAGE set|reclaim             prints its writes and barriers, numbered
 *	crash-image IMAGE set|reclaim NUMBER OUT  writes to OUT what is there when half of write
 *	                                          NUMBER and nothing later is on the medium
 *
 * set gives the variable TacitCrash of the tests' vendor another value; reclaim throws dead records
 * away.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "store/store.h"
#include "store/test/recorder.h"

#define IMAGE_MAX ((size_t)1 << 20)

static const struct guid vendor = GUID_OF(
	0x5d1f2c7e, 0x3b6a, 0x4f0e, 0x9c, 0x84, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6);
static const char new_value[] = "the new value";

static int set_variable(struct store *store)
{
	struct nv_variable v = {
		.vendor = vendor,
		.attributes = UEFI_ATTRIBUTES_DEFAULT,
		.data = (const uint8_t *)new_value,
		.size = sizeof(new_value) - 1,
	};
	int r = uefi_name_from_utf8(&v.name, "TacitCrash", strlen("TacitCrash"));

	return r < 0 ? r : store->nv.ops->put(&store->nv, &v, true);
}

static int change(struct recorder *recorder, const char *action)
{
	CLEAN(store_free) struct store *store = NULL;
	CLEAN(free) char *error = NULL;
	int r = store_open(&store, &recorder->source, STORE_PROFILE_AUTO, &error);

	if (r < 0) {
		fprintf(stderr, "crash-image: %s\n", error ? error : strerror(-r));
		return r;
	}
	return strcmp(action, "set") == 0 ? set_variable(store) :
		store->nv.ops->reclaim(&store->nv);
}

static void print_calls(const struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->count; i++) {
		const struct event *e = &recorder->events[i];

		if (e->kind == EVENT_WRITE)
			printf("%zu write %" PRIu64 " %zu\n", i, e->offset, e->size);
		else
			printf("%zu barrier\n", i);
	}
}

/* What reached the medium before the crash. */
static void replay(const struct recorder *recorder, size_t cut, uint8_t *image)
{
	for (size_t i = 0; i <= cut; i++) {
		const struct event *e = &recorder->events[i];

		if (e->kind == EVENT_WRITE)
			memcpy(image + e->offset, e->data, i < cut ? e->size : e->size / 2);
	}
}

static int read_image(const char *path, uint8_t **ret_data, size_t *ret_size)
{
	CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : io_read_all(fd, IMAGE_MAX, ret_data, ret_size);
}

static int save(const char *path, const uint8_t *image, size_t size)
{
	CLEAN_FD int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	return fd < 0 ? -errno : io_write(fd, image, size);
}

/* cut: the write that is torn, as text; NULL to print what there is. */
static int crash(uint8_t *image, size_t size, const char *action, const char *cut, const char *out)
{
	static struct recorder recorder;
	unsigned long number = cut ? strtoul(cut, NULL, 10) : 0;
	int r;

	recorder_init(&recorder, image, size);
	r = change(&recorder, action);
	if (r == 0 && !cut) {
		print_calls(&recorder);
	} else if (r == 0 && number < recorder.count) {
		replay(&recorder, number, image);
		r = save(out, image, size);
	} else if (r == 0) {
		r = -ERANGE;
	}
	recorder_fini(&recorder);
	return r;
}

int main(int argc, char **argv)
{
	CLEAN(free) uint8_t *image = NULL;
	const char *action = argc > 2 ? argv[2] : "";
	bool is_known = strcmp(action, "set") == 0 || strcmp(action, "reclaim") == 0;
	size_t size = 0;
	int r;

	if ((argc != 3 && argc != 5) || !is_known) {
		fprintf(stderr, "usage: crash-image IMAGE set|reclaim [NUMBER OUT]\n");
		return 2;
	}
	r = read_image(argv[1], &image, &size);
	if (r == 0)
		r = crash(image, size, action, argc == 5 ? argv[3] : NULL,
			argc == 5 ? argv[4] : NULL);
	if (r < 0)
		fprintf(stderr, "crash-image: %s: %s\n", argv[1], strerror(-r));
	return r < 0;
}
