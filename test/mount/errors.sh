#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# errors.sh — what goes wrong before the mount answers: one line, the right status, nothing left.
. "$(dirname "$0")/../lib.sh"
need root fuse "$OVMF_VARS" python3

mkdir mnt folder
cp "$OVMF_VARS" store.fd
on_exit unmount "$work/mnt"

# refuses STATUS TEXT NAME ARG...: one line, and no mount. A usage error has a second, "Try ...".
refuses() {
	fails_with "$1" "$2" "$3" "$TACIT" mount "${@:4}"
	is "$(grep -vc "^Try 'tacit mount --help'" "$scratch/out")" 1 "$3: in one line"
	ok "$3: no mount" bash -c '! mountpoint -q mnt'
}

refuses 1 'a source and a mount point' 'no operands'
refuses 1 'a source and a mount point' 'one operand' store.fd
refuses 1 "'c' is too much" 'three operands' a b c
refuses 1 'frobnicate' 'an unknown flag' --frobnicate store.fd mnt
refuses 1 'frobnicate' 'an unknown option' -o frobnicate store.fd mnt
refuses 1 'firmware' 'a bad value names the accepted ones' -o auth=nobody store.fd mnt
refuses 1 'uid' 'a user that is not there' -o uid=no-such-user-here store.fd mnt
refuses 1 'threads' 'too many threads' -o threads=100000 store.fd mnt
refuses 1 'firmware_delay' 'a delay without end' -o firmware_delay=1000h store.fd mnt
refuses 1 'io=uring' 'io=uring' -o io=uring store.fd mnt
refuses 1 'not in this version' 'type vhost' -t vhost folder mnt
refuses 1 'efivars and dir' 'a type that is not there' -t frobnicate store.fd mnt
refuses 32 'UEFI variable stores' 'a directory as a store' -t efivars folder mnt
refuses 32 'UEFI variable stores' 'live:' live: mnt
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
refuses 32 'UEFI variable stores' 'a socket' socket mnt
mkfifo fifo
refuses 32 fifo 'a FIFO' fifo mnt
refuses 32 'No such file' 'a source that is not there' missing.fd mnt
refuses 32 'No such file' 'a mount point that is not there' store.fd missing
refuses 32 'not a directory' 'a mount point that is a file' store.fd store.fd
: >empty
refuses 32 edk2 'an empty file: what was tried is listed' empty mnt
head -c 300000 /dev/zero >zeros
refuses 32 edk2 'zeros' zeros mnt
head -c 1000 store.fd >short.fd
refuses 32 '' 'a truncated store' short.fd mnt
cmp "$OVMF_VARS" store.fd && cp store.fd before.fd

# an image in use, as QEMU's raw driver locks one that a guest writes
cat >lock.py <<'PY'
import fcntl, os, signal, struct
fd = os.open('store.fd', os.O_RDWR)
for byte in (100, 101, 201, 203):
    fcntl.fcntl(fd, 37, struct.pack('hhqqi4x', fcntl.F_RDLCK, os.SEEK_SET, byte, 1, 0))  # F_OFD_SETLK
open('locked', 'w').close()
signal.pause()
PY
start python3 lock.py
wait_for test -e locked
refuses 32 '' 'an image that a VM writes' store.fd mnt
stop_process "$started"
wait_for ended "$started"

start "$TACIT" mount -f store.fd mnt
wait_for mountpoint -q mnt
mkdir other
fails_with 32 'store.fd' 'an image that we write' "$TACIT" mount store.fd other
kill "$started"
wait_for ended "$started"
ok 'afterwards it is free' "$TACIT" mount store.fd mnt
end_mount mnt

# two who read
mkdir one two
on_exit unmount "$work/one"
on_exit unmount "$work/two"
ok 'one reader' "$TACIT" mount -o ro store.fd one
ok 'and another' "$TACIT" mount -o ro store.fd two
umount one two
ok 'nothing of this changed the image' cmp store.fd before.fd

ok '--help succeeds' "$TACIT" mount --help
has "$("$TACIT" mount --help)" nostatfs 'and knows the options'
ok '--version succeeds' "$TACIT" mount --version
