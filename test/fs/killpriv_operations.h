/* SPDX-License-Identifier: MIT */
/*
 * killpriv_operations.h — what changes a file, and may or must not take its privileges away.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What an operation works on. All is opened before the caller takes his identity, except fd. */
struct target {
	const char *path;
	int fd;         /* the caller's, O_RDWR; -1 if the operation names the file itself */
	int source;     /* another file of the same directory, for copies */
	unsigned owner; /* the file's */
	unsigned group;
};

struct operation {
	const char *name;
	long (*run)(const struct target *target, int argument); /* -1 and errno, as a call */
	int argument;
	bool by_name; /* fd is not needed */
	/* FUSE's client answers this by itself: EOPNOTSUPP, and nothing changes. */
	bool is_refused_by_client;
};

#define OPERATIONS_MAX 100

extern const struct operation operations[];
extern const size_t operation_count;
