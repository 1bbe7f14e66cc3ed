/* SPDX-License-Identifier: MIT */
/*
 * random_tree.h — steps that change a tree of names.
 *
 * Names come from a small set and go three deep, so that they meet each other. Some files, which may
 * lose their names meanwhile, and some directories stay open.
 *
 * One thread. The process changes its file system user and group for some of the steps.
 */
#pragma once

#include <dirent.h>

#include "steps.h"

#define OPEN_FILES 6
#define OPEN_DIRECTORIES 2
#define OUTCOME 2048

/* A tree that steps are done to. */
struct tree {
	char path[4096]; /* of its top */
	int folder;
	int files[OPEN_FILES];
	DIR *directories[OPEN_DIRECTORIES];
};

extern const char *const tree_kinds[];
extern const unsigned tree_kind_count;
void tree_draw(struct steps *steps, struct step *step);

/* Makes a new tree below a directory; what was there by that name is removed. False with errno. */
bool tree_open(struct tree *tree, const char *top, const char *name);

/* Closes what is open; the tree stays. */
void tree_close(struct tree *tree);

/*
 * Does a step. What it gave, an error's name or a number and what was read, is text that must be the
 * same on every file system; of OUTCOME bytes.
 */
void tree_do(struct tree *tree, const struct step *step, char *ret_text);
