/* SPDX-License-Identifier: MIT */
/*
 * vars_arguments.c — the command line of `tacit vars VERB`, read and explained by the verbs' table.
 *
 * Options may stand before and after operands, as `--name=value`, `--name value`, `-x value` or
 * `-xvalue`; flags in one letter may stand together; `--` ends options. The last occurrence wins.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "tacit/program.h"
#include "tacit/vars.h"

/* Options of every verb. */
static const struct vars_option option_profile = {"profile", 0, "P",
	"whose limits hold: auto, ovmf-2m, ovmf-4m, armvirt"};
static const struct vars_option option_help = {"help", 'h', NULL, "print this help"};

struct parser {
	const struct vars_verb *verb;
	struct vars_call *call;
	char **next; /* the argument after the one being read */
	size_t operands;
	const char *profile;
	bool has_help;
};

static bool is_called(const struct vars_option *option, const char *name, size_t length)
{
	return strlen(option->name) == length && strncmp(option->name, name, length) == 0;
}

/*
 * The option of that long name, or of that letter when name is NULL. *ret_value is where its value
 * goes.
 */
static const struct vars_option *find_option(struct parser *p, const char *name, size_t length,
	char letter, const char ***ret_value)
{
	const struct vars_option *options = p->verb->options;

	for (size_t i = 0; options[i].name; i++) {
		if (name ? is_called(&options[i], name, length) : options[i].letter == letter) {
			*ret_value = &p->call->values[i];
			return &options[i];
		}
	}
	if (name && is_called(&option_profile, name, length)) {
		*ret_value = &p->profile;
		return &option_profile;
	}
	if (name ? is_called(&option_help, name, length) : letter == option_help.letter) {
		*ret_value = NULL;
		return &option_help;
	}
	return NULL;
}

static int unknown_option(const struct parser *p, const char *text, int length)
{
	CLEAN_BUFFER struct buffer names = BUFFER_INIT;

	for (size_t i = 0; p->verb->options[i].name; i++)
		buffer_printf(&names, "--%s, ", p->verb->options[i].name);
	program_usage_error("there is no option '%.*s'; there are %s--profile and --help", length,
		text, buffer_text(&names));
	return -EINVAL;
}

static int store_value(struct parser *p, const struct vars_option *option, const char **value,
	const char *text)
{
	if (option == &option_help) {
		p->has_help = true;
		return 0;
	}
	if (option->argument && !text) {
		if (!*p->next) {
			program_usage_error("option '--%s' needs a value: %s", option->name,
				option->argument);
			return -EINVAL;
		}
		text = *p->next++;
	}
	*value = option->argument ? text : "";
	return 0;
}

static int parse_long(struct parser *p, const char *argument)
{
	const char *name = argument + 2;
	size_t length = strcspn(name, "=");
	const char *text = name[length] ? name + length + 1 : NULL;
	const struct vars_option *option;
	const char **value;

	option = find_option(p, name, length, 0, &value);
	if (!option)
		return unknown_option(p, argument, (int)length + 2);
	if (!option->argument && text) {
		program_usage_error("option '--%s' takes no value", option->name);
		return -EINVAL;
	}
	return store_value(p, option, value, text);
}

static int parse_letters(struct parser *p, const char *argument)
{
	for (const char *letter = argument + 1; *letter; letter++) {
		const struct vars_option *option;
		const char **value;
		int r;

		option = find_option(p, NULL, 0, *letter, &value);
		if (!option)
			return unknown_option(p, argument, (int)strlen(argument));
		r = store_value(p, option, value,
			option->argument && letter[1] ? letter + 1 : NULL);
		if (r < 0 || option->argument)
			return r;
	}
	return 0;
}

static int parse_operand(struct parser *p, const char *text)
{
	if (p->operands == VARS_OPERANDS_MAX || !p->verb->operands[p->operands]) {
		program_usage_error("'%s' is one operand too many", text);
		return -EINVAL;
	}
	p->call->operands[p->operands++] = text;
	return 0;
}

static int parse_profile(const char *text, enum store_profile *ret)
{
	CLEAN_BUFFER struct buffer names = BUFFER_INIT;

	for (unsigned i = 0; store_profile_names[i]; i++) {
		if (strcmp(text, store_profile_names[i]) == 0) {
			*ret = (enum store_profile)i;
			return 0;
		}
		buffer_printf(&names, "%s%s", i ? ", " : "", store_profile_names[i]);
	}
	program_usage_error("option '--profile' does not know '%s'; there are %s", text,
		buffer_text(&names));
	return -EINVAL;
}

static int parse_all(struct parser *p)
{
	bool has_options = true;
	int r = 0;

	while (*p->next && r == 0) {
		const char *argument = *p->next++;

		if (has_options && strcmp(argument, "--") == 0)
			has_options = false;
		else if (has_options && strncmp(argument, "--", 2) == 0)
			r = parse_long(p, argument);
		else if (has_options && argument[0] == '-' && argument[1])
			r = parse_letters(p, argument);
		else
			r = parse_operand(p, argument);
	}
	return r;
}

int vars_parse(char **argv, const struct vars_verb *verb, struct vars_call *ret)
{
	struct vars_call call = {.verb = verb};
	struct parser p = {.verb = verb, .call = &call, .next = argv + 1};
	int r = parse_all(&p);

	if (r < 0)
		return r;
	if (p.has_help)
		return 0;
	if (p.operands < VARS_OPERANDS_MAX && verb->operands[p.operands]) {
		program_usage_error("%s is missing", verb->operands[p.operands]);
		return -EINVAL;
	}
	if (p.profile) {
		r = parse_profile(p.profile, &call.profile);
		if (r < 0)
			return r;
	}
	*ret = call;
	return 1;
}

const char *vars_option(const struct vars_call *call, const char *name)
{
	const struct vars_option *options = call->verb->options;

	for (size_t i = 0; options[i].name; i++) {
		if (strcmp(options[i].name, name) == 0)
			return call->values[i];
	}
	assert(false); /* the verb's table has no such option */
	return NULL;
}

void vars_help(struct buffer *out)
{
	buffer_string(out,
		"Usage:\n  tacit vars VERB [OPTION...] STORE ...\n\n"
		"Looks at and changes the UEFI variables in an image, such as OVMF_VARS.fd.\n\n"
		"Verbs:\n");
	for (const struct vars_verb *v = vars_verbs; v->name; v++)
		buffer_printf(out, "  %-12s %s\n", v->name, v->help);
	buffer_string(out,
		"\nA NAME is Name-GUID, or Name where one variable has it; well-known names need\n"
		"no GUID.\n\n"
		"Options:\n"
		"  -h, --help     print this help\n"
		"  -V, --version  print the version\n\n"
		"'tacit vars VERB --help' describes a verb. "
		"For more details see tacit-vars(1).\n");
}

/* "  -o, --output=FILE    help"; further lines of the help stand below its first. */
static void option_line(const struct vars_option *option, struct buffer *out)
{
	CLEAN_BUFFER struct buffer left = BUFFER_INIT;

	if (option->letter)
		buffer_printf(&left, "-%c, ", option->letter);
	else
		buffer_string(&left, "    ");
	buffer_printf(&left, "--%s", option->name);
	if (option->argument)
		buffer_printf(&left, "=%s", option->argument);
	buffer_printf(out, "  %-20s ", buffer_text(&left));
	for (const char *line = option->help; *line;) {
		size_t length = strcspn(line, "\n");

		if (line != option->help)
			buffer_printf(out, "%23s", "");
		buffer_printf(out, "%.*s\n", (int)length, line);
		line += length + (line[length] != '\0');
	}
}

void vars_verb_help(const struct vars_verb *verb, struct buffer *out)
{
	buffer_printf(out, "Usage:\n  tacit vars %s [OPTION...]", verb->name);
	for (size_t i = 0; verb->operands[i]; i++)
		buffer_printf(out, " %s", verb->operands[i]);
	buffer_printf(out, "\n\n%c%s.\n", verb->help[0] - 'a' + 'A', verb->help + 1);
	if (verb->details)
		buffer_string(out, verb->details);
	buffer_string(out, "\nOptions:\n");
	for (size_t i = 0; verb->options[i].name; i++)
		option_line(&verb->options[i], out);
	option_line(&option_profile, out);
	option_line(&option_help, out);
	buffer_string(out, "\nFor more details see tacit-vars(1).\n");
}
