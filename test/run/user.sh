#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# user.sh — tacit run by a user who is not root.
. "$(dirname "$0")/../lib.sh"
need root fuse userns setpriv "$OVMF_VARS"

as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"; }
as_user test -x "$TACIT" || skip_all 'needs a build that other users can run'
as_user test -w /dev/fuse || skip_all 'needs a /dev/fuse for users'

guid=12345678-1234-1234-1234-123456789abc
cp "$OVMF_VARS" store.fd
chown 65534:65534 store.fd
run() { as_user "$TACIT" run store.fd -- "$@"; }
# other tests mount too
mounts() { findmnt -rn | grep -e /sys/firmware -e "$work" || :; }
mounts_before=$(mounts)

ok 'a user runs a command' run ls /sys/firmware/efi/efivars
is "$(run id -u)" 0 'which is root in its own namespace'
ok 'it writes a variable' run sh -c "printf '\7\0\0\0mine' >/sys/firmware/efi/efivars/Test-$guid"
is "$(run tail -c 4 /sys/firmware/efi/efivars/Test-$guid)" mine 'which is in the store'
is "$(run stat -c %u /sys/firmware/efi/efivars/Test-$guid)" 0 "and is root's"
is "$(mounts)" "$mounts_before" 'no mount is left'
fails_with 3 '' 'the status' run sh -c 'exit 3'
chown 0:0 store.fd
fails_with 125 'ermission denied' "root's image" run true
ok 'is read with ro' as_user "$TACIT" run -o ro store.fd -- cat "/sys/firmware/efi/efivars/Test-$guid"
