#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# remount.sh — the options of a live mount change by mount -o remount and by setfattr; all or nothing.
. "$(dirname "$0")/../lib.sh"
need root fuse helper chattr getfattr "$OVMF_VARS"

guid=12345678-1234-1234-1234-123456789abc
attribute=trusted.tacit.options
mkdir mnt
on_exit unmount "$work/mnt"
cp "$OVMF_VARS" store.fd
mnt=$work/mnt

live() { getfattr --only-values -n $attribute mnt; }
shown_options() { findmnt --mtab -no OPTIONS --mountpoint "$mnt"; }
blocks() { stat -f -c %b mnt; }

mount -t fuse.tacit "$work/store.fd" "$mnt" -o nostatfs,uid=7,gid=8,auth=owner,view=runtime,nosuid
first=$(live)
for part in rw nostatfs uid=7 gid=8 auth=owner view=runtime profile=auto io=auto threads=0; do
	has ",$first," ",$part," "the live options have $part"
done
is "$(blocks)" 0 'nostatfs: no blocks'

ok 'remount,statfs' mount -o remount,statfs "$mnt"
is "$(live)" "${first/nostatfs/statfs}" 'changes this and nothing else'
ok 'df has numbers' test "$(blocks)" -gt 0
lacks "$(shown_options)" statfs 'statfs is the default and not shown'
has "$(shown_options)" uid=7,gid=8 'owners are'
has "$(findmnt -no OPTIONS "$mnt")" nosuid "the kernel's flags stay"
is "$(stat -c %u:%g mnt)" 7:8 'the owner stays'

ok 'remount,nostatfs' mount -o remount,nostatfs "$mnt"
is "$(live)" "$first" 'and back'
is "$(blocks)" 0 'no blocks again'
has ",$(shown_options)," ,nostatfs, 'which is shown'
ok 'the mount point may be relative, and the source named' \
	mount -t fuse.tacit -o remount,statfs "$work/store.fd" mnt
is "$(live)" "${first/nostatfs/statfs}" 'the same'
ok 'by our own verb' "$TACIT" mount -o remount,nostatfs mnt
is "$(live)" "$first" 'the same again'
ok 'an x- option does no harm' mount -o remount,x-foo=1,statfs "$mnt"
is "$(live)" "${first/nostatfs/statfs}" 'nor change anything'
mount -o remount,nostatfs "$mnt"
ok 'an option as it is may be named' mount -o remount,uid=7,auth=owner,nostatfs "$mnt"

# refuses TEXT OPTIONS: one line, no change at all.
refuses() {
	fails_with '*' "$1" "remount,$2 is refused" mount -o "remount,$2" "$mnt"
	is "$(live)" "$first" "remount,$2 changes nothing"
}
refuses auth statfs,auth=firmware
refuses uid statfs,uid=9
refuses view view=all,statfs
refuses io statfs,io=readwrite
refuses frobnicate statfs,frobnicate
refuses statfs statfs=1
fails_with '*' '' 'setfattr of a bad option is refused' setfattr -n $attribute -v 'statfs,auth=firmware' mnt
is "$(live)" "$first" 'and changes nothing'
has "$(getfattr --only-values -n user.tacit.error mnt)" auth 'the reason is an attribute'
ok 'setfattr' setfattr -n $attribute -v statfs mnt
is "$(live)" "${first/nostatfs/statfs}" 'does what a remount does'
ok 'the live options can be set as they are' setfattr -n $attribute -v "$(live)" mnt
setfattr -n $attribute -v nostatfs mnt
has ",$(shown_options)," ,nostatfs, 'and it is shown'
if command -v setpriv >/dev/null; then
	fails_with '*' '' 'a user may not' setpriv --reuid 65534 --regid 65534 --clear-groups \
		--inh-caps=-all --bounding-set=-all "$TACIT" mount -o remount,statfs "$mnt"
	is "$(live)" "$first" 'change anything'
fi

# read-only and back
ok 'remount,ro' mount -o remount,ro "$mnt"
has ",$(findmnt -no OPTIONS "$mnt")," ,ro, 'is in the mount table'
has "$(live)" ro, 'and in the live options'
fails_with '*' 'Read-only' 'and holds' bash -c "printf '\7\0\0\0x' >mnt/Test-$guid"
ok 'a read-only image can be opened by a writer' "$TACIT" mount store.fd /mnt
end_mount /mnt
ok 'statfs changes on a read-only mount' mount -o remount,statfs "$mnt"
has ",$(live)," ,statfs, 'in the server'
has ",$(findmnt -no OPTIONS "$mnt")," ,ro, 'which stays read-only'
fails_with '*' 'Read-only' 'for the kernel too' bash -c "printf '\7\0\0\0x' >mnt/Test-$guid"
fails_with '*' auth 'a refusal on a read-only mount has its reason' mount -o remount,auth=firmware "$mnt"
ok 'remount,rw,nostatfs' mount -o remount,rw,nostatfs "$mnt"
is "$(live)" "$first" 'all is as before'
ok 'and can be written' bash -c "printf '\7\0\0\0x' >mnt/Test-$guid"
has "$(findmnt -no OPTIONS "$mnt")" nosuid "the kernel's flags stay through that"

chattr -i mnt/Test-$guid
exec 9>>"mnt/Test-$guid"
fails_with '*' 'open for writing' 'remount,ro while a file is open for writing' mount -o remount,ro "$mnt"
is "$(live)" "$first" 'changes nothing'
exec 9>&-
end_mount "$mnt"

# a source that cannot be written
mount -t fuse.tacit "$work/store.fd" "$mnt" -o ro
mkdir other
mount_store "$work/store.fd" "$work/other"
fails_with '*' '' 'rw is refused while another writes' mount -o remount,rw "$mnt"
note "$(cat "$scratch/out")"
has ",$(findmnt -no OPTIONS "$mnt")," ,ro, 'the mount stays read-only'
has "$(live)" ro, 'in the server too'
end_mount other
writable() { mount -o remount,rw "$mnt"; }
wait_for writable
has "$(live)" rw, 'and is accepted when nobody does'
end_mount "$mnt"

mkdir plain
fails_with '*' 'nothing is mounted' 'no mount' "$TACIT" mount -o remount,statfs plain
mount -t tmpfs none plain
on_exit umount "$work/plain"
fails_with '*' 'not fuse.tacit' "another's mount" "$TACIT" mount -o remount,statfs plain

# an image that lies under its own mount
mkdir over
cp "$OVMF_VARS" over/store.fd
mount_store "$work/over/store.fd" over
ok 'an image under its own mount: ro' timeout -s KILL 10 setfattr -n trusted.tacit.options -v ro over
ok 'and rw again' timeout -s KILL 10 setfattr -n trusted.tacit.options -v rw over
# shellcheck disable=SC2016	# its argument
ok 'and a write' timeout -s KILL 10 sh -c 'printf "\7\0\0\0x" >"$0"' \
	over/Own-11111111-2222-3333-4444-555555555555
