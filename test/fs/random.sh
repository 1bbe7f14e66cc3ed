#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# random.sh — random operations, in the modes of the cache.
. "$(dirname "$0")/lib.sh"

make_file_system tmpfs
seed=1
for options in cache=auto writeback cache=never cache=always; do
	mount_directory tmpfs -o $options
	compare_sides tmpfs random --seed $seed --count 2000
	note "that was with $options"
	unmount "$PWD/tmpfs.mount"
	seed=$((seed + 1))
done
if has_file_system ext4; then
	make_file_system ext4
	mount_directory ext4
	compare_sides ext4 random --seed $seed --count 2000
else
	skip ext4 'cannot be made here'
fi
