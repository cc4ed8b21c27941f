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
for file in name name_near call_args call_writes op_args op_writes op_axis \
    op_axes none_branch; do
	ends $file.kv "$bin/kvaot" run
done
# refuses NAME TEXT: as the entry.
refuses() {
	exits 1 "$bin/kvrun" "--entry=$1"
	[ "$(cat "$tmp/err")" = "error: $2" ] || {
		cat "$tmp/err"
		fail "--entry=$1: expected '$2'"
	}
}

refuses deepx:sofmax 'NameError: rwfunc not found: deepx·sofmax; did you mean deepx·softmax?'
refuses nosuch 'NameError: rwfunc not found: nosuch'
refuses deepx:argmax 'UnboundOpError: deepx·argmax: abstract op has no bound back end (抽象算子未绑定后端); call it from a function and run that with `kvaot run FILE`'
refuses deepx/miaobyte:add 'NameError: deepx/miaobyte·add is a kernel, not a function (不是 rwfunc); call it from a function'
[ $n -ge 90 ] || fail "only $n messages"
finish
