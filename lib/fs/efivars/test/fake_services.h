/* SPDX-License-Identifier: MIT */
/*
 * fake_services.h — runtime services out of a script, for the tests of efivarfs: variables in
 * memory in the order in which they were added, statuses on demand, calls that block on demand,
 * and a count of each kind of call.
 *
 * Any thread may change it while the firmware thread uses it. The object is the test's: destroy, as
 * the file system calls it, only notes that it was called.
 */
#pragma once

#include <pthread.h>

#include "uefi/services.h"

#define FAKE_VARIABLES_MAX 300
#define FAKE_DATA_MAX 40000

enum fake_call { FAKE_GET, FAKE_NEXT, FAKE_SET, FAKE_QUERY, FAKE_CALLS };

struct fake_variable {
	struct uefi_name name;
	struct guid vendor;
	uint32_t attributes;
	uint8_t *data; /* owned */
	size_t size;
	bool is_hidden; /* get and set do not find it; get_next names it */
};

struct fake_services {
	struct uefi_services services; /* first */
	pthread_mutex_t lock;
	pthread_cond_t is_awaited;
	struct fake_variable variables[FAKE_VARIABLES_MAX];
	size_t count;
	size_t cursor;       /* get_next's place: names may be there twice */
	size_t next_fails_at; /* place at which get_next gives next_status */
	enum uefi_status next_status;
	bool is_circle;      /* get_next starts again instead of ending */

	enum uefi_status fails[FAKE_CALLS]; /* not SUCCESS: what such a call gives from now on */
	bool blocks[FAKE_CALLS];            /* such a call waits until it is let go */
	unsigned waiting[FAKE_CALLS];
	unsigned calls[FAKE_CALLS];
	bool may_change_attributes; /* else a set with other attributes is INVALID_PARAMETER */
	bool does_truncate;         /* keeps only half of what is written */
	uint32_t last_attributes;   /* of the last set */
	size_t last_size;
	struct uefi_query query;
	const char *reason;
	bool is_changed;
	unsigned changed_calls;
	bool is_writable;
	int writable_error;
	bool is_destroyed;
};

void fake_services_init(struct fake_services *fake, bool is_exclusive);
void fake_services_fini(struct fake_services *fake);

/* Adds a variable at the end of the list, whether it is there already or not. */
void fake_add(struct fake_services *fake, const char *name, const struct guid *vendor,
	uint32_t attributes, const void *data, size_t size);
/* Takes the first of that name away, as another process would. */
void fake_remove(struct fake_services *fake, const char *name);
/* The first of that name, or NULL. Not while the firmware thread works. */
struct fake_variable *fake_find(struct fake_services *fake, const char *name);

void fake_fail(struct fake_services *fake, enum fake_call call, enum uefi_status status);
/* Makes calls of a kind wait; and lets them go again. */
void fake_block(struct fake_services *fake, enum fake_call call);
void fake_unblock(struct fake_services *fake, enum fake_call call);
/* Returns when a call of that kind waits. */
void fake_await_blocked(struct fake_services *fake, enum fake_call call);
unsigned fake_count(struct fake_services *fake, enum fake_call call);
void fake_set_changed(struct fake_services *fake);
