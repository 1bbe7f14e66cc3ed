/* SPDX-License-Identifier: MIT */
/*
 * signals.h — the signals that end a server: SIGTERM, SIGINT, and SIGHUP unless it was ignored.
 *
 * They are held back from before the mount is made until there is something that they can stop, so
 * that no mount is left behind.
 */
#pragma once

struct mount_session;

/* Holds the signals back; and ignores SIGPIPE. Before threads. */
void signals_hold(void);

/* From now on they stop the session, which is attached and outlives signals_release. */
void signals_stop(struct mount_session *session);

/* They mean nothing any more: the session is about to be freed. */
void signals_release(void);
