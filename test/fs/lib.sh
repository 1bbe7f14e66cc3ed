# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# lib.sh — what the tests of a directory's mount share: two folders of one file system.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need root fuse

programs=${BUILD:-$test_root/build}/test/fs

# has_file_system NAME: this kernel and its tools can make one.
has_file_system() {
	[ "$1" = tmpfs ] && return
	command -v "mkfs.$1" >/dev/null && grep -qw "$1" /proc/filesystems && losetup -f >/dev/null 2>&1
}

# make_file_system NAME: mounted on $PWD/NAME, with the folders native, behind and mount.
make_file_system() {
	mkdir "$1"
	on_exit unmount "$PWD/$1"
	if [ "$1" = tmpfs ]; then
		mount -t tmpfs -o size=512m,mode=755 tmpfs "$1"
	else
		truncate -s 400M "$1.img"
		"mkfs.$1" -q "$1.img"
		mount -o loop "$1.img" "$1"
	fi
	mkdir "$1/native" "$1/behind" "$1.mount"
}

# mount_directory NAME [ARG...]: the folder behind through tacit, until the test ends.
mount_directory() {
	on_exit unmount "$PWD/$1.mount"
	"$TACIT" mount "${@:2}" "$1/behind" "$1.mount"
}

# compare NAME PROGRAM [ARG...]: one check; what differs is a comment.
compare() {
	local name=$1 status=0

	"$programs/$2" "${@:3}" >"$scratch/compared" 2>&1 || status=$?
	[ $status != 0 ] || grep -q '^1\.\.[1-9]' "$scratch/compared" || status=1
	tap_result $status "$name"
	[ $status = 0 ] || grep -v '^ok ' "$scratch/compared" | head -n 200 | sed 's/^/# /'
}

# compare_sides FILE-SYSTEM PROGRAM [ARG...]: the operands of the file system's folders are added.
compare_sides() {
	local name=$1 program=$2

	shift 2
	compare "$name: $program $*" "$program" "$@" "$name/native" "$name.mount" "$name/behind"
}

# What FUSE cannot carry, of every file system: doc/directory.md has the reasons.
readonly privileges_named='mmap store|chown -1 -1|ACL removed'

# compare_privileges NAME CAPABILITY WAY...: the table of test/fs/killpriv.c, one check for each way in
# which the bits came; CAPABILITY is what the host calls security.capability.
compare_privileges() {
	local name=$1 capability=$2 way differences

	for way in "${@:3}"; do
		"$programs/killpriv" --quick --way "$way" --capability-behind "$capability" \
			"$name/native" "$name.mount" "$name/behind" >"$scratch/compared" 2>&1 || :
		has "$(tail -n 1 "$scratch/compared")" 1.. "$name, $way: the table is whole"
		differences=$(grep '^not ok' "$scratch/compared" | grep -vE "$privileges_named" || :)
		is "$differences" '' "$name, $way: every other operation is as natively"
	done
}
