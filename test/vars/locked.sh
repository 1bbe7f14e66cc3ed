#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# locked.sh — an image that another program has open for writing: reading works, writing is refused.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" jq qemu-nbd

vars() { "$TACIT" vars "$@"; }

cp "$OVMF_VARS_MS" store.fd
qemu-nbd --fork --pid-file "$work/pid" -f raw -k "$work/socket" store.fd
pid=$(cat pid)
on_exit stop_process "$pid"
cp store.fd before.fd

ok 'list' vars list store.fd
ok 'get' vars get store.fd db
ok 'check' vars check store.fd
ok 'export' vars export store.fd
ok 'diff' vars diff store.fd "$OVMF_VARS_MS"
for verb in 'set store.fd Boot0000 --hex 00' 'rm store.fd db' 'compact store.fd' 'repair store.fd' \
	'import store.fd before.fd' 'purge-dumps store.fd' 'create store.fd --force --profile ovmf-4m'; do
	# shellcheck disable=SC2086	# words
	fails_with 1 'store.fd: ' "${verb%% *} is refused" vars $verb
done
ok 'the image is as it was' cmp store.fd before.fd
stop_process "$pid"
ok 'afterwards it can be written' vars set store.fd Boot0000 --hex 00

# Verbs beside each other wait for each other.
cp "$OVMF_VARS" many.fd
writers=()
for i in 1 2 3 4 5 6 7 8; do
	vars set many.fd "V$i-8be4df61-93ca-11d2-aa0d-00e098032b8d" --hex "0$i" &
	writers+=($!)
done
failed=0
for writer in "${writers[@]}"; do
	wait "$writer" || failed=$((failed + 1))
done
is $failed 0 'eight writers of one image succeed'
is "$(vars list --json many.fd | jq length)" 8 'and each has left its variable'
