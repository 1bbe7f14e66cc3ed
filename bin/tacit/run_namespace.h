/* SPDX-License-Identifier: MIT */
/*
 * run_namespace.h — the place that a command of `tacit run` sees: a mount namespace of its own, in
 * which /sys/firmware is what a machine with the store's firmware would show.
 *
 *	/sys/firmware/                  a tmpfs; the host's entries, but for efi, are bound in it
 *	  efi/fw_platform_size          "64": tools look here for an EFI machine of 64 bits
 *	  efi/efivars/                  where the store is mounted
 *	  tacit/mount                   before mount(8) in PATH: efitools look in its output for
 *	                                a mount of type efivarfs
 *	  tacit/nothing                 a link to nowhere, bound over the files by which systemd's
 *	                                tools know a container: in one they look for no variables
 *
 * The host's own efi folder (mok-variables, esrt, runtime-map) describes the host's firmware, so it
 * is not shown. All of it is memory of the namespace, and goes with its last process.
 */
#pragma once

#include "base/cleanup.h"

#define RUN_FIRMWARE "/sys/firmware"
#define RUN_EFIVARS RUN_FIRMWARE "/efi/efivars"
#define RUN_TOOLS RUN_FIRMWARE "/tacit"
#define RUN_NOTHING RUN_TOOLS "/nothing"

/*
 * Moves the calling process, which has one thread, into such a namespace: as root, or as a user who
 * becomes the root of a user namespace with only himself in it. 0 or -errno with one line in
 * *ret_error (owned by the caller).
 */
int run_namespace_enter(char **ret_error) MUST_CHECK;

/* Sets EFIVARFS_PATH, FWUPD_SYSFSFWDIR and PATH for the command. 0 or -ENOMEM. */
int run_namespace_set_environment(void) MUST_CHECK;
