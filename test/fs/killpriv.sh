#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# killpriv.sh — set-uid, set-gid and file capabilities go as they go natively, but for the operations
# that doc/directory.md names with the reason.
. "$(dirname "$0")/lib.sh"

make_file_system tmpfs
mount_directory tmpfs
compare_privileges tmpfs security.capability 'at once' 'by another link' 'while open' 'by another process after a write'
unmount "$PWD/tmpfs.mount"
mount_directory tmpfs -o writeback
compare_privileges tmpfs security.capability 'at once'
unmount "$PWD/tmpfs.mount"
mount_directory tmpfs -o cache=never
compare_privileges tmpfs security.capability 'at once'
