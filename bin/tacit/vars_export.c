/* SPDX-License-Identifier: MIT */
/*
 * vars_export.c — `tacit vars export`: all variables as one JSON document, or as files.
 *
 * JSON keeps everything that a store keeps. The files look as they do in efivarfs: they have no
 * time stamps, and a '/' in a name is shown as '!'.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/json.h"
#include "tacit/program.h"
#include "tacit/vars.h"
#include "tacit/vars_snapshot.h"

DEFINE_CLEAN(DIR *, closedir)

static void export_variable(struct json *j, const struct nv_variable *v)
{
	uint8_t time[SNAPSHOT_TIME_SIZE];

	json_object(j);
	vars_json_key(j, &v->name, &v->vendor);
	json_key(j, "attr");
	json_u64(j, v->attributes);
	json_key(j, "data");
	json_hex(j, v->data, v->size);
	if (!uefi_time_is_zero(&v->time)) {
		snapshot_time_encode(&v->time, time);
		json_key(j, "time");
		json_hex(j, time, sizeof(time));
	}
	if (v->monotonic_count != 0) {
		json_key(j, "monotonic_count");
		json_u64(j, v->monotonic_count);
	}
	if (v->public_key_index != 0) {
		json_key(j, "public_key_index");
		json_u64(j, v->public_key_index);
	}
	json_end(j);
}

static int export_json(struct store *store)
{
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	struct json j = json_to(&out);
	struct nv_variable v;
	uint64_t cursor = 0;

	json_object(&j);
	json_key(&j, "version");
	json_u64(&j, 2);
	json_key(&j, "variables");
	json_array(&j);
	while (store->nv.ops->next(&store->nv, &cursor, &v) > 0)
		export_variable(&j, &v);
	json_end(&j);
	json_end(&j);
	return vars_print(&out);
}

static int file_name(const struct nv_variable *v, struct buffer *out)
{
	char guid[GUID_TEXT_LENGTH + 1];

	uefi_name_to_utf8(&v->name, out);
	guid_format(&v->vendor, guid);
	buffer_printf(out, "-%s", guid);
	if (buffer_error(out))
		return -ENOMEM;
	for (size_t i = 0; i < out->size; i++) {
		if (out->data[i] == '/')
			out->data[i] = '!';
	}
	return memchr(out->data, 0, out->size) ? -EINVAL : out->size > NAME_MAX ? -ENAMETOOLONG : 0;
}

static int write_file(int directory, const struct nv_variable *v, const char *name,
	bool may_replace)
{
	CLEAN_FD int fd = openat(directory, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC |
		(may_replace ? O_TRUNC : O_EXCL), 0644);
	CLEAN_BUFFER struct buffer content = BUFFER_INIT;

	if (fd < 0)
		return -errno;
	buffer_le32(&content, v->attributes);
	buffer_append(&content, v->data, v->size);
	if (buffer_error(&content))
		return -ENOMEM;
	return io_write(fd, content.data, content.size);
}

static bool is_empty(int directory)
{
	int fd = fcntl(directory, F_DUPFD_CLOEXEC, 0);
	CLEAN(closedir) DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!list) {
		if (fd >= 0)
			(void)close(fd); /* it could not become a list; nothing was written to it */
		return false;
	}
	while ((entry = readdir(list))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return false;
	}
	return true;
}

/* The directory to write into, made where it is missing. A descriptor, or -errno. */
static int open_directory(const char *path, bool may_replace)
{
	CLEAN_FD int directory = -1;

	if (mkdir(path, 0777) < 0 && errno != EEXIST) {
		program_error("%s: %s", path, strerror(errno));
		return -errno;
	}
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0) {
		program_error("%s: %s", path, strerror(errno));
		return -errno;
	}
	if (!may_replace && !is_empty(directory)) {
		program_error("%s: the directory is not empty; --force writes into it", path);
		return -EEXIST;
	}
	return TAKE_FD(directory);
}

static int export_directory(struct store *store, const char *path, bool may_replace)
{
	CLEAN_FD int directory = open_directory(path, may_replace);
	struct nv_variable v;
	uint64_t cursor = 0;

	if (directory < 0)
		return 1;
	while (store->nv.ops->next(&store->nv, &cursor, &v) > 0) {
		CLEAN_BUFFER struct buffer name = BUFFER_INIT;
		CLEAN_BUFFER struct buffer shown = BUFFER_INIT;
		int r = file_name(&v, &name);

		if (r == 0)
			r = write_file(directory, &v, buffer_text(&name), may_replace);
		if (r < 0) {
			vars_key_show(&v.name, &v.vendor, &shown);
			program_error("%s/%s: %s", path, buffer_text(&shown), strerror(-r));
			return 1;
		}
	}
	return 0;
}

int vars_export(const struct vars_call *call)
{
	CLEAN(store_free) struct store *store = NULL;
	const char *path = vars_option(call, "dir");

	if (path && vars_option(call, "json")) {
		program_usage_error("--json and --dir exclude each other");
		return 1;
	}
	if (vars_open_store(call, false, &store) < 0)
		return 1;
	return path ? export_directory(store, path, vars_option(call, "force")) :
		export_json(store);
}
