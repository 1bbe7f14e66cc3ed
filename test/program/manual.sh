#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# manual.sh — what --help tells and the manual pages are the same: options, verbs, mount options.
. "$(dirname "$0")/../lib.sh"
pages=$test_root/bin/tacit
need "$pages/tacit.scd"

# the options of a help text, one a line: -x, --long
of_help() {
	"$TACIT" "$@" --help | grep -E '^ +-' |
		grep -oE -- '(^|[ ,])--?[[:alnum:]][-[:alnum:]]*' | tr -d ' ,' | sort -u
}
# the bold options of a page, or of some lines of it
of_page() { grep -oE -- '\*--?[[:alnum:]][-[:alnum:]]*' | tr -d '*' | sort -u; }
verbs() { "$TACIT" "$@" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z][-a-z]*\) .*/\1/p' | sort; }
# the names under which a page tells of something: "*name*" at a line's start
entries() { grep -oE '^\*[a-z][-a-z]*\*' | tr -d '*' | sort -u; }

is "$(verbs)" "$(sed -n '/^# DESCRIPTION/,/^# OPTIONS/p' "$pages/tacit.scd" | entries)" \
	'tacit: verbs'
for verb in '' mount run; do
	# shellcheck disable=SC2086	# the empty one is none
	is "$(of_help $verb)" \
		"$(sed -n '/^# OPTIONS/,/^# [^O]/p' "$pages/${verb:-tacit}.scd" | grep '^\*-' | of_page)" \
		"tacit${verb:+ $verb}: options"
done

# mount options, with the values that they take: [no]name, one|other, name=a|b, name=KIND
in_words() {
	awk -F= '
		/^\[no\]/ { sub(/^\[no\]/, ""); print; print "no" $0; next }
		{ n = split($NF, choices, "|") }
		NF == 2 { for (i = 1; i <= n; i++) print $1 "=" (choices[i] ~ /^[A-Z]+$/ ? "" : choices[i]) }
		NF == 1 { for (i = 1; i <= n; i++) print choices[i] }'
}
for verb in mount run; do
	end='^# CHANGING'
	[ "$verb" = mount ] || end='^Of a directory:' # run has stores only
	help=$("$TACIT" $verb --help | sed -n '/^Options after -o/,$s/^  \([^ ]*\).*/\1/p')
	is "$(in_words <<<"$help" | sort)" \
		"$(sed -n "/^# MOUNT OPTIONS/,/$end/p" "$pages/mount.scd" | grep '^\*' |
			grep -oE '\*[^*]+\*' | tr -d '*' | sort)" "tacit $verb: options after -o"
done

# vars: the part of the page that is about a verb
page_of_verb() {
	awk -v verb="$1" '/^\*/ { is_it = index($0, "*" verb "*") == 1 } /^# OPTIONS/ { exit } is_it' \
		"$pages/vars.scd"
}
is "$(verbs vars)" "$(sed -n '/^# VERBS/,/^# OPTIONS/p' "$pages/vars.scd" | entries)" \
	'tacit vars: verbs'
common=$(sed -n '/^# OPTIONS/,/^# JSON/p' "$pages/vars.scd" | grep '^\*-' | of_page)
for verb in $(verbs vars); do
	is "$(of_help vars "$verb")" "$({ page_of_verb "$verb" | of_page; echo "$common"; } | sort -u)" \
		"tacit vars $verb: options"
done
