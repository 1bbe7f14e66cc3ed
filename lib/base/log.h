/* SPDX-License-Identifier: MIT */
/*
 * log.h — messages to the person who runs the program.
 *
 * Programs log once, at the edge, with the object named. Library code returns errors; what it must
 * tell besides (a dropped request, a skipped record) goes out at debug level or through
 * log_limited(), so that a peer cannot flood the log. A message is one line: control characters in
 * what it quotes become '?'. Any thread may log.
 */
#pragma once

#include <stdbool.h>

enum log_level { LOG_LEVEL_OFF, LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/*
 * Names the program in every message, takes TACIT_LOG (off, error, warn, info, debug; default info)
 * and finds out whether standard error is the journal (then "<N>" prefixes). Once, before threads.
 */
void log_open(const char *program);

/* Messages go to syslog instead of standard error: for a process in the background. */
void log_to_syslog(void);

void log_set_level(enum log_level level);
enum log_level log_level(void);

void log_message(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define log_error(...) log_message(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_message(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_message(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_message(LOG_LEVEL_DEBUG, __VA_ARGS__)

/*
 * At most 10 messages in any 10 s for all callers together; what was dropped is counted in the
 * next message that passes.
 */
void log_limited(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
