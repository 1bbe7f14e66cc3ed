/* SPDX-License-Identifier: MIT */
/* program.c — see program.h. */
#include "tacit/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"

static const char *name = "tacit";

void program_hold_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* open gives the lowest free number; the wrong direction fails as closed does. */
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

void program_set_name(const char *new_name)
{
	name = new_name;
}

const char *program_name(void)
{
	return name;
}

/* Whatever is told of may be a stranger's: a name in an image, a file's, a script's argument. */
__attribute__((format(printf, 1, 0)))
static void print_error(const char *format, va_list args)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;

	buffer_vprintf(&text, format, args);
	if (!buffer_error(&text) && text.size > 0)
		text_make_line((char *)text.data, text.size);
	fprintf(stderr, "%s: %s\n", name, buffer_text(&text));
}

void program_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_error(format, args);
	va_end(args);
}

void program_usage_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_error(format, args);
	va_end(args);
	program_try_help();
}

void program_try_help(void)
{
	fprintf(stderr, "Try '%s --help'.\n", name);
}

char *program_text(const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	return n < 0 ? NULL : text;
}

int program_print_version(void)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	buffer_string(&out, "tacit " TACIT_VERSION "\n");
	return program_print(&out);
}

int program_print(const struct buffer *text)
{
	int r = buffer_error(text);

	if (r == 0)
		r = io_write(STDOUT_FILENO, text->data, text->size);
	if (r < 0)
		program_error("standard output: %s", strerror(-r));
	return r;
}
