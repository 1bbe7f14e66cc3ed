/* SPDX-License-Identifier: MIT */
/* run_namespace.c — see run_namespace.h. */
#include "tacit/run_namespace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "tacit/program.h"

#define PATH_OF_FD "/proc/self/fd/%d/%s"

/* The words that the mount table of a machine with efivarfs has. */
static const char mount_script[] =
	"#!/bin/sh\n"
	"# The mount table, and the line in it by which efitools find UEFI variables.\n"
	"PATH=${PATH#" RUN_TOOLS ":}\n"
	"case $# in\n"
	"0) ;;\n"
	"1) [ \"$1\" = -l ] || exec mount \"$@\" ;;\n"
	"*) exec mount \"$@\" ;;\n"
	"esac\n"
	"mount \"$@\" && echo 'efivarfs on " RUN_EFIVARS " type efivarfs (rw)'\n";

/* ---- namespaces ---- */

/* Writes a file that exists, in one go, as the kernel's settings want it. */
static int write_setting(const char *path, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int write_setting(const char *path, const char *format, ...)
{
	CLEAN_FD int fd = open(path, O_WRONLY | O_CLOEXEC);
	char text[64];
	va_list args;

	if (fd < 0)
		return -errno;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return io_write(fd, text, strlen(text));
}

/* The caller alone, as root: the variables are root's, and tools ask whether they run as root. */
static int map_user(uid_t uid, gid_t gid)
{
	int r;

	r = write_setting("/proc/self/setgroups", "deny");
	if (r < 0)
		return r;
	r = write_setting("/proc/self/uid_map", "0 %u 1", uid);
	return r < 0 ? r : write_setting("/proc/self/gid_map", "0 %u 1", gid);
}

static int unshare_mounts(char **ret_error)
{
	const uid_t uid = geteuid();
	const gid_t gid = getegid();
	int r = 0;

	if (unshare(CLONE_NEWNS) == 0)
		return 0;
	if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		r = -errno;
	else
		r = map_user(uid, gid);
	if (r < 0)
		*ret_error = program_text("a namespace for the command cannot be made here (%s); "
			"run it as root", strerror(-r));
	return r;
}

/* ---- what is in it ---- */

static int write_file(const char *path, const char *text, mode_t mode)
{
	CLEAN_FD int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0)
		return -errno;
	return io_write(fd, text, strlen(text));
}

/* Makes a place for an entry of the host's, and binds it there. */
static int bind_entry(int host, const char *name)
{
	CLEAN(free) char *from = NULL;
	CLEAN(free) char *to = NULL;
	struct stat st;
	int r = 0;

	from = program_text(PATH_OF_FD, host, name);
	to = program_text(RUN_FIRMWARE "/%s", name);
	if (!from || !to)
		return -ENOMEM;
	if (fstatat(host, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		r = mkdir(to, 0755) < 0 ? -errno : 0;
	else if (S_ISREG(st.st_mode))
		r = write_file(to, "", 0444);
	else
		return 0; /* there are only folders and files */
	if (r == 0 && mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0)
		r = -errno;
	return r;
}

/* What the namespace has of its own: the second is there when we are run by another of us. */
static bool is_ours(const char *name)
{
	return strcmp(name, "efi") == 0 || strcmp(name, "tacit") == 0;
}

/* The host's entries of /sys/firmware, through a descriptor that still sees them. */
static int bind_entries(int host)
{
	CLEAN_FD int fd = openat(host, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	DIR *dir;
	int r = 0;

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir)
		return -errno;
	(void)TAKE_FD(fd); /* the stream's */
	while (r == 0 && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (name[0] != '.' && !is_ours(name))
			r = bind_entry(host, name);
	}
	(void)closedir(dir); /* nothing was written */
	return r;
}

static int make_efi(void)
{
	static const char *const folders[] = {RUN_FIRMWARE "/efi", RUN_EFIVARS, RUN_TOOLS};
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		if (mkdir(folders[i], 0755) < 0)
			return -errno;
	}
	if (symlink("nowhere", RUN_NOTHING) < 0)
		return -errno;
	r = write_file(RUN_FIRMWARE "/efi/fw_platform_size", "64\n", 0444);
	return r < 0 ? r : write_file(RUN_TOOLS "/mount", mount_script, 0755);
}

static int build_firmware_folder(void)
{
	CLEAN_FD int host = open(RUN_FIRMWARE, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const mode_t mask = umask(0);
	int r = 0;

	if (host < 0 ||
		mount("tacit", RUN_FIRMWARE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") < 0)
		r = -errno;
	if (r == 0)
		r = bind_entries(host);
	if (r == 0)
		r = make_efi();
	umask(mask);
	return r;
}

/* Makes a file that is there look as if it were not: a link to nowhere is bound over it. */
static int hide_file(const char *path)
{
	CLEAN_FD int nothing = -1;

	if (access(path, F_OK) < 0)
		return 0;
	nothing = open_tree(AT_FDCWD, RUN_NOTHING,
		OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
	if (nothing < 0 ||
		move_mount(nothing, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return -errno;
	return 0;
}

/*
 * The command shall see a machine. What a container's manager wrote elsewhere (the environment of
 * process 1) stays, so this is no promise, and no failure when it cannot be done.
 */
static void hide_container(void)
{
	static const char *const marks[] = {"/.dockerenv", "/run/.containerenv",
		"/run/systemd/container", "/run/host/container-manager"};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		int r = hide_file(marks[i]);

		if (r < 0)
			log_debug("%s: cannot be hidden: %s", marks[i], strerror(-r));
	}
}

int run_namespace_enter(char **ret_error)
{
	int r;

	r = unshare_mounts(ret_error);
	if (r < 0)
		return r;
	/* Nothing gets out; what the host unmounts is unmounted here too, and not kept alive. */
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) {
		*ret_error = program_text("mounts cannot be kept private: %m");
		return -errno;
	}
	r = build_firmware_folder();
	if (r < 0)
		*ret_error = program_text("%s cannot be prepared for the command: %s", RUN_FIRMWARE,
			strerror(-r));
	else
		hide_container();
	return r;
}

int run_namespace_set_environment(void)
{
	const char *path = getenv("PATH");
	CLEAN(free) char *longer = NULL;

	if (!path)
		path = "/usr/sbin:/usr/bin:/sbin:/bin";
	else if (strncmp(path, RUN_TOOLS ":", strlen(RUN_TOOLS ":")) == 0)
		path += strlen(RUN_TOOLS ":"); /* run by another of us: once is enough */
	longer = program_text(RUN_TOOLS ":%s", path);
	/* libefivar compares with the slash, and puts the name straight behind it. */
	if (!longer || setenv("PATH", longer, 1) < 0 ||
		setenv("EFIVARFS_PATH", RUN_EFIVARS "/", 1) < 0 ||
		setenv("FWUPD_SYSFSFWDIR", RUN_FIRMWARE, 1) < 0)
		return -ENOMEM;
	return 0;
}
