/* SPDX-License-Identifier: MIT */
/*
 * tap.h — unit tests in TAP: one binary a file of tests, each check a line.
 *
 *	int main(void) { ok(1 + 1 == 2, "sums"); return tap_done(); }
 *
 * tap_skip_all: the whole file cannot run here, and says what is missing. The status is 0 then, for
 * meson takes any other for a failure of a TAP test.
 */
#pragma once

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned tap_count, tap_failures;

__attribute__((format(printf, 4, 5), unused))
static bool tap_ok(bool passed, const char *file, int line, const char *format, ...)
{
	va_list args;

	printf("%sok %u - ", passed ? "" : "not ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	if (!passed) {
		printf("#   failed at %s:%d\n", file, line);
		tap_failures++;
	}
	fflush(stdout);
	return passed;
}

__attribute__((unused))
static bool tap_is_int(intmax_t got, intmax_t wanted, const char *file, int line, const char *what)
{
	bool passed = tap_ok(got == wanted, file, line, "%s", what);

	if (!passed)
		printf("#   got %jd, wanted %jd\n", got, wanted);
	return passed;
}

__attribute__((unused))
static bool tap_is_text(const char *got, const char *wanted, const char *file, int line,
	const char *what)
{
	bool passed = tap_ok(got && strcmp(got, wanted) == 0, file, line, "%s", what);

	if (!passed)
		printf("#   got \"%s\", wanted \"%s\"\n", got ? got : "(null)", wanted);
	return passed;
}

#define ok(condition, ...) tap_ok((condition), __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, wanted, what)                                                                  \
	tap_is_int((intmax_t)(got), (intmax_t)(wanted), __FILE__, __LINE__, what)
#define is_text(got, wanted, what) tap_is_text((got), (wanted), __FILE__, __LINE__, what)

__attribute__((unused))
static int tap_done(void)
{
	printf("1..%u\n", tap_count);
	return tap_failures > 0 || tap_count == 0;
}

__attribute__((unused, noreturn))
static void tap_skip_all(const char *missing)
{
	printf("1..0 # SKIP %s\n", missing);
	exit(0);
}
