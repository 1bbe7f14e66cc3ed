/* SPDX-License-Identifier: MIT */
/*
 * steps.h — a run of random steps that its seed, or its log, repeats exactly.
 *
 * A step is drawn without a look at what the steps before it did, and is a line of text:
 *
 *	KIND SLOT NUMBER NUMBER NUMBER NAME NAME
 *
 * where a name that is not used is "-". A log is those lines. Lines may be taken out of one before it
 * is replayed, to find out which of them a failure needs.
 *
 * One thread; a process that forks gives each child a run of its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define STEP_NAME 64
#define STEPS_TAIL 30

struct step {
	unsigned kind, slot;
	unsigned number[3];
	char name[2][STEP_NAME];
};

struct steps {
	/* set by the program: what kinds there are, and how one step is drawn */
	const char *const *kinds;
	unsigned kind_count;
	void (*draw)(struct steps *steps, struct step *step);
	/* the options */
	uint64_t seed;
	unsigned count;
	const char *log_path, *replay_path;
	bool is_verbose;
	/* the run */
	uint64_t state;
	unsigned number; /* of the step that is done, from 1 */
	FILE *log, *replay;
	char tail[STEPS_TAIL][256];
};

/*
 * Takes --seed, --count, --log, --replay and --verbose from the arguments. The operands begin at
 * optind; there must be from least to most. Ends the program with usage if not.
 */
void steps_parse_options(struct steps *steps, int argc, char **argv, const char *usage, int least,
	int most);

/* Opens log and replay; ends the program if it cannot. */
void steps_begin(struct steps *steps);

/* The next step, drawn or replayed, and already in the log. False at the end. */
bool steps_next(struct steps *steps, struct step *ret_step);

/* A number from 0 to below limit. */
unsigned steps_random(struct steps *steps, unsigned limit);

/* The last steps as comments, and how the run is repeated. */
void steps_print_tail(const struct steps *steps);

/* The log is whole on disk. */
void steps_end(struct steps *steps);
