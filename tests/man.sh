#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages and the help texts tell the same commands and options.
. "$(dirname "$0")/lib.sh"

# options: those in the text on standard input, one a line.
options() {
	grep -oE '(^|[ `(,["])--?[a-z][a-z-]*' | grep -oE -- '--?[a-z-]+' | sort -u
}

# part PATTERN: the sections of $page whose heading matches, as plain text.
part() {
	awk -v want="$1" '/^\.S[SH] / { on = $0 ~ want } on' "$page" |
	    sed 's/\\-/-/g'
}

# alike WHAT: $tmp/help and $tmp/page.
alike() {
	[ -s "$tmp/help" ] || [ -n "${2:-}" ] || fail "$1: no option in the help"
	same_files "$1: the help text (<) and the page (>) differ" \
	    "$tmp/help" "$tmp/page"
}

commands() {
	"$bin/$1" --help | sed -n 's/^  \([a-z][a-z]*\)  *[^ ].*/\1/p'
}

for tool in kvaot kvobj; do
	page=$KVAOT_TOP/doc/man/$tool.1
	common='^$'
	[ $tool = kvaot ] || common='^.SH "COMMON OPTIONS"$'
	commands $tool >"$tmp/help"
	sed -n 's/^\.SS "\([a-z]*\)[ "].*/\1/p' "$page" >"$tmp/page"
	alike "commands of $tool"
	for command in $(commands $tool); do
		"$bin/$tool" $command --help | options >"$tmp/help"
		case $command in
		mask|unmask) own= ;; # they touch no cache
		*) own="|$common" ;;
		esac
		part "^.SS \"$command[ \"]$own" | options >"$tmp/page"
		alike "$tool $command" empty
	done
	printf '%s\n' --help --version >"$tmp/help"
	part '^.SH OPTIONS$' | options >"$tmp/page"
	alike "$tool"
	for option in --help --version; do
		exits 0 "$bin/$tool" $option
	done
done
page=$KVAOT_TOP/doc/man/kvrun.1
"$bin/kvrun" --help | options >"$tmp/help"
part '^.SH OPTIONS$' | options >"$tmp/page"
alike kvrun

for page in "$KVAOT_TOP"/doc/man/*.1; do
	if command -v groff >/dev/null; then
		groff -man -Tutf8 -ww -z "$page" >"$tmp/log" 2>&1 || :
		[ ! -s "$tmp/log" ] || { cat "$tmp/log"; fail "$page"; }
	else
		echo "skipped: no groff to read $page"
	fi
done
finish
