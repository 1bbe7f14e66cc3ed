#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# export.sh — what export writes, import reads: JSON and directories.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" jq python3

vars() { "$TACIT" vars "$@"; }

vars export "$OVMF_VARS_MS" >all.json
is "$(jq .version all.json)" 2 'JSON of version 2'
is "$(jq -S '.variables | map({name, guid, attr, data})' all.json)" \
	"$(python3 "$test_root/test/vars/edk2.py" "$OVMF_VARS_MS" | jq -S 'map({name, guid, attr, data})')" \
	'every variable with attributes and data'
is "$(jq -r '.variables[] | select(.name == "db") | .time | length' all.json)" 32 \
	'a time stamp is 32 digits'
is "$(jq '.variables[] | select(.name == "Lang" or .name == "PlatformLang") | has("time")' all.json |
	sort -u)" false 'and left out where there is none'
ok '--json is the same' cmp all.json <(vars export --json "$OVMF_VARS_MS")

vars create new.fd --profile ovmf-4m
has "$(vars import new.fd all.json)" '31 set' 'import says what it did'
ok 'all is there, time stamps too' vars diff new.fd "$OVMF_VARS_MS"
ok 'and exports as it was' cmp all.json <(vars export new.fd)
cp new.fd before.fd
has "$(vars import new.fd - <all.json)" '0 set, 31 unchanged' 'a second time nothing is to be done'
ok 'and nothing is written' cmp new.fd before.fd

ok 'export into a directory' vars export --dir dir "$OVMF_VARS_MS"
is "$(find dir -type f | wc -l)" 31 'a file for each'
is "$(head -c 4 dir/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f | od -An -tx1 | xargs)" '27 00 00 00' \
	'attributes in front'
ok 'then the data' cmp <(tail -c +5 dir/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f) \
	<(vars get "$OVMF_VARS_MS" db)
vars create from-dir.fd --profile ovmf-4m
ok 'import of the directory' vars import from-dir.fd dir
ok 'gives the same variables' vars diff from-dir.fd dir
is "$(vars export from-dir.fd | jq '.variables | map(del(.time))')" \
	"$(vars export from-dir.fd | jq '.variables')" 'without time stamps'
fails_with 1 'not empty' 'a directory with something in it is refused' \
	vars export --dir dir "$OVMF_VARS_MS"
ok 'but for --force' vars export --dir dir --force "$OVMF_VARS_MS"
fails_with 1 'exclude each other' 'JSON or a directory' vars export --json --dir x "$OVMF_VARS_MS"

vars create with-slash.fd --profile ovmf-2m
vars set with-slash.fd a/b-11111111-2222-3333-4444-555555555555 --text x
ok "a '/' in a name" vars export --dir slash with-slash.fd
ok "is a '!' in the file's" test -f 'slash/a!b-11111111-2222-3333-4444-555555555555'
