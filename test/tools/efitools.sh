#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# efitools.sh — efi-readvar reads the keys of a store, efi-updatevar writes some as its owner.
. "$(dirname "$0")/tools.sh"
need root fuse efi-readvar efi-updatevar "$OVMF_VARS" "$OVMF_VARS_MS"
readonly security=d719b2cb-3d3a-4596-a3bc-dad00e67656f

new_store "$OVMF_VARS_MS"
has "$(with_store efi-readvar -v PK)" 'CN=Debian UEFI Secure Boot (PK' 'the platform key is shown'
ok 'a list of keys is saved' with_store efi-readvar -v KEK -o "$work/keys.esl"
is "$(od -An -v -tx1 keys.esl | tr -d ' \n')" "$(value "KEK-$global")" 'with the bytes of the store'

new_store "$OVMF_VARS"
ok 'the owner writes a list without a signature' \
	"$TACIT" run -o auth=owner "$store" -- efi-updatevar -e -f "$work/keys.esl" db
is "$(value "db-$security")" "$(od -An -v -tx1 keys.esl | tr -d ' \n')" 'and the store has it'
