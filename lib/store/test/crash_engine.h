/* SPDX-License-Identifier: MIT */
/*
 * crash_engine.h — proves that a change survives a crash at any point.
 *
 * A plan is carried out on a recording source. Then each image that a crash could leave is made:
 * all writes before the last barrier, and of those after it every prefix with the last write torn
 * at every byte, each write alone, and the subsets of their 64-byte pieces (all of them when there
 * are at most ten pieces, a fixed sample of many otherwise). For each image the firmware's model
 * and the store, read-only and recovering, must see one and the same value of every variable: that
 * before or that after the operation in flight. The recovery itself is recorded and crashed in the
 * same way.
 */
#pragma once

#include "store/test/firmware_model.h"
#include "store/test/fixture.h"
#include "store/test/recorder.h"

enum plan_kind { PLAN_END, PLAN_PUT, PLAN_REMOVE, PLAN_RECLAIM };

struct plan_step {
	enum plan_kind kind;
	const char *name;
	char fill;   /* the value is size of these */
	size_t size;
};

#define PLAN_STEPS_MAX 8

struct plan {
	const char *what;
	void (*prepare)(uint8_t *image);          /* of an empty volume; may be NULL */
	struct plan_step setup[PLAN_STEPS_MAX];   /* before anything is recorded */
	struct plan_step steps[PLAN_STEPS_MAX];   /* after a recorded open for writing */
	unsigned syncs;   /* barriers of the steps, 0: not checked */
	bool is_lost;     /* firmware would format the image as it is from the beginning */
};

struct proof {
	unsigned images, failures;
	unsigned stride; /* a write is torn at each so many bytes, a recovery crashed as seldom */
};

/* A name whose units are those of a live record's header, with the name "x" (see fixture_name). */
#define PLAN_NUL2 "\u2205\u2205"
#define PLAN_NAME_LIKE_HEADER                                                                      \
	"\u55aa?\a\u2205" PLAN_NUL2 PLAN_NUL2 PLAN_NUL2 PLAN_NUL2 PLAN_NUL2 PLAN_NUL2 PLAN_NUL2    \
	"\x04\u2205\x02\u2205GGGGGGGGx\u2205"

/* Every name that a plan may use. */
extern const char *const plan_names[];

/* Carries out steps on a store; false when one fails. */
bool plan_run(struct store *store, const struct plan_step *steps, struct recorder *recorder);

/* The proof of one plan on an empty volume of that layout. */
void plan_prove(const struct plan *plan, const struct model_layout *layout, const uint8_t *empty,
	struct proof *proof);

/* Fails each write and barrier in turn: old or new, and the store can be used again. */
void plan_fail(const struct plan *plan, const struct model_layout *layout, const uint8_t *empty,
	int error, bool is_failing_on, struct proof *proof);
