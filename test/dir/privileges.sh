#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# privileges.sh — set-id bits and capabilities go when somebody changes a file. That nothing is asked
# before a write: test/fs/requests.sh.
. "$(dirname "$0")/../lib.sh"
need root fuse setcap getcap setfattr fallocate /usr/bin/python3

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

# A map: the capability has a name on the host that its kernel does not know (CVE-2021-20263).
readonly mapped=user.virtiofs.security.capability

make_mapped() {
	head -c 8192 /dev/zero >source/file
	chmod 777 source/file
	setcap cap_net_raw+ep mnt/file
	lacks "$(getcap source/file)" cap_net_raw "$1: the host sees no capability"
	has "$(getcap mnt/file)" cap_net_raw "$1: the mount does"
}

# is_stripped NAME: the capability is gone on both sides.
is_stripped() {
	is "$(getfattr -d -m - source/file 2>/dev/null)" '' "$1: nothing is left on the host"
	is "$(getcap mnt/file)" '' "$1: nothing on the mount"
}

# strips_mapped NAME COMMAND...
strips_mapped() {
	make_mapped "$1"
	"${@:2}"
	is_stripped "$1"
}

for options in rw cache=never nokillpriv; do
	mount_store source mnt -o "$options,xattrmap=:map:security.:user.virtiofs.:"
	strips_mapped "$options, map, root's write" dd if=/dev/zero of=mnt/file bs=10 count=1 conv=notrunc status=none
	strips_mapped "$options, map, a write" \
		as_user dd if=/dev/zero of=mnt/file bs=10 count=1 conv=notrunc status=none
	strips_mapped "$options, map, truncation" truncate -s 10 mnt/file
	strips_mapped "$options, map, an open that truncates" bash -c '>mnt/file'
	strips_mapped "$options, map, fallocate" fallocate -l 10000 mnt/file
	strips_mapped "$options, map, chown" chown 5:6 mnt/file
	make_mapped "$options, map, the host's gift"
	# the client has looked, found nothing, and does not look again
	dd if=/dev/zero of=mnt/file bs=10 count=1 conv=notrunc status=none
	setfattr -n "$mapped" -v x source/file
	wait_for bash -c "echo x 1<>mnt/file && ! getfattr -n $mapped source/file"
	ok "$options, map, a gift of the host goes too" true
	setfattr -n security.virtiofs -v a mnt/file
	is "$(getfattr -n user.virtiofs.security.virtiofs --only-values source/file)" a "$options, map, attributes are mapped"
	fails_with '*' 'not permitted' "$options, map, the other name is refused" setfattr -n "$mapped" -v x mnt/file
	has "$(getfattr -d -m - mnt/file)" security.virtiofs "$options, map, and listed"
	lacks "$(getfattr -d -m - mnt/file)" user.virtiofs "$options, map, under their own names only"
	setfattr -x security.virtiofs mnt/file
	is "$(getfattr -d -m - source/file)" '' "$options, map, and removed"
	end_mount mnt
done
mount_store source mnt -o xattrmap=:map::user.virtiofs.:
setfattr -n user.colour -v blue source/file
lacks "$(getfattr -d -m - mnt/file)" user.colour 'map of all: what the host names is hidden'
fails_with '*' 'No such attribute' 'map of all: and not there' getfattr -n user.colour mnt/file
setfattr -n trusted.colour -v red mnt/file
is "$(getfattr -n user.virtiofs.trusted.colour --only-values source/file)" red 'map of all: a trusted attribute'
has "$(getfattr -d -m - mnt/file)" trusted.colour 'map of all: root sees it'
lacks "$(as_user getfattr -d -m - mnt/file)" trusted.colour 'map of all: others do not'
has "$(getfattr -n trusted.tacit.options --only-values mnt)" 'xattrmap=:map::user.virtiofs.:' 'the map is told'
end_mount mnt
