#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# import.sh — all or nothing: what is wrong with any variable leaves the store as it was.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" jq
guid=11111111-2222-3333-4444-555555555555

vars() { "$TACIT" vars "$@"; }
good='{"name":"Good","guid":"'$guid'","attr":7,"data":"00ff"}'

vars create store.fd --profile ovmf-2m
vars set store.fd "Kept-$guid" --text kept
cp store.fd before.fd

# refused WHY NAME JSON: after a good variable, none is set.
refused() {
	printf '%s' "$3" >in.json
	fails_with 1 "$1" "$2" vars import store.fd in.json
	cmp -s store.fd before.fd || tap_result 1 "the store is as it was: $2"
}

variable() { # MEMBERS: a document of the good variable and one with these
	printf '{"version":2,"variables":[%s,{%s}]}' "$good" "$1"
}
refused 'no variable store' 'neither JSON nor a store' 'hello'
refused 'no variable store' 'an empty file' ''
refused 'not JSON' 'JSON that is cut' "{\"variables\":[$good"
refused 'not JSON' 'JSON without an end to its depth' "{\"x\":$(printf '[%.0s' {1..5000})"
refused 'no array' 'JSON of another kind' '{"x":[]}'
refused 'is not 2' 'another version' "{\"version\":3,\"variables\":[$good]}"
refused 'variable 1: "name"' 'no name' "$(variable '"guid":"'$guid'","attr":7,"data":"00"')"
refused '"guid"' 'no GUID' "$(variable '"name":"x","guid":"1-2","attr":7,"data":"00"')"
refused '"attr"' 'no attributes' "$(variable '"name":"x","guid":"'$guid'","data":"00"')"
refused '"attr"' 'a negative number' "$(variable '"name":"x","guid":"'$guid'","attr":-1,"data":"00"')"
refused '"data"' 'half a byte' "$(variable '"name":"x","guid":"'$guid'","attr":7,"data":"001"')"
refused '"data"' 'data that is no text' "$(variable '"name":"x","guid":"'$guid'","attr":7,"data":7')"
refused '"time"' 'a short time' "$(variable '"name":"x","guid":"'$guid'","attr":7,"data":"00","time":"00"')"
refused 'is there twice' 'a variable twice' "$(variable "${good:1:-1}")"
refused 'the name is empty' 'an empty name' "$(variable '"name":"","guid":"'$guid'","attr":7,"data":"00"')"
refused 'the attributes' 'attributes that nothing has' \
	"$(variable '"name":"x","guid":"'$guid'","attr":2055,"data":"00"')"
refused 'boot service' 'run time without boot time' \
	"$(variable '"name":"x","guid":"'$guid'","attr":5,"data":"00"')"
refused 'it is empty' 'no data' "$(variable '"name":"x","guid":"'$guid'","attr":7,"data":""')"
refused 'larger than' 'more than the firmware takes' \
	"$(variable '"name":"x","guid":"'$guid'","attr":7,"data":"'"$(printf '%018000d' 0)"'"')"
many=$(for i in {1..20}; do printf ',{"name":"big%s","guid":"%s","attr":7,"data":"%08000d"}' "$i" $guid 0; done)
refused "big" 'more than fits' "{\"version\":2,\"variables\":[$good$many]}"
fails_with 1 'No such file' 'no file' vars import store.fd missing
mkfifo fifo
fails_with 1 'not JSON' 'a FIFO is not waited for' timeout 10 "$TACIT" vars import store.fd fifo
fails_with 1 'store.fd' 'a store that is not there' vars import not-there/store.fd before.fd

mkdir dir
printf '\x07\0\0\0ab' >"dir/Good-$guid"
printf '\x07\0' >"dir/Short-$guid"
fails_with 1 'shorter than its attributes' 'a file that is too short' vars import store.fd dir
rm "dir/Short-$guid"
touch dir/README
fails_with 1 'not Name-GUID' 'a file of another name' vars import store.fd dir
rm dir/README
ln -s "$PWD/store.fd" "dir/Link-$guid"
fails_with 1 "Link-$guid" 'links are not followed' vars import store.fd dir
rm "dir/Link-$guid"
mkdir "dir/Folder-$guid"
fails_with 1 'not a regular file' 'nor directories read' vars import store.fd dir
rmdir "dir/Folder-$guid"
ok 'after all that the store is as it was' cmp store.fd before.fd

ok 'a good directory' vars import store.fd dir
is "$(vars get store.fd Good)" ab 'is imported'
is "$(vars get store.fd Kept)" kept 'other variables stay'
printf '{"variables":[%s,{"name":"SecureBoot","guid":"8be4df61-93ca-11d2-aa0d-00e098032b8c","attr":6,"data":"01"}]}' \
	"$good" >in.json
has "$(vars import --replace store.fd in.json)" '1 set, 0 unchanged, 1 deleted, 1 volatile' \
	'--replace deletes the others; volatile ones are skipped'
is "$(vars list --json store.fd | jq -r 'map(.name) | join(" ")')" Good 'as it said'
is "$(vars get store.fd Good --hex)" 00ff 'with the new content'

# QEMU's and python-uefivars' documents differ a little
printf '{"version":2,"variables":[{"guid":"%s","name":"T","attr":39,"data":"aa","timestamp":"e70a0b1e133b0f000000000000000000","digest":"00"}]}' \
	$guid | vars import store.fd - >/dev/null
is "$(vars list --json store.fd | jq -r '.[] | select(.name == "T") | .time')" 2791-11-30T19:59:15 \
	"'timestamp' is a time, other members are passed over"

vars create big.fd --profile ovmf-4m
has "$(vars import big.fd "$OVMF_VARS_MS")" '31 set' 'another store as the source'
ok 'gives an equal one' vars diff big.fd "$OVMF_VARS_MS"
chmod 640 big.fd
ln -s big.fd link.fd
vars import link.fd store.fd >/dev/null
is "$(stat -c %a big.fd)" 640 'the mode stays'
ok 'and a link' test -L link.fd
