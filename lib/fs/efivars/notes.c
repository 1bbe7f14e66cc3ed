/* SPDX-License-Identifier: MIT */
/* notes.c — see notes.h. */
#include "fs/efivars/notes.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

void notes_init(struct notes *notes)
{
	*notes = (struct notes){.duplicates = {.limit = NOTES_DUPLICATES_MAX}};
	pthread_mutex_init(&notes->lock, NULL);
}

void notes_fini(struct notes *notes)
{
	buffer_fini(&notes->duplicates);
	free(notes->refusal);
	pthread_mutex_destroy(&notes->lock);
}

void notes_refuse(struct notes *notes, const char *format, ...)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;
	char *refusal;
	va_list args;

	va_start(args, format);
	buffer_vprintf(&text, format, args);
	va_end(args);
	refusal = buffer_take_text(&text);
	if (!refusal)
		return;
	text_make_line(refusal, strlen(refusal)); /* names in it come from an image */
	log_limited(LOG_LEVEL_INFO, "%s", refusal);
	pthread_mutex_lock(&notes->lock);
	free(notes->refusal);
	notes->refusal = refusal;
	pthread_mutex_unlock(&notes->lock);
}

void notes_clear_duplicates(struct notes *notes)
{
	pthread_mutex_lock(&notes->lock);
	buffer_fini(&notes->duplicates);
	notes->duplicates.limit = NOTES_DUPLICATES_MAX;
	pthread_mutex_unlock(&notes->lock);
}

/* Whether the name is a line of the text already. */
static bool has_line(const char *text, const char *name)
{
	size_t length = strlen(name);

	while (*text) {
		size_t line = strcspn(text, "\n");

		if (line == length && memcmp(text, name, length) == 0)
			return true;
		text += line + (text[line] == '\n');
	}
	return false;
}

void notes_add_duplicate(struct notes *notes, const char *file_name)
{
	char name[256];
	struct buffer *text = &notes->duplicates;

	strncpy(name, file_name, sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	text_make_line(name, strlen(name)); /* it comes from an image */
	pthread_mutex_lock(&notes->lock);
	/* When the text is full, the log still has each of them. */
	if (!has_line(buffer_text(text), name) &&
		text->size + strlen(name) < NOTES_DUPLICATES_MAX) {
		if (text->size > 0)
			buffer_string(text, "\n");
		buffer_string(text, name);
	}
	pthread_mutex_unlock(&notes->lock);
	log_limited(LOG_LEVEL_WARN, "%s: more than one variable has this name; the first is shown",
		name);
}

static int copy_text(const char *text, char **ret)
{
	char *copy;

	if (!text || !*text)
		return -ENODATA;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

int notes_get_refusal(struct notes *notes, char **ret)
{
	int r;

	pthread_mutex_lock(&notes->lock);
	r = copy_text(notes->refusal, ret);
	pthread_mutex_unlock(&notes->lock);
	return r;
}

int notes_get_duplicates(struct notes *notes, char **ret)
{
	int r;

	pthread_mutex_lock(&notes->lock);
	r = copy_text(buffer_text(&notes->duplicates), ret);
	pthread_mutex_unlock(&notes->lock);
	return r;
}
