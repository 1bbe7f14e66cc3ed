#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# virt_firmware.sh — virt-fw-vars and we read the same in a store, and each what the other wrote.
. "$(dirname "$0")/../lib.sh"
need "$OVMF_VARS_MS" jq python3
"$test_root/test/debian-suite" trixie unpack "$work/peer" python3-virt-firmware \
	python3-importlib-resources python3-pefile >fetch.log 2>&1 ||
	skip_all 'python3-virt-firmware of Debian trixie cannot be fetched'
guid=11111111-2222-3333-4444-555555555555

vars() { "$TACIT" vars "$@"; }
peer() {
	PYTHONPATH=$work/peer/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 \
		python3 -m virt.firmware.vars --loglevel error "$@"
}
if ! peer --help >peer.log 2>&1; then
	skip_all "virt-fw-vars does not run here: $(tail -n 1 peer.log)"
fi
# A document in one order, with what both write.
normal() { jq -S '.variables | map({name, guid, attr, data, time}) | sort_by(.guid, .name)' "$1"; }

for image in "$OVMF_VARS_MS" "$OVMF_DIR/OVMF_VARS_4M.snakeoil.fd"; do
	peer -i "$image" --output-json peer.json
	vars export "$image" >own.json
	is "$(normal own.json)" "$(normal peer.json)" "${image##*/}: both export the same"
	vars create new.fd --force --profile ovmf-4m
	ok 'we import what it exports' vars import new.fd peer.json
	ok 'and have an equal store' vars diff new.fd "$image"
done

ok 'it merges what we export' peer -i "$OVMF_VARS" --set-json own.json -o peer.fd
ok 'and has an equal store' vars diff peer.fd own.json
ok 'a store that it wrote is healthy' vars check peer.fd

cp "$OVMF_VARS_MS" store.fd
vars set store.fd "Ours-$guid" --text ours
vars rm store.fd dbx
peer -i store.fd --output-json peer.json
is "$(jq -r '.variables[] | select(.name == "Ours") | .data' peer.json)" 6f757273 \
	'it reads what we set'
is "$(jq '.variables | map(select(.name == "dbx")) | length' peer.json)" 0 \
	'and not what we deleted'
ok 'it writes into our store' peer --inplace store.fd --set-true SecureBootEnable
is "$(vars get store.fd SecureBootEnable --hex)" 01 'we read what it set'
is "$(vars get store.fd Ours)" ours 'and what was there'
