/* SPDX-License-Identifier: MIT */
/*
 * random_file.h — one file, open several times, and what it must contain.
 *
 * The image is what the file is by the rules of the calls that were made. Each byte remembers the
 * step that set it, so that a difference tells whose bytes are missing or have come back.
 *
 * One thread, one process changes the file.
 */
#pragma once

#include <limits.h>

#include "steps.h"

#define FILE_MAX (512u << 10)
#define PART_MAX (300u << 10) /* more than one request of a client with small ones */
#define BLOCK 4096u
#define SLOTS 4

struct image {
	struct steps *steps;
	const char *path;
	int fds[SLOTS];
	int flags[SLOTS]; /* of open */
	unsigned char *map; /* a mapping that stays; NULL: none */
	unsigned map_length;
	unsigned size;
	bool has_failed;
	unsigned char content[FILE_MAX];
	unsigned setter[FILE_MAX];
};

/* The names of the steps, and how one is drawn. */
extern const char *const file_kinds[];
extern const unsigned file_kind_count;
void file_draw(struct steps *steps, struct step *step);

/* Does a step to the file and to the image, and compares what it can. */
void file_do(struct image *image, const struct step *step);

/* ---- the image (random_file_image.c) ---- */

/* Something is not as it must be: told once, with the step's number. */
__attribute__((format(printf, 2, 3)))
void image_fail(struct image *image, const char *format, ...);

/* A call gave what it should; negative: errno. Else the run has failed. */
void image_expect(struct image *image, long got, long wanted);

/* Bytes that were read are those of the image. */
void image_compare(struct image *image, const unsigned char *got, unsigned from, unsigned length);

/* Changes of the image by the step that is done. What lies between the end and from becomes zero. */
void image_put(struct image *image, unsigned from, const unsigned char *bytes, unsigned length);
void image_zero(struct image *image, unsigned from, unsigned length);
void image_resize(struct image *image, unsigned size);
void image_remove(struct image *image, unsigned from, unsigned length);
void image_insert(struct image *image, unsigned from, unsigned length);

/* The whole file, through a new descriptor of any path. */
void image_check(struct image *image, const char *path);
