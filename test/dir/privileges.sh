#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# privileges.sh — set-id bits and capabilities go when somebody changes a file. That nothing is asked
# before a write: test/fs/requests.sh.
. "$(dirname "$0")/../lib.sh"
need root fuse setcap getcap fallocate /usr/bin/python3

mkdir -m 755 source

# make MODE: the file, which anybody may change, gets a mode and a capability on the host.
make() {
	head -c 8192 /dev/zero >source/file
	chmod "$1" source/file
	setcap cap_net_raw+ep source/file
}

as_user() { setpriv --reuid 1234 --regid 1234 --clear-groups "$@"; }

# strips NAME MODE COMMAND...: a user's change leaves MODE and no capability.
strips() {
	make 6777
	as_user "${@:3}"
	is "$(stat -c %a source/file)" "$2" "$1: set-id bits"
	is "$(getcap source/file)" '' "$1: the capability"
	is "$(stat -c %a mnt/file)" "$2" "$1: the mount shows it"
}

for options in rw writeback cache=never cache=always nokillpriv; do
	mount_store source mnt -o "$options"
	strips "$options, a write" 777 dd if=/dev/zero of=mnt/file bs=10 count=1 conv=notrunc status=none
	strips "$options, a direct write" 777 \
		dd if=/dev/zero of=mnt/file bs=4096 count=1 conv=notrunc oflag=direct status=none
	strips "$options, truncation" 777 truncate -s 10 mnt/file
	strips "$options, an open that truncates" 777 bash -c '>mnt/file'
	strips "$options, fallocate" 777 fallocate -l 10000 mnt/file
	strips "$options, copy_file_range" 777 /usr/bin/python3 -c '
import os
to = os.open("mnt/file", os.O_RDWR)
assert os.copy_file_range(to, to, 4096, 0, 4096) == 4096'
	make 6777
	echo x >>mnt/file
	is "$(stat -c %a source/file)" 6777 "$options, root's write keeps set-id bits"
	is "$(getcap source/file)" '' "$options, but no capability"
	make 6777
	stat mnt/file >/dev/null
	chmod 777 source/file
	chmod 6777 source/file
	as_user dd if=/dev/zero of=mnt/file bs=10 count=1 conv=notrunc status=none
	is "$(stat -c %a source/file)" 777 "$options, bits that the host has set"
	end_mount mnt
done
