/* SPDX-License-Identifier: MIT */
/* program.c — see program.h. */
#include "tacit/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io.h"

static const char *name = "tacit";

void program_set_name(const char *new_name)
{
	name = new_name;
}

const char *program_name(void)
{
	return name;
}

void program_error(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void program_usage_error(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
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
	if (buffer_error(text))
		return buffer_error(text);
	return io_write(STDOUT_FILENO, text->data, text->size);
}
