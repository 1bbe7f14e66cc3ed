#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# names.sh — how a variable may be named on the command line.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS" jq
one=11111111-2222-3333-4444-555555555555 two=99999999-2222-3333-4444-abcdefabcdef

vars() { "$TACIT" vars "$@"; }

cp "$OVMF_VARS" store.fd
fails_with 1 'needs its GUID: Own-GUID' 'a new variable needs a GUID' vars set store.fd Own --text x
ok 'except a well-known one' vars set store.fd Boot0000 --hex 00
is "$(vars list --json store.fd | jq -r '.[0].guid')" 8be4df61-93ca-11d2-aa0d-00e098032b8c \
	'which gets its own'
ok 'Name-GUID' vars set store.fd "Own-$one" --text one
is "$(vars get store.fd Own)" one 'a name that one variable has'
ok 'the GUID in upper case' vars set store.fd "Own-${two^^}" --text two
is "$(vars get store.fd "Own-$two")" two 'is the same'
fails_with 1 "Own-$one, Own-$two" 'a name that several have: they are listed' vars get store.fd Own
fails_with 1 'several variables' 'so for set' vars set store.fd Own --text x
fails_with 1 'several variables' 'and rm' vars rm store.fd Own
fails_with 1 "no variable 'own'" 'case counts' vars get store.fd own
fails_with 1 'it is empty' 'no name' vars get store.fd ''
fails_with 1 'not UTF-8' 'a name that is no text' vars get store.fd $'\xff'
fails_with 1 'too long' 'a name beyond all' vars get store.fd "$(printf '%02000d' 0)"

ok 'a name beyond ASCII' vars set store.fd "Größe €-$one" --text x
is "$(vars list --json store.fd | jq -r '.[-1].name')" 'Größe €' 'comes back as it was'
ok 'a name with control characters' vars set store.fd $'Bad\e[31mname\n-'"$one" --text x
has "$(vars list store.fd)" 'Bad\x1b[31mname\x0a' 'does not reach the terminal as it is'
ok 'a name that turns the direction of writing' vars set store.fd $'gpj\u202eexe-'"$one" --text x
has "$(vars list store.fd)" 'gpj\u202eexe' 'neither'
error=$(vars get store.fd $'\e[31m\n' 2>&1) || true
is "$error" "tacit vars get: there is no variable '?[31m?'" 'nor does a name in a message'
for i in {10..22}; do
	vars set store.fd "Many-111111$i-2222-3333-4444-555555555555" --text x
done
fails_with 1 'and 5 more' 'thirteen of one name: the first are listed' vars get store.fd Many
