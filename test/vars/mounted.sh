#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mounted.sh — a store that is mounted: vars sees what is written through the mount, and writes nothing.
. "$(dirname "$0")/../lib.sh"
need root fuse "$OVMF_VARS"
guid=11111111-2222-3333-4444-555555555555

vars() { "$TACIT" vars "$@"; }

cp "$OVMF_VARS" store.fd
mount_store store.fd mnt
printf '\7\0\0\0through' >"mnt/Own-$guid"
is "$(vars get store.fd Own)" through 'a write through the mount is seen at once'
fails_with 1 'store.fd: ' 'set is refused' vars set store.fd Own --text x
fails_with 1 'store.fd: ' 'import too' vars import store.fd "$OVMF_VARS_MS"
end_mount mnt
ok 'unmounted, it is free' vars set store.fd Own --text after
is "$(vars get store.fd Own)" after 'unmounted, it can be written'
