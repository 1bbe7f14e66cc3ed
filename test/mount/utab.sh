#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# utab.sh — the lines of /run/mount/utab: any path and option, beside those of others.
. "$(dirname "$0")/../lib.sh"
need root fuse helper "$OVMF_VARS"

cp "$OVMF_VARS" store.fd

# of DIR: what mount(8) knows of it beside the kernel
shown_options() { findmnt --mtab -no OPTIONS --mountpoint "$1"; }
lines() { grep -c "TARGET=$work/" /run/mount/utab || :; }
no_lines() { [ "$(lines)" = 0 ]; }

# names and values with all that the file must not have raw
dir=$work/$'a b\tc\nx\\e#'
mount_store store.fd "$dir" -o 'nostatfs,x-one=a b,x-two="c,d",x-three=e\134f,uid=3'
has "$(shown_options "$dir")" 'x-one=a b,x-two="c,d",x-three=e\134f,nostatfs,uid=3' \
	'odd options and an odd place are recorded'
ok 'a remount there' mount -o remount,statfs "$dir"
has "$(shown_options "$dir")" 'x-one=a b,x-two="c,d",x-three=e\134f,uid=3' 'keeps them'
lacks "$(shown_options "$dir")" nostatfs 'and changes one'
is "$(lines)" 1 'in one line'
umount "$dir"
wait_for no_lines
ok 'which goes with the mount' no_lines

# a server that could not clean up
mkdir mnt
on_exit unmount "$work/mnt"
"$TACIT" mount -o nostatfs,x-old=1 "$work/store.fd" mnt
is "$(lines)" 1 'a mount has its line'
kill -9 "$(pgrep -f "mount -o nostatfs,x-old=1 $work/store.fd")"
fusermount3 -u mnt
"$TACIT" mount -o uid=5 "$work/store.fd" mnt
is "$(lines)" 1 'the line of a killed server is replaced'
has "$(shown_options mnt)" uid=5 'by the new options'
lacks "$(shown_options mnt)" x-old 'without the old ones'
end_mount mnt
wait_for no_lines

# a mount without a source above ours, when ours ends
start "$TACIT" mount -f store.fd mnt
wait_for mountpoint -q mnt
mount -t tmpfs none mnt
kill "$started"
wait_for ended "$started"
status=0
wait "$started" || status=$?
is $status 0 'a server ends well below another mount'
umount mnt

# many at once, and mount(8) beside them
on_exit umount -R "$work/many"
mkdir many
mount -t tmpfs many many
for i in 1 2 3; do
	mkdir many/ours$i many/other$i
	cp "$OVMF_VARS" many/store$i.fd
done
all() { # COMMAND...: with 1, 2 and 3, at the same time
	local i pids=()

	for i in 1 2 3; do
		"$@" $i &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i"; done
}
mount_ours() { "$TACIT" mount -o "uid=$1" "many/store$1.fd" "many/ours$1"; }
mount_other() { mount -t tmpfs -o "x-other=$1" none "$PWD/many/other$1"; }
umount_ours() { umount "many/ours$1"; }
umount_other() { umount "many/other$1"; }
lost=0
for _ in 1 2 3 4 5; do
	all mount_ours &
	ours=$!
	all mount_other
	wait "$ours"
	[ "$(lines)" = 6 ] || lost=$((lost + 1))
	all umount_ours &
	ours=$!
	all umount_other
	wait "$ours"
	wait_for no_lines
done
is $lost 0 'no line is lost between writers'
