/* SPDX-License-Identifier: MIT */
/* utab.c — see utab.h. */
#include "tacit/utab.h"

#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/io.h"
#include "base/option.h"

#define UTAB_LOCK UTAB_PATH ".lock"
#define UTAB_TEMPORARY UTAB_PATH ".XXXXXX"
#define UTAB_SIZE_MAX (4u << 20)

/* Words that are ours to write and to take away; the name is what is before '='. */
static const char *const our_words[] = {"statfs", "nostatfs", "uid", "gid"};

/* The mount whose line is sought; texts as they lie in the file (mangled). */
struct utab_key {
	char *target;
	char *source;
};

static void utab_key_fini(struct utab_key *key)
{
	free(key->target);
	free(key->source);
}

static int utab_key_init(struct utab_key *ret, const char *target, const char *source)
{
	struct utab_key key = {.target = mnt_mangle(target), .source = mnt_mangle(source)};

	if (!key.target || !key.source) {
		utab_key_fini(&key);
		return -ENOMEM;
	}
	*ret = key;
	return 0;
}

/* The value of a line's field ("TARGET=") and its length, or NULL. */
static const char *find_field(const char *line, const char *field, size_t *ret_length)
{
	size_t length = strlen(field);

	for (const char *p = line; *p; p += strspn(p, " ")) {
		size_t word = strcspn(p, " ");

		if (word >= length && strncmp(p, field, length) == 0) {
			*ret_length = word - length;
			return p + length;
		}
		p += word;
	}
	return NULL;
}

static bool has_field(const char *line, const char *field, const char *value)
{
	size_t length;
	const char *found = find_field(line, field, &length);

	return found && strlen(value) == length && strncmp(found, value, length) == 0;
}

static bool is_line_of(const char *line, const struct utab_key *key)
{
	return has_field(line, "TARGET=", key->target) && has_field(line, "SRC=", key->source);
}

static bool is_our_word(const char *word)
{
	size_t length = strcspn(word, "=");

	for (size_t i = 0; i < ARRAY_SIZE(our_words); i++) {
		if (strlen(our_words[i]) == length && strncmp(word, our_words[i], length) == 0)
			return true;
	}
	return false;
}

/* Appends those words of a line's options that are not ours. 0 or -ENOMEM. */
static int append_others(struct buffer *out, const char *line)
{
	CLEAN(free) char *words = NULL;
	size_t length;
	const char *found = find_field(line, "OPTS=", &length);
	const char *text;

	if (!found)
		return 0;
	text = words = strndup(found, length);
	if (!words)
		return -ENOMEM;
	for (;;) {
		CLEAN(free) char *word = NULL;
		int r = option_next(&text, &word);

		if (r <= 0)
			return r;
		if (!is_our_word(word))
			buffer_printf(out, "%s%s", out->size > 0 ? "," : "", word);
	}
}

/* A change of the file: what becomes of each line of the mount, and what is added at the end. */
struct utab_change {
	struct utab_key key;
	const char *words;    /* ours; borrowed */
	struct buffer others; /* of mount(8), as they lie in the file (mangled) */
	char *attributes;     /* " ATTRS=..." of libmount, or NULL; owned */
	bool keeps_others;    /* those found in the mount's lines are added */
	bool is_removal;      /* no line comes in the place of the old ones */
	struct buffer out;
};

static int take_line(struct utab_change *change, const char *line)
{
	size_t length;
	const char *attributes;

	if (!is_line_of(line, &change->key)) {
		buffer_printf(&change->out, "%s\n", line);
		return 0;
	}
	if (!change->keeps_others)
		return 0;
	attributes = find_field(line, "ATTRS=", &length);
	if (attributes && !change->attributes &&
		asprintf(&change->attributes, " ATTRS=%.*s", (int)length, attributes) < 0) {
		change->attributes = NULL;
		return -ENOMEM;
	}
	return append_others(&change->others, line);
}

/* The one line that takes the place of the mount's lines, where it says anything. */
static void append_merged(struct utab_change *change)
{
	const char *ours = change->words;
	const char *others = buffer_text(&change->others);
	const char *attributes = change->attributes ? change->attributes : "";

	if (!*ours && !*others && !*attributes)
		return;
	buffer_printf(&change->out, "SRC=%s TARGET=%s ROOT=/%s", change->key.source,
		change->key.target, attributes);
	if (*ours || *others)
		buffer_printf(&change->out, " OPTS=%s%s%s", others, *ours && *others ? "," : "",
			ours);
	buffer_string(&change->out, "\n");
}

static int change_text(struct utab_change *change, char *text)
{
	char *rest = text;
	char *line;

	while ((line = strsep(&rest, "\n"))) {
		int r = *line ? take_line(change, line) : 0;

		if (r < 0)
			return r;
	}
	if (!change->is_removal)
		append_merged(change);
	return buffer_error(&change->others) ? buffer_error(&change->others) :
						buffer_error(&change->out);
}

/* The file's text, "" when there is none, for the caller to free. */
static int read_text(char **ret)
{
	CLEAN_FD int fd = open(UTAB_PATH, O_RDONLY | O_CLOEXEC);
	CLEAN(free) uint8_t *data = NULL;
	size_t size = 0;
	int r;

	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (fd >= 0) {
		r = io_read_all(fd, UTAB_SIZE_MAX, &data, &size);
		if (r < 0)
			return r;
	}
	*ret = strndup(size > 0 ? (const char *)data : "", size);
	return *ret ? 0 : -ENOMEM;
}

/* libmount puts a new file in the old one's place, so that readers need no lock. */
static int replace_text(const struct buffer *text)
{
	char path[] = UTAB_TEMPORARY;
	CLEAN_FD int fd = mkostemp(path, O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = io_write(fd, text->data, text->size);
	if (r == 0 && (fchmod(fd, 0644) < 0 || rename(path, UTAB_PATH) < 0))
		r = -errno;
	if (r < 0)
		(void)unlink(path); /* a file that nobody reads */
	return r;
}

static int lock_file(int *ret)
{
	CLEAN_FD int fd = -1;

	if (mkdir(UTAB_DIRECTORY, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = open(UTAB_LOCK, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	*ret = TAKE_FD(fd);
	return 0;
}

/* Whether the kernel has such a mount. When that cannot be found out, as if it had. */
static bool is_mounted(const char *target, const char *source)
{
	struct libmnt_table *table = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_fs *fs = table ?
		mnt_table_find_target(table, target, MNT_ITER_BACKWARD) : NULL;
	const char *found = fs ? mnt_fs_get_source(fs) : NULL; /* may be NULL */
	bool result = !table || (found && strcmp(found, source) == 0);

	mnt_unref_table(table);
	return result;
}

static int apply_locked(struct utab_change *change)
{
	CLEAN(free) char *text = NULL;
	CLEAN(free) char *before = NULL;
	int r;

	r = read_text(&text);
	if (r < 0)
		return r;
	before = strdup(text);
	if (!before)
		return -ENOMEM;
	r = change_text(change, text);
	if (r < 0 || strcmp(before, buffer_text(&change->out)) == 0)
		return r;
	return replace_text(&change->out);
}

/* Takes over what `change` owns. */
static int apply(struct utab_change *change, const char *target, const char *source)
{
	CLEAN_FD int lock = -1;
	int r;

	r = utab_key_init(&change->key, target, source);
	if (r == 0)
		r = lock_file(&lock);
	if (r == 0 && !(change->is_removal && is_mounted(target, source)))
		r = apply_locked(change);
	utab_key_fini(&change->key);
	buffer_fini(&change->others);
	buffer_fini(&change->out);
	free(change->attributes);
	return r;
}

int utab_add(const char *target, const char *source, const char *words, const char *others)
{
	struct utab_change change = {.words = words};
	CLEAN(free) char *mangled = mnt_mangle(others);

	if (!mangled)
		return -ENOMEM;
	buffer_string(&change.others, mangled);
	return apply(&change, target, source);
}

int utab_set(const char *target, const char *source, const char *words)
{
	struct utab_change change = {.words = words, .keeps_others = true};

	return apply(&change, target, source);
}

int utab_remove(const char *target, const char *source)
{
	struct utab_change change = {.is_removal = true};

	return apply(&change, target, source);
}
