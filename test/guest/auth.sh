#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# auth.sh — signed writes, good and bad ones, through a mount and to the real firmware on copies of one
# store: the same answers, and the same store.
. "$(dirname "$0")/guest.sh"
need_guest 6.1-cloud
need cc jq

mkdir payloads
"$BUILD/test/guest/auth-payloads" payloads >list
"${CC:-cc}" -O2 -static -D_GNU_SOURCE -o payloads/write-payloads \
	"$test_root/test/guest/write_payloads.c"
cp list payloads/list
install -m 644 "$OVMF_VARS" ours.fd
install -m 644 "$OVMF_VARS" theirs.fd

mount_store ours.fd mnt -o auth=firmware,view=runtime
payloads/write-payloads payloads mnt <list >ours
modes_of() { od -An -tx1 "$1"/SetupMode-* | tr -d ' \n'; }
ours_mode=$(modes_of mnt)
unmount mnt

guest_files=$PWD/payloads
boot 6.1-cloud theirs.fd theirs <<'EOF_GUEST'
echo "== written"
/guest/payloads/write-payloads /guest/payloads $vars </guest/payloads/list
echo "== mode"
od -An -tx1 $vars/SetupMode-* | tr -d ' \n'
EOF_GUEST

# --- the answers ---

part theirs written >theirs.written
is "$(wc -l <theirs.written)" "$(wc -l <list)" 'the firmware answered to each'
ok 'there are 40 of them at least' [ "$(wc -l <list)" -ge 40 ]
while read -r number name wanted label; do
	is "ours $(sed -n "s/^$number //p" ours), theirs $(sed -n "s/^$number //p" theirs.written)" \
		"ours $wanted, theirs $wanted" "${name%%-*}: $label"
done <list
is "$ours_mode" "$(part theirs mode)" 'SetupMode is the same'

# --- the stores ---

# stored IMAGE: what the writes were about, a line a variable: name, attributes, time, content.
stored() {
	"$TACIT" vars export "$1" | jq -r '.variables[] |
		select(.name | test("^(PK|KEK|db|dbx|dbt|dbr|certdb|Tacit.*)$")) |
		"\(.name) \(.attr) \(.time // "-") \(.data)"' | sort
}
stored ours.fd >ours.stored
stored theirs.fd >theirs.stored
ok 'something is stored' grep -q '^certdb ' ours.stored
ok 'both stores hold the same variables, attributes, times and contents' \
	diff theirs.stored ours.stored
ok 'ours is healthy' "$TACIT" vars check ours.fd
