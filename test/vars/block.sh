#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# block.sh — a store on a block device, which cannot be replaced: every verb that writes, in place.
. "$(dirname "$0")/../lib.sh"
need root losetup "$OVMF_VARS_MS" jq
guid=11111111-2222-3333-4444-555555555555

vars() { "$TACIT" vars "$@"; }

cp "$OVMF_VARS_MS" store.fd
device=$(losetup --find --show store.fd 2>/dev/null) || skip_all 'needs a loop device'
on_exit losetup -d "$device"

ok 'set' vars set "$device" "One-$guid" --text one
is "$(vars get "$device" One)" one 'get'
printf '{"version":2,"variables":[{"name":"Two","guid":"%s","attr":7,"data":"00"},
	{"name":"PK","guid":"%s","attr":7,"data":""}]}' $guid $guid >bad.json
vars export "$device" >before.json
fails_with 1 'it is empty' 'an import that cannot be done as a whole' vars import "$device" bad.json
ok 'is not begun' cmp before.json <(vars export "$device")
is "$(vars import --replace "$device" "$OVMF_VARS_MS")" '0 set, 31 unchanged, 1 deleted' 'import'
ok 'gives an equal store' vars diff "$device" "$OVMF_VARS_MS"
is "$(vars compact "$device")" '27 dead records, 4384 bytes freed' 'compact'
printf '\0\0' | dd of="$device" bs=1 seek=50 conv=notrunc status=none
ok 'repair' vars repair "$device"
ok 'gives a healthy store' vars check "$device"
ok 'with every variable' vars diff "$device" "$OVMF_VARS_MS"
fails_with 1 'cannot be replaced' 'create leaves it alone' \
	vars create --force --profile ovmf-4m "$device"
ok 'it is still a device' test -b "$device"
sync "$device"
ok 'and the file under it has it all' vars diff store.fd "$OVMF_VARS_MS"
