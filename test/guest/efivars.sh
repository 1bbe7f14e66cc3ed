#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# efivars.sh — the firmware and a guest's kernel agree with us: on what we wrote, on what they wrote,
# on the free space to the byte, and after a compaction.
. "$(dirname "$0")/guest.sh"
need_guest 6.12

install -m 644 "$OVMF_VARS" store.fd

# --- what we write ---

mount_store store.fd mnt
printf '\7\0\0\0set through the mount' >"mnt/TacitMount-$vendor"
printf '\7\0\0\0to be replaced' >"mnt/TacitReplaced-$vendor"
printf '\7\0\0\0to be removed' >"mnt/TacitRemoved-$vendor"
printf '\7\0\0\0first value' >"mnt/TacitTwice-$vendor"
chattr -i "mnt/TacitTwice-$vendor"
printf '\7\0\0\0second value, longer than the first' >"mnt/TacitTwice-$vendor"
unmount mnt
head -c 30000 /dev/urandom >large
"$TACIT" vars set store.fd "TacitLarge-$vendor" --data large
"$TACIT" vars set store.fd "TacitBootOnly-$vendor" --attrs nv,bs --text 'not for an operating system'
dump_store store.fd >written

# --- a guest reads, and writes ---

boot 6.12 store.fd first <<'EOF_GUEST'
echo "== read"
dump_variables $vars
printf '\7\0\0\0set in the guest' >/tmp/new && cp /tmp/new $vars/TacitGuest-$vendor || exit 1
printf '\7\0\0\0replaced in the guest' >/tmp/new
immutable - $vars/TacitReplaced-$vendor && cp /tmp/new $vars/TacitReplaced-$vendor || exit 1
immutable - $vars/TacitRemoved-$vendor && rm $vars/TacitRemoved-$vendor || exit 1
echo "== left"
dump_variables $vars
echo "== statfs"
stat -f -c '%b %f %a %s' $vars
EOF_GUEST
is "$(part first read | only_ours)" "$(only_ours <written)" 'the guest reads what we wrote'
lacks "$(part first read)" TacitBootOnly 'and not what is for boot time only'
ok 'the guest wrote' grep -q "^TacitGuest-$vendor " <(part first left)

dump_store store.fd >after
is "$(only_stored <after)" "$(part first left | only_stored)" \
	'every stored variable is the same in the guest and in our mount'
# what the firmware makes at each boot, and we do
made='^(SecureBoot|SetupMode|VendorKeys|SignatureSupport|OsIndicationsSupported)-'
is "$(grep -E "$made" after)" "$(part first left | grep -E "$made")" \
	'so are those that are in no image'
is "$("$TACIT" vars get store.fd "TacitGuest-$vendor")" 'set in the guest' 'vars sees what the guest set'
is "$("$TACIT" vars get store.fd "TacitReplaced-$vendor")" 'replaced in the guest' \
	'and what it replaced'
fails_with 1 TacitRemoved 'and not what it removed' "$TACIT" vars get store.fd "TacitRemoved-$vendor"
ok 'the store is healthy for us' "$TACIT" vars check store.fd

# --- free space ---

read -r blocks free available size < <(part first statfs)
note "statfs in the guest: $blocks $free $available, blocks of $size"
mount_store store.fd seen -o ro,statfs
is "$(stat -f -c '%b %f %a %s' seen)" "$blocks $free $available $size" \
	'statfs of our mount is that of the guest, to the byte'
unmount seen
is "$("$TACIT" vars info store.fd --json | jq .remaining_runtime)" "$free" \
	'and so is what vars info says remains at run time'

# --- compaction ---

cp store.fd compact.fd
has "$("$TACIT" vars compact compact.fd)" "bytes freed" 'a compaction says what it freed'
is "$("$TACIT" vars info compact.fd --json | jq .dead)" 0 'a compacted store has no dead records'
boot 6.1-cloud compact.fd second <<'EOF_GUEST'
echo "== read"
dump_variables $vars
EOF_GUEST
is "$(part second read | only_ours)" "$(only_ours <after)" 'it boots, and the guest finds all of ours'
is "$(part second read | only_stored | cut -d ' ' -f 1)" "$(only_stored <after | cut -d ' ' -f 1)" \
	'and every name that was stored'
