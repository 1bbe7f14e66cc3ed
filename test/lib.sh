# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# lib.sh — what the functional tests share: TAP, private folders, clean-up, waiting, needs.
#
# A test is a bash script of one subject, test/AREA/NAME.sh:
#
#	. "$(dirname "$0")/../lib.sh"
#	need root fuse
#	cp "$OVMF_VARS" store.fd
#	mount_store store.fd mnt -o nostatfs
#	is "$(stat -f -c %b mnt)" 0 'nostatfs has no blocks'
#
# It starts in an empty folder of its own ($work). Each check is one line of TAP and never ends the
# script; any other command that fails does (errexit), as a failure with the place and command. The
# plan is printed at the end, and clean-up runs on every exit, the latest hook first.
set -eEuo pipefail

test_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C.UTF-8
export TACIT=${TACIT:-$test_root/build/tacit}
export HELPER=${HELPER:-$test_root/build/mount.fuse.tacit}
# variable stores of Debian's ovmf and qemu-efi-aarch64, and the firmware that goes with them
export OVMF_DIR=${OVMF_DIR:-/usr/share/OVMF}
export OVMF_CODE=$OVMF_DIR/OVMF_CODE_4M.fd
export OVMF_VARS=$OVMF_DIR/OVMF_VARS_4M.fd
export OVMF_VARS_MS=$OVMF_DIR/OVMF_VARS_4M.ms.fd
export OVMF_VARS_2M=$OVMF_DIR/OVMF_VARS.fd
export AAVMF_VARS=${AAVMF_DIR:-/usr/share/AAVMF}/AAVMF_VARS.fd
# seconds that a test waits for anything
readonly patience=${TEST_PATIENCE:-20}
readonly helper_path=/sbin/mount.fuse.tacit

tap_count=0 tap_failed=0 tap_problem='' tap_skips_all=0
exit_hooks=()

# --- checks ---

tap_result() { # STATUS NAME
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count - ${2//#/}"
	else
		echo "not ok $tap_count - ${2//#/}"
		[ -z "${BASH_SOURCE[2]-}" ] || echo "# at ${BASH_SOURCE[2]##*/}:${BASH_LINENO[1]}"
		tap_failed=$((tap_failed + 1))
	fi
}

# note LINE...: for whoever reads the log.
note() { printf '%s\n' "$@" | sed 's/^/# /'; }

# ok NAME COMMAND...: the command succeeds.
ok() {
	local status=0

	"${@:2}" >"$scratch/out" 2>&1 || status=$?
	tap_result $status "$1"
	[ $status = 0 ] || note "status $status of: ${*:2}" "$(cat "$scratch/out")"
}

# is GOT WANTED NAME: two texts are the same.
is() {
	local status=0

	[ "$1" = "$2" ] || status=1
	tap_result $status "$3"
	[ $status = 0 ] || note "got    '$1'" "wanted '$2'"
}

# has TEXT PART NAME: TEXT contains PART.
has() {
	local status=0

	[[ $1 == *"$2"* ]] || status=1
	tap_result $status "$3"
	[ $status = 0 ] || note "'$2' is not in: $1"
}

# lacks TEXT PART NAME: TEXT does not contain PART.
lacks() {
	local status=0

	[[ $1 != *"$2"* ]] || status=1
	tap_result $status "$3"
	[ $status = 0 ] || note "'$2' is in: $1"
}

# fails_with STATUS TEXT NAME COMMAND...: the command ends with STATUS (any failure: '*'), and what it
# prints has TEXT.
fails_with() {
	local wanted=$1 text=$2 name=$3 status=0 out result=0

	shift 3
	"$@" >"$scratch/out" 2>&1 || status=$?
	out=$(tr -d '\0' <"$scratch/out")
	case $wanted:$status in
	'*:0') result=1 ;;
	'*:'* | "$status:$status") ;;
	*) result=1 ;;
	esac
	[[ $out == *"$text"* ]] || result=1
	tap_result $result "$name"
	[ $result = 0 ] || note "status $status, wanted $wanted with '$text': $*" "$out"
}

# skip NAME REASON: a check that cannot be made here.
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - ${1//#/} # SKIP $2"
}

# skip_all REASON: the whole test cannot run here; before any check.
skip_all() {
	echo "1..0 # SKIP $1"
	tap_skips_all=1
	exit 0
}

# need WHAT...: skips the test unless all are there: root, fuse (may be mounted), userns (user
# namespaces for users), helper (installs the mount helper for this test), a file's path with a '/', or
# a program.
need() {
	local what

	for what in "$@"; do
		case $what in
		root) [ "$(id -u)" = 0 ] || skip_all 'needs root' ;;
		fuse) [ -w /dev/fuse ] || skip_all 'needs /dev/fuse' ;;
		userns) has_user_namespaces || skip_all 'needs user namespaces' ;;
		helper) install_helper ;;
		*/*) [ -e "$what" ] || skip_all "needs the file $what" ;;
		*) command -v "$what" >/dev/null || skip_all "needs the program $what" ;;
		esac
	done
}

# As an ordinary user, for root may always make one.
has_user_namespaces() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups unshare -Ur true 2>/dev/null
	else
		unshare -Ur true 2>/dev/null
	fi
}

# --- clean-up ---

# on_exit COMMAND...: runs at the end, before what was registered earlier.
on_exit() { exit_hooks+=("$(printf '%q ' "$@")"); }

# Sanitizers write their reports here; a process in the background has no other place for them.
report_sanitizers() {
	local report

	for report in "$scratch"/sanitizer.*; do
		[ -e "$report" ] || continue
		tap_result 1 "no sanitizer report (${report##*/})"
		head -n 60 "$report" | sed 's/^/# /'
	done
}

finish() {
	local status=$? hook

	trap - EXIT ERR
	trap '' INT TERM HUP
	set +eE
	cd /
	for ((hook = ${#exit_hooks[@]} - 1; hook >= 0; hook--)); do
		eval "${exit_hooks[hook]}" >"$scratch/out" 2>&1 ||
			note "clean-up failed: ${exit_hooks[hook]}" "$(cat "$scratch/out")"
	done
	# what they have to say, they say at their end
	wait_for no_live_servers || tap_result 1 'every server ends'
	report_sanitizers
	rm -rf --one-file-system "$work" "$scratch"
	[ $tap_skips_all = 0 ] || exit 0
	if [ $status != 0 ]; then
		tap_result 1 'the script runs to its end'
		note "status $status${tap_problem:+, $tap_problem}"
	fi
	echo "1..$tap_count"
	[ $tap_failed = 0 ] && [ $status = 0 ] && [ $tap_count -gt 0 ]
	exit
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/tacit-test.XXXXXX")
work=$(mktemp -d "${TMPDIR:-/tmp}/tacit-test.XXXXXX")
# other users run parts of some tests
chmod 755 "$work"
chmod 1777 "$scratch"
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
trap 'tap_problem="line $LINENO: $BASH_COMMAND"' ERR
export ASAN_OPTIONS=log_path=$scratch/sanitizer:detect_leaks=1
export UBSAN_OPTIONS=log_path=$scratch/sanitizer:print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=log_path=$scratch/sanitizer
readonly scratch work
cd "$work"

# --- waiting, processes, mounts ---

# wait_for COMMAND...: until it succeeds; after $patience seconds the script ends as failed.
wait_for() {
	local end=$((SECONDS + patience))

	until "$@" >"$scratch/wait" 2>&1; do
		if [ $SECONDS -ge $end ]; then
			note "waited $patience s for: $*" "$(cat "$scratch/wait")"
			return 1
		fi
		sleep 0.02
	done
}

# ended PID: true when the process is gone, or only waits for its parent to notice.
ended() {
	local state

	state=$(ps -o stat= -p "$1" 2>/dev/null) || return 0
	[[ $state == Z* ]]
}

# stop_process PID: ends a process of ours, gently first.
stop_process() {
	ended "$1" && return
	kill "$1" 2>/dev/null || true
	wait_for ended "$1" || kill -9 "$1"
	wait "$1" 2>/dev/null || true
}

# start COMMAND...: in the background, its process in $started, ended with the test.
start() {
	"$@" &
	started=$!
	on_exit stop_process "$started"
}

# unmount DIR: also when it is busy or gone.
unmount() {
	mountpoint -q "$1" 2>/dev/null || [[ $(stat "$1" 2>&1) == *'not connected'* ]] || return 0
	umount "$1" 2>/dev/null || umount -l "$1"
}

# live_servers: the processes of this test that serve a mount; they outlive it by a moment.
live_servers() {
	local pid

	for pid in $(pgrep -x 'tacit|mount.fuse.taci'); do
		! grep -qzF "log_path=$scratch/" "/proc/$pid/environ" 2>/dev/null || echo "$pid"
	done
}
no_live_servers() { [ -z "$(live_servers)" ]; }
fewer_servers_than() { [ "$(live_servers | wc -l)" -lt "$1" ]; }

# end_mount DIR: unmounts, and waits until the server has let go of everything: the image, the
# descriptors of what it served.
end_mount() {
	local count

	count=$(live_servers | wc -l)
	umount "$1"
	wait_for fewer_servers_than "$count"
}

# mount_store STORE DIR [ARG...]: a `tacit mount` that ends with the test. DIR is made.
mount_store() {
	local store=$1 dir=$2

	mkdir -p "$dir"
	on_exit unmount "$(realpath "$dir")"
	"$TACIT" mount "${@:3}" "$store" "$dir"
}

# The mount helper in /sbin is ours until the test ends; what was there comes back.
install_helper() {
	[ "$(id -u)" = 0 ] || skip_all 'needs root, for the mount helper'
	if [ -e "$helper_path" ] || [ -L "$helper_path" ]; then
		mv "$helper_path" "$scratch/helper"
		on_exit mv "$scratch/helper" "$helper_path"
	else
		on_exit rm -f "$helper_path"
	fi
	ln -s "$HELPER" "$helper_path"
}
