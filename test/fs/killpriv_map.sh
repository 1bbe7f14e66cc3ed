#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# killpriv_map.sh — the table of killpriv.sh where capabilities have another name on the host, whose
# kernel then takes none away (CVE-2021-20263).
. "$(dirname "$0")/lib.sh"

readonly mapped=user.virtiofs.security.capability map=xattrmap=:map:security.:user.virtiofs.:

make_file_system tmpfs
mount_directory tmpfs -o $map
compare_privileges tmpfs $mapped 'at once' 'by another link' 'while open' 'by another process after a write'
unmount "$PWD/tmpfs.mount"
for options in writeback cache=never nokillpriv; do
	mount_directory tmpfs -o $map,$options
	compare_privileges tmpfs $mapped 'at once'
	unmount "$PWD/tmpfs.mount"
done
