#!/bin/sh
# SPDX-License-Identifier: MIT
# What the language says of a program that cannot go on: each
# tests/messages/NAME.kv has in line 1 what `kvrun NAME.kv` reports first,
#	// expect-error: LINE:COLUMN: TEXT
# and is compared to its last byte. What the planner finds, before anything
# runs, reads the same. What layout refuses is mostly tested by the suite
# kv_message.
. "$(dirname "$0")/lib.sh"
cd "$KVAOT_TOP/tests/messages"

# ends FILE COMMAND...: as line 1 says.
ends() {
	file=$1
	shift
	text=$(sed -n '1s!^// expect-error: !!p' "$file")
	[ "$text" ] || fail "$file: line 1 is no expect-error"
	exits 1 "$@" "$file"
	got=$(sed -n 's/^error: //p' "$tmp/err" | head -n 1)
	[ "${got#"$PWD/"}" = "$file:$text" ] ||
		fail "$*: expected '$file:$text', found '$got'"
	[ ! -s "$tmp/out" ] || fail "$* $file prints"
}

n=0
for file in *.kv; do
	ends "$file" "$bin/kvrun"
	n=$((n + 1))
done
for file in name name_near call_args call_writes op_args op_writes none_branch; do
	ends $file.kv "$bin/kvaot" run
done
[ $n -ge 90 ] || fail "only $n messages"
finish
