#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# random_file.sh — random reads and writes on one file: natively, and in each mode of the cache.
. "$(dirname "$0")/lib.sh"

# SEED and COUNT are what `./dev soak` varies.
seed=${SEED:-1} count=${COUNT:-1500}

# on_file NAME FILE [BEHIND]
on_file() { compare "$1: random_file --seed $seed --count $count" random_file \
	--seed "$seed" --count "$count" "${@:2}"; }

for system in tmpfs ext4; do
	if ! has_file_system $system; then
		skip $system 'cannot be made here'
		continue
	fi
	make_file_system $system
	# what a native file system does differently is this test's own error
	on_file "$system itself" $system/native/file
	for options in cache=auto cache=always cache=never cache=metadata writeback; do
		mount_directory $system -o $options
		on_file "$system $options" $system.mount/file $system/behind/file
		end_mount "$PWD/$system.mount"
		seed=$((seed + 1))
	done
done
