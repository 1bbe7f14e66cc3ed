/* SPDX-License-Identifier: MIT */
/* log.c — see log.h. One message is one write, so lines of several threads do not mix. */
#include "base/log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/ratelimit.h"
#include "base/text.h"

#define LINE_MAX_BYTES 2048
#define LIMIT_BURST 10
#define LIMIT_WINDOW_NS (10ull * 1000000000u)

static const char *const level_names[] = {"off", "error", "warn", "info", "debug"};
static const int syslog_levels[] = {LOG_ERR, LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};

/* Set before threads start; read without a lock afterwards. */
static struct {
	const char *program;
	enum log_level level;
	bool is_journal;
	bool is_file;
	bool is_syslog;
} state = {.program = "tacit", .level = LOG_LEVEL_INFO};

static pthread_mutex_t limit_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ratelimit limit = {.window_ns = LIMIT_WINDOW_NS, .burst = LIMIT_BURST};
static unsigned dropped;

/* $JOURNAL_STREAM is "device:inode" of the stream that systemd gave us (systemd.exec(5)). */
static bool is_journal_stream(const struct stat *st)
{
	const char *text = getenv("JOURNAL_STREAM");
	uintmax_t device, inode;

	return text && sscanf(text, "%ju:%ju", &device, &inode) == 2 && st->st_dev == device &&
		st->st_ino == inode;
}

void log_open(const char *program)
{
	const char *wanted = getenv("TACIT_LOG");
	struct stat st;

	state.program = program;
	if (fstat(STDERR_FILENO, &st) == 0) {
		state.is_journal = is_journal_stream(&st);
		state.is_file = S_ISREG(st.st_mode);
	}
	for (size_t i = 0; wanted && i < ARRAY_SIZE(level_names); i++) {
		if (strcmp(wanted, level_names[i]) == 0)
			state.level = (enum log_level)i;
	}
}

void log_to_syslog(void)
{
	openlog(state.program, LOG_PID, LOG_DAEMON);
	state.is_syslog = true;
}

void log_set_level(enum log_level level)
{
	state.level = level;
}

enum log_level log_level(void)
{
	return state.level;
}

__attribute__((format(printf, 2, 0)))
static void log_write(enum log_level level, const char *format, va_list args)
{
	char line[LINE_MAX_BYTES];
	size_t used = 0;
	int n;

	if (state.is_syslog) {
		n = vsnprintf(line, sizeof(line), format, args);
		if (n < 0)
			return;
		text_make_line(line, strlen(line));
		syslog(syslog_levels[level], "%s", line);
		return;
	}
	if (state.is_journal) {
		used = (size_t)snprintf(line, sizeof(line), "<%d>", syslog_levels[level]);
	} else if (state.is_file) {
		time_t now = time(NULL);
		struct tm tm;

		used = strftime(line, sizeof(line), "%Y-%m-%d %H:%M:%S ", localtime_r(&now, &tm));
	}
	used += (size_t)snprintf(line + used, sizeof(line) - used, "%s: %s%s", state.program,
		level == LOG_LEVEL_INFO ? "" : level_names[level],
		level == LOG_LEVEL_INFO ? "" : ": ");
	n = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	if (n < 0)
		return;
	n = (size_t)n < sizeof(line) - used - 1 ? n : (int)(sizeof(line) - used - 2);
	text_make_line(line + used, (size_t)n);
	used += (size_t)n;
	line[used++] = '\n';
	n = (int)write(STDERR_FILENO, line, used);
	(void)n; /* there is nobody left to tell */
}

void log_message(enum log_level level, const char *format, ...)
{
	va_list args;

	if (level > state.level)
		return;
	va_start(args, format);
	log_write(level, format, args);
	va_end(args);
}

void log_limited(enum log_level level, const char *format, ...)
{
	va_list args;
	unsigned missed;
	bool is_allowed;

	if (level > state.level)
		return;
	pthread_mutex_lock(&limit_lock);
	is_allowed = ratelimit_allow(&limit, clock_now_ns());
	missed = dropped;
	dropped = is_allowed ? 0 : dropped + 1;
	pthread_mutex_unlock(&limit_lock);
	if (!is_allowed)
		return;
	if (missed > 0)
		log_message(level, "%u messages were not printed", missed);
	va_start(args, format);
	log_write(level, format, args);
	va_end(args);
}
