#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# image.sh — create, compact, check, repair: an image as a whole.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" jq

vars() { "$TACIT" vars "$@"; }
poke() { printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

# create
for profile in ovmf-2m:131072 ovmf-4m:540672; do
	ok "create ${profile%:*}" vars create "new-${profile%:*}.fd" --profile "${profile%:*}"
	is "$(stat -c %s "new-${profile%:*}.fd")" "${profile#*:}" 'has the size that its firmware wants'
	ok 'is healthy' vars check "new-${profile%:*}.fd"
done
ok 'create armvirt' vars create new-armvirt.fd --profile=armvirt
ok 'is healthy' vars check new-armvirt.fd
ok 'the empty 4M store is as Debian has it' cmp new-ovmf-4m.fd "$OVMF_VARS"
ok 'so is the 2M one' cmp new-ovmf-2m.fd "$OVMF_VARS_2M"
fails_with 1 'is there already' 'an existing file is left alone' vars create new-ovmf-4m.fd --profile ovmf-2m
is "$(stat -c %s new-ovmf-4m.fd)" 540672 'as it was'
ok 'but for --force' vars create --force new-ovmf-4m.fd --profile ovmf-2m
is "$(stat -c %s new-ovmf-4m.fd)" 131072 'then it is another'
fails_with 1 'ovmf-2m, ovmf-4m, armvirt' 'a profile is needed' vars create x.fd
fails_with 1 "does not know 'foo'" 'a known one' vars create x.fd --profile foo
ok 'nothing was made' test ! -e x.fd

# compact
cp "$OVMF_VARS_MS" store.fd
vars export store.fd >before
is "$(vars compact store.fd)" '26 dead records, 4312 bytes freed' 'compact says what it freed'
is "$(vars info --json store.fd | jq -c '[.live, .dead, .remaining_runtime]')" '[31,0,243520]' \
	'the room is there at run time'
ok 'every variable stayed' cmp before <(vars export store.fd)
ok 'the store is healthy' vars check store.fd
cp store.fd compacted.fd
is "$(vars compact store.fd)" '0 dead records, 0 bytes freed' 'a second time there is nothing to do'
ok 'and nothing is written' cmp store.fd compacted.fd

# check
is "$(vars check --json "$OVMF_VARS_MS" | jq .healthy)" true 'a good store is healthy'
has "$(vars check "$OVMF_VARS_MS")" 'healthy' 'for people, too'
cp "$OVMF_VARS_MS" bad.fd
poke bad.fd 50 '\x00\x00'
fails_with 2 'not healthy' 'a wrong checksum in the header is not: status 2' vars check bad.fd
json=$(vars check --json bad.fd || true)
is "$(jq .healthy <<<"$json")" false 'JSON says so'
is "$(jq -c '.findings[] | select(.severity == "error") | keys' <<<"$json" | sort -u)" \
	'["code","offset","severity","text"]' 'and what was found'
echo words >words
fails_with 1 'no variable store' 'a file of another kind' vars check words
head -c 4096 /dev/zero >zeros
fails_with 1 'no variable store' 'zeros' vars check zeros
{ printf 'QFI\xfb'; head -c 65532 /dev/zero; cat "$OVMF_VARS_MS"; } >store.qcow2
cp store.qcow2 keep.qcow2
for verb in list check repair; do
	fails_with 1 'qemu-img convert' "$verb: no store is read out of a qcow2 image" vars $verb store.qcow2
done
ok 'nor changed in one' cmp store.qcow2 keep.qcow2

# repair
cp "$OVMF_VARS_MS" good.fd
is "$(vars repair good.fd)" 'nothing to repair' 'a healthy store needs nothing'
ok 'its dead records stay' cmp good.fd "$OVMF_VARS_MS"
cp "$OVMF_VARS_MS" cut.fd
poke cut.fd 184 '\x00' # the first record is a dead one of 84 bytes
cp cut.fd keep.fd
fails_with 1 'is damaged' 'nothing is written over variables behind a damaged record' \
	vars set cut.fd Timeout --hex 0500
fails_with 1 'is damaged' 'nor are they compacted away' vars compact cut.fd
ok 'the image is as it was' cmp cut.fd keep.fd
has "$(vars repair -o rest.fd cut.fd)" 'mended the start at 0xb8' 'a start of a record is mended'
ok 'and all are there again' vars diff rest.fd good.fd
poke cut.fd 186 '\x00'
has "$(vars repair -o rest2.fd cut.fd)" 'damaged bytes at 0xb8' 'a damaged header is left out'
is "$(vars list --json rest2.fd | jq length)" 30 'and the 30 variables behind it are kept'
ok 'the store is healthy' vars check rest2.fd
cp bad.fd keep.fd
ok 'repair into another file' vars repair -o mended.fd bad.fd
ok 'leaves the first as it was' cmp bad.fd keep.fd
ok 'the other is healthy' vars check mended.fd
ok 'and has every variable' cmp before <(vars export mended.fd)
fails_with 1 'is there already' 'it is not replaced' vars repair -o mended.fd bad.fd
ok 'but for --force' vars repair --force -o mended.fd bad.fd
ok 'repair in place' vars repair bad.fd
ok 'the store is healthy' vars check bad.fd
ok 'and has every variable' cmp before <(vars export bad.fd)
inode=$(stat -c %i:%Y bad.fd)
is "$(vars repair bad.fd)" 'nothing to repair' 'a second time there is nothing to do'
is "$(stat -c %i:%Y bad.fd)" "$inode" 'and is not written'
