#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# purge.sh — purge-dumps deletes the crash dumps of Linux and nothing else.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" jq
crash=cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0 other=11111111-2222-3333-4444-555555555555

vars() { "$TACIT" vars "$@"; }

cp "$OVMF_VARS_MS" store.fd
vars set store.fd "dump-type0-1-1-1-C-$other" --text 'of somebody else'
vars set store.fd "settings-$crash" --text 'no dump'
vars export store.fd >before
for i in 1 2 3; do
	vars set store.fd "dump-type0-$i-1-1700000000-C-$crash" --data <(head -c 1000 /dev/urandom)
done
has "$(vars purge-dumps store.fd)" '3 crash dumps deleted' 'says how many'
ok 'the rest is as it was' cmp before <(vars export store.fd)
ok 'the store is healthy' vars check store.fd
cp store.fd after.fd
has "$(vars purge-dumps store.fd)" '0 crash dumps deleted' 'a second time there are none'
ok 'and nothing is written' cmp store.fd after.fd
