#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bootctl.sh — systemd's bootctl reads Secure Boot's state and sets boot-loader variables.
#
# Debian's package would install a boot loader into the machine that it is installed on; so it is only
# unpacked, unless bootctl is there already.
. "$(dirname "$0")/tools.sh"
need root fuse unshare "$OVMF_VARS_MS"
readonly loader=4a67b082-0a4c-41cf-b6c7-440b29bb8c4f
bootctl=$(command -v bootctl) || {
	"$test_root/test/debian-suite" bookworm unpack "$work/systemd" systemd-boot libsystemd-shared \
		>"$scratch/unpack" 2>&1 || skip_all 'needs the package systemd-boot'
	bootctl=$work/systemd/usr/bin/bootctl
	LD_LIBRARY_PATH=$(dirname "$work"/systemd/usr/lib/*/systemd/libsystemd-shared-*.so)
	export LD_LIBRARY_PATH
}
if [ -e /run/systemd/container ] || [ -e /run/.containerenv ]; then
	skip_all 'needs a machine that is no container: bootctl reads no EFI variables in one'
fi

with_bootctl() { in_plain_root "$TACIT" run "$store" -- "$bootctl" "$@"; }

new_store "$OVMF_VARS_MS"
# what a boot loader tells that supports what is set below
"$TACIT" vars set "$store" "LoaderInfo-$loader" --hex "$(utf16 'tacit test')"

# it may fail for want of a system partition, and tells all the same
status=$(with_bootctl status --no-pager 2>&1 || true)
has "$status" 'Secure Boot: enabled (user)' 'the state of Secure Boot is read'
has "$status" 'Product: tacit test' "and the boot loader's name"
ok 'a default entry is set' with_bootctl set-default tacit.conf
is "$(value "LoaderEntryDefault-$loader")" "$(utf16 tacit.conf)" 'and is in the store'
ok 'an entry for the next boot is set' with_bootctl set-oneshot once.conf
is "$(value "LoaderEntryOneShot-$loader")" "$(utf16 once.conf)" 'and is in the store'
ok 'the menu of the firmware is asked for' with_bootctl reboot-to-firmware true
is "$(value "OsIndications-$global")" 0100000000000000 'and the store has the request'
