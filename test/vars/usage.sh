#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage.sh — options, operands and help of `tacit vars`.
. "$(dirname "$0")/../lib.sh"
need python3 jq "$OVMF_VARS_MS"
verbs='list get set rm info check repair compact create export import diff purge-dumps'

vars() { "$TACIT" vars "$@"; }

help=$(vars --help)
for verb in $verbs; do
	has "$help" "  $verb " "--help has $verb"
	has "$(vars "$verb" --help)" "tacit vars $verb [OPTION...] STORE" "$verb --help says how it is used"
done
is "$(vars list -h)" "$(vars list --help)" '-h is --help'
fails_with 1 'a verb is missing' 'no verb' vars
fails_with 1 'there are list, get, set' 'a verb that is not there' vars frobnicate
fails_with 1 'STORE is missing' 'no store' vars list
fails_with 1 'NAME is missing' 'no name' vars get "$OVMF_VARS_MS"
fails_with 1 "'c' is one operand too many" 'too many operands' vars get a b c
fails_with 1 "'--foo'; there are --json, --long, --all" 'an option that is not there' \
	vars list --foo "$OVMF_VARS_MS"
fails_with 1 "Try 'tacit vars list --help'" 'and where help is' vars list -x "$OVMF_VARS_MS"
fails_with 1 'takes no value' 'a flag with a value' vars list --json=1 "$OVMF_VARS_MS"
fails_with 1 "'--profile' needs a value" 'an option without' vars list "$OVMF_VARS_MS" --profile
fails_with 1 'auto, ovmf-2m, ovmf-4m, armvirt' 'a profile that is not there' \
	vars list "$OVMF_VARS_MS" --profile x
ok 'options after operands' vars list "$OVMF_VARS_MS" --json
ok 'and before, with their value apart' vars list --profile ovmf-4m "$OVMF_VARS_MS"
cp "$OVMF_VARS_MS" ./-store
ok 'behind -- everything is an operand' vars list -- -store

for bad in missing . "$0"; do
	fails_with 1 "tacit vars list: $bad: " "$bad is no store: one line that names it" vars list "$bad"
	is "$(vars list "$bad" 2>&1 | wc -l || true)" 1 'and no more'
done
mkfifo fifo
fails_with 1 'fifo' 'a FIFO is not waited for' timeout 10 "$TACIT" vars list fifo

# standard output that takes nothing
cat >gone.py <<'PY'
import os, sys
reader, writer = os.pipe()
os.close(reader)
os.dup2(writer, 1)
os.execv(sys.argv[1], sys.argv[1:])
PY
full() { "$@" >/dev/full; }
closed() { "$@" >&-; }
gone() { python3 gone.py "$@"; }
for call in --help --version 'list --help' "list $OVMF_VARS_MS" "export $OVMF_VARS_MS"; do
	read -ra words <<<"$call"
	fails_with 1 'standard output: No space' "$call: a full disk is said" \
		full "$TACIT" vars "${words[@]}"
	fails_with 1 'standard output: Bad file' "$call: a closed output is" \
		closed "$TACIT" vars "${words[@]}"
	fails_with 1 'standard output: Broken pipe' "$call: a reader that is gone is" \
		gone "$TACIT" vars "${words[@]}"
done
ok '--version' vars --version

# an image must not become one of the standard descriptors
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
	cp "$OVMF_VARS_MS" store.fd
	eval "vars compact store.fd $closed" || true
	ok "compact with $closed leaves a store" vars check store.fd
	is "$(vars info --json store.fd | jq .dead)" 0 'and has compacted it'
done
