#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# basic.sh — a store is mounted, seen in the mount table, changed and unmounted.
. "$(dirname "$0")/../lib.sh"
need root fuse chattr "$OVMF_VARS" "$OVMF_VARS_MS"

guid=12345678-1234-1234-1234-123456789abc
cp "$OVMF_VARS_MS" store.fd
mount_store store.fd mnt -o statfs

is "$(findmnt -no FSTYPE mnt)" fuse.tacit 'the mount table has the type'
is "$(findmnt -no SOURCE mnt)" "$work/store.fd" 'and the absolute source'
has "$(findmnt -no OPTIONS mnt)" default_permissions 'permissions count'
has "$(findmnt -no OPTIONS mnt)" allow_other 'other users may enter'
ok 'variables are files' test -s mnt/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f
ok 'another user reads one' setpriv --reuid 65534 --regid 65534 --clear-groups \
	cat mnt/KEK-8be4df61-93ca-11d2-aa0d-00e098032b8c

printf '\7\0\0\0first' >mnt/Test-$guid
is "$(tail -c +5 mnt/Test-$guid)" first 'what is written is there'
end_mount mnt
ok 'the mount point is empty again' test -z "$(ls mnt)"
mount_store store.fd mnt -o ro
is "$(tail -c +5 mnt/Test-$guid)" first 'it is there in the next mount'
has "$(findmnt -no OPTIONS mnt)" ro, 'ro is in the mount table'
fails_with 1 'Read-only' 'and holds' rm mnt/Test-$guid
end_mount mnt

mount_store store.fd mnt -o fsname=my-store,nosuid,noexec,noatime
is "$(findmnt -no SOURCE mnt)" my-store 'fsname= is the source shown'
for option in nosuid noexec noatime; do
	has "$(findmnt -no OPTIONS mnt)" $option "$option is the kernel's"
done
end_mount mnt
mount_store store.fd mnt -o nodev,nosymfollow,nodiratime,lazytime,sync,dirsync,noatime,strictatime
for option in nodev nosymfollow nodiratime lazytime sync dirsync; do
	has ",$(findmnt -no OPTIONS mnt)," ",$option," "and $option"
done
lacks ",$(findmnt -no OPTIONS mnt)," ,noatime, 'of noatime and strictatime the second counts'
fails_with 1 'not permitted' 'an unknown variable is immutable' rm mnt/Test-$guid
chattr -i mnt/Test-$guid
rm mnt/Test-$guid
end_mount mnt
mount_store store.fd mnt
ok 'a removed variable stays away' test ! -e mnt/Test-$guid
mount_store "$OVMF_VARS" over -o ro
cp "$OVMF_VARS" other.fd
mount_store other.fd mnt
is "$(findmnt -rno SOURCE --mountpoint "$PWD/mnt" | wc -l)" 2 'a mount over another mount is fine'
end_mount mnt
ok 'and leaves the lower one' test -e mnt/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f
