/* SPDX-License-Identifier: MIT */
/* option_test.c — mount options: every kind, mistakes and their lines, remount, printing. */
#include "base/option.h"

#include <errno.h>

#include "base/test/tap.h"

struct mount_values {
	bool is_read_only;
	bool allow_other;
	char *fsname;
	uint32_t threads;
};

struct fs_values {
	bool statfs;
	bool debug;
	uint32_t uid, gid;
	uint32_t auth;
	uint64_t delay;
	uint64_t reserve;
};

static const char *const auth_names[] = {"firmware", "owner", NULL};

static const struct option_spec mount_specs[] = {
	{.name = "ro",
		.kind = OPTION_RO_RW,
		.offset = offsetof(struct mount_values, is_read_only),
		.is_live = true,
		.help = "read-only"},
	{.name = "allow_other",
		.kind = OPTION_NEGATABLE,
		.offset = offsetof(struct mount_values, allow_other),
		.help = "others too"},
	{.name = "fsname",
		.kind = OPTION_STRING,
		.offset = offsetof(struct mount_values, fsname),
		.help = "name in the mount table"},
	{.name = "threads",
		.kind = OPTION_U32,
		.offset = offsetof(struct mount_values, threads),
		.min = 1,
		.max = 64,
		.help = "worker threads"},
};
static const struct option_spec fs_specs[] = {
	{.name = "statfs",
		.kind = OPTION_NEGATABLE,
		.offset = offsetof(struct fs_values, statfs),
		.is_live = true,
		.help = "answer statfs"},
	{.name = "debug",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct fs_values, debug),
		.is_live = true,
		.help = "talk"},
	{.name = "uid",
		.kind = OPTION_UID,
		.offset = offsetof(struct fs_values, uid),
		.help = "owner"},
	{.name = "gid",
		.kind = OPTION_GID,
		.offset = offsetof(struct fs_values, gid),
		.help = "group"},
	{.name = "auth",
		.kind = OPTION_ENUM,
		.offset = offsetof(struct fs_values, auth),
		.is_live = true,
		.choices = auth_names,
		.help = "who may write"},
	{.name = "delay",
		.kind = OPTION_TIME,
		.offset = offsetof(struct fs_values, delay),
		.is_live = true,
		.max = 60000000000u,
		.help = "slowness"},
	{.name = "reserve",
		.kind = OPTION_SIZE,
		.offset = offsetof(struct fs_values, reserve),
		.is_live = true,
		.min = 16,
		.help = "bytes kept back"},
};
static const struct option_table mount_table = {mount_specs, ARRAY_SIZE(mount_specs)};
static const struct option_table fs_table = {fs_specs, ARRAY_SIZE(fs_specs)};

struct values {
	struct mount_values mount;
	struct fs_values fs;
};

static const struct values defaults = {
	.mount = {.threads = 2}, .fs = {.statfs = true, .reserve = 5120}};

static int parse(struct values *v, const char *text, bool is_remount, char **ret_error)
{
	const struct option_set sets[] = {{&mount_table, &v->mount}, {&fs_table, &v->fs}};

	return option_parse(sets, ARRAY_SIZE(sets), text, is_remount, ret_error);
}

static char *format(struct values *v)
{
	const struct option_set sets[] = {{&mount_table, &v->mount}, {&fs_table, &v->fs}};
	struct buffer out = BUFFER_INIT;

	option_format(sets, ARRAY_SIZE(sets), &out);
	return buffer_take_text(&out);
}

static void test_good(void)
{
	static const struct {
		const char *text;
		const char *printed;
	} cases[] = {
		{"", "rw,noallow_other,threads=2,statfs,uid=0,gid=0,auth=firmware,delay=0,reserve="
		     "5K"},
		{"ro,nostatfs",
			"ro,noallow_other,threads=2,nostatfs,uid=0,gid=0,auth=firmware,delay=0,"
			"reserve=5K"},
		{",,ro,,rw,", "rw,noallow_other,threads=2,statfs,uid=0,gid=0,auth=firmware,delay=0,"
			      "reserve=5K"},
		{"nostatfs,statfs,nostatfs,statfs,debug",
			"rw,noallow_other,threads=2,statfs,debug,uid=0,gid=0,auth=firmware,delay=0,"
			"reserve=5K"},
		{"uid=1000,gid=4294967294",
			"rw,noallow_other,threads=2,statfs,uid=1000,gid=4294967294,"
			"auth=firmware,delay=0,reserve=5K"},
		{"uid=7,uid=root,gid=root", "rw,noallow_other,threads=2,statfs,uid=0,gid=0,"
					    "auth=firmware,delay=0,reserve=5K"},
		{"auth=owner,delay=70ms,reserve=1M,threads=64",
			"rw,noallow_other,threads=64,statfs,uid=0,gid=0,auth=owner,delay=70ms,"
			"reserve=1M"},
		{"delay=1500us,reserve=17", "rw,noallow_other,threads=2,statfs,uid=0,gid=0,"
					    "auth=firmware,delay=1500us,reserve=17"},
		{"delay=60,reserve=3k",
			"rw,noallow_other,threads=2,statfs,uid=0,gid=0,auth=firmware,"
			"delay=60s,reserve=3K"},
		{"fsname=a\\,b\\\\c\\d=e",
			"rw,noallow_other,fsname=a\\,b\\\\c\\\\d=e,threads=2,statfs,"
			"uid=0,gid=0,auth=firmware,delay=0,reserve=5K"},
		{"fsname=x,fsname=", "rw,noallow_other,fsname=,threads=2,statfs,uid=0,gid=0,"
				     "auth=firmware,delay=0,reserve=5K"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct values v = defaults, again = defaults;
		char *error = NULL;
		CLEAN(free) char *first = NULL;
		CLEAN(free) char *second = NULL;

		is_int(parse(&v, cases[i].text, false, &error), 0, cases[i].text);
		first = format(&v);
		is_text(first, cases[i].printed, "and is printed");
		is_int(parse(&again, first, false, &error), 0, "what is printed is read");
		second = format(&again);
		is_text(second, first, "and gives the same");
		free(error);
		option_fini(&mount_table, &v.mount);
		option_fini(&mount_table, &again.mount);
	}
}

static void test_bad(void)
{
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{"bogus",
			"unknown option 'bogus'; options are ro|rw, [no]allow_other, fsname=TEXT, "
			"threads=N, [no]statfs, debug, uid=USER, gid=GROUP, auth=firmware|owner, "
			"delay=TIME, reserve=SIZE"},
		{"ro=1", "option 'ro' takes no value"},
		{"nostatfs=", "option 'nostatfs' takes no value"},
		{"threads", "option 'threads' needs a value: threads=N"},
		{"auth", "option 'auth' needs a value: auth=firmware|owner"},
		{"threads=", "option 'threads': '' is not a number from 1 to 64"},
		{"threads=0", "option 'threads': '0' is not a number from 1 to 64"},
		{"threads=65", "option 'threads': '65' is not a number from 1 to 64"},
		{"threads=-1", "option 'threads': '-1' is not a number from 1 to 64"},
		{"threads=1x", "option 'threads': '1x' is not a number from 1 to 64"},
		{"threads=99999999999999999999",
			"option 'threads': '99999999999999999999' is not a number from 1 to 64"},
		{"uid=", "option 'uid': there is no user ''"},
		{"uid=no-such-user", "option 'uid': there is no user 'no-such-user'"},
		{"gid=no-such-group", "option 'gid': there is no group 'no-such-group'"},
		{"uid=4294967295", "option 'uid': 4294967295 is no user id (0 to 4294967294)"},
		{"gid=4294967296", "option 'gid': 4294967296 is no group id (0 to 4294967294)"},
		{"auth=Owner", "option 'auth': 'Owner' is not one of firmware, owner"},
		{"delay=61s",
			"option 'delay': '61s' is not a time in seconds, or with ns, us, ms or s "
			"from 0 to 60s"},
		{"delay=1h",
			"option 'delay': '1h' is not a time in seconds, or with ns, us, ms or s "
			"from 0 to 60s"},
		{"reserve=15",
			"option 'reserve': '15' is not a size in bytes, or with K, M or G of at "
			"least 16"},
		{"reserve=17179869184G",
			"option 'reserve': '17179869184G' is not a size in bytes, or "
			"with K, M or G of at least 16"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct values v = defaults;
		CLEAN_BUFFER struct buffer text = BUFFER_INIT;
		CLEAN(free) char *error = NULL;
		CLEAN(free) char *before = format(&v);
		CLEAN(free) char *after = NULL;

		buffer_printf(&text, "ro,fsname=x,nostatfs,%s", cases[i].text);
		is_int(parse(&v, buffer_text(&text), false, &error), -EINVAL, cases[i].text);
		is_text(error, cases[i].error, "and the line says why");
		after = format(&v);
		is_text(after, before, "nothing has changed");
	}
}

static void test_too_long(void)
{
	CLEAN_BUFFER struct buffer text = BUFFER_INIT;
	struct values v = defaults;
	CLEAN(free) char *error = NULL;

	buffer_fill(&text, ',', 65537);
	is_int(parse(&v, buffer_text(&text), false, &error), -EINVAL, "a text without end");
	is_text(error, "the options are longer than 65536 bytes", "is refused");
}

static void test_remount(void)
{
	static const struct {
		const char *text;
		const char *error; /* NULL: accepted */
	} cases[] = {
		{"", NULL},
		{"ro,nostatfs,auth=owner", NULL},
		{"threads=4,uid=5", NULL}, /* as they are */
		{"uid=9,uid=5", NULL},     /* the last one counts */
		{"noallow_other,fsname=disk", NULL},
		{"nostatfs,uid=6", "option 'uid' cannot be changed by a remount (in force: uid=5)"},
		{"allow_other", "option 'allow_other' cannot be changed by a remount (in force: "
				"noallow_other)"},
		{"fsname=other",
			"option 'fsname' cannot be changed by a remount (in force: fsname=disk)"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct values v = defaults;
		char *error = NULL;
		CLEAN(free) char *before = NULL;
		CLEAN(free) char *after = NULL;
		int r;

		is_int(parse(&v, "threads=4,uid=5,fsname=disk", false, &error), 0,
			"the first mount");
		before = format(&v);
		r = parse(&v, cases[i].text, true, &error);
		after = format(&v);
		is_int(r, cases[i].error ? -EINVAL : 0, cases[i].text);
		if (cases[i].error) {
			is_text(error, cases[i].error, "and the line says why");
			is_text(after, before, "nothing has changed");
		}
		free(error);
		option_fini(&mount_table, &v.mount);
	}
}

static void test_copy(void)
{
	struct values v = defaults, copy;
	CLEAN(free) char *error = NULL;
	int r = parse(&v, "fsname=disk,threads=3", false, &error);

	is_int(r, 0, "values with a string");
	is_int(option_copy(&mount_table, &v.mount, sizeof(v.mount), &copy.mount), 0, "are copied");
	is_text(copy.mount.fsname, "disk", "the string too");
	ok(copy.mount.fsname != v.mount.fsname, "which is another");
	is_int(copy.mount.threads, 3, "and the numbers");
	option_fini(&mount_table, &v.mount);
	ok(!v.mount.fsname, "fini leaves nothing");
	option_fini(&mount_table, &v.mount);
	option_fini(&mount_table, &copy.mount);
}

static void test_list(void)
{
	struct values {
		char *list, *other;
	} v = {0}, copy = {0};
	static const struct option_spec specs[] = {
		{.name = "list", .kind = OPTION_LIST, .offset = offsetof(struct values, list)},
		{.name = "other", .kind = OPTION_STRING, .offset = offsetof(struct values, other)},
	};
	static const struct option_table table = {specs, ARRAY_SIZE(specs)};
	static const struct values none = {0};
	const struct option_set set = {&table, &v};
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;
	CLEAN_BUFFER struct buffer changed = BUFFER_INIT;
	CLEAN(free) char *error = NULL;

	is_int(option_parse(&set, 1, "list=a,other=x,list=b\\,c,list=,list=d", false, &error), 0,
		"a list");
	is_text(v.list, "a\nb,c\n\nd", "has all its values");
	option_format(&set, 1, &out);
	is_text(buffer_text(&out), "list=a,list=b\\,c,list=,list=d,other=x", "and is printed");
	option_format_changed(&table, &v, &none, &changed);
	is_text(buffer_text(&changed), buffer_text(&out), "as is what differs from nothing");
	changed.size = 0;
	option_format_changed(&table, &v, &v, &changed);
	is_int(changed.size, 0, "and from itself");
	is_int(option_parse(&set, 1, buffer_text(&out), true, &error), 0, "a remount with the same");
	is_int(option_parse(&set, 1, "other=x,list=a", true, &error), -EINVAL, "and with another");
	is_text(error, "option 'list' cannot be changed by a remount (in force: "
		"list=a,list=b\\,c,list=,list=d)", "is refused");
	is_int(option_copy(&table, &v, sizeof(v), &copy), 0, "a copy");
	option_fini(&table, &v);
	is_text(copy.list, "a\nb,c\n\nd", "is one");
	is_int(option_parse(&(struct option_set){&table, &copy}, 1, "list=z", false, &error), 0,
		"another text");
	is_text(copy.list, "z", "is the whole of it");
	option_fini(&table, &copy);
}

static void test_next(void)
{
	static const char *const wanted[] = {"a", "b=c\\,d", "e\\\\", "f\\"};
	const char *text = ",a,,b=c\\,d,e\\\\,f\\";
	char *element = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		is_int(option_next(&text, &element), 1, "another element");
		is_text(element, wanted[i], "as it is written");
		free(TAKE_PTR(element));
	}
	is_int(option_next(&text, &element), 0, "the end");
	is_int(option_next(&text, &element), 0, "and again");
	ok(!element, "without an element");
}

static void test_help(void)
{
	static const char *const long_names[] = {"automatic", "one-of-many", "another", NULL};
	static const struct option_spec specs[] = {
		{.name = "ro", .kind = OPTION_RO_RW, .help = "read-only"},
		{.name = "statfs", .kind = OPTION_NEGATABLE, .help = "answer statfs"},
		{.name = "profile",
			.kind = OPTION_ENUM,
			.choices = long_names,
			.help = "which one"},
	};
	static const struct option_table table = {specs, ARRAY_SIZE(specs)};
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	option_help(&table, &out);
	is_text(buffer_text(&out),
		"  ro|rw                 read-only\n"
		"  [no]statfs            answer statfs\n"
		"  profile=automatic|one-of-many|another\n"
		"                        which one\n",
		"the help lines are aligned");
}

int main(void)
{
	test_good();
	test_bad();
	test_too_long();
	test_remount();
	test_copy();
	test_list();
	test_next();
	test_help();
	return tap_done();
}
