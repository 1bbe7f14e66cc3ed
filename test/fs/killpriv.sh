#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# killpriv.sh — set-uid, set-gid and file capabilities go as they go natively, but for the operations
# that doc/directory.md names with the reason.
. "$(dirname "$0")/lib.sh"

readonly named='mmap store|chown -1 -1|ACL removed'

# compare_ways WAY...: one check for each way in which the bits came.
compare_ways() {
	local way differences

	for way in "$@"; do
		"$programs/killpriv" --quick --way "$way" tmpfs/native tmpfs.mount tmpfs/behind \
			>"$scratch/compared" 2>&1 || :
		has "$(tail -n 1 "$scratch/compared")" 1.. "$way: the table is whole"
		differences=$(grep '^not ok' "$scratch/compared" | grep -vE "$named" || :)
		is "$differences" '' "$way: every other operation is as natively"
	done
}

make_file_system tmpfs
mount_directory tmpfs
compare_ways 'at once' 'by another link' 'while open' 'by another process after a write'
unmount "$PWD/tmpfs.mount"
mount_directory tmpfs -o writeback
compare_ways 'at once'
unmount "$PWD/tmpfs.mount"
mount_directory tmpfs -o cache=never
compare_ways 'at once'
