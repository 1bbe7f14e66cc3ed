/* SPDX-License-Identifier: MIT */
/*
 * steps.c — see steps.h.
 */
#include "steps.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_DEFAULT 2000
#define SEED_SPREAD 0x9e3779b97f4a7c15ull /* 2^64 through the golden ratio: no seed gives zero */

static void end_usage(const char *usage)
{
	fprintf(stderr, "usage: %s\n", usage);
	exit(2);
}

void steps_parse_options(struct steps *steps, int argc, char **argv, const char *usage, int least,
	int most)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 's'},
		{"count", required_argument, NULL, 'c'},
		{"log", required_argument, NULL, 'l'},
		{"replay", required_argument, NULL, 'r'},
		{"verbose", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0},
	};
	int option;

	steps->seed = 1;
	steps->count = COUNT_DEFAULT;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			steps->seed = strtoull(optarg, NULL, 0);
		else if (option == 'c')
			steps->count = (unsigned)strtoul(optarg, NULL, 0);
		else if (option == 'l')
			steps->log_path = optarg;
		else if (option == 'r')
			steps->replay_path = optarg;
		else if (option == 'v')
			steps->is_verbose = true;
		else
			end_usage(usage);
	}
	if (argc - optind < least || argc - optind > most)
		end_usage(usage);
}

static FILE *open_or_end(const char *path, const char *mode)
{
	FILE *file;

	if (!path)
		return NULL;
	file = fopen(path, mode);
	if (!file) {
		perror(path);
		exit(2);
	}
	return file;
}

void steps_begin(struct steps *steps)
{
	steps->state = steps->seed * SEED_SPREAD + 1;
	steps->log = open_or_end(steps->log_path, "we");
	steps->replay = open_or_end(steps->replay_path, "re");
	if (steps->log)
		setvbuf(steps->log, NULL, _IOLBF, 0); /* whole, if the machine survives us */
}

/* xorshift64* of S. Vigna, "An experimental exploration of Marsaglia's xorshift generators". */
unsigned steps_random(struct steps *steps, unsigned limit)
{
	steps->state ^= steps->state >> 12;
	steps->state ^= steps->state << 25;
	steps->state ^= steps->state >> 27;
	return (unsigned)((steps->state * 2685821657736338717ull) >> 33) % limit;
}

static const char *shown_name(const char *name)
{
	return *name ? name : "-";
}

static void format_step(const struct steps *steps, const struct step *step, char *text, size_t size)
{
	snprintf(text, size, "%s %u %u %u %u %s %s", steps->kinds[step->kind], step->slot,
		step->number[0], step->number[1], step->number[2], shown_name(step->name[0]),
		shown_name(step->name[1]));
}

static void parse_step(const struct steps *steps, const char *line, struct step *ret_step)
{
	char kind[32];
	struct step step = {0};

	if (sscanf(line, "%31s %u %u %u %u %63s %63s", kind, &step.slot, &step.number[0],
			&step.number[1], &step.number[2], step.name[0], step.name[1]) != 7) {
		fprintf(stderr, "not a step: %s", line);
		exit(2);
	}
	for (int i = 0; i < 2; i++)
		if (strcmp(step.name[i], "-") == 0)
			step.name[i][0] = 0;
	while (step.kind < steps->kind_count && strcmp(steps->kinds[step.kind], kind) != 0)
		step.kind++;
	if (step.kind == steps->kind_count) {
		fprintf(stderr, "not a kind of step: %s\n", kind);
		exit(2);
	}
	*ret_step = step;
}

static bool get_step(struct steps *steps, struct step *ret_step)
{
	char line[512];

	if (steps->replay) {
		if (!fgets(line, sizeof(line), steps->replay))
			return false;
		parse_step(steps, line, ret_step);
		return true;
	}
	if (steps->number == steps->count)
		return false;
	*ret_step = (struct step){0};
	steps->draw(steps, ret_step);
	return true;
}

bool steps_next(struct steps *steps, struct step *ret_step)
{
	char *text;

	if (!get_step(steps, ret_step))
		return false;
	text = steps->tail[steps->number % STEPS_TAIL];
	steps->number++;
	format_step(steps, ret_step, text, sizeof(steps->tail[0]));
	if (steps->log)
		fprintf(steps->log, "%s\n", text);
	if (steps->is_verbose)
		printf("# %u: %s\n", steps->number, text);
	return true;
}

void steps_print_tail(const struct steps *steps)
{
	unsigned first = steps->number > STEPS_TAIL ? steps->number - STEPS_TAIL : 0;

	printf("#   the last steps:\n");
	for (unsigned i = first; i < steps->number; i++)
		printf("#   %6u: %s\n", i + 1, steps->tail[i % STEPS_TAIL]);
	if (steps->replay_path)
		printf("#   repeat it with --replay %s\n", steps->replay_path);
	else
		printf("#   repeat it with --seed %llu --count %u; --log FILE keeps the steps\n",
			(unsigned long long)steps->seed, steps->number);
}

void steps_end(struct steps *steps)
{
	if (steps->log)
		fclose(steps->log);
	if (steps->replay)
		fclose(steps->replay);
	steps->log = steps->replay = NULL;
}
