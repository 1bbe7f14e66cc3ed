#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# efivar.sh — an exported directory is one that efivar and efibootmgr can read.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" efivar efibootmgr jq xxd

vars() { "$TACIT" vars "$@"; }

# an entry that efibootmgr can show: active, "Disk", a device path that ends at once
cp "$OVMF_VARS_MS" store.fd
vars set store.fd Boot0042 --hex '01000000 0400 4400 6900 7300 6b00 0000 7fff0400'
vars set store.fd BootOrder --hex 4200
vars export --dir dir store.fd
export EFIVARFS_PATH=$PWD/dir/ LIBEFIVAR_OPS=efivarfs

is "$(efivar -l | sort)" "$(vars list --json store.fd | jq -r '.[] | "\(.guid)-\(.name)"' | sort)" \
	'efivar lists the same variables'
ok 'and reads the same content' cmp <(vars get store.fd db) \
	<(efivar -n d719b2cb-3d3a-4596-a3bc-dad00e67656f-db -p | sed -n 's/^[0-9a-f]\{8\}  //p' |
		cut -c -49 | xxd -r -p)
has "$(efivar -n d719b2cb-3d3a-4596-a3bc-dad00e67656f-db -p)" \
	'Time-Based Authenticated Write Access' 'and attributes'
has "$(efibootmgr)" 'Boot0042* Disk' 'efibootmgr shows the boot entry'
has "$(efibootmgr)" 'BootOrder: 0042' 'and the order'
