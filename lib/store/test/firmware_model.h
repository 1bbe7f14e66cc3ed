/* SPDX-License-Identifier: MIT */
/*
 * firmware_model.h — what edk2's firmware makes of an image at its next start.
 *
 * Written from the rules alone and sharing no code with the store, so that the two check each
 * other: the early reader that decides between live region and spare, ArmVirt's flash driver that
 * walks the live region and formats the flash when it dislikes it, the recovery of the
 * fault-tolerant write, and the variable driver with its look-up and its forced reclaim.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where things are, from the volume's start; bytes. The headers end at 0x64. */
struct model_layout {
	uint32_t volume, live, work_at, work, spare_at, spare, block;
};

struct model_value {
	const uint8_t *name; /* UCS-2 with NUL */
	uint32_t name_bytes;
	const uint8_t *vendor;
	const uint8_t *data;
	uint32_t data_bytes;
};

#define MODEL_VALUES_MAX 64

struct model_view {
	struct model_value values[MODEL_VALUES_MAX]; /* each key once */
	unsigned count;
	bool has_duplicates;
};

struct model {
	const struct model_layout *layout;
	uint8_t *image;     /* owned; becomes what the start leaves behind */
	uint8_t *early;     /* owned; the live region as the early reader sees it */
	uint8_t *reclaimed; /* owned; the live region after a reclaim */
	const char *damage; /* what went wrong, or NULL */
	bool is_formatted;  /* all variables were lost */
	struct model_view views[3]; /* early, after the start, after a reclaim */
};

/* Starts the firmware on a copy of the image. */
void model_start(struct model *m, const struct model_layout *layout, const uint8_t *image);
void model_fini(struct model *m);
