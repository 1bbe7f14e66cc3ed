#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# signed.sh — keys enrolled by efitools and sbsigntool's signed updates, as on a machine whose firmware
# checks them.
. "$(dirname "$0")/tools.sh"
need root fuse openssl cert-to-efi-sig-list sign-efi-sig-list efi-updatevar efi-readvar mokutil \
	sbvarsign "$OVMF_VARS"
readonly security=d719b2cb-3d3a-4596-a3bc-dad00e67656f
readonly owner=77fa9abd-0359-4d32-bd60-28f4e78f784b

for key in PK KEK db stranger; do
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=tacit $key/" \
		-keyout "$key.key" -out "$key.crt" 2>/dev/null
	cert-to-efi-sig-list -g "$owner" "$key.crt" "$key.esl" >/dev/null
done

# sign SIGNER VARIABLE LIST OUT TIME [OPTION]
sign() {
	sign-efi-sig-list -t "$5" -g "$owner" -c "$1.crt" -k "$1.key" ${6:+"$6"} "$2" "$3" "$4" >/dev/null
}
sign PK PK PK.esl PK.auth '2026-01-01 00:00:00'
sign PK KEK KEK.esl KEK.auth '2026-01-01 00:00:00'
sign KEK db db.esl db.auth '2026-01-01 00:00:00'
sign KEK db stranger.esl later.auth '2026-01-02 00:00:00'
sign KEK db db.esl append.auth '2025-01-01 00:00:00' -a
sign stranger db stranger.esl stranger.auth '2026-02-01 00:00:00'
: >empty.esl
sign PK PK empty.esl noPK.auth '2026-03-01 00:00:00'

# of_files FILE...: the digest of all; stored NAME: of the variable's content.
of_files() { cat "$@" | sha256sum; }
stored() { "$TACIT" vars get "$store" "$1" | sha256sum; }
# change VARIABLE OPTION...: efi-updatevar leaves the immutable flag to whoever calls it.
change() {
	# shellcheck disable=SC2016	# expanded in there
	with_store sh -c 'chattr -i /sys/firmware/efi/efivars/"$1"-* 2>/dev/null; shift; exec "$@"' \
		sh "$1" efi-updatevar "${@:2}" "$1"
}
# update VARIABLE FILE [OPTION]
update() { change "$1" ${3:+"$3"} -f "$work/$2"; }

new_store "$OVMF_VARS"
has "$(with_store mokutil --sb-state)" 'Setup Mode' 'a store without keys is in setup mode'
ok 'db is enrolled' update db db.auth
ok 'KEK is enrolled' update KEK KEK.auth
fails_with '*' 'PK is signed with the very key' 'PK is not, with a signature of another' update PK KEK.auth
ok 'PK is enrolled' update PK PK.auth
is "$(stored "PK-$global")" "$(of_files PK.esl)" 'the store has it, without the signature'
lacks "$(with_store mokutil --sb-state)" 'Setup Mode' 'and is in user mode'
has "$(with_store efi-readvar -v db)" 'CN=tacit db' 'efi-readvar shows the key'

fails_with '*' 'without a key' 'a list without a signature is refused' update db db.esl -e
fails_with '*' 'EFI_SECURITY_VIOLATION' 'so is what a stranger signed' update db stranger.auth
fails_with '*' 'is not later than' 'and the same update again' update db db.auth
ok 'a later one is taken' update db later.auth
is "$(stored "db-$security")" "$(of_files stranger.esl)" 'and replaces the list'
ok 'an append is taken, though it is older' update db append.auth -a
is "$(stored "db-$security")" "$(of_files stranger.esl db.esl)" 'and adds to the list'
ok 'once more changes nothing' update db append.auth -a
is "$(stored "db-$security")" "$(of_files stranger.esl db.esl)" 'what is there is not added again'

sbvarsign --key KEK.key --cert KEK.crt --output sb.auth \
	--attr NON_VOLATILE,BOOTSERVICE_ACCESS,RUNTIME_ACCESS,TIME_BASED_AUTHENTICATED_WRITE_ACCESS db db.esl 2>/dev/null
ok "sbsigntool's signature is taken" update db sb.auth
is "$(stored "db-$security")" "$(of_files db.esl)" 'and its list is stored'
ok 'a key signs while it is written' change KEK -g "$owner" -k "$work/PK.key" \
	-c "$work/stranger.crt"
has "$(with_store efi-readvar -v KEK)" 'CN=tacit stranger' 'and the new KEK is there'

ok 'PK signs its own deletion' update PK noPK.auth
fails_with 1 'PK' 'and is gone' "$TACIT" vars get "$store" "PK-$global"
has "$(with_store mokutil --sb-state)" 'Setup Mode' 'which is setup mode again'
ok 'the store is healthy' "$TACIT" vars check "$store"
