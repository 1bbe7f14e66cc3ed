#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# diff.sh — what differs between stores, and the exit status that says whether any does.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" jq
guid=11111111-2222-3333-4444-555555555555

vars() { "$TACIT" vars "$@"; }

cp "$OVMF_VARS_MS" a.fd
cp a.fd b.fd
ok 'equal stores' vars diff a.fd b.fd
is "$(vars diff a.fd b.fd)" '' 'print nothing'
is "$(vars diff --json a.fd b.fd | jq -c .)" '{"differences":[],"equal":true}' 'in JSON so much'
vars compact b.fd >/dev/null
ok 'where records lie does not count' vars diff a.fd b.fd

vars set a.fd "Gone-$guid" --text gone
vars set b.fd "New-$guid" --text new
vars set a.fd "Same-$guid" --text one
vars set b.fd "Same-$guid" --text two!
vars set a.fd "Attr-$guid" --text x
vars set b.fd "Attr-$guid" --attrs nv,bs --text x
fails_with 2 "- Gone-$guid" 'different stores: status 2' vars diff a.fd b.fd
out=$(vars diff a.fd b.fd || true)
has "$out" "- Gone-$guid: nv,bs,rt; 4 bytes" 'one that is gone'
has "$out" "+ New-$guid: nv,bs,rt; 3 bytes" 'one that is new'
has "$out" "~ Same-$guid: 3 -> 4 bytes" 'one that has another content'
has "$out" "~ Attr-$guid: attributes nv,bs,rt -> nv,bs" 'one that has other attributes'
is "$(wc -l <<<"$out")" 4 'and no more'
json=$(vars diff --json a.fd b.fd || true)
is "$(jq -c '[.equal, (.differences | map(.change) | sort)]' <<<"$json")" \
	'[false,["added","changed","changed","removed"]]' 'in JSON'
is "$(jq -r '.differences[] | select(.name == "Same") | .old.data, .new.data' <<<"$json" | xargs)" \
	'6f6e65 74776f21' 'with both contents'
vars export a.fd >a.json
ok 'a store and its JSON are equal' vars diff a.fd a.json
fails_with 1 'missing' 'a store that is not there is a failure' vars diff a.fd missing
