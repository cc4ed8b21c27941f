#!/bin/sh
# SPDX-License-Identifier: MIT
# What the language says of a program that cannot go on: each
# tests/messages/NAME.kv has in line 1 what `kvrun NAME.kv` reports first,
#	// expect-error: LINE:COLUMN: TEXT
# and is compared to its last byte. What is refused before it runs is mostly
# tested by the suite kv_message.
. "$(dirname "$0")/lib.sh"
cd "$KVAOT_TOP/tests/messages"

n=0
for file in *.kv; do
	text=$(sed -n '1s!^// expect-error: !!p' "$file")
	[ "$text" ] || fail "$file: line 1 is no expect-error"
	exits 1 "$bin/kvrun" "$file"
	got=$(sed -n 's/^error: //p' "$tmp/err" | head -n 1)
	[ "$got" = "$file:$text" ] ||
		fail "expected '$file:$text', found '$got'"
	[ ! -s "$tmp/out" ] || fail "$file prints"
	n=$((n + 1))
done
[ $n -ge 90 ] || fail "only $n messages"
finish
