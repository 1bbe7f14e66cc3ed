/* SPDX-License-Identifier: MIT */
/*
 * init.c — the first process of a test's virtual machine.
 *
 * Mounts what Linux programs expect, loads the modules that /guest/modules lists, runs
 * /guest/script by the shell (or, without one, a shell on the console), and ends the machine. What
 * the script prints stands on the console between "GUEST-READY" and "GUEST-EXIT: STATUS".
 *
 * Runs in the guest only, as root and process 1. One thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define SCRIPT "/guest/script"
#define MODULE_LIST "/guest/modules"
/* QEMU's isa-debug-exit: a write ends the machine, sooner than the kernel's power-off does. */
#define EXIT_PORT 0xf4

static void mount_all(void)
{
	static const struct {
		const char *type, *place;
	} mounts[] = {
		{"devtmpfs", "/dev"}, {"proc", "/proc"}, {"sysfs", "/sys"}, {"tmpfs", "/tmp"},
	};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].place, 0755);
		/* An error shows as a failing test; there is no console before /dev. */
		(void)mount(mounts[i].type, mounts[i].place, mounts[i].type, 0, NULL);
	}
}

/* Makes `path` the standard descriptors from `first` on. */
static void redirect(const char *path, int flags, int first, int last)
{
	int fd = open(path, flags);

	if (fd < 0)
		return;
	for (int i = first; i <= last; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

static void load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	/* ENODEV: efivarfs on a machine that booted without UEFI. */
	if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST && errno != ENODEV))
		printf("guest: %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* A path a line, each after what it depends on. */
static void load_modules(void)
{
	char line[256];
	FILE *list = fopen(MODULE_LIST, "re");

	if (!list)
		return;
	while (fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		load_module(line);
	}
	fclose(list);
}

/* The child: never returns. */
static void run_script(void)
{
	setsid();
	redirect("/dev/console", O_RDWR, 0, 2);
	if (access(SCRIPT, R_OK) == 0) {
		redirect("/dev/null", O_RDONLY, 0, 0);
		execl("/bin/sh", "sh", SCRIPT, (char *)NULL);
	} else {
		execl("/bin/sh", "-sh", (char *)NULL);
	}
	printf("guest: /bin/sh: %s\n", strerror(errno));
	fflush(stdout);
	_exit(127);
}

static int wait_for_script(pid_t script)
{
	int status = 0;
	pid_t ended;

	/* Process 1 is also the parent of every orphan. */
	do {
		ended = waitpid(-1, &status, 0);
	} while (ended != script && (ended >= 0 || errno == EINTR));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void leave(void)
{
	sync();
	tcdrain(STDOUT_FILENO);
	if (ioperm(EXIT_PORT, 4, 1) == 0)
		outl(0, EXIT_PORT);
	/* A locked-down kernel has no ports for us. */
	reboot(RB_POWER_OFF);
	_exit(0);
}

int main(void)
{
	pid_t script;

	mount_all();
	redirect("/dev/console", O_RDWR, 0, 2);
	setvbuf(stdout, NULL, _IOLBF, 0);
	load_modules();
	setenv("PATH", "/bin:/sbin:/guest", 1);
	setenv("HOME", "/tmp", 1);
	setenv("TERM", "vt100", 1);
	printf("\nGUEST-READY\n");
	script = fork();
	if (script == 0)
		run_script();
	printf("\nGUEST-EXIT: %d\n", wait_for_script(script));
	leave();
}
