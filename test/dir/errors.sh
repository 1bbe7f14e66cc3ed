#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# errors.sh — directories that cannot be mounted so: one line, the right status, nothing left.
. "$(dirname "$0")/../lib.sh"
need root fuse

mkdir -p mnt source/inside outer/source
: >plain
on_exit unmount "$work/mnt"

# refuses STATUS TEXT NAME ARG...: one line, and no mount.
refuses() {
	fails_with "$1" "$2" "$3" "$TACIT" mount "${@:4}"
	is "$(grep -vc "^Try 'tacit mount --help'" "$scratch/out")" 1 "$3: in one line"
	ok "$3: no mount" bash -c '! mountpoint -q mnt'
}

refuses 32 'not a directory' 'a file is no directory' -t dir plain mnt
refuses 32 'No such file' 'nothing there' -t dir absent mnt
refuses 32 'is inside the directory' 'the mount point inside the source' source source/inside
refuses 32 'which would contain itself' 'the mount point is the source' source source
refuses 32 'inside the mount point' 'the source inside the mount point' outer/source outer
refuses 1 'cache' 'an unknown cache mode' -o cache=maybe source mnt
refuses 1 'nostatfs' "a variable store's option" -o nostatfs source mnt
refuses 1 'colour' 'an unknown option' -o colour=blue source mnt
refuses 1 "rule 1, character 2: 'frob' is no type" 'a map with a wrong rule' -o xattrmap=:frob:all:::,ro source mnt
refuses 1 'there is no rule in it' 'a map of nothing' -o xattrmap= source mnt
refuses 1 'noxattr' 'a map of no attributes' -o noxattr,xattrmap=:ok:all::: source mnt

mount_store source mnt
rm -r source
fails_with '*' 'No such file' 'a source that was removed' touch mnt/new
umount mnt
ok 'is unmounted as any' bash -c '! mountpoint -q mnt'
