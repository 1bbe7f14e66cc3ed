#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mokutil.sh — mokutil reads the state of Secure Boot and the keys, and asks for a key to be enrolled.
. "$(dirname "$0")/tools.sh"
need root fuse mokutil "$OVMF_VARS" "$OVMF_VARS_MS"
readonly shim=605dab50-e046-4300-abb6-3dd810dd8b23

new_store "$OVMF_VARS"
has "$(with_store mokutil --sb-state 2>&1)" 'SecureBoot disabled' 'a store without keys'
new_store "$OVMF_VARS_MS"
is "$(with_store mokutil --sb-state)" 'SecureBoot enabled' 'a store with keys'
has "$(with_store mokutil --pk)" 'CN=Debian UEFI Secure Boot (PK' 'the platform key is shown'
has "$(with_store mokutil --db)" 'Microsoft' 'the allowed keys are shown'
ok 'the enrolled keys of shim are listed, none' with_store mokutil --list-enrolled

ok 'a time-out is set' with_store mokutil --timeout 7
is "$(value "MokTimeout-$shim")" 07000000 'and is in the store'

# the certificate of the platform key, behind the headers of its list and signature
"$TACIT" vars get "$store" "PK-$global" | tail -c +45 >key.der
with_store mokutil --generate-hash=password >password
ok 'a key is asked to be enrolled' with_store mokutil --import "$work/key.der" --hash-file "$work/password"
has "$(value "MokNew-$shim")" "$(od -An -v -tx1 key.der | tr -d ' \n')" 'the store has the request'
ok 'and the password for it' "$TACIT" vars get "$store" "MokAuth-$shim"
has "$(with_store mokutil --list-new)" 'CN=Debian UEFI Secure Boot (PK' 'mokutil shows the request'
