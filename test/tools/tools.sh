# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# tools.sh — what the tests of foreign programs share, lib.sh included.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# shellcheck disable=SC2034	# for the tests
readonly global=8be4df61-93ca-11d2-aa0d-00e098032b8c # the UEFI specification's own variables
# the test's store
readonly store=$work/store.fd

# with_store COMMAND...: it sees the store as the machine's variables.
with_store() { "$TACIT" run "$store" -- "$@"; }

# value NAME-GUID: the variable's bytes in the store, in hexadecimal digits.
value() { "$TACIT" vars get "$store" "$1" | od -An -v -tx1 | tr -d ' \n'; }

# utf16 TEXT: as hexadecimal digits, ended by a NUL.
utf16() { printf '%s\0' "$1" | sed 's/./&\x00/g' | od -An -v -tx1 | tr -d ' \n'; }

# new_store IMAGE: a copy that the test may change.
new_store() { install -m 644 "$1" "$store"; }

# in_plain_root COMMAND...: where nothing says "container". Some programs look for the marks of one,
# and then do not look at EFI variables at all.
in_plain_root() {
	[ -e /.dockerenv ] || {
		"$@"
		return
	}
	# shellcheck disable=SC2016	# expanded in there
	unshare --mount --propagation private bash -c '
		new=$1
		shift
		mount -t tmpfs root "$new"
		for entry in /*; do
			if [ -L "$entry" ]; then
				cp -a "$entry" "$new$entry"
			elif [ -d "$entry" ]; then
				mkdir "$new$entry"
				mount --rbind "$entry" "$new$entry"
			fi
		done
		exec chroot "$new" "$@"' bash "$(mktemp -d "$scratch/root.XXXXXX")" "$@"
}
