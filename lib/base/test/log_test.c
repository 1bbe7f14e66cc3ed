/* SPDX-License-Identifier: MIT */
/* log_test.c — messages as they reach standard error: levels, prefixes, long and hostile ones. */
#include "base/log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/test/tap.h"

static char captured[65536];
static char sent[4096]; /* to syslog */

__attribute__((format(printf, 1, 0)))
static void keep_sent(const char *format, va_list args)
{
	(void)vsnprintf(sent, sizeof(sent), format, args);
}

/* The C library's, which would reach the machine's own log: in each form that headers call. */
#define TAKES_TEXT(n) __attribute__((format(printf, n, (n) + 1)))
void syslog(int priority, const char *format, ...) TAKES_TEXT(2);
void __syslog_chk(int priority, int flag, const char *format, ...) TAKES_TEXT(3);

void syslog(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep_sent(format, args);
	va_end(args);
}

void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep_sent(format, args);
	va_end(args);
}

/* Runs a function with standard error going into a pipe, and keeps what came. */
static void capture(void (*function)(void))
{
	int pipes[2];
	int saved = dup(STDERR_FILENO);
	ssize_t n;

	if (saved < 0 || pipe2(pipes, O_CLOEXEC | O_NONBLOCK) < 0 ||
		dup2(pipes[1], STDERR_FILENO) < 0) {
		printf("Bail out! no pipe\n");
		exit(1);
	}
	function();
	n = read(pipes[0], captured, sizeof(captured) - 1);
	captured[n > 0 ? n : 0] = 0;
	(void)dup2(saved, STDERR_FILENO);
	(void)close(saved);
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}

static void say_each(void)
{
	log_error("one %d", 1);
	log_warn("two");
	log_info("three");
	log_debug("four");
}

static void say_long(void)
{
	static char text[5000];

	memset(text, 'x', sizeof(text) - 1);
	log_info("%s", text);
}

static void say_hostile(void)
{
	log_info("name %s", "a\nerror: forged\033[2J");
}

static void say_often(void)
{
	for (int i = 0; i < 30; i++)
		log_limited(LOG_LEVEL_WARN, "flood %d", i);
}

static unsigned count_lines(void)
{
	unsigned n = 0;

	for (const char *p = captured; *p; p++)
		n += *p == '\n';
	return n;
}

/* $JOURNAL_STREAM as systemd sets it for a stream that it reads. */
static void open_as_journal(void)
{
	struct stat st;
	char text[64];

	if (fstat(STDERR_FILENO, &st) < 0)
		return;
	snprintf(text, sizeof(text), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	(void)setenv("JOURNAL_STREAM", text, 1);
	log_open("tacit");
	say_each();
	(void)unsetenv("JOURNAL_STREAM");
}

int main(void)
{
	(void)unsetenv("JOURNAL_STREAM");
	(void)unsetenv("TACIT_LOG");
	log_open("tacit");
	is_int(log_level(), LOG_LEVEL_INFO, "info is the level of everyday");
	capture(open_as_journal);
	is_text(captured, "<3>tacit: error: one 1\n<4>tacit: warn: two\n<6>tacit: three\n",
		"the journal gets priorities");
	(void)setenv("TACIT_LOG", "debug", 1);
	capture(open_as_journal);
	ok(strstr(captured, "<7>tacit: debug: four\n"), "TACIT_LOG sets the level");
	(void)setenv("TACIT_LOG", "loud", 1);
	log_open("tacit");
	is_int(log_level(), LOG_LEVEL_DEBUG, "a level that there is not changes nothing");

	log_set_level(LOG_LEVEL_WARN);
	capture(say_each);
	ok(strstr(captured, "tacit: error: one 1\n") && strstr(captured, "tacit: warn: two\n") &&
			count_lines() == 2,
		"what is below the level is not said");
	log_set_level(LOG_LEVEL_OFF);
	capture(say_each);
	is_text(captured, "", "off is silent");
	log_set_level(LOG_LEVEL_INFO);
	capture(say_long);
	ok(strlen(captured) == 2047 && count_lines() == 1 && captured[2046] == '\n',
		"a long message is cut and stays a line");
	capture(say_hostile);
	ok(strstr(captured, "tacit: name a?error: forged?[2J\n") && count_lines() == 1,
		"a name cannot forge a message");
	capture(say_often);
	is_int(count_lines(), 10, "of a flood ten messages come through");
	log_to_syslog();
	say_hostile();
	is_text(sent, "name a?error: forged?[2J", "nor one in the system's log");
	return tap_done();
}
