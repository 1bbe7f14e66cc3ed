#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# functional.sh — every operation on a directory's mount, and the same natively.
. "$(dirname "$0")/lib.sh"

make_file_system tmpfs
mount_directory tmpfs
compare_sides tmpfs functional --no-locks
unmount "$PWD/tmpfs.mount"

# a read-only mount against a read-only bind mount
for side in native behind; do
	rm -rf tmpfs/$side/*
	echo text >tmpfs/$side/file
	mkdir tmpfs/$side/folder
	echo inside >tmpfs/$side/folder/inside
	ln -s file tmpfs/$side/link
	mkfifo tmpfs/$side/fifo
done
mkdir readonly
on_exit unmount "$PWD/readonly"
mount --bind tmpfs/native readonly
mount -o remount,bind,ro readonly
mount_directory tmpfs -o ro
compare 'read-only' functional --readonly readonly tmpfs.mount
