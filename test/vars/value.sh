#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# value.sh — one variable: what set writes, get reads, and a reader of the bytes finds; rm takes away.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS" jq python3
guid=11111111-2222-3333-4444-555555555555

vars() { "$TACIT" vars "$@"; }
oracle() { python3 "$test_root/test/vars/edk2.py" store.fd | jq -r "$1"; }

cp "$OVMF_VARS" store.fd
ok 'a new variable from hexadecimal digits' vars set store.fd "One-$guid" --hex '00 01 fF'
is "$(vars get store.fd One --hex)" 0001ff 'reads back'
is "$(oracle '.[0] | .name, .guid, .attr, .data' | xargs)" "One $guid 7 0001ff" 'and is in the image'
is "$(vars get store.fd One --json | jq -c '[.name, .guid, .attributes, .size, .data]')" \
	"[\"One\",\"$guid\",[\"nv\",\"bs\",\"rt\"],3,\"0001ff\"]" 'as JSON'

ok 'another content from text' vars set --text=hello store.fd One
is "$(vars get store.fd "One-$guid")" hello 'reads back'
head -c 5000 /dev/urandom >content
ok 'from a file' vars set store.fd One --data content
ok 'get gives the bytes as they are' cmp content <(vars get store.fd One)
ok 'from standard input' vars set store.fd One --data - <<<'input'
is "$(vars get store.fd One)" input 'reads back'
ok 'append' vars set store.fd One --append --text more
is "$(vars get store.fd One)" $'input\nmore' 'adds to what is there'

ok 'other attributes for a new one' vars set store.fd "Two-$guid" --attrs nv,bs --text two
ok 'which a later set keeps' vars set store.fd Two --text deux
is "$(vars list --json store.fd | jq -r '.[] | select(.name == "Two") | .attr')" 3 'nv,bs'
fails_with 1 'tacit vars set: Two' 'other attributes for one that is there are refused' \
	vars set store.fd Two --attrs nv,bs,rt --text two
# a signature list of one X.509 entry
vars get "$OVMF_VARS_MS" PK >pk
ok 'a variable of secure boot needs no signature' vars set store.fd PK --attrs nv,bs,rt,at --data pk
ok 'and has the content given' cmp pk <(vars get store.fd PK)

fails_with 1 'exactly one of' 'no content' vars set store.fd One
fails_with 1 'exactly one of' 'two contents' vars set store.fd One --text a --hex 00
fails_with 1 'cannot be empty' 'an empty content' vars set store.fd One --text ''
fails_with 1 'one is missing' 'half a byte' vars set store.fd One --hex 123
fails_with 1 "not 'x'" 'what is no digit' vars set store.fd One --hex 0x12
fails_with 1 "does not know 'nv,foo'" 'an attribute that is not there' \
	vars set store.fd One --attrs nv,foo --text a
fails_with 1 'No such file' 'a content that is not there' vars set store.fd One --data missing
head -c 40000 /dev/zero >big
fails_with 1 'tacit vars set: One' 'more than the firmware takes' vars set store.fd One --data big
fails_with 1 'File too large' 'more than anything takes' vars set store.fd One --data <(head -c 2M /dev/zero)

ok 'rm' vars rm store.fd One
fails_with 1 "no variable 'One'" 'takes it away' vars get store.fd One
is "$(oracle 'map(.name) | join(" ")')" 'Two PK' 'also in the image'
fails_with 1 "no variable 'One'" 'a second time it is not there' vars rm store.fd One
ok 'the store is healthy' vars check store.fd

# a limit on the sizes of files: an error, not a signal
cp "$OVMF_VARS_MS" limited.fd
# shellcheck disable=SC2016	# the inner shell's
fails_with 1 'File too large' 'a limit on sizes is told of' \
	bash -c 'ulimit -f 1; exec "$0" vars set limited.fd Boot0000 --hex 00' "$TACIT"
ok 'and the image is as it was' cmp limited.fd "$OVMF_VARS_MS"
