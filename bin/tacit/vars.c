/* SPDX-License-Identifier: MIT */
/*
 * vars.c — `tacit vars`: looks at and changes variable stores without mounting them.
 *
 * The table of its verbs, and the way from the command line to one of them.
 */
#include "tacit/vars.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tacit/program.h"

#define OPTION_JSON {"json", 0, NULL, "print one JSON document"}

const struct vars_verb vars_verbs[] = {
	{
		.name = "list",
		.run = vars_list,
		.operands = {"STORE"},
		.help = "list the variables",
		.options = {
			OPTION_JSON,
			{"long", 'l', NULL, "whole GUIDs, and the columns state and time"},
			{"all", 'a', NULL, "dead records too: deleted, replaced, incomplete ones"},
		},
	},
	{
		.name = "get",
		.run = vars_get,
		.operands = {"STORE", "NAME"},
		.help = "write a variable's bytes to standard output",
		.options = {
			{"hex", 0, NULL, "print hexadecimal digits, 32 bytes a line"},
			OPTION_JSON,
		},
	},
	{
		.name = "set",
		.run = vars_set,
		.operands = {"STORE", "NAME"},
		.help = "create or change a variable",
		.details = "The new content is one of --data, --hex and --text.\n",
		.options = {
			{"attrs", 'a', "LIST",
				"attributes: nv, bs, rt, hr, at, append, or a number\n"
				"(default: the variable's own, nv,bs,rt for a new one)"},
			{"data", 'd', "FILE", "the content is the file's; - is standard input"},
			{"hex", 0, "DIGITS", "the content in hexadecimal; blanks are skipped"},
			{"text", 0, "TEXT", "the content is the text's bytes, without a NUL"},
			{"append", 0, NULL, "add to the content that is there"},
		},
	},
	{
		.name = "rm",
		.run = vars_rm,
		.operands = {"STORE", "NAME"},
		.help = "delete a variable",
	},
	{
		.name = "info",
		.run = vars_info,
		.operands = {"STORE"},
		.help = "tell format, sizes, free space and the secure boot state",
		.options = {OPTION_JSON},
	},
	{
		.name = "check",
		.run = vars_check,
		.operands = {"STORE"},
		.help = "tell whether a firmware would accept the store",
		.details = "The exit status is 0 when the store is healthy, 2 when it is not.\n",
		.options = {OPTION_JSON},
	},
	{
		.name = "repair",
		.run = vars_repair,
		.operands = {"STORE"},
		.help = "mend what check finds, keeping every variable that can be read",
		.options = {
			{"output", 'o', "FILE", "write the image there, leave STORE alone"},
			{"force", 'f', NULL, "replace the file of -o if there is one"},
		},
	},
	{
		.name = "compact",
		.run = vars_compact,
		.operands = {"STORE"},
		.help = "throw dead records away, so that a running system has their room",
	},
	{
		.name = "create",
		.run = vars_create,
		.operands = {"STORE"},
		.help = "make a new, empty store of the profile given",
		.options = {{"force", 'f', NULL, "replace the file if there is one"}},
	},
	{
		.name = "export",
		.run = vars_export,
		.operands = {"STORE"},
		.help = "write all variables as JSON or as files",
		.options = {
			{"json", 0, NULL, "print one JSON document (the default)"},
			{"dir", 'd', "DIR", "write files Name-GUID, as efivarfs shows them"},
			{"force", 'f', NULL, "write into a directory that is not empty"},
		},
	},
	{
		.name = "import",
		.run = vars_import,
		.operands = {"STORE", "SOURCE"},
		.help = "set variables from JSON, a directory or another store: all or none",
		.details = "SOURCE is what export wrote, JSON of QEMU or virt-firmware (- is\n"
			"standard input), a directory of files Name-GUID, or a variable store.\n",
		.options = {{"replace", 0, NULL, "delete the variables that SOURCE does not have"}},
	},
	{
		.name = "diff",
		.run = vars_diff,
		.operands = {"STORE", "STORE2"},
		.help = "tell what differs between two stores",
		.details = "Each may be a store, an exported JSON file or directory. The exit\n"
			"status is 0 when all variables are equal, 2 when some differ.\n",
		.options = {OPTION_JSON},
	},
	{
		.name = "purge-dumps",
		.run = vars_purge_dumps,
		.operands = {"STORE"},
		.help = "delete the crash dumps that Linux keeps in variables",
	},
	{0},
};

static const struct vars_verb *find_verb(const char *name)
{
	for (const struct vars_verb *v = vars_verbs; v->name; v++) {
		if (strcmp(v->name, name) == 0)
			return v;
	}
	return NULL;
}

static int print_help(const struct vars_verb *verb)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	if (verb)
		vars_verb_help(verb, &out);
	else
		vars_help(&out);
	return program_print(&out) < 0;
}

static int unknown_verb(const char *name)
{
	CLEAN_BUFFER struct buffer names = BUFFER_INIT;

	for (const struct vars_verb *v = vars_verbs; v->name; v++)
		buffer_printf(&names, "%s%s", v == vars_verbs ? "" : ", ", v->name);
	program_usage_error("there is no verb '%s'; there are %s", name, buffer_text(&names));
	return 1;
}

int verb_vars(int argc, char **argv)
{
	static char program[64];
	const struct vars_verb *verb;
	struct vars_call call;
	int r;

	/* A reader who has gone and a limit on sizes are errors like a full disk. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		program_usage_error("a verb is missing");
		return 1;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_help(NULL);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return program_print_version() < 0;
	verb = find_verb(argv[1]);
	if (!verb)
		return unknown_verb(argv[1]);
	(void)snprintf(program, sizeof(program), "tacit vars %s", verb->name);
	program_set_name(program);
	r = vars_parse(argv + 1, verb, &call);
	if (r < 0)
		return 1;
	if (r == 0)
		return print_help(verb);
	return verb->run(&call);
}
