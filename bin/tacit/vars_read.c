/* SPDX-License-Identifier: MIT */
/*
 * vars_read.c — snapshots from outside: directories, other stores, and whatever a path is.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/reader.h"
#include "tacit/image.h"
#include "tacit/program.h"
#include "tacit/vars.h"
#include "tacit/vars_name.h"
#include "tacit/vars_snapshot.h"

#define ATTRIBUTES_SIZE 4

DEFINE_CLEAN(DIR *, closedir)

static int read_file(int directory, const char *name, uint8_t **ret_data, size_t *ret_size)
{
	CLEAN_FD int fd = openat(directory, name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return io_read_all(fd, SNAPSHOT_DATA_MAX + ATTRIBUTES_SIZE, ret_data, ret_size);
}

static int add_file(struct snapshot *snapshot, int directory, const char *file, char **ret_error)
{
	CLEAN(free) uint8_t *data = NULL;
	struct nv_variable v = {0};
	struct vars_key key;
	struct reader reader;
	size_t size = 0;
	int r;

	if (vars_key_parse(file, &key) < 0)
		return snapshot_fail(ret_error, -EINVAL, "%s: the name is not Name-GUID", file);
	r = read_file(directory, file, &data, &size);
	if (r < 0)
		return snapshot_fail(ret_error, r, "%s: %s", file,
			r == -EINVAL ? "not a regular file" : strerror(-r));
	if (size < ATTRIBUTES_SIZE)
		return snapshot_fail(ret_error, -EINVAL, "%s: shorter than its attributes", file);
	reader = reader_of(data, size);
	v.name = key.name;
	v.vendor = key.vendor;
	v.attributes = reader_le32(&reader);
	v.size = reader_remaining(&reader);
	v.data = reader_take(&reader, v.size);
	r = snapshot_add(snapshot, &v, false);
	return r < 0 ? snapshot_fail(ret_error, r, "%s %s", file, snapshot_add_error(r)) : 0;
}

int snapshot_from_directory(struct snapshot *snapshot, const char *path, char **ret_error)
{
	CLEAN(closedir) DIR *directory = opendir(path);

	if (!directory)
		return snapshot_fail(ret_error, -errno, "%s", strerror(errno));
	for (;;) {
		const struct dirent *entry;
		int r;

		errno = 0;
		entry = readdir(directory);
		if (!entry)
			return errno ? snapshot_fail(ret_error, -errno, "%s", strerror(errno)) : 0;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		r = add_file(snapshot, dirfd(directory), entry->d_name, ret_error);
		if (r < 0)
			return r;
	}
}

static int load_json(struct snapshot *snapshot, int fd, char **ret_error)
{
	CLEAN(free) uint8_t *text = NULL;
	size_t size;
	int r = io_read_all(fd, SNAPSHOT_JSON_MAX, &text, &size);

	if (r < 0)
		return snapshot_fail(ret_error, r, "%s", strerror(-r));
	return snapshot_from_json(snapshot, (const char *)text, size, ret_error);
}

static int load_store(struct snapshot *snapshot, const char *path, char **ret_error)
{
	CLEAN(store_free) struct store *store = NULL;
	struct source *source;
	int r = image_open(&source, path, false, ret_error);

	if (r == 0)
		r = store_open(&store, source, STORE_PROFILE_AUTO, ret_error);
	if (r < 0)
		return r;
	r = snapshot_from_store(snapshot, store);
	return r < 0 ? snapshot_fail(ret_error, r, "a variable %s", snapshot_add_error(r)) : 0;
}

/* True when a file begins as a JSON object does; no store does. */
static bool looks_like_json(int fd)
{
	char text[64];
	ssize_t n = io_pread(fd, text, sizeof(text), 0);

	for (ssize_t i = 0; i < n; i++) {
		if (!strchr(" \t\r\n", text[i]))
			return text[i] == '{';
	}
	return false;
}

static int load_file(struct snapshot *snapshot, const char *path, char **ret_error)
{
	CLEAN_FD int fd = vars_open_input(path);
	struct stat st;

	if (fd < 0)
		return snapshot_fail(ret_error, fd, "%s", strerror(-fd));
	if (fstat(fd, &st) < 0)
		return snapshot_fail(ret_error, -errno, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return snapshot_from_directory(snapshot, path, ret_error);
	if (S_ISBLK(st.st_mode) || (S_ISREG(st.st_mode) && !looks_like_json(fd)))
		return load_store(snapshot, path, ret_error);
	return load_json(snapshot, fd, ret_error);
}

int snapshot_load(struct snapshot *snapshot, const char *path)
{
	CLEAN(free) char *error = NULL;
	bool is_input = strcmp(path, "-") == 0;
	int r = is_input ? load_json(snapshot, STDIN_FILENO, &error) :
		load_file(snapshot, path, &error);

	if (r < 0)
		program_error("%s: %s", is_input ? "standard input" : path,
			error ? error : strerror(-r));
	return r;
}
