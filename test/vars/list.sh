#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# list.sh — what `tacit vars list` says of real stores, against a reader of their bytes in Python.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" jq python3

oracle() { python3 "$test_root/test/vars/edk2.py" "$1" | jq -S 'map(del(.data))'; }

for image in "$OVMF_VARS_MS" "$OVMF_DIR/OVMF_VARS.ms.fd" "$OVMF_DIR/OVMF_VARS_4M.snakeoil.fd" \
	"${AAVMF_VARS%.fd}.ms.fd"; do
	is "$("$TACIT" vars list --json "$image" | jq -S .)" "$(oracle "$image")" \
		"${image##*/}: every variable, in the order of the store"
done

is "$("$TACIT" vars list "$OVMF_VARS" --json | jq -c .)" '[]' 'an empty store is an empty array'
is "$("$TACIT" vars list --json --all "$OVMF_VARS_MS" | jq length)" 57 '--all has dead records too'
is "$("$TACIT" vars list --json --all "$OVMF_VARS_MS" | jq 'map(select(.state == "live")) | length')" \
	31 'and says which are live'

table=$("$TACIT" vars list "$OVMF_VARS_MS")
has "${table%%$'\n'*}" 'NAME' 'the table has a head'
is "$(wc -l <<<"$table")" 32 'and a line a variable'
has "$(grep '^db ' <<<"$table")" 'image-security' 'a GUID that is known has a short name'
lacks "$table" 'STATE' 'no column state'
has "$(grep '^db ' <<<"$("$TACIT" vars list -l "$OVMF_VARS_MS")")" \
	'd719b2cb-3d3a-4596-a3bc-dad00e67656f' '-l prints GUIDs in full'
has "$("$TACIT" vars list -la "$OVMF_VARS_MS")" 'deleted' 'letters can stand together'
