/* SPDX-License-Identifier: MIT */
/*
 * killpriv.c — what is left of set-uid, set-gid and file capabilities after each operation.
 *
 * Linux takes privileges away from a file that changes: by whom, how and which is a table with many
 * corners (security.capability always; set-uid unless the caller has CAP_FSETID; set-gid of a file
 * that its group may not run only if the caller is not of that group). Every cell of the table,
 * caller by file by operation by the way the privileges came, is tried in a native directory and on
 * a mount; what the call gives and what the file then has must be the same.
 *
 * A check of TAP is a row: an operation, for all callers and files. The state is read through the
 * descriptor, by name, and from behind the mount.
 *
 * usage: killpriv [--table] [--quick] [--way WAY] [--capability-behind NAME] NATIVE MOUNT [BEHIND]
 * [OPERATION...] (BEHIND "-": unknown; NAME: how security.capability is called there). Needs root. Specification: inode(7), chown(2), capabilities(7).
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/test/tap.h"
#include "caller.h"
#include "killpriv_operations.h"

#define OWNER 1000
#define GROUP 2000
#define FILE_SIZE 8192
#define CAPABILITY_XATTR "security.capability"
#define CELLS_SHOWN 8
#define PATH_LENGTH 4096
#define BIT(capability) (1ull << (capability))

static const struct caller callers[] = {
	{.name = "root"},
	{.name = "root without CAP_FSETID", .lost = BIT(CAP_FSETID)},
	{.name = "other", .uid = 1003, .gid = 1003},
	{.name = "member", .uid = 1002, .gid = GROUP},
	{.name = "member by supplementary group", .uid = 1001, .gid = 1001, .groups = {50, GROUP},
		.group_count = 2},
	{.name = "owner", .uid = OWNER, .gid = 1000, .groups = {3000}, .group_count = 1},
	{.name = "owner, member", .uid = OWNER, .gid = 1000, .groups = {GROUP, 3000},
		.group_count = 2},
	{.name = "other with CAP_FSETID", .uid = 1003, .gid = 1003, .gained = BIT(CAP_FSETID)},
	/* CAP_CHOWN alone does not do: where bits are to go, Linux asks for CAP_FOWNER too */
	{.name = "other with CAP_CHOWN and CAP_FOWNER", .uid = 1003, .gid = 1003,
		.gained = BIT(CAP_CHOWN) | BIT(CAP_FOWNER)},
};
#define CALLER_COUNT ARRAY_SIZE(callers)
#define QUICK_CALLERS 5

static const struct kind {
	const char *name;
	mode_t mode;
	bool has_capability;
} kinds[] = {
	{"06777 and capability", S_IFREG | 06777, true},
	{"02767", S_IFREG | 02767, false},
	{"0777 and capability", S_IFREG | 0777, true},
	{"04777", S_IFREG | 04777, false},
	{"06777", S_IFREG | 06777, false},
	{"directory 02777", S_IFDIR | 02777, false},
};
#define KIND_COUNT ARRAY_SIZE(kinds)
#define QUICK_KINDS 3

/* How the file came by its privileges. */
enum way { AT_ONCE, BY_OTHER_LINK, WHILE_OPEN, AFTER_A_WRITE, FROM_BEHIND, WAY_COUNT };
static const char *const way_names[] = {
	[AT_ONCE] = "at once",
	[BY_OTHER_LINK] = "by another link",
	[WHILE_OPEN] = "while open",
	[AFTER_A_WRITE] = "by another process after a write",
	[FROM_BEHIND] = "from behind the mount after a write",
};

struct side {
	const char *top;
	const char *behind; /* NULL: unknown */
	bool is_mount;
	char file[PATH_LENGTH], link[PATH_LENGTH], source[PATH_LENGTH], file_behind[PATH_LENGTH];
};

static bool arg_table, arg_quick;
static const char *arg_way;
static const char *arg_capability_behind = CAPABILITY_XATTR;
static struct side native_side, mount_side;
/* differences of the way that runs, for the table */
static char marks[OPERATIONS_MAX][CALLER_COUNT][KIND_COUNT];

/* What the host calls security.capability behind a side. */
static const char *name_behind(const struct side *side)
{
	return side->is_mount ? arg_capability_behind : CAPABILITY_XATTR;
}

static void demand(long result, const char *what)
{
	if (result < 0) {
		printf("Bail out! %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static void side_init(struct side *side, const char *top, const char *behind, bool is_mount)
{
	CLEAN_FD int fd = -1;

	side->top = top;
	side->behind = behind;
	side->is_mount = is_mount;
	snprintf(side->file, PATH_LENGTH, "%s/file", top);
	snprintf(side->link, PATH_LENGTH, "%s/link", top);
	snprintf(side->source, PATH_LENGTH, "%s/source", top);
	if (behind)
		snprintf(side->file_behind, PATH_LENGTH, "%s/file", behind);
	fd = open(side->source, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	demand(fd, side->source);
	demand(ftruncate(fd, FILE_SIZE), "ftruncate");
	demand(chmod(top, 0777), "chmod");
}

static void remove_files(const struct side *side)
{
	(void)rmdir(side->file); /* one of the two is there, or none */
	(void)unlink(side->file);
	(void)unlink(side->link);
}

static void make_plain(const struct side *side, const struct kind *kind)
{
	static const char content[FILE_SIZE];
	CLEAN_FD int fd = -1;

	remove_files(side);
	if (S_ISDIR(kind->mode)) {
		demand(mkdir(side->file, 0700), "mkdir");
	} else {
		fd = open(side->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		demand(fd, side->file);
		demand(write(fd, content, FILE_SIZE), "write");
	}
	demand(chown(side->file, OWNER, GROUP), "chown");
}

/* capability_name: what the file system that path lies on calls security.capability */
static void set_privileges(const char *path, const struct kind *kind, const char *capability_name)
{
	/* linux/capability.h, struct vfs_cap_data, revision 2: CAP_NET_BIND_SERVICE, effective */
	static const unsigned char capability[20] = {1, 0, 0, 2, 0, 4};

	if (kind->has_capability)
		demand(setxattr(path, capability_name, capability, sizeof(capability), 0),
			capability_name);
	demand(chmod(path, kind->mode & 07777), "chmod");
}

/* Another process than the one that has written. */
static void set_privileges_elsewhere(const char *path, const struct kind *kind)
{
	pid_t child = fork();
	int status = 0;

	demand(child, "fork");
	if (child == 0) {
		set_privileges(path, kind, CAPABILITY_XATTR);
		_exit(0);
	}
	demand(waitpid(child, &status, 0), "waitpid");
}

static int open_as(const struct caller *caller, const char *path, bool writes)
{
	int fd;

	caller_become(caller);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && writes && write(fd, "x", 1) == 1)
		(void)lseek(fd, 0, SEEK_SET);
	caller_return();
	return fd;
}

/* Makes the file with its privileges; returns the caller's descriptor, -1 if he cannot have one. */
static int prepare(const struct side *side, enum way way, const struct caller *caller,
	const struct kind *kind, bool by_name)
{
	const char *path = way == BY_OTHER_LINK ? side->link : side->file;
	bool is_marked = way == AFTER_A_WRITE || way == FROM_BEHIND;
	int fd = -1;

	make_plain(side, kind);
	if (way == BY_OTHER_LINK)
		demand(link(side->file, side->link), "link");
	if (is_marked || way == WHILE_OPEN) {
		demand(chmod(side->file, 0777), "chmod");
		fd = open_as(caller, path, is_marked);
	}
	if (way == FROM_BEHIND)
		set_privileges(side->is_mount ? side->file_behind : side->file, kind,
			name_behind(side));
	else if (way == AFTER_A_WRITE)
		set_privileges_elsewhere(side->file, kind);
	else
		set_privileges(side->file, kind, CAPABILITY_XATTR);
	if (fd < 0 && !by_name)
		fd = open_as(caller, path, false);
	return fd;
}

static void describe(const char *what, const char *path, bool is_fresh, const char *capability_name,
	char *ret_text)
{
	char value[64];
	struct statx st;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | (is_fresh ? AT_STATX_FORCE_SYNC : 0),
		STATX_BASIC_STATS, &st) < 0) {
		sprintf(ret_text, " %s %s", what, strerrorname_np(errno));
		return;
	}
	sprintf(ret_text, " %s %04o%s %u:%u", what, st.stx_mode & 07777u,
		getxattr(path, capability_name, value, sizeof(value)) >= 0 ? "+cap" : "",
		st.stx_uid, st.stx_gid);
}

/* One cell on one side, as text. */
static void run_cell(const struct side *side, enum way way, const struct caller *caller,
	const struct kind *kind, const struct operation *operation, char *ret_text)
{
	int fd = prepare(side, way, caller, kind, operation->by_name);
	CLEAN_FD int source = open(side->source, O_RDONLY | O_CLOEXEC);
	struct target target = {
		.path = way == BY_OTHER_LINK ? side->link : side->file,
		.fd = fd, .source = source, .owner = OWNER, .group = GROUP,
	};
	struct stat st = {0};
	long result;
	int error;

	caller_become(caller);
	result = operation->run(&target, operation->argument);
	error = errno;
	caller_return();
	ret_text += result < 0 ? sprintf(ret_text, "%s", strerrorname_np(error)) :
		sprintf(ret_text, "%ld", result);
	/* what the host did is not known before it is asked for, in any cache mode */
	describe("name", side->file, way == FROM_BEHIND, CAPABILITY_XATTR, ret_text);
	ret_text += strlen(ret_text);
	if (fd >= 0) {
		demand(fstat(fd, &st), "fstat");
		ret_text += sprintf(ret_text, " descriptor %04o", st.st_mode & 07777);
		close(fd);
	}
	/* a close may write back, and what is written back must take nothing away */
	describe("closed", side->file, way == FROM_BEHIND, CAPABILITY_XATTR, ret_text);
	ret_text += strlen(ret_text);
	if (side->behind)
		describe("behind", side->is_mount ? side->file_behind : side->file, true,
			name_behind(side), ret_text);
}

static long refuse(const struct target *target, int unused)
{
	errno = EOPNOTSUPP;
	return -1;
}

static bool compare_cell(enum way way, const struct caller *caller, const struct kind *kind,
	const struct operation *operation, unsigned *shown)
{
	struct operation refusal = *operation;
	char native[512], mount[512];

	run_cell(&native_side, way, caller, kind, operation, native);
	run_cell(&mount_side, way, caller, kind, operation, mount);
	if (strcmp(native, mount) == 0)
		return true;
	/*
	 * FUSE's client takes privileges away (by an empty SETATTR) before it knows that the
	 * server's file system cannot do what follows; the native one looks first. Both refuse.
	 */
	if (strncmp(native, "EOPNOTSUPP ", 11) == 0 && strncmp(mount, "EOPNOTSUPP ", 11) == 0)
		return true;
	if (operation->is_refused_by_client) {
		/* the measure is a native file that nothing was done to */
		refusal.run = refuse;
		run_cell(&native_side, way, caller, kind, &refusal, native);
		if (strcmp(native, mount) == 0)
			return true;
	}
	if ((*shown)++ < CELLS_SHOWN)
		printf("#   %s on %s:\n#     native: %s\n#     mount:  %s\n", caller->name,
			kind->name, native, mount);
	return false;
}

static void compare_row(enum way way, size_t number)
{
	bool is_small = arg_quick || way != AT_ONCE;
	size_t caller_count = is_small ? QUICK_CALLERS : CALLER_COUNT;
	size_t kind_count = is_small ? QUICK_KINDS : KIND_COUNT;
	const struct operation *operation = &operations[number];
	unsigned differences = 0, shown = 0;

	for (size_t c = 0; c < caller_count; c++)
		for (size_t k = 0; k < kind_count; k++) {
			bool same = compare_cell(way, &callers[c], &kinds[k], operation, &shown);

			marks[number][c][k] = same ? '.' : 'X';
			differences += !same;
		}
	ok(differences == 0, "%s: %s", way_names[way], operation->name);
	if (differences > 0)
		printf("#   %u of %zu cells differ\n", differences, caller_count * kind_count);
}

static void print_table(enum way way)
{
	printf("#\n# Privileges given %s. A cell has a sign for each file: . as native, X not,\n"
	       "# blank not tried. Files:", way_names[way]);
	for (size_t k = 0; k < KIND_COUNT; k++)
		printf("%s %s", k > 0 ? "," : "", kinds[k].name);
	printf("\n# Callers:");
	for (size_t c = 0; c < CALLER_COUNT; c++)
		printf("%s %zu %s", c > 0 ? "," : "", c + 1, callers[c].name);
	printf("\n#\n# %-34s", "");
	for (size_t c = 0; c < CALLER_COUNT; c++)
		printf(" %-*zu", (int)KIND_COUNT, c + 1);
	for (size_t i = 0; i < operation_count; i++) {
		printf("\n# %-34s", operations[i].name);
		for (size_t c = 0; c < CALLER_COUNT; c++) {
			putchar(' ');
			for (size_t k = 0; k < KIND_COUNT; k++)
				putchar(marks[i][c][k] ? marks[i][c][k] : ' ');
		}
	}
	printf("\n#\n");
}

static bool is_wanted(const char *name, char *const *words)
{
	if (!*words)
		return true;
	for (; *words; words++)
		if (strcmp(name, *words) == 0)
			return true;
	return false;
}

static void compare_way(enum way way, char *const *words)
{
	memset(marks, 0, sizeof(marks));
	for (size_t i = 0; i < operation_count; i++)
		if (is_wanted(operations[i].name, words))
			compare_row(way, i);
	remove_files(&native_side);
	remove_files(&mount_side);
	if (arg_table)
		print_table(way);
}

static void usage(void)
{
	fputs("usage: killpriv [--table] [--quick] [--way WAY] [--capability-behind NAME] "
	      "NATIVE MOUNT [BEHIND|-] [OPERATION...]\nways:", stderr);
	for (int way = 0; way < WAY_COUNT; way++)
		fprintf(stderr, " '%s'", way_names[way]);
	fputc('\n', stderr);
	exit(1);
}

static void parse_options(int argc, char **argv)
{
	static const struct option options[] = {
		{"table", no_argument, NULL, 't'},
		{"quick", no_argument, NULL, 'q'},
		{"way", required_argument, NULL, 'w'},
		{"capability-behind", required_argument, NULL, 'c'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 't':
			arg_table = true;
			break;
		case 'q':
			arg_quick = true;
			break;
		case 'w':
			arg_way = optarg;
			break;
		case 'c':
			arg_capability_behind = optarg;
			break;
		default:
			usage();
		}
	}
}

int main(int argc, char **argv)
{
	const char *behind = NULL;

	parse_options(argc, argv);
	argv += optind;
	if (argc - optind < 2)
		usage();
	if (geteuid() != 0)
		tap_skip_all("needs root");
	if (argv[2] && strcmp(argv[2], "-") != 0)
		behind = argv[2];
	umask(0);
	side_init(&native_side, argv[0], argv[0], false);
	side_init(&mount_side, argv[1], behind, true);
	if (!behind)
		native_side.behind = NULL;
	for (int way = 0; way < WAY_COUNT; way++) {
		if (arg_way && strcmp(arg_way, way_names[way]) != 0)
			continue;
		if (way == FROM_BEHIND && !behind)
			continue;
		compare_way((enum way)way, argv[2] ? argv + 3 : argv + 2);
	}
	return tap_done();
}
