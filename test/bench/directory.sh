#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# directory.sh — the bench of directories yields its table, JSON and picture, and leaves nothing behind.
. "$(dirname "$0")/../lib.sh"
need root fuse python3 git tar

bench=$test_root/bench/run
export PYTHONDONTWRITEBYTECODE=1
export BENCH_BUILD=${BUILD:-$test_root/build}
[ -x "$BENCH_BUILD/bench/directory-calls" ] || skip_all "needs the bench's programs"

# bench NAME...: a quick run with its results in NAME.json and NAME.svg here
bench() { "$bench" dir --quick --modes =native =tacit --output "$PWD/$1" "${@:2}"; }

ok 'a quick run on tmpfs' bench quick --back-ends tmpfs --jobs files walk list complete tar git sqlite
cp "$scratch/out" table
has "$(cat table)" 'tmpfs: tar x, files/s' 'the table has a block for a figure'
ok 'and a line for tacit' grep -qE '^  tacit +[0-9]' table
is "$(awk 'length > 119' table)" '' 'no line is longer than a terminal'
is "$(jq -r '[.summary[] | select(.contestant == "tacit" and .median > 0 and .of_native > 0) |
	.figure] | sort | join(" ")' quick.json)" \
	'clone complete create list sqlite stat status tar unlink walk' 'each figure is in the JSON'
is "$(jq '.samples | length' quick.json)" 20 'and each sample'
is "$(jq '[.samples[] | select(.error)] | length' quick.json)" 0 'and none failed'
is "$(jq -r '.machine.kernel' quick.json)" "Linux $(uname -r)" 'and the machine'
ok 'the picture is XML with bars' python3 -c '
import sys, xml.etree.ElementTree
bars = xml.etree.ElementTree.parse(sys.argv[1]).findall(".//{http://www.w3.org/2000/svg}rect")
sys.exit(len(bars) != 20)' quick.svg

fails_with 2 "invalid choice: 'fly'" 'an unknown job is named' "$bench" dir --jobs fly
fails_with '*' 'there is no nothing; there are: dir, ' 'an unknown bench is named' "$bench" nothing

# What an interrupted run leaves: its mounts are in a namespace of its own, so look at its folder.
folders() { find "$test_root/build/bench" -maxdepth 1 -name 'dir-*' 2>"$scratch/find" | sort; }
has_mount() { grep -q "$1.* fuse" "/proc/$started/mounts"; }
if losetup -f >"$scratch/out" 2>&1 && command -v mkfs.ext4 >"$scratch/out"; then
	before=$(folders)
	start "$bench" dir --quick --modes =tacit --rounds 100000 --back-ends ext4 --jobs walk &>endless
	wait_for has_mount ext4.mount
	folder=$(comm -13 <(echo "$before") <(folders) | head -n 1)
	kill -INT "$started"
	wait_for ended "$started"
	ok 'after ^C the folder is gone' [ ! -e "$folder" ]
	lacks "$(losetup --list --noheadings --output BACK-FILE)" "$folder" 'and its loop device'
	is "$(pgrep -f "$folder" || true)" '' 'and its servers'
	has "$(cat endless)" 'bench: interrupted' 'and that is said'
else
	skip 'after ^C nothing is left' 'needs loop devices and mkfs.ext4'
fi
