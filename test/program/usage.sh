#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage.sh — what the program says when it is called wrongly, or asked who it is.
. "$(dirname "$0")/../lib.sh"

ok '--help succeeds' "$TACIT" --help
has "$("$TACIT" --help)" 'Usage: tacit VERB' 'and says how it is used'
is "$("$TACIT" --version)" "$("$TACIT" -V)" '--version and -V are one'
fails_with 1 'a verb is missing' 'no verb' "$TACIT"
fails_with 1 "there is no verb 'frobnicate'" 'a verb that is not there' "$TACIT" frobnicate
fails_with 1 "Try 'tacit --help'" 'and where help is' "$TACIT" frobnicate
