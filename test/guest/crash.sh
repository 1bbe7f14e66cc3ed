#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# crash.sh — the real firmware takes what a crash of ours leaves: it boots, and every variable has its
# old or its new value.
. "$(dirname "$0")/guest.sh"
need_guest 6.1-cloud
crash_image=$BUILD/test/guest/crash-image

# --- a store with a history: live records, dead ones, and a value that is going to change ---

install -m 644 "$OVMF_VARS" store.fd
mount_store store.fd mnt
for number in 1 2 3 4 5 6 7 8; do
	printf '\7\0\0\0first value of %s' "$number" >"mnt/Tacit$number-$vendor"
	chattr -i "mnt/Tacit$number-$vendor"
	printf '\7\0\0\0second value of %s, which stays' "$number" >"mnt/Tacit$number-$vendor"
done
printf '\7\0\0\0the old value' >"mnt/TacitCrash-$vendor"
unmount mnt
dump_store store.fd >before

# crash ACTION NUMBER NAME: the image of a crash there, booted, and what the guest then has in NAME.read.
crash() {
	"$crash_image" store.fd "$1" "$2" "$3.fd"
	note "$3: $1, write $2 of $("$crash_image" store.fd "$1" | grep -c write), torn"
	boot 6.1-cloud "$3.fd" "$3.read" <<-'GUEST'
		dump_variables $vars
		printf '\007\000\000\000written after the crash' >/tmp/new
		cp /tmp/new $vars/TacitAfter-$vendor
	GUEST
}

# kept NAME: all but TacitCrash is as it was.
kept() {
	is "$(only_ours <"$1.read" | grep -v '^TacitCrash-')" "$(only_ours <before | grep -v '^TacitCrash-')" \
		"$1: the guest has every other variable as it was"
	is "$("$TACIT" vars get "$1.fd" "TacitAfter-$vendor")" 'written after the crash' \
		"$1: and what it wrote is in the store"
	ok "$1: which is healthy" "$TACIT" vars check "$1.fd"
}

# value NAME: of TacitCrash, as text, behind its four bytes of attributes
value() { printf '%b' "$(grep '^TacitCrash-' "$1.read" | cut -d ' ' -f 2 | cut -c 9- | sed 's/../\\x&/g')"; }

# --- in the middle of a SetVariable: the data of the new record is torn ---

number=$("$crash_image" store.fd set | awk '$2 == "write" && $4 > big { big = $4; at = $1 } END { print at }')
crash set "$number" torn-set
kept torn-set
is "$(value torn-set)" 'the old value' 'torn-set: the old value stands'

# --- in the middle of a reclaim ---

# the two large writes: the spare copy, before the commit; the live region, after it
"$crash_image" store.fd reclaim | awk '$2 == "write" && $4 > 1000 { print $1 }' >large
ok 'a reclaim writes the store twice' test "$(wc -l <large)" -ge 2
crash reclaim "$(head -n 1 large)" torn-spare
kept torn-spare
is "$(value torn-spare)" 'the old value' 'torn-spare: the value stands'
crash reclaim "$(sed -n 2p large)" torn-live
kept torn-live
is "$(value torn-live)" 'the old value' 'torn-live: the value stands'
