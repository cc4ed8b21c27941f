#!/bin/sh
# SPDX-License-Identifier: MIT
# kvaot run says on a terminal that it compiles, and wipes it; never elsewhere.
. "$(dirname "$0")/lib.sh"
cat >"$tmp/p.kv" <<'END'
rwfunc test() -> () {
	x:[2]float32 = [0.0, 0.0]
	deepx·exp(x) -> e
	deepx·mul(e, x) -> y
	print(y)
}
END
# fresh: a cache that has compiled nothing of the program.
fresh() {
	rm -rf "$tmp/cache"
	mkdir "$tmp/cache"
	KVAOT_CACHE=$tmp/cache
	export KVAOT_CACHE
}

fresh
exits 0 "$bin/kvaot" run "$tmp/p.kv"
[ "$(cat "$tmp/out")" = '[0.0, 0.0]' ] || fail 'the program prints something else'
[ ! -s "$tmp/err" ] || fail "in a pipe stderr gets $(cat "$tmp/err")"
grep -q '^\[[0-9]*/[0-9]*\] kernel ' "$tmp"/cache/run/*/ninja.log ||
	fail 'ninja.log lacks what ninja printed'

script -qec true /dev/null >/dev/null 2>&1 </dev/null || {
	echo 'skipped: no script, or no pseudo-terminal here'
	finish
}
# terminal NAME: the same with a terminal of that name; output in $tmp/seen.
terminal() {
	TERM=$1 script -qec "$bin/kvaot run '$tmp/p.kv'" /dev/null \
	    </dev/null >"$tmp/seen" || fail "exit $? on a terminal"
	grep -qF '[0.0, 0.0]' "$tmp/seen" || fail 'no result on a terminal'
}
fresh
terminal xterm
grep -q 'kvaot: compiling [0-9]*/[0-9]*' "$tmp/seen" ||
	fail 'a terminal sees no progress'
grep -q "$(printf '\r\033\\[K')\[0\.0, 0\.0\]" "$tmp/seen" ||
	fail 'the status line is not wiped before the result'
terminal xterm
! grep -q compiling "$tmp/seen" || fail 'progress with nothing to compile'
fresh
terminal dumb
! grep -q compiling "$tmp/seen" || fail 'progress on a dumb terminal'
finish
