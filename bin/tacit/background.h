/* SPDX-License-Identifier: MIT */
/*
 * background.h — a command that stays: the caller's process waits until the work answers, and takes
 * its status; the work goes on in a child that then lets go of the terminal.
 *
 *   parent                              child
 *   ------------------------------------+-------------------------------------------------
 *   background_fork returns 1            | returns 0
 *   background_wait: waits, then exits   | works; errors go to the terminal
 *                                        | background_ready, or it exits with a status
 *
 * One of them in a process, from its first thread.
 */
#pragma once

#include <stdbool.h>

#include "base/cleanup.h"

struct background {
	int fd;    /* the parent's reading or the child's writing end, or -1 */
	int child; /* process id, in the parent */
};

/*
 * 1 in the parent, 0 in the child, which has nothing open but the standard descriptors; -errno when
 * there is no child.
 */
int background_fork(struct background *ret) MUST_CHECK;

/*
 * Parent: waits for background_ready or for the child's end. Returns the status to exit with: 0;
 * the child's own; or `lost`, with a line on standard error, when it died of a signal.
 */
int background_wait(struct background *background, int lost) MUST_CHECK;

/* Child: lets go of the terminal, the session and the folder, then lets the parent return 0. */
void background_ready(struct background *background);

/*
 * Tells the service manager of $NOTIFY_SOCKET, where there is one, that the work answers
 * ("READY=1"). Specification: sd_notify(3).
 */
void background_notify(const char *state);
