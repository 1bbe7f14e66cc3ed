#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# crash.sh — a verb that is killed, or whose disk is full, at any call that changes the disk leaves the
# old store or the new one, and every other variable its value.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" strace
guid=11111111-2222-3333-4444-555555555555
# leaks cannot be looked for in a process that is traced
export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
calls='pwrite64|write|fdatasync|fsync|rename|fchmod|fchown|openat'

vars() { "$TACIT" vars "$@"; }
traced() { # INJECTION VERB...: the verb on store.fd, what it says goes to a file
	strace -qq -e trace=none -e "inject=$1" "$TACIT" vars "${@:2}" >verb.log 2>&1
}
strace -qq -e trace=write -e inject=write:error=EIO:when=9999 true 2>/dev/null ||
	skip_all 'strace cannot inject errors here'

cp "$OVMF_VARS_MS" base.fd
vars set base.fd "Victim-$guid" --text old
for i in 1 2; do
	vars set base.fd "dump-type0-$i-1-1-C-cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0" --text dump
done
printf '{"version":2,"variables":[{"name":"Victim","guid":"%s","attr":7,"data":"6e6577"},
	{"name":"Second","guid":"%s","attr":7,"data":"00"}]}' $guid $guid >in.json
vars export base.fd >old.json

# survives VERB...: tries it with every fault at every call that it makes.
survives() {
	local call count n fault tried=0 bad=0

	cp base.fd store.fd
	strace -qq -o trace -e "trace=/^($calls)\$" "$TACIT" vars "$@" >/dev/null
	vars export store.fd >new.json
	for call in ${calls//|/ }; do
		count=$(grep -c "^$call(" trace || true)
		for ((n = 1; n <= count; n++)); do
			for fault in signal=KILL error=ENOSPC; do
				cp base.fd store.fd
				traced "$call:$fault:when=$n" "$@" || true
				tried=$((tried + 1))
				vars export store.fd >now.json 2>&1 || true
				if ! cmp -s now.json old.json && ! cmp -s now.json new.json; then
					bad=$((bad + 1))
					note "$call $n, $fault: $(head -c 300 now.json)"
				fi
				if [ "$fault" != signal=KILL ] && compgen -G 'store.fd.*' >/dev/null; then
					bad=$((bad + 1))
					note "$call $n, $fault: leaves $(echo store.fd.*)"
				fi
				rm -f store.fd.*
			done
		done
	done
	is "$bad of $((tried > 10))" '0 of 1' "$1: old or new after each fault ($tried tried)"
}

survives set store.fd Victim --text new
survives rm store.fd Victim
survives compact store.fd
survives import store.fd in.json
survives purge-dumps store.fd
