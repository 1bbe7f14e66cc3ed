# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# guest.sh — what the guest tests share, lib.sh included.
#
# A guest boots the real OVMF with a store, then a Debian kernel, then a script of ours (boot-guest).
# Each boot is some ten seconds of two processors: a test has few.

. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

guest_tools=$test_root/test/guest
# the variables that the tests make are of this vendor
readonly vendor=5d1f2c7e-3b6a-4f0e-9c84-a1b2c3d4e5f6

# need_guest KERNEL: skips where there is no emulator or no such kernel to be had.
need_guest() {
	need root fuse qemu-system-x86_64 busybox cpio modprobe depmod "$OVMF_CODE" "$OVMF_VARS"
	"$guest_tools/fetch-kernel" "$1" >"$scratch/kernel" 2>&1 ||
		skip_all "needs Debian's kernel package for $1: $(tail -n 1 "$scratch/kernel")"
}

# shellcheck disable=SC2016	# expanded where it runs
# What both sides run: a line a file, its name and its bytes in hexadecimal digits.
dump_function='
dump_variables() {
	for file in "$1"/*; do
		echo "${file##*/} $(od -An -v -tx1 "$file" | tr -d " \n")"
	done
}
'
eval "$dump_function"

# boot KERNEL STORE OUTPUT: runs standard input as the guest's script, with efivarfs mounted in
# $vars, dump_variables at hand and $vendor set. Prints into OUTPUT; the script's status. With
# $guest_files, a folder, there is a copy of it in the guest's /guest.
guest_files=''
boot() {
	{
		cat <<-SCRIPT
			$dump_function
			vendor=$vendor
			vars=/sys/firmware/efi/efivars
			mount -t efivarfs efivarfs \$vars || exit 99
		SCRIPT
		cat
	} >"$scratch/guest-script"
	"$guest_tools/boot-guest" --log "$scratch/console" ${guest_files:+--add "$guest_files"} \
		"$1" "$2" "$scratch/guest-script" >"$3"
}

# part OUTPUT TITLE: the lines of a boot's output after "== TITLE", up to the next such line.
part() { awk -v title="== $2" '/^== /{ on = ($0 == title); next } on' "$1"; }

# Of a dump, on standard input: what is non-volatile (bit 0 of the first of the four attribute bytes).
only_stored() { grep -E '^[^ ]+ .[13579bdf]' || true; }

# Of a dump, on standard input: what the tests made.
only_ours() { grep -- "-$vendor " || true; }

# dump_store STORE: as the guest's dump: what an operating system sees at run time.
dump_store() {
	mount_store "$1" seen -o ro,view=runtime
	dump_variables seen
	unmount seen
}
