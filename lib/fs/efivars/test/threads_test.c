/* SPDX-License-Identifier: MIT */
/*
 * threads_test.c — statfs from four threads and writes from two while the option is switched; run
 * under the thread sanitizer it shows that nothing there races.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/test/tap.h"
#include "fs/efivars/test/mounted.h"

#define ROUNDS 2000
#define READERS 4
#define WRITERS 2

static struct fake_services fake;
static struct fs *fs;

/* 0 blocks, or the pair of numbers that belong together. */
static void *read_numbers(void *arg)
{
	uintptr_t wrong = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct fs_statfs s;

		if (do_statfs(fs, &s) < 0 || s.bsize != 1 || s.namelen != 255 ||
			(s.blocks != 0 && s.blocks + s.bfree != 100000) ||
			(s.blocks == 0 && (s.bfree != 0 || s.bavail != 0)))
			wrong++;
	}
	return (void *)wrong;
}

static void *write_variables(void *arg)
{
	const char *name = arg;
	uintptr_t wrong = 0;
	char text[256];

	for (unsigned i = 0; i < ROUNDS / 10; i++) {
		if (write_file(fs, name, 7, "value", 5) != 9)
			wrong++;
		do_list(fs, 2, text, sizeof(text));
		if (read_file(fs, name, text, sizeof(text)) != 9)
			wrong++;
		if (do_unlink(fs, name) < 0)
			wrong++;
	}
	return (void *)wrong;
}

/* Moves the clock, so that the numbers are asked for. */
static _Atomic uint64_t ticks;

static uint64_t test_now(void)
{
	/* clang 14 takes no (ticks += 1) as a value */
	uint64_t tick = atomic_fetch_add(&ticks, 1) + 1;

	return 1000000000000u + 500000000u * tick;
}

int main(void)
{
	static char names[WRITERS][64] = {"BootA-" GLOBAL, "BootB-" GLOBAL};
	pthread_t readers[READERS], writers[WRITERS];
	bool is_started = true;
	void *wrong;

	fake_services_init(&fake, true);
	fake.query = (struct uefi_query){.max_storage = 90000, .remaining = 10000};
	fs = mounted_new(&fake, true);
	efivars_of(fs)->statfs.now = test_now;
	for (unsigned i = 0; i < READERS; i++)
		is_started &= pthread_create(&readers[i], NULL, read_numbers, NULL) == 0;
	for (unsigned i = 0; i < WRITERS; i++)
		is_started &= pthread_create(&writers[i], NULL, write_variables, names[i]) == 0;
	ok(is_started, "threads");
	/* The numbers move, always to a pair with the same sum. */
	for (unsigned i = 0; i < ROUNDS; i++) {
		efivars_set_statfs(fs, i % 2 == 0);
		pthread_mutex_lock(&fake.lock);
		fake.query.remaining = 10000 + i;
		fake.query.max_storage = 90000 - i;
		pthread_mutex_unlock(&fake.lock);
	}
	for (unsigned i = 0; i < READERS; i++) {
		pthread_join(readers[i], &wrong);
		is_int((uintptr_t)wrong, 0,
			"each statfs gives zeros or a pair that belongs together");
	}
	for (unsigned i = 0; i < WRITERS; i++) {
		pthread_join(writers[i], &wrong);
		is_int((uintptr_t)wrong, 0, "each write, read and removal succeeds");
	}
	is_int(fake.count, 0, "nothing is left");
	mounted_free(fs);
	fake_services_fini(&fake);
	return tap_done();
}
