/* SPDX-License-Identifier: MIT */
/* mount_session.c — see mount_session.h. */
#include "tacit/mount_session.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "fs/efivars/efivars.h"
#include "store/store.h"
#include "tacit/image.h"
#include "tacit/mount_directory.h"
#include "tacit/program.h"
#include "tacit/utab.h"
#include "transport/devfuse/devfuse.h"
#include "uefi/delay.h"
#include "uefi/derived.h"
#include "uefi/firmware.h"

struct mount_session {
	struct mount_options options; /* as it was mounted; what is live of them the fs knows */
	char *source;                 /* as the mount table shows it */
	char *mountpoint;             /* NULL before attach */
	struct fs *fs;
	struct devfuse_mount *mount;
	struct devfuse_server *server;
	atomic_bool is_read_only; /* of a directory, live */
	bool is_recorded; /* in utab; set before run */
	pthread_mutex_t record_lock; /* so that the last change is the one that stays recorded */
};

/* ---- the live channel ---- */

/* The options in force: what was mounted, with what the file system has made of it since. */
static int options_in_force(const struct mount_session *session, struct mount_options *ret)
{
	struct efivars_options live;
	int r = mount_options_copy(ret, &session->options);

	if (r < 0)
		return r;
	if (ret->type == MOUNT_TYPE_DIR) {
		ret->common.is_read_only = atomic_load(&session->is_read_only);
		return 0;
	}
	live = efivars_get_options(session->fs);
	ret->common.is_read_only = live.is_read_only;
	ret->efivars.statfs = live.statfs;
	return 0;
}

static void describe(void *arg, struct buffer *out)
{
	const struct mount_session *session = arg;
	struct mount_options options;
	int r = options_in_force(session, &options);

	if (r < 0) {
		out->error = r;
		return;
	}
	mount_options_format(&options, out);
	mount_options_fini(&options);
}

static const char *shown_source(const struct mount_session *session)
{
	const char *fsname = session->options.common.fsname;

	return fsname ? fsname : session->source;
}

/* Puts the options in force into utab: into the line of a new mount, or into one that is there. */
static void record(struct mount_session *session, const char *others_of_new)
{
	CLEAN_BUFFER struct buffer shown = BUFFER_INIT;
	const char *source = shown_source(session);
	struct mount_options options;
	int r;

	pthread_mutex_lock(&session->record_lock);
	r = options_in_force(session, &options);
	if (r == 0) {
		mount_options_shown(&options, &shown);
		mount_options_fini(&options);
		r = others_of_new ?
			utab_add(session->mountpoint, source, buffer_text(&shown), others_of_new) :
			utab_set(session->mountpoint, source, buffer_text(&shown));
	}
	pthread_mutex_unlock(&session->record_lock);
	if (r < 0)
		log_debug("the options are not recorded in %s: %s", UTAB_PATH, strerror(-r));
}

/*
 * As a remount: all or nothing. What is not changed is not set: a change by another thread, while
 * this one waits for the services, stands.
 */
static int reconfigure(void *arg, const char *text, bool may_wait, char **ret_error)
{
	struct mount_session *session = arg;
	bool was_read_only, is_read_only, had_statfs, has_statfs;
	struct mount_options options;
	int r;

	r = options_in_force(session, &options);
	if (r < 0)
		return r;
	was_read_only = options.common.is_read_only;
	had_statfs = options.efivars.statfs;
	r = mount_options_change(&options, text, ret_error);
	is_read_only = options.common.is_read_only;
	has_statfs = options.efivars.statfs;
	mount_options_fini(&options);
	if (r == 0 && is_read_only != was_read_only)
		r = may_wait ? efivars_set_read_only(session->fs, is_read_only, ret_error) :
			       -EAGAIN;
	if (r < 0)
		return r;
	if (has_statfs != had_statfs)
		efivars_set_statfs(session->fs, has_statfs);
	if (session->is_recorded)
		record(session, NULL);
	return 0;
}

/* A directory's: of its options only ro and rw can change, which the kernel alone looks at. */
static int reconfigure_directory(void *arg, const char *text, char **ret_error)
{
	struct mount_session *session = arg;
	struct mount_options options;
	int r;

	r = options_in_force(session, &options);
	if (r < 0)
		return r;
	r = mount_options_change(&options, text, ret_error);
	if (r == 0)
		atomic_store(&session->is_read_only, options.common.is_read_only);
	mount_options_fini(&options);
	if (r == 0 && session->is_recorded)
		record(session, NULL);
	return r;
}

/* ---- from the ground ---- */

/* What would help, for an image that may only be read. */
static const char *hint(const char *path, int error, bool is_writable)
{
	bool is_refused = error == -EACCES || error == -EPERM || error == -EROFS ||
		error == -EBUSY;
	bool would_help = is_refused && is_writable && access(path, R_OK) == 0;

	return would_help ? "; it can be read with -o ro" : "";
}

static int open_store(struct store **ret, const char *path, const struct mount_options *options,
	char **ret_error)
{
	const bool is_writable = !options->common.is_read_only;
	CLEAN(free) char *error = NULL;
	struct source *source;
	int r;

	r = image_open(&source, path, is_writable, &error);
	if (r == 0)
		r = store_open(ret, source, (enum store_profile)options->efivars.profile, &error);
	if (r < 0)
		*ret_error = program_text("%s: %s%s", path, error ? error : strerror(-r),
			hint(path, r, is_writable));
	return r;
}

static int build_services(struct uefi_services **ret, struct store *take_store,
	const struct mount_efivars_options *options)
{
	const struct firmware_config config = {
		.auth = (enum firmware_auth)options->auth,
		.view = (enum firmware_view)options->view,
	};
	struct uefi_services *services;
	int r;

	r = firmware_new(&services, &take_store->nv, &config);
	if (r == 0)
		r = uefi_derived_new(&services, services, &take_store->nv);
	if (r == 0 && options->firmware_delay > 0)
		r = uefi_delay_new(&services, services, options->firmware_delay);
	if (r < 0)
		return r;
	*ret = services;
	return 0;
}

static int build_directory(struct mount_session *session, char **ret_error)
{
	const struct passthrough_config config = {
		.options = session->options.dir,
		.describe = describe,
		.reconfigure = reconfigure_directory,
		.arg = session,
	};

	atomic_store(&session->is_read_only, session->options.common.is_read_only);
	return mount_directory_open(&session->fs, session->source, &config, ret_error);
}

static int build_variables(struct mount_session *session, char **ret_error)
{
	const struct mount_options *options = &session->options;
	const struct efivars_config config = {
		.options = {
			.statfs = options->efivars.statfs,
			.uid = options->efivars.uid,
			.gid = options->efivars.gid,
			.is_read_only = options->common.is_read_only,
		},
		.reserve = EFIVARS_RESERVE,
		.describe = describe,
		.reconfigure = reconfigure,
		.arg = session,
	};
	struct uefi_services *services;
	struct store *store;
	int r;

	r = open_store(&store, session->source, options, ret_error);
	if (r < 0)
		return r;
	r = build_services(&services, store, &options->efivars);
	if (r == 0)
		r = efivars_new(&session->fs, services, &config);
	if (r < 0)
		*ret_error = program_text("%s: its variables cannot be read: %s", session->source,
			strerror(-r));
	return r;
}

/* What can be told from a source's kind alone. 0, or -errno with the line. */
static int check_kind(const char *source, enum mount_type type, char **ret_error)
{
	static const char only[] = "this version serves directories, and UEFI variable stores in "
		"files and block devices";
	struct stat st;

	if (strncmp(source, "live:", strlen("live:")) == 0) {
		*ret_error = program_text("%s is the running firmware: %s", source, only);
		return -EOPNOTSUPP;
	}
	if (stat(source, &st) < 0) {
		int error = errno;

		*ret_error = program_text("%s: %s", source, strerror(error));
		return -error;
	}
	if (type == MOUNT_TYPE_DIR) {
		if (S_ISDIR(st.st_mode))
			return 0;
		*ret_error = program_text("%s is not a directory", source);
		return -ENOTDIR;
	}
	if (S_ISDIR(st.st_mode) || S_ISSOCK(st.st_mode)) {
		*ret_error = program_text("%s is a %s: UEFI variable stores are files and block "
			"devices", source, S_ISDIR(st.st_mode) ? "directory" : "socket");
		return -EOPNOTSUPP;
	}
	return 0;
}

int mount_session_new(struct mount_session **ret, const char *source,
	const struct mount_options *options, char **ret_error)
{
	CLEAN(mount_session_free) struct mount_session *session = NULL;
	int r;

	r = check_kind(source, options->type, ret_error);
	if (r < 0)
		return r;
	session = calloc(1, sizeof(*session));
	if (!session)
		return -ENOMEM;
	pthread_mutex_init(&session->record_lock, NULL); /* a normal one: cannot fail */
	session->source = realpath(source, NULL);
	if (!session->source)
		return -errno;
	r = mount_options_copy(&session->options, options);
	if (r < 0)
		return r;
	r = options->type == MOUNT_TYPE_DIR ? build_directory(session, ret_error) :
		build_variables(session, ret_error);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(session);
	return 0;
}

struct mount_session *mount_session_free(struct mount_session *session)
{
	if (!session)
		return NULL;
	devfuse_server_free(session->server);
	devfuse_mount_free(session->mount);
	if (session->fs)
		session->fs->ops->destroy(session->fs);
	if (session->is_recorded) {
		int r = utab_remove(session->mountpoint, shown_source(session));

		if (r < 0)
			log_debug("%s keeps a line of this mount: %s", UTAB_PATH, strerror(-r));
	}
	mount_options_fini(&session->options);
	pthread_mutex_destroy(&session->record_lock);
	free(session->mountpoint);
	free(session->source);
	free(session);
	return NULL;
}

int mount_session_attach(struct mount_session *session, const char *mountpoint, char **ret_error)
{
	const struct mount_common_options *common = &session->options.common;
	const struct devfuse_mount_options options = {
		.source = shown_source(session),
		.subtype = "tacit",
		.is_read_only = common->is_read_only,
		.allow_other = common->allow_other,
		.default_permissions = true,
		.flags = session->options.flags,
	};
	const struct fuse_session_config config = {0};
	int r;

	session->mountpoint = strdup(mountpoint);
	if (!session->mountpoint)
		return -ENOMEM;
	r = devfuse_mount_new(&session->mount, mountpoint, &options, ret_error);
	if (r < 0)
		return r;
	return devfuse_server_new(&session->server, session->mount, session->fs, common->threads,
		&config);
}

void mount_session_record(struct mount_session *session, const char *others)
{
	session->is_recorded = true;
	record(session, others);
}

int mount_session_run(struct mount_session *session, void (*on_ready)(void *arg), void *arg)
{
	return devfuse_server_run(session->server, on_ready, arg);
}

void mount_session_stop(struct mount_session *session)
{
	devfuse_server_stop(session->server);
}
