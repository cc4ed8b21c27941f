#!/bin/sh
# SPDX-License-Identifier: MIT
# The form of our files: length, licence line, spaces, nothing left behind.
set -eu
cd "${KVAOT_TOP:-$(dirname "$0")/..}"
bad=0

# none WHY COMMAND...: the command prints no line.
none() {
	why=$1
	shift
	found=$("$@") || :
	[ -z "$found" ] || {
		printf '%s:\n%s\n' "$why" "$found"
		bad=1
	}
}

too_long() {
	for file in $code; do
		n=$(wc -l <"$file")
		[ "$n" -le 700 ] || echo "$file: $n lines"
	done
}

unlicensed() {
	for file in $ours; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT' ||
			echo "$file"
	done
}

unended() {
	for file in $ours; do
		[ -z "$(tail -c 1 "$file")" ] || echo "$file"
	done
}

# Suites that tests/main.c does not know.
unlisted() {
	sed -n 's/^Suite \*\([a-z0-9_]*\)_suite(void);/\1/p' tests/t_*.c |
	while read -r suite; do
		grep -q "^SUITE($suite)" tests/suites.def || echo "$suite"
	done
}

dirs='base space clang cache kv ops gen runtime templates kernels include tests
    bench'
code=$(find $dirs -name '*.[ch]' | sort)
ours="$code $(find $dirs -name '*.def' -o -name '*.sh' | sort) configure
    bootstrap Makefile.in .ci/run"

none 'over 700 lines' too_long
none 'no licence in the first lines' unlicensed
none 'no line end at the end' unended
none 'left behind' grep -nwE 'TO''DO|FIX''ME|X''XX' $ours
none 'switched off code' grep -nE '^[ 	]*#[ 	]*if[ 	]+0' $code
none 'spaces at the end of a line' grep -nE '[ 	]$' $ours
none 'a space before a tab' grep -nE '^	* +	' $ours
none 'indented by spaces' grep -nE '^	*        ' $code
none 'carriage return' grep -n "$(printf '\r')" $ours
none 'a path of one machine' grep -nE '/(home|work|root|tmp/[a-z]+)/' $ours
none 'not in tests/suites.def' unlisted
exit $bad
