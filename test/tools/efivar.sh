#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# efivar.sh — efivar lists, prints and writes variables of a store.
. "$(dirname "$0")/tools.sh"
need root fuse efivar "$OVMF_VARS_MS"

new_store "$OVMF_VARS_MS"
list=$(with_store efivar --list)
has "$list" "$global-PK" 'the platform key is listed'
has "$list" "$global-SecureBoot" 'and what the firmware makes itself'
has "$(with_store efivar --name "$global-SecureBoot" --print)" 'Value:' 'a variable is printed'

printf 'written by efivar' >data
ok 'a new variable is written' with_store efivar --write --attributes 7 --name "$global-TacitTest" --fromfile "$work/data"
is "$("$TACIT" vars get "$store" "TacitTest-$global")" 'written by efivar' 'and is in the store'
printf ', and more' >data
ok 'it is appended to' with_store efivar --append --attributes 7 --name "$global-TacitTest" --fromfile "$work/data"
is "$("$TACIT" vars get "$store" "TacitTest-$global")" 'written by efivar, and more' \
	'and the store has both parts'
