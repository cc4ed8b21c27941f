#!/bin/sh
# SPDX-License-Identifier: MIT
# Binding: an abstract op runs only after the compiler chose its back end, and
# the choice, its reason and its failures are shown. The two programs of
# tutorial/16-compiler do what they say.
. "$(dirname "$0")/lib.sh"
copy_build "$tmp/c"
cd "$src"
kvaot=$out/bin/kvaot
bind=tutorial/16-compiler/backend_bind.kv
line=$(grep -n 'deepx·argmax(v0' $bind | sed 's/:.*//')

exits 1 "$out/bin/kvrun" $bind
says "$tmp/err" "UnboundOpError: deepx·argmax" 'kvrun on an abstract op'
says "$tmp/err" "$bind:$line" 'kvrun on an abstract op'
says "$tmp/err" 'run the compiler' 'kvrun on an abstract op'
says "$tmp/err" '抽象算子未绑定后端，需先经编译器' 'kvrun on an abstract op'
[ ! -s "$tmp/out" ] || fail 'kvrun on an abstract op printed something'
exits 0 "$kvaot" run $bind
[ "$(cat "$tmp/out")" = '[3]' ] || fail "kvaot run prints $(cat "$tmp/out")"
exits 0 "$kvaot" dump --stage=bound $bind
says "$tmp/out" \
    "$bind:$line: deepx/miaobyte·argmax(v0, axis0, false) -> vmax // why=" dump

# A second author of relu: plainly, for one element after the other.
mkdir kernels/bindtest
printf '#define AUTHOR "bindtest"\n#include "ref/relu.c"\n' \
    >kernels/bindtest/relu.c
cat >>lib/deepx.kv <<'END'
lib deepx {
	rwir bt_orphan(A:[*]float32) -> (B:[*]float32)
}
END
build 'a second author is added'
exits 0 "$out/bin/kvobj" show "$out"/backends/deepx%2Fbindtest.relu.x86-64.ok

# program OPCODE: a program that calls it, $tmp/p.kv.
program() {
	printf 'rwfunc test() -> () {\n\tx:[2]float32 = [-1.0, 2.0]\n\t%s\n%s\n}\n' \
	    "$1(x) -> y" '	println(y)' >"$tmp/p.kv"
}

# bound OPCODE WHY [OPTION]: how the call is bound, and what it prints.
bound() {
	opcode=$1 why=$2
	shift 2
	exits 0 "$kvaot" dump --stage=bound "$@" "$tmp/p.kv"
	says "$tmp/out" "$tmp/p.kv:3: $opcode(x) -> y // why=$why" dump
	exits 0 "$kvaot" run "$tmp/p.kv" "$@"
	[ "$(cat "$tmp/out")" = '[0.0, 2.0]' ] || {
		head -n 3 "$tmp/out"
		fail "run of $opcode prints something else"
	}
}

# unbound TEXT... : error with place and these texts, and no output of a run.
unbound() {
	for command in 'dump --stage=bound' run; do
		exits 1 "$kvaot" $command "$tmp/p.kv" "--authors=$tmp/authors"
		says "$tmp/err" "$tmp/p.kv:3:2: " "kvaot $command"
		for text; do
			says "$tmp/err" "$text" "kvaot $command"
		done
	done
}

program 'deepx·relu'
bound 'deepx/miaobyte·relu' 'default-table row=*'
printf 'relu\tbindtest\n*\tmiaobyte\n' >"$tmp/authors"
bound 'deepx/bindtest·relu' 'user-table row=relu' "--authors=$tmp/authors"
printf '*\tbindtest\n' >"$tmp/authors"
bound 'deepx/bindtest·relu' 'user-table row=*' "--authors=$tmp/authors"
printf 'exp\tmiaobyte\n' >"$tmp/authors"
unbound 'deepx·relu is ambiguous' 'deepx/bindtest·relu' 'deepx/miaobyte·relu'

# A user's table: functions of the library keep theirs, but for rows it names.
cat >"$tmp/p.kv" <<'END'
rwfunc test() -> () {
	x:[1,2]float32 = [-1.0, 2.0]
	W:[2,1]float32 = [3.0, 4.0]
	deepx·linear(x, W, W) -> y
	println(y)
}
END
# linear AUTHOR WHY: who multiplies in linear, with $tmp/authors.
linear() {
	exits 0 "$kvaot" dump --stage=bound "--authors=$tmp/authors" \
	    "$tmp/p.kv"
	says "$tmp/out" "deepx/$1·matmul(x, W) -> p // why=$2" 'linear'
	exits 0 "$kvaot" run "$tmp/p.kv" "--authors=$tmp/authors"
	[ "$(cat "$tmp/out")" = '[[8.0], [9.0]]' ] || fail "linear by $1"
}
linear cblas 'default-table row=matmul'
printf '*\tbindtest\n' >"$tmp/authors"
linear cblas 'default-table row=matmul'
printf 'matmul\tmiaobyte\n' >"$tmp/authors"
linear miaobyte 'user-table row=matmul'

program 'deepx·exp'
printf '*\tbindtest\n' >"$tmp/authors"
exits 0 "$kvaot" dump --stage=bound "--authors=$tmp/authors" "$tmp/p.kv"
says "$tmp/out" 'deepx/miaobyte·exp(x) -> y // why=only-provider' dump
for author in bindtest miaobyte; do
	program "deepx/$author·relu"
	bound "deepx/$author·relu" explicit-author
done
program 'deepx·bt_orphan'
unbound 'deepx·bt_orphan has no registered back end'
program 'deepx/nobody·relu'
unbound 'deepx/nobody·relu' 'deepx/bindtest·relu' 'deepx/miaobyte·relu'

# A changed table of the library counts as --authors does.
printf 'relu bindtest\n* miaobyte\n' >lib/authors.map
build 'authors.map is edited'
program 'deepx·relu'
bound 'deepx/bindtest·relu' 'default-table row=relu'

version=tutorial/16-compiler/op_version.kv
for option in --base --trace; do
	exits 0 "$kvaot" run $version $option
	[ "$(wc -l <"$tmp/out")" -eq 2 ] && [ "$(sort -u "$tmp/out" |
	    wc -l)" -eq 1 ] || fail "op_version: not two equal lines: $option"
	cp "$tmp/out" "$tmp/out$option"
done
cmp "$tmp/out--base" "$tmp/out--trace" || fail 'base and version differ'
says "$tmp/err" 'deepx·softmax.1' 'kvaot run --trace'
says "$tmp/out--base" '[[0.09003058, 0.24472846, 0.66524094],' op_version
# An op is no function to start with, and the tools say so.
exits 1 "$bin/kvrun" --lib="$KVAOT_OUT/lib" --entry=deepx:relu \
    --in A=rand:3:float32:1
says "$tmp/err" 'UnboundOpError: deepx·relu: abstract op has no bound' \
    'an abstract entry'
exits 1 "$bin/kvrun" --lib="$KVAOT_OUT/lib" --entry=deepx/miaobyte:relu \
    --in A=rand:3:float32:1
says "$tmp/err" 'deepx/miaobyte·relu is a kernel, not a function' \
    'a back end as entry'
finish
