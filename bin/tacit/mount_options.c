/* SPDX-License-Identifier: MIT */
/* mount_options.c — see mount_options.h. */
#include "tacit/mount_options.h"

#include <errno.h>
#include <libmount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "fs/efivars/efivars.h"
#include "store/store.h"
#include "tacit/program.h"
#include "transport/devfuse/devfuse.h"
#include "uefi/delay.h"
#include "uefi/firmware.h"

#ifndef MS_NOSYMFOLLOW
#define MS_NOSYMFOLLOW 256
#endif

/* Flags of the VFS that a mount of ours takes over. Others are mount(8)'s business. */
#define FLAGS_KEPT                                                                                 \
	(MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_SYNCHRONOUS | MS_DIRSYNC | MS_NOATIME | \
		MS_NODIRATIME | MS_RELATIME | MS_STRICTATIME | MS_LAZYTIME | MS_NOSYMFOLLOW)

static const char *const io_names[] = {
	[MOUNT_IO_AUTO] = "auto",
	[MOUNT_IO_READWRITE] = "readwrite",
	[MOUNT_IO_URING] = "uring",
	NULL,
};
static const char *const auth_names[] = {
	[FIRMWARE_AUTH_FIRMWARE] = "firmware",
	[FIRMWARE_AUTH_OWNER] = "owner",
	NULL,
};
static const char *const view_names[] = {
	[FIRMWARE_VIEW_ALL] = "all",
	[FIRMWARE_VIEW_RUNTIME] = "runtime",
	NULL,
};

/* In the order of enum passthrough_cache. */
static const char *const cache_names[] = {
	[PASSTHROUGH_CACHE_AUTO] = "auto",
	[PASSTHROUGH_CACHE_ALWAYS] = "always",
	[PASSTHROUGH_CACHE_METADATA] = "metadata",
	[PASSTHROUGH_CACHE_NEVER] = "never",
	NULL,
};

#define COMMON(member) offsetof(struct mount_common_options, member)
static const struct option_spec common_specs[] = {
	{.name = "ro", .kind = OPTION_RO_RW, .offset = COMMON(is_read_only), .is_live = true,
		.help = "read-only, or writable (default)"},
	{.name = "allow_other", .kind = OPTION_NEGATABLE, .offset = COMMON(allow_other),
		.help = "users other than the one who mounts may enter (default for root)"},
	{.name = "fsname", .kind = OPTION_STRING, .offset = COMMON(fsname),
		.help = "name in the mount table instead of SOURCE"},
	{.name = "threads", .kind = OPTION_U32, .offset = COMMON(threads), .min = 0,
		.max = DEVFUSE_THREADS_MAX, .help = "threads that serve; 0 chooses (default)"},
	{.name = "io", .kind = OPTION_ENUM, .offset = COMMON(io), .choices = io_names,
		.help = "how requests come from the kernel"},
};

#define EFIVARS(member) offsetof(struct mount_efivars_options, member)
static const struct option_spec efivars_specs[] = {
	{.name = "statfs", .kind = OPTION_NEGATABLE, .offset = EFIVARS(statfs), .is_live = true,
		.help = "df asks the firmware; with nostatfs it gets zeros at once"},
	{.name = "uid", .kind = OPTION_UID, .offset = EFIVARS(uid),
		.help = "owner of all files (default: who mounts)"},
	{.name = "gid", .kind = OPTION_GID, .offset = EFIVARS(gid),
		.help = "group of all files (default: who mounts)"},
	{.name = "auth", .kind = OPTION_ENUM, .offset = EFIVARS(auth), .choices = auth_names,
		.help = "whose word counts when authenticated variables are written"},
	{.name = "view", .kind = OPTION_ENUM, .offset = EFIVARS(view), .choices = view_names,
		.help = "which variables: all, or those that an operating system sees"},
	{.name = "profile", .kind = OPTION_ENUM, .offset = EFIVARS(profile),
		.choices = store_profile_names,
		.help = "whose limits hold: by the image, or of that firmware"},
	{.name = "firmware_delay", .kind = OPTION_TIME, .offset = EFIVARS(firmware_delay), .min = 0,
		.max = UEFI_DELAY_MAX_NS,
		.help = "time that each question to the firmware takes, for trying tools"},
};

#define DIR(member) offsetof(struct passthrough_options, member)
static const struct option_spec dir_specs[] = {
	{.name = "cache", .kind = OPTION_ENUM, .offset = DIR(cache), .choices = cache_names,
		.help = "what the kernel may remember, and how long"},
	{.name = "writeback", .kind = OPTION_NEGATABLE, .offset = DIR(writeback),
		.help = "the kernel gathers writes"},
	{.name = "killpriv", .kind = OPTION_NEGATABLE, .offset = DIR(killpriv),
		.help = "set-id bits are stripped here: no question before a write (default)"},
	{.name = "xattr", .kind = OPTION_NEGATABLE, .offset = DIR(xattr),
		.help = "extended attributes and access lists (default)"},
	{.name = "flock", .kind = OPTION_NEGATABLE, .offset = DIR(flock),
		.help = "flock(2) locks hold on the host too (default)"},
	{.name = "posix_lock", .kind = OPTION_NEGATABLE, .offset = DIR(posix_lock),
		.help = "fcntl(2) locks hold on the host too (default)"},
	{.name = "translate-uid", .kind = OPTION_LIST, .offset = DIR(translate_uid),
		.help = "a range of users who are others on the host; may be given several times"},
	{.name = "translate-gid", .kind = OPTION_LIST, .offset = DIR(translate_gid),
		.help = "the same of groups"},
	{.name = "xattrmap", .kind = OPTION_STRING, .offset = DIR(xattrmap),
		.help = "rules that give extended attributes other names on the host"},
};

static const struct passthrough_options dir_defaults = {
	.killpriv = true,
	.xattr = true,
	.flock = true,
	.posix_lock = true,
};

const struct option_table mount_dir_table = {dir_specs, ARRAY_SIZE(dir_specs)};
const struct option_table mount_common_table = {common_specs, ARRAY_SIZE(common_specs)};
const struct option_table mount_efivars_table = {efivars_specs, ARRAY_SIZE(efivars_specs)};

/*
 * Options that the kernel's FUSE shows of a live mount, or that earlier programs passed to it: they
 * come back on a remount, and say nothing to us.
 */
static const char *const kernel_words[] = {"user_id", "group_id", "rootmode", "fd", "max_read",
	"blksize", "subtype", "seclabel", "default_permissions", "nodefault_permissions"};

void mount_options_init(struct mount_options *options)
{
	*options = (struct mount_options){
		.common.allow_other = geteuid() == 0,
		.efivars.statfs = !efivars_is_realtime_kernel(),
		.efivars.uid = geteuid(),
		.efivars.gid = getegid(),
		.dir = dir_defaults,
	};
}

void mount_options_fini(struct mount_options *options)
{
	option_fini(&mount_common_table, &options->common);
	option_fini(&mount_efivars_table, &options->efivars);
	option_fini(&mount_dir_table, &options->dir);
}

#define SET_COUNT 2
static void option_sets(struct mount_options *options, struct option_set sets[static SET_COUNT])
{
	sets[0] = (struct option_set){&mount_common_table, &options->common};
	if (options->type == MOUNT_TYPE_DIR)
		sets[1] = (struct option_set){&mount_dir_table, &options->dir};
	else
		sets[1] = (struct option_set){&mount_efivars_table, &options->efivars};
}

/* ---- sorting ---- */

/* True when the name of an element, what is before '=', is `name`. */
static bool is_named(const char *element, const char *name)
{
	size_t length = strcspn(element, "=");

	return strlen(name) == length && strncmp(element, name, length) == 0;
}

static bool is_kernel_word(const char *element)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel_words); i++) {
		if (is_named(element, kernel_words[i]))
			return true;
	}
	return false;
}

static bool is_read_write_word(const char *element)
{
	return is_named(element, "ro") || is_named(element, "rw");
}

static bool is_spec_named(const struct option_spec *spec, const char *element)
{
	return is_named(element, spec->name) ||
		(spec->kind == OPTION_NEGATABLE && strncmp(element, "no", 2) == 0 &&
			is_named(element + 2, spec->name)) ||
		(spec->kind == OPTION_RO_RW && is_named(element, "rw"));
}

static bool is_table_word(const struct option_table *table, const char *element)
{
	for (size_t i = 0; i < table->count; i++) {
		if (is_spec_named(&table->specs[i], element))
			return true;
	}
	return false;
}

static bool is_our_word(const char *element)
{
	return is_table_word(&mount_common_table, element) ||
		is_table_word(&mount_efivars_table, element) ||
		is_table_word(&mount_dir_table, element);
}

static bool is_foreign_to_us(const char *element)
{
	return !is_kernel_word(element);
}

/* Appends the elements of text that `wanted` likes. 0 or -ENOMEM. */
static int append_words(struct buffer *out, const char *text, bool (*wanted)(const char *element))
{
	for (;;) {
		CLEAN(free) char *element = NULL;
		int r = option_next(&text, &element);

		if (r <= 0)
			return r < 0 ? r : buffer_error(out);
		if (wanted(element))
			buffer_printf(out, "%s%s", out->size > 0 ? "," : "", element);
	}
}

static char *take_text(struct buffer *out)
{
	buffer_string(out, "");
	return buffer_error(out) ? NULL : out->size > 0 ? buffer_take_text(out) : strdup("");
}

static int sort_words(struct mount_words *words, const char *user, const char *vfs,
	const char *rest)
{
	CLEAN_BUFFER struct buffer ours = BUFFER_INIT;
	int r;

	if (mnt_optstr_get_options(user, &words->recorded,
		    mnt_get_builtin_optmap(MNT_USERSPACE_MAP), MNT_NOMTAB) < 0)
		return -ENOMEM;
	if (!words->recorded)
		words->recorded = strdup("");

	r = append_words(&ours, vfs, is_read_write_word);
	if (r < 0)
		return r;
	r = append_words(&ours, rest, is_foreign_to_us);
	if (r < 0)
		return r;
	words->ours = take_text(&ours);
	words->vfs = strdup(vfs);
	return words->ours && words->vfs && words->recorded ? 0 : -ENOMEM;
}

static unsigned long vfs_flags(unsigned long flags, const char *vfs)
{
	/* Fails only for a text that libmount did not make itself; then nothing has changed. */
	(void)mnt_optstr_get_flags(vfs, &flags, mnt_get_builtin_optmap(MNT_LINUX_MAP));
	return flags;
}

int mount_words_split(struct mount_words *ret, const char *text, char **ret_error)
{
	CLEAN(free) char *user = NULL;
	CLEAN(free) char *vfs = NULL;
	CLEAN(free) char *rest = NULL;
	struct mount_words words = {0};
	unsigned long flags;
	int r;

	if (mnt_split_optstr(text, &user, &vfs, &rest, 0, 0) < 0) {
		*ret_error = program_text("the options '%s' cannot be read", text);
		return -EINVAL;
	}
	flags = vfs_flags(0, vfs ? vfs : "");
	if (flags & MS_BIND) {
		*ret_error = program_text("bind is no option of a new mount: see mount --bind");
		return -EINVAL;
	}
	words.is_remount = flags & MS_REMOUNT;
	r = sort_words(&words, user ? user : "", vfs ? vfs : "", rest ? rest : "");
	if (r < 0) {
		mount_words_fini(&words);
		return r;
	}
	*ret = words;
	return 0;
}

void mount_words_fini(struct mount_words *words)
{
	free(words->ours);
	free(words->vfs);
	free(words->recorded);
	*words = (struct mount_words){0};
}

int mount_words_drop_unknown(struct mount_words *words)
{
	CLEAN_BUFFER struct buffer known = BUFFER_INIT;
	char *text;
	int r;

	r = append_words(&known, words->ours, is_our_word);
	if (r < 0)
		return r;
	text = take_text(&known);
	if (!text)
		return -ENOMEM;
	free(words->ours);
	words->ours = text;
	return 0;
}

unsigned long mount_words_change_flags(unsigned long flags, const char *vfs)
{
	return vfs_flags(flags, vfs) & FLAGS_KEPT;
}

/* ---- values ---- */

int mount_options_parse(struct mount_options *options, const struct mount_words *words,
	char **ret_error)
{
	struct option_set sets[SET_COUNT];
	int r;

	option_sets(options, sets);
	r = option_parse(sets, SET_COUNT, words->ours, false, ret_error);
	if (r == 0 && options->type == MOUNT_TYPE_DIR)
		r = passthrough_options_check(&options->dir, ret_error);
	if (r < 0)
		return r;
	options->flags = mount_words_change_flags(0, words->vfs) & ~(unsigned long)MS_RDONLY;
	if (options->common.io == MOUNT_IO_URING) {
		*ret_error = program_text("io=uring is not in this version, which has io=auto and "
			"io=readwrite");
		return -EINVAL;
	}
	return 0;
}

int mount_options_change(struct mount_options *options, const char *text, char **ret_error)
{
	struct option_set sets[SET_COUNT];

	option_sets(options, sets);
	return option_parse(sets, SET_COUNT, text, true, ret_error);
}

int mount_options_copy(struct mount_options *ret, const struct mount_options *options)
{
	struct mount_options copy = {
		.type = options->type,
		.flags = options->flags,
	};
	int r;

	r = option_copy(&mount_common_table, &options->common, sizeof(copy.common), &copy.common);
	if (r == 0)
		r = option_copy(&mount_efivars_table, &options->efivars, sizeof(copy.efivars),
			&copy.efivars);
	if (r == 0)
		r = option_copy(&mount_dir_table, &options->dir, sizeof(copy.dir), &copy.dir);
	if (r < 0) {
		mount_options_fini(&copy);
		return r;
	}
	*ret = copy;
	return 0;
}

void mount_options_format(const struct mount_options *options, struct buffer *out)
{
	struct option_set sets[SET_COUNT];

	/* Formatting reads the values; the sets of a parser are not for constant ones. */
	option_sets((struct mount_options *)options, sets);
	option_format(sets, SET_COUNT, out);
}

void mount_options_shown(const struct mount_options *options, struct buffer *out)
{
	const struct mount_efivars_options *efivars = &options->efivars;
	const char *comma = "";

	if (options->type == MOUNT_TYPE_DIR) {
		option_format_changed(&mount_dir_table, &options->dir, &dir_defaults, out);
		return;
	}
	if (!efivars->statfs || efivars_is_realtime_kernel()) {
		buffer_string(out, efivars->statfs ? "statfs" : "nostatfs");
		comma = ",";
	}
	if (efivars->uid != 0) {
		buffer_printf(out, "%suid=%u", comma, efivars->uid);
		comma = ",";
	}
	if (efivars->gid != 0)
		buffer_printf(out, "%sgid=%u", comma, efivars->gid);
}

void mount_options_help(struct buffer *out, bool has_directories)
{
	buffer_string(out, "\nOptions after -o, of every mount:\n");
	option_help(&mount_common_table, out);
	buffer_string(out, "\nOptions after -o, of UEFI variables:\n");
	option_help(&mount_efivars_table, out);
	if (has_directories) {
		buffer_string(out, "\nOptions after -o, of directories:\n");
		option_help(&mount_dir_table, out);
	}
	buffer_string(out,
		"\nThe VFS's own (nosuid, nodev, noexec, noatime, sync, ...) and mount(8)'s\n"
		"(nofail, _netdev, x-...) may stand among them.\n");
}
