/* SPDX-License-Identifier: MIT */
/* mount_options_test.c — how an option text of mount(8) is sorted, read and shown. */
#include "tacit/mount_options.h"

#include <errno.h>
#include <sys/mount.h>

#include "base/test/tap.h"
#include "fs/efivars/efivars.h"

static const struct {
	const char *text;
	const char *ours;
	const char *vfs;
	const char *recorded;
	bool is_remount;
} splits[] = {
	{"", "", "", "", false},
	{"statfs", "statfs", "", "", false},
	{"ro,nosuid,uid=5", "ro,uid=5", "ro,nosuid", "", false},
	{"rw,remount,statfs,rw,ro", "rw,rw,ro,statfs", "rw,remount,rw,ro", "", true},
	{"defaults,nofail,noauto,auto,owner,group,comment=x,X-y", "", "", "", false},
	{"_netdev,x-one=1,user,nostatfs", "nostatfs", "", "_netdev,x-one=1,user", false},
	{"rw,nosuid,nodev,relatime,remount,user_id=0,group_id=0,default_permissions,allow_other,"
		"max_read=4096,blksize=512,rootmode=40000,fd=3,subtype=tacit,seclabel,statfs",
		"rw,allow_other,statfs", "rw,nosuid,nodev,relatime,remount", "", true},
	{"fsname=a\\,b,ro", "ro,fsname=a\\,b", "ro", "", false},
};

static void test_splits(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(splits); i++) {
		CLEAN(free) char *error = NULL;
		struct mount_words words = {0};

		is_int(mount_words_split(&words, splits[i].text, &error), 0, splits[i].text);
		is_text(words.ours, splits[i].ours, "ours");
		is_text(words.vfs, splits[i].vfs, "the VFS's");
		is_text(words.recorded, splits[i].recorded, "recorded");
		is_int(words.is_remount, splits[i].is_remount, "remount");
		mount_words_fini(&words);
	}
}

static void test_refused_splits(void)
{
	static const char *const texts[] = {"bind", "rbind,ro"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		CLEAN(free) char *error = NULL;
		struct mount_words words = {0};

		is_int(mount_words_split(&words, texts[i], &error), -EINVAL, texts[i]);
		ok(error && !words.ours, "a line, and nothing is left");
	}
}

static void test_unknown(void)
{
	CLEAN(free) char *error = NULL;
	struct mount_words words = {0};

	is_int(mount_words_split(&words, "frobnicate,nostatfs,nofrob=1,uid=3,rw,statfsx", &error),
		0, "unknown options are ours at first");
	is_int(mount_words_drop_unknown(&words), 0, "and dropped");
	is_text(words.ours, "rw,nostatfs,uid=3", "while the known ones stay");
	mount_words_fini(&words);
}

static const struct {
	unsigned long before;
	const char *vfs;
	unsigned long after;
} flags[] = {
	{0, "", 0},
	{0, "ro,nosuid,nodev,noexec", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{MS_RDONLY | MS_NOSUID, "rw", MS_NOSUID},
	{MS_NOSUID, "remount,suid,ro", MS_RDONLY},
	{0, "ro,rw", 0},
	{0, "mand,loud,shared,noatime", MS_NOATIME},
};

static void test_flags(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		is_int((intmax_t)mount_words_change_flags(flags[i].before, flags[i].vfs),
			(intmax_t)flags[i].after, flags[i].vfs);
}

/* Reads a text into options that are defaults of root's. 0 or -errno. */
static int parse(struct mount_options *options, const char *text)
{
	CLEAN(free) char *error = NULL;
	struct mount_words words = {0};
	int r;

	mount_options_init(options);
	options->efivars.uid = options->efivars.gid = 0;
	options->efivars.statfs = true;
	r = mount_words_split(&words, text, &error);
	if (r == 0)
		r = mount_options_parse(options, &words, &error);
	mount_words_fini(&words);
	return r;
}

static void test_shown(void)
{
	const char *statfs = efivars_is_realtime_kernel() ? "statfs" : "";
	struct mount_options options;
	const struct {
		const char *text;
		const char *shown;
	} cases[] = {
		{"nostatfs", "nostatfs"},
		{"statfs", statfs},
		{"nostatfs,uid=7", "nostatfs,uid=7"},
		{"nostatfs,gid=8,uid=7", "nostatfs,uid=7,gid=8"},
		{"nostatfs,uid=0,auth=owner", "nostatfs"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEAN_BUFFER struct buffer shown = BUFFER_INIT;

		is_int(parse(&options, cases[i].text), 0, cases[i].text);
		mount_options_shown(&options, &shown);
		is_text(buffer_text(&shown), cases[i].shown, "is shown");
		mount_options_fini(&options);
	}
	is_int(parse(&options, "io=uring"), -EINVAL, "io=uring");
	mount_options_fini(&options);
}

/* A directory's: what is not the default. */
static void test_shown_directory(void)
{
	static const struct {
		const char *text;
		const char *shown;
	} cases[] = {
		{"rw", ""},
		{"cache=auto,killpriv,nowriteback", ""},
		{"noxattr,cache=never", "cache=never,noxattr"},
		{"xattrmap=!ok!all!!!", "xattrmap=!ok!all!!!"},
		{"xattrmap=:ok:all:\\,:x:,writeback", "writeback,xattrmap=:ok:all:\\,:x:"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEAN_BUFFER struct buffer shown = BUFFER_INIT;
		CLEAN(free) char *error = NULL;
		struct mount_words words;
		struct mount_options options, copy;

		mount_options_init(&options);
		options.type = MOUNT_TYPE_DIR;
		is_int(mount_words_split(&words, cases[i].text, &error), 0, cases[i].text);
		is_int(mount_options_parse(&options, &words, &error), 0, "is read");
		is_int(mount_options_copy(&copy, &options), 0, "copied");
		mount_options_fini(&options);
		mount_options_shown(&copy, &shown);
		is_text(buffer_text(&shown), cases[i].shown, "and shown");
		mount_options_fini(&copy);
		mount_words_fini(&words);
	}
}

static const struct {
	const char *text;
	int wanted;
	const char *changed; /* the beginning of the options in force afterwards */
} changes[] = {
	{"statfs", 0, "rw,noallow_other,fsname=name,threads=0,io=auto,statfs,uid=7"},
	{"ro,nostatfs", 0, "ro,"},
	{"uid=7,auth=owner", 0, "rw,"},
	{"statfs,uid=8", -EINVAL, "rw,noallow_other,fsname=name,threads=0,io=auto,nostatfs,uid=7"},
	{"ro,auth=firmware", -EINVAL, "rw,"},
	{"ro,frobnicate", -EINVAL, "rw,"},
};

static void test_changes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		CLEAN(free) char *error = NULL;
		CLEAN_BUFFER struct buffer text = BUFFER_INIT;
		struct mount_options options, copy;

		is_int(parse(&options, "noallow_other,fsname=name,nostatfs,uid=7,auth=owner"), 0,
			"live options");
		is_int(mount_options_copy(&copy, &options), 0, "are copied");
		mount_options_fini(&options);
		is_int(mount_options_change(&copy, changes[i].text, &error), changes[i].wanted,
			changes[i].text);
		is_int(error != NULL, changes[i].wanted != 0, "with a line when it is refused");
		mount_options_format(&copy, &text);
		ok(strncmp(buffer_text(&text), changes[i].changed, strlen(changes[i].changed)) == 0,
			"then: %s", buffer_text(&text));
		mount_options_fini(&copy);
	}
}

int main(void)
{
	test_splits();
	test_refused_splits();
	test_unknown();
	test_flags();
	test_shown();
	test_shown_directory();
	test_changes();
	return tap_done();
}
