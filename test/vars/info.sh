#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# info.sh — numbers that firmware was seen to report for the stores of Debian's packages.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" "$AAVMF_VARS" jq

info() { "$TACIT" vars info --json "$1" | jq -c "$2"; }
numbers='[.max_storage, .live, .dead, .live_bytes, .live_bytes + .dead_bytes, .remaining_boot, .remaining_runtime]'

is "$(info "$OVMF_VARS" "$numbers")" '[262044,0,0,0,0,262044,262044]' 'an empty 4M store'
is "$(info "$OVMF_VARS_2M" "$numbers")" '[57244,0,0,0,0,57244,57244]' 'an empty 2M store'
is "$(info "$OVMF_VARS_MS" "$numbers")" '[262044,31,26,18524,22836,243520,239208]' '4M with keys'
is "$(info "$OVMF_DIR/OVMF_VARS.ms.fd" "$numbers")" '[57244,31,26,18524,22836,38720,34408]' \
	'2M with keys'
is "$(info "$OVMF_DIR/OVMF_VARS_4M.snakeoil.fd" "$numbers")" \
	'[262044,31,26,14616,18928,247428,243116]' '4M with a test key'
is "$(info "${AAVMF_VARS%.fd}.ms.fd" "$numbers")" '[262044,22,7,9084,9684,252960,252360]' \
	'Arm, 64 MiB'

is "$(info "$OVMF_VARS_MS" '[.format, .profile]')" '["edk2","ovmf-4m"]' 'format and profile'
is "$(info "$OVMF_VARS_2M" .profile)" '"ovmf-2m"' 'the profile by geometry'
is "$(info "${AAVMF_VARS%.fd}.ms.fd" .profile)" '"armvirt"' 'of Arm, too'
is "$(info "$OVMF_VARS_MS" .secure_boot.mode)" '"user"' 'with a PK: user mode'
is "$(info "$OVMF_VARS_MS" .secure_boot.enabled)" true 'and secure boot on'
is "$(info "$OVMF_VARS" '[.secure_boot.mode, .secure_boot.enabled]')" '["setup",false]' \
	'without: setup mode'
cp "$OVMF_VARS_MS" store.fd
"$TACIT" vars set store.fd SecureBootEnable --hex 00
is "$(info store.fd '[.secure_boot.mode, .secure_boot.enabled]')" '["user",false]' \
	'switched off by SecureBootEnable'
"$TACIT" vars rm store.fd PK
is "$(info store.fd .secure_boot.mode)" '"setup"' 'the PK deleted: setup mode'

"$TACIT" vars set store.fd Boot000A --hex 00
before=$(info store.fd .boot_entries)
"$TACIT" vars set store.fd Boot00FF --hex 00
is "$(info store.fd .boot_entries)" $((before + 1)) 'boot entries are counted'
"$TACIT" vars set store.fd dump-type0-1-1-1234567890-C-cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0 --text oops
is "$(info store.fd .dumps)" 1 'crash dumps too'
is "$(info "$OVMF_VARS_MS" '.biggest | map(.size) | . == (sort | reverse) and .[0] > 1000')" true \
	'the biggest variables, in order'
has "$("$TACIT" vars info "$OVMF_VARS_MS")" '239208' 'and all that for people'
