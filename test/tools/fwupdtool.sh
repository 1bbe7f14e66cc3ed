#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fwupdtool.sh — fwupd's own reading and writing of variables.
. "$(dirname "$0")/tools.sh"
need root fuse fwupdtool "$OVMF_VARS_MS"

new_store "$OVMF_VARS_MS"
# an entry as efibootmgr would make it: active; four bytes of device path, its end; a label
entry=010000000400$(utf16 'Tacit test')7fff0400
"$TACIT" vars set "$store" "Boot0000-$global" --hex "$entry"
"$TACIT" vars set "$store" "BootOrder-$global" --hex 0000

has "$(with_store fwupdtool efivar-list "$global" 2>&1)" 'name: PK' 'variables are listed'
has "$(with_store fwupdtool efiboot-info 2>&1)" 'Tacit test' 'boot entries are read'
ok 'the next boot is set' with_store fwupdtool efiboot-next 0000
is "$(value "BootNext-$global")" 0000 'and is in the store'
