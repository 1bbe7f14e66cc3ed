#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# command.sh — tacit run: what the command sees, its status, its signals, what is left.
. "$(dirname "$0")/../lib.sh"
need root fuse "$OVMF_VARS" "$OVMF_VARS_MS"

guid=12345678-1234-1234-1234-123456789abc
cp "$OVMF_VARS_MS" store.fd
run() { "$TACIT" run store.fd -- "$@"; }

# other tests mount too
mounts() { findmnt -rn | grep -e /sys/firmware -e "$work" || :; }
mounts_before=$(mounts)
firmware_before=$(ls /sys/firmware)

ok 'a command runs' run true
has "$(run ls /sys/firmware/efi/efivars)" db-d719b2cb-3d3a-4596-a3bc-dad00e67656f 'it sees the variables'
is "$(run cat /sys/firmware/efi/fw_platform_size)" 64 'of a machine of 64 bits'
is "$(run ls /sys/firmware | grep -vx -e efi -e tacit)" "$(grep -vx efi <<<"$firmware_before")" \
	"the host's other entries are there"
for entry in $firmware_before; do
	[ "$entry" = efi ] || is "$(run ls "/sys/firmware/$entry")" "$(ls "/sys/firmware/$entry")" \
		"with what is in $entry"
done
# shellcheck disable=SC2016	# the command's variables
is "$(run sh -c 'echo $EFIVARFS_PATH $FWUPD_SYSFSFWDIR')" '/sys/firmware/efi/efivars/ /sys/firmware' \
	'the environment points there'
has "$(run mount -l)" ' type efivarfs ' 'mount -l has the line that efitools want'
has "$(run mount)" ' type fuse.tacit ' 'beside the real ones'
is "$(run mount --version)" "$(mount --version)" 'and is the real program else'
run sh -c "printf '\7\0\0\0hello' >/sys/firmware/efi/efivars/Test-$guid"
is "$(run tail -c 5 /sys/firmware/efi/efivars/Test-$guid)" hello 'what it writes is in the store'
is "$(mounts)" "$mounts_before" 'no mount is left'
is "$(ls /sys/firmware)" "$firmware_before" '/sys/firmware is as it was'

# in a container too, systemd's tools shall look for variables
[ ! -e /.dockerenv ] || fails_with 1 '' '/.dockerenv is hidden' run test -e /.dockerenv
for mark in /.dockerenv /run/.containerenv /run/systemd/container; do
	[ ! -e $mark ] || ok "$mark is there afterwards" test -f $mark
done
if command -v bootctl >/dev/null; then
	has "$(run bootctl --esp-path=/tmp status 2>&1)" 'Firmware Arch: x64' 'bootctl sees a machine with EFI'
fi

# nobody else sees it while it runs
mkfifo begin end
start run sh -c 'echo >begin; read -r line <end'
read -r _ <begin
is "$(mounts)" "$mounts_before" 'meanwhile nobody else sees a mount'
is "$(ls /sys/firmware)" "$firmware_before" 'nor the folder'
fails_with 125 store.fd 'nor opens the store for writing' run true
echo >end
wait_for ended "$started"

# a run within a run
cp "$OVMF_VARS" inner.fd
nested() { run "$TACIT" run inner.fd -- "$@"; }
is "$(nested ls /sys/firmware/efi/efivars | wc -l)" \
	"$("$TACIT" run inner.fd -- ls /sys/firmware/efi/efivars | wc -l)" 'a run within a run sees its own store'
is "$(nested mount -l | grep -c ' type efivarfs ')" 1 'and one line of efivarfs'
is "$(run sh -c '"$0" run inner.fd -- true; ls /sys/firmware/efi/efivars' "$TACIT")" \
	"$(run ls /sys/firmware/efi/efivars)" 'the outer one goes on with its own'

# a machine that has EFI variables itself
cat >machine.sh <<'SH'
mount -t tmpfs none /sys/firmware
mkdir -p /sys/firmware/efi/efivars /sys/firmware/acpi
echo host >/sys/firmware/efi/host
echo table >/sys/firmware/acpi/table
mount -t tmpfs none /sys/firmware/efi/efivars
"$TACIT" run store.fd -- sh -c 'ls /sys/firmware/efi; cat /sys/firmware/acpi/table
	test -e /sys/firmware/efi/efivars/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f && echo db'
ls /sys/firmware/efi
SH
is "$(unshare -m bash -e machine.sh | tr '\n' ' ')" \
	'efivars fw_platform_size table db efivars host ' "a machine's own variables are not shown, and stay"

# options
has "$("$TACIT" run -o nostatfs store.fd -- stat -f -c %b:%s /sys/firmware/efi/efivars)" 0:1 'options: nostatfs'
is "$("$TACIT" run -o uid=5 -o gid=6 store.fd -- stat -c %u:%g /sys/firmware/efi/efivars)" 5:6 'owners'
fails_with 1 'Read-only' 'ro' "$TACIT" run -o ro store.fd -- rm "/sys/firmware/efi/efivars/Test-$guid"
is "$("$TACIT" run store.fd echo -n -e 'a\tb')" $'a\tb' 'without --, options after the command are its own'

# statuses
fails_with 7 '' "the command's status" run sh -c 'exit 7'
# shellcheck disable=SC2016
fails_with 143 '' "128 and a signal's number" run sh -c 'kill -TERM $$'
fails_with 127 'no-such-command' 'not found' run no-such-command
: >plain
fails_with 126 'plain' 'not executable' run ./plain
fails_with 125 'missing.fd' 'no store' "$TACIT" run missing.fd -- true
fails_with 125 'edk2' 'nothing known' "$TACIT" run plain -- true
fails_with 125 'frobnicate' 'an unknown option' "$TACIT" run -o frobnicate store.fd -- true
fails_with 125 'command are wanted' 'no command' "$TACIT" run store.fd --
fails_with 125 'command are wanted' 'nothing' "$TACIT" run
ok '--help' "$TACIT" run --help

# signals
for signal in TERM HUP USR1; do
	start "$TACIT" run store.fd -- bash -c "trap 'echo $signal >got; exit 9' $signal
		echo >begin; while :; do read -r -t 0.05 line <>end || :; done"
	read -r _ <begin
	kill -$signal "$started"
	wait_for ended "$started"
	status=0
	wait "$started" || status=$?
	is "$status $(cat got)" "9 $signal" "SIG$signal reaches the command, whose status counts"
done

# what it leaves behind
run sh -c 'exec 3>keeps; (read -r line <end; ls /sys/firmware/efi/efivars; echo over) >left 2>&1 &'
is "$(mounts)" "$mounts_before" 'a process left behind holds no mount'
ok 'nor the store' run true
echo >end
wait_for grep -q over left
is "$(cat left)" over 'and has no variables any more'

is "$(echo input | run cat)" input 'standard input is the command'"'"'s'
