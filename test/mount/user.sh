#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# user.sh — a user mounts his own store, through fusermount3.
. "$(dirname "$0")/../lib.sh"
need root fuse fusermount3 setpriv "$OVMF_VARS"
[ -u "$(command -v fusermount3)" ] || skip_all 'needs fusermount3 with its set-user-id bit'

as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"; }
as_user test -x "$TACIT" || skip_all 'needs a build that other users can run'
as_user test -w /dev/fuse || skip_all 'needs a /dev/fuse for users'

mkdir mnt
cp "$OVMF_VARS" store.fd
chown 65534:65534 mnt store.fd
on_exit unmount "$work/mnt"

ok 'a user mounts' as_user "$TACIT" mount store.fd mnt
is "$(as_user stat -c %u:%g mnt)" 65534:65534 'the files are his'
is "$(findmnt -no FSTYPE mnt)" fuse.tacit 'with the type'
is "$(findmnt -no SOURCE mnt)" "$work/store.fd" 'and the source'
has "$(findmnt -no OPTIONS mnt)" default_permissions 'permissions count'
lacks "$(findmnt -no OPTIONS mnt)" allow_other 'and nobody else may enter'
printf '\7\0\0\0mine' >data
chmod 644 data
ok 'he writes a variable' as_user cp data mnt/Test-12345678-1234-1234-1234-123456789abc
fails_with '*' '' 'another does not see it' setpriv --reuid 65533 --regid 65533 --clear-groups ls mnt
ok 'he unmounts' as_user fusermount3 -u mnt
wait_for no_live_servers
as_user "$TACIT" mount store.fd mnt -o ro
is "$(as_user tail -c 4 mnt/Test-12345678-1234-1234-1234-123456789abc)" mine 'and finds it again'
as_user fusermount3 -u mnt
wait_for no_live_servers

mkdir foreign
fails_with '*' '' 'not on a folder of another' as_user "$TACIT" mount store.fd foreign
ok 'then nothing is mounted' bash -c '! mountpoint -q foreign'
cp "$OVMF_VARS" secret.fd
chmod 600 secret.fd
fails_with 1 'ermission denied' 'nor an image of another' as_user "$TACIT" mount secret.fd mnt
cp "$OVMF_VARS" public.fd
chmod 644 public.fd
fails_with 1 'read with -o ro' 'nor write what he may only read' as_user "$TACIT" mount public.fd mnt
ok 'but read it' as_user "$TACIT" mount -o ro public.fd mnt
as_user fusermount3 -u mnt
wait_for no_live_servers
