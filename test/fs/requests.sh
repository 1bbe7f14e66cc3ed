#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# requests.sh — small writes ask nothing before they write: counted by the kernel's own tracepoint.
. "$(dirname "$0")/lib.sh"

readonly getxattr=22 # linux/fuse.h, FUSE_GETXATTR
grep -qw tracefs /proc/filesystems || skip_all 'needs tracefs in the kernel'
mkdir tracing
on_exit unmount "$PWD/tracing"
mount -t tracefs tracefs tracing 2>"$scratch/out" || skip_all 'needs tracefs, which may not be mounted'
[ -d tracing/events/fuse/fuse_request_send ] || skip_all 'needs the tracepoint fuse:fuse_request_send'

# a ring of our own, so that other tracing is not disturbed
ring=tracing/instances/tacit-$$
mkdir "$ring"
on_exit rmdir "$PWD/$ring"

# count_requests COMMAND...: how many GETXATTR the mount sends meanwhile, in $count. Each time that the
# client's second is over and attributes are asked for again, one more is right: in $seconds.
count_requests() {
	local connection begin=$SECONDS

	connection=$(stat -c %Ld tmpfs.mount)
	echo "connection == $connection" >"$ring/events/fuse/fuse_request_send/filter"
	: >"$ring/trace"
	echo 1 >"$ring/events/fuse/fuse_request_send/enable"
	"$@" 2>"$scratch/out" || { cat "$scratch/out"; return 1; }
	echo 0 >"$ring/events/fuse/fuse_request_send/enable"
	seconds=$((SECONDS - begin))
	count=$(grep -cE "opcode $getxattr |FUSE_GETXATTR" "$ring/trace" || true)
}

# write_500 [DD-OPERAND...]: 500 writes of 4 KiB to a file that is there
write_500() {
	dd if=/dev/zero of=tmpfs.mount/file bs=4k count=500 conv=notrunc "$@"
}

# by_another: not the owner, without capabilities
by_another() { setpriv --reuid 1000 --regid 1000 --clear-groups -- "$@"; }

make_file_system tmpfs
# The options; dd's operand; at least and at most so many questions.
while read -r options operand least most; do
	rm -f tmpfs/behind/file
	truncate -s 4M tmpfs/behind/file
	chmod 666 tmpfs/behind/file
	mount_directory tmpfs -o "$options"
	[ "$operand" != - ] || operand=
	# shellcheck disable=SC2086	# none, or one word
	count_requests write_500 $operand
	[ "$count" -ge "$least" ] && [ "$count" -le $((most + seconds)) ] && status=0 || status=1
	tap_result "$status" "500 writes with $options ${operand:+and $operand }send $least to $most GETXATTR: $count"
	count_requests by_another dd if=/dev/zero of=tmpfs.mount/file bs=4k count=500 conv=notrunc
	# his right to open it may stand in an access control list, which is an attribute too
	[ "$count" -ge "$least" ] && [ "$count" -le $((most + 1 + seconds)) ] && status=0 || status=1
	tap_result "$status" "500 writes of another user with $options: $count"
	unmount "$PWD/tmpfs.mount"
done <<-'MODES'
	killpriv - 0 1
	writeback - 0 1
	killpriv oflag=direct 0 1
	nokillpriv - 500 510
MODES
