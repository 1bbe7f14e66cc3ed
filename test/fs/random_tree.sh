#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# random_tree.sh — the same random steps on a tree and on its mount, in each mode of the cache.
. "$(dirname "$0")/lib.sh"

# SEED and COUNT are what `./dev soak` varies.
seed=${SEED:-1} count=${COUNT:-2500}

for system in tmpfs ext4; do
	if ! has_file_system $system; then
		skip $system 'cannot be made here'
		continue
	fi
	make_file_system $system
	for options in cache=auto cache=always cache=never cache=metadata writeback; do
		mount_directory $system -o $options
		note "with $options"
		compare_sides $system random_tree --seed "$seed" --count "$count"
		end_mount "$PWD/$system.mount"
		seed=$((seed + 1))
	done
done
