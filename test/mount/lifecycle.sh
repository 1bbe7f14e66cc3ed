#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lifecycle.sh — how a server begins and ends: signals, unmounts of every kind, abort, its death.
. "$(dirname "$0")/../lib.sh"
need root fuse flock "$OVMF_VARS" python3

mkdir mnt
on_exit unmount "$work/mnt"
cp "$OVMF_VARS" store.fd

is_mounted() { mountpoint -q mnt; }
is_unmounted() { ! mountpoint -q mnt; }

# serve: a server in the foreground, in $started.
serve() {
	start "$TACIT" mount -f store.fd mnt
	wait_for is_mounted
}

# ends_well NAME: the server ends by itself, with status 0, and nothing is left.
ends_well() {
	local status=0

	wait_for ended "$started"
	wait "$started" || status=$?
	is $status 0 "$1: status 0"
	ok "$1: nothing is mounted" is_unmounted
}

# server: the processes that serve mnt.
servers() { pgrep -f "mount .*$work/mnt"; }
no_server() { ! servers; }

for signal in TERM INT HUP; do
	serve
	kill -$signal "$started"
	ends_well "SIG$signal"
done

trap '' HUP
serve
trap 'exit 143' HUP
kill -HUP "$started"
ok 'a SIGHUP that was ignored stays so' test -e mnt/.
ok 'and the server goes on' is_mounted
kill "$started"
ends_well 'SIGTERM after it'

serve
exec 9<mnt
kill -TERM "$started"
ends_well 'SIGTERM while the mount is used'
exec 9<&-

serve
umount mnt
ends_well 'umount'

serve
fusermount3 -u mnt
ends_well 'fusermount3 -u'

serve
exec 9<mnt
umount -l mnt
ok 'a lazy unmount leaves the server to who uses it' ls /proc/self/fd/9/
ok 'while it is used, the server stays' kill -0 "$started"
exec 9<&-
ends_well 'lazy unmount'

serve
connection=$(findmnt -rno MAJ:MIN mnt)
if [ -d /sys/fs/fuse/connections ] && mkdir control && mount -t fusectl none control; then
	on_exit umount "$work/control"
	echo 1 >"control/${connection#*:}/abort"
	wait_for ended "$started"
	ok 'abort ends the server' wait "$started"
	unmount mnt
else
	skip 'abort ends the server' 'no fusectl here'
	umount mnt
fi
wait_for ended "$started"

serve
kill -9 "$started"
wait_for ended "$started"
fails_with '*' 'not connected' 'a killed server leaves a dead mount' ls mnt
fails_with 32 'server is gone' 'which a new mount says' "$TACIT" mount store.fd mnt
ok 'and which can be unmounted' umount mnt
ok 'the store is not locked any more' "$TACIT" mount store.fd mnt
umount mnt

# in the background
exec 8<store.fd 9>lock 200<store.fd
flock 9
ok 'a mount in the background' "$TACIT" mount "$work/store.fd" "$work/mnt"
exec 8<&- 9>&- 200<&-
wait_for is_mounted
ok 'has a server' servers
ok "which keeps no lock of the caller's" flock -n lock true
for fd in 8 9 200; do
	lacks "$(readlink "/proc/$(servers)/fd/$fd" || :)" "$work" "nor what he had open as $fd"
done
is "$(ps -o sid= -p "$(servers)" | tr -d ' ')" "$(servers)" 'in a session of its own'
is "$(readlink "/proc/$(servers)/fd/0" "/proc/$(servers)/fd/1" "/proc/$(servers)/fd/2" | sort -u)" \
	/dev/null 'without a terminal'
is "$(readlink "/proc/$(servers)/cwd")" / 'and without a folder'
umount mnt
wait_for no_server
ok 'which ends with the mount' no_server
mount_and_unmount() {
	for _ in 1 2 3 4 5; do
		"$TACIT" mount "$work/store.fd" "$work/mnt" && umount mnt || return 1
	done
}
ok 'a store can be mounted right after it was unmounted' mount_and_unmount
wait_for no_server

out=$("$TACIT" mount "$work/store.fd" "$work/mnt" && echo mounted)
is "$out" mounted 'who reads its output does not wait for the server'
kill "$(servers)"
wait_for no_server
ok 'SIGTERM unmounts' is_unmounted

# a service manager
cat >manager.py <<'PY'
import socket, subprocess, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind('notify')
listener.settimeout(float(sys.argv[1]))
server = subprocess.Popen(sys.argv[2:])
try:
    print(listener.recv(4096).decode())
finally:
    server.terminate()
print(server.wait())
PY
is "$(NOTIFY_SOCKET=$work/notify python3 manager.py "$patience" "$TACIT" mount -f store.fd mnt)" \
	$'READY=1\n0' 'a service manager is told when the mount answers'
