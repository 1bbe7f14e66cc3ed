/* SPDX-License-Identifier: MIT */
/*
 * mount_options.h — the options of a mount: the tables, their values, and the sorting of what
 * mount(8) passes along.
 *
 * An option text of mount(8) mixes three kinds: options of the VFS (ro, nosuid, relatime), options
 * of mount(8) itself (nofail, _netdev, x-systemd...), and ours. libmount knows the first two; what
 * it does not know is ours.
 *
 * Threads: values have one owner at a time; those of a mount do not change while it is served.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/option.h"
#include "fs/passthrough/passthrough.h"

enum mount_io {
	MOUNT_IO_AUTO,
	MOUNT_IO_READWRITE,
	MOUNT_IO_URING,
};

/* Options of every mount. */
struct mount_common_options {
	bool is_read_only;
	bool allow_other;
	char *fsname; /* owned, NULL: the source */
	uint32_t threads; /* 0: as many as suit the machine */
	uint32_t io;      /* enum mount_io */
};

/* Options of a mount of UEFI variables. */
struct mount_efivars_options {
	bool statfs;
	uint32_t uid;
	uint32_t gid;
	uint32_t auth;    /* enum firmware_auth */
	uint32_t view;    /* enum firmware_view */
	uint32_t profile; /* enum store_profile */
	uint64_t firmware_delay; /* nanoseconds */
};

/* What is mounted; says which options there are beside the common ones. */
enum mount_type {
	MOUNT_TYPE_EFIVARS,
	MOUNT_TYPE_DIR,
};

struct mount_options {
	enum mount_type type; /* set by whoever has looked at the source, before parsing */
	struct mount_common_options common;
	struct mount_efivars_options efivars;
	struct passthrough_options dir;
	unsigned long flags; /* MS_* beside the read-only one */
};

extern const struct option_table mount_common_table;
extern const struct option_table mount_efivars_table;
extern const struct option_table mount_dir_table;

/* The defaults of this machine and this caller; the type is efivars. */
void mount_options_init(struct mount_options *options);
void mount_options_fini(struct mount_options *options);

/* An option text, sorted. Texts are owned and never NULL. */
struct mount_words {
	char *ours; /* with ro and rw, which both the kernel and the server must know */
	char *vfs;  /* with ro and rw too */
	char *recorded; /* mount(8)'s own that it records: _netdev, x-... */
	bool is_remount;
};

/* 0; -EINVAL for a text that libmount cannot read or that asks for a bind; -ENOMEM. */
int mount_words_split(struct mount_words *ret, const char *text, char **ret_error) MUST_CHECK;
void mount_words_fini(struct mount_words *words);

/* Drops what no table knows: mount(8)'s -s. 0 or -ENOMEM. */
int mount_words_drop_unknown(struct mount_words *words) MUST_CHECK;

/*
 * What a mount's MS_* flags become when a text of VFS options is applied (a later option wins):
 * those that a mount of ours may have, with MS_RDONLY.
 */
unsigned long mount_words_change_flags(unsigned long flags, const char *vfs);

/* Reads words into options. 0 or -errno with one line in *ret_error (owned by the caller). */
int mount_options_parse(struct mount_options *options, const struct mount_words *words,
	char **ret_error) MUST_CHECK;

/* The same for live options, as a remount does: text is ours alone. */
int mount_options_change(struct mount_options *options, const char *text, char **ret_error)
	MUST_CHECK;

/* 0 or -ENOMEM, with nothing owned in *ret. */
int mount_options_copy(struct mount_options *ret, const struct mount_options *options) MUST_CHECK;

/* Appends all options in force, defaults included. */
void mount_options_format(const struct mount_options *options, struct buffer *out);

/*
 * Appends those that the mount table shows: nostatfs, statfs where it is not the default, and
 * owners other than root; of a directory the options that are not the default. Nothing when there
 * is none.
 */
void mount_options_shown(const struct mount_options *options, struct buffer *out);

/* Appends the part of --help that lists the options, with or without those of directories. */
void mount_options_help(struct buffer *out, bool has_directories);
