#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# efibootmgr.sh — efibootmgr lists the boot entries of a store, makes, orders and deletes some.
. "$(dirname "$0")/tools.sh"
need root fuse efibootmgr "$OVMF_VARS"

new_store "$OVMF_VARS"
ok 'a store without entries is listed' with_store efibootmgr

# to boot from the network: an entry for a disk would need one that the kernel knows
interface=$(find /sys/class/net -mindepth 1 -maxdepth 1 ! -name lo -printf '%f\n' | sort | head -n 1)
[ -n "$interface" ] || skip_all 'needs a network interface, for a boot entry'
ok 'an entry is made' with_store efibootmgr --create --iface "$interface" --label 'Tacit test'
has "$(with_store efibootmgr)" 'Boot0000* Tacit test' 'it is listed'
ok 'the entry is in the store' "$TACIT" vars get "$store" "Boot0000-$global"
has "$(value "Boot0000-$global")" "$(utf16 'Tacit test')" 'with its label'
is "$(value "BootOrder-$global")" 0000 'and is in the order'

ok 'another is made' with_store efibootmgr --create-only --iface "$interface" --label 'Second'
ok 'the order is set' with_store efibootmgr --bootorder 0001,0000
is "$(value "BootOrder-$global")" 01000000 'and is in the store'
ok 'the next boot is set' with_store efibootmgr --bootnext 0001
is "$(value "BootNext-$global")" 0100 'and is in the store'
ok 'an entry is deleted' with_store efibootmgr --bootnum 0000 --delete-bootnum
fails_with 1 Boot0000 'and is gone from the store' "$TACIT" vars get "$store" "Boot0000-$global"
