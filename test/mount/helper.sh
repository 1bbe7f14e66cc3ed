#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# helper.sh — mount(8), fstab(5), findmnt(8) and the helper that they call.
. "$(dirname "$0")/../lib.sh"
need root fuse helper "$OVMF_VARS"

mkdir mnt
on_exit unmount "$work/mnt"
cp "$OVMF_VARS" store.fd
mnt=$work/mnt store=$work/store.fd

kernel_options() { findmnt -no OPTIONS --mountpoint "$mnt"; }
shown_options() { findmnt --mtab -no OPTIONS --mountpoint "$mnt"; }
live_options() { getfattr --only-values -n trusted.tacit.options mnt; }
no_line() { ! grep -q "TARGET=$mnt " /run/mount/utab; }

ok 'mount -t fuse.tacit' mount -t fuse.tacit "$store" "$mnt" -o nostatfs,uid=7,gid=8
has ",$(shown_options)," ,nostatfs, 'findmnt shows nostatfs'
has ",$(shown_options)," ,uid=7,gid=8 'and owners'
has "$(mount | grep "$mnt")" nostatfs 'mount shows it too'
has "$(mount | grep "$mnt")" 'type fuse.tacit' 'with the type'
is "$(stat -c %u:%g mnt)" 7:8 'the owners hold'
end_mount "$mnt"
wait_for no_line
ok 'nothing of it stays recorded' no_line

ok 'mount with the default' mount -t fuse.tacit "$store" "$mnt" -o statfs
lacks "$(shown_options)" statfs 'the default is not shown'
lacks "$(shown_options)" uid= 'nor is root'
end_mount "$mnt"

ok 'options of mount(8) are skipped' mount -t fuse.tacit "$store" "$mnt" \
	-o defaults,nofail,_netdev,noauto,user,suid,dev,exec,group,comment=hello,x-one=1,X-two,nostatfs,relatime
has ",$(shown_options)," ,nostatfs, 'ours are shown'
has ",$(shown_options)," ,_netdev, 'beside those that mount(8) shows'
end_mount "$mnt"
ok 'the same by our own verb' "$TACIT" mount "$store" "$mnt" \
	-o defaults,nofail,_netdev,user,comment=hello,x-one=1,X-two,nostatfs
has ",$(shown_options)," ,x-one=1, 'which knows all of them'
lacks "$(shown_options)" nofail 'and which are not shown'
ok 'a remount' mount -o remount,statfs "$mnt"
has ",$(shown_options)," ,x-one=1, 'keeps them'
end_mount "$mnt"

ok 'a fake mount' mount -f -t fuse.tacit "$store" "$mnt"
ok 'is none' bash -c "! mountpoint -q '$mnt'"
fails_with 1 frobnicate 'an unknown option' mount -t fuse.tacit "$store" "$mnt" -o frobnicate
ok 'a sloppy mount skips it' mount -s -t fuse.tacit "$store" "$mnt" -o frobnicate=1,nostatfs
has ",$(shown_options)," ,nostatfs, 'and takes the rest'
end_mount "$mnt"
ok 'mount -n' mount -n -t fuse.tacit "$store" "$mnt" -o nostatfs
ok 'records nothing' no_line
has "$(live_options)" nostatfs 'and mounts all the same'
end_mount "$mnt"
has "$(mount -v -t fuse.tacit "$store" "$mnt")" "$store mounted on $mnt" 'mount -v says what it did'
end_mount "$mnt"
fails_with 32 'No such file' 'the status of a failure is handed through' \
	mount -t fuse.tacit "$work/missing.fd" "$mnt"
fails_with 1 'a source and a mount point' 'the helper alone' "$HELPER" "$store"
ok 'the helper has a help text' "$HELPER" --help

# fstab, in a mount namespace so that the machine's own stays
{
	cat /etc/fstab 2>/dev/null
	echo "$store $mnt fuse.tacit nostatfs,auth=owner,nofail,noatime,x-systemd.device-timeout=1,uid=3 0 0"
} >fstab
in_fstab() { unshare -m bash -ec 'mount --bind fstab /etc/fstab; "$@"' fstab "$@"; }
if [ -e /etc/fstab ]; then
	cat >steps.sh <<-'STEPS'
		mount "$1"
		findmnt -no OPTIONS "$1"
		getfattr --absolute-names --only-values -n trusted.tacit.options "$1"; echo
		mount -o remount,statfs "$1"
		getfattr --absolute-names --only-values -n trusted.tacit.options "$1"; echo
		mount -a
		findmnt -rno TARGET "$1" | wc -l
		umount "$1"
	STEPS
	ok 'a line of fstab' in_fstab bash -e steps.sh "$mnt"
	mapfile -t lines <"$scratch/out"
	has "${lines[0]}" noatime "its options are the kernel's"
	has "${lines[1]}" 'nostatfs,uid=3,gid=0,auth=owner' 'and ours'
	lacks "${lines[2]}" nostatfs 'a remount changes one'
	has "${lines[2]}" 'uid=3,gid=0,auth=owner' 'and keeps the others'
	is "${lines[3]}" 1 'mount -a sees that it is mounted'
else
	skip 'a line of fstab' 'no /etc/fstab'
fi
