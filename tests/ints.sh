#!/bin/sh
# SPDX-License-Identifier: MIT
# Chains of integers, of bool, of several dtypes and of ops beside arithmetic
# become one kernel a dtype, with the bytes of the unfused composition; a division
# by zero in it is reported as by the composition.
. "$(dirname "$0")/lib.sh"
kvaot=$bin/kvaot

any=
for t in int8 int16 int32 int64 uint8 uint16 uint32 uint64; do
	any="$any${any:+|}[*]$t"
done
num="$any|[*]float32|[*]float64"
data="$num|[*]bool"
cat >"$tmp/p.kv" <<END
rwfunc chain(A:$any, B:$any) -> (C:$any, D:$any) {
	deepx·sub(A, B) -> s
	deepx·mul(s, A) -> m
	deepx·maxscalar(B, 3) -> d
	deepx·div(m, d) -> q
	deepx·abs(q) -> C
	deepx·neg(q) -> n
	deepx·relu(n) -> r
	deepx·min(r, A) -> D
}
rwfunc logic(A:[*]bool, B:[*]bool) -> (C:[*]bool) {
	deepx·and(A, B) -> t
	deepx·xor(t, A) -> u
	deepx·invert(u) -> v
	deepx·or(v, B) -> w
	deepx·identity(w) -> C
}
rwfunc rest(A:[*]int16|[*]uint64, B:[*]int16|[*]uint64) -> (C:[*]int16|[*]uint64) {
	deepx·mod(A, B) -> t
	deepx·invert(t) -> u
	deepx·clamp(u, 3, 100) -> C
}
rwfunc acts(A:[*]float32, B:[*]float32) -> (C:[*]float32) {
	deepx·swish(A, 1.5) -> t
	deepx·leaky_relu(t, 0.1) -> u
	deepx·identity(u) -> i
	deepx·fmod(i, B) -> v
	deepx·clamp(v, -1, 1) -> C
}
rwfunc masked(A:[*]float32, B:[*]float32) -> (C:[*]bool) {
	deepx·exp(A) -> t
	deepx·add(t, B) -> u
	deepx·lessequal(u, B) -> m
	deepx·isnan(u) -> n
	deepx·or(m, n) -> C
}
rwfunc pick(A:$data, B:$data, M:[*]bool) -> (C:$data, D:[*]bool) {
	deepx·invert(M) -> n
	deepx·where(n, A, B) -> t
	deepx·or(M, n) -> D
	deepx·where(M, t, A) -> C
}
rwfunc order(A:$num, B:$num) -> (C:$num) {
	deepx·less(A, B) -> m
	deepx·equalscalar(A, 3, 1) -> n
	deepx·xor(m, n) -> o
	deepx·where(o, A, 3) -> t
	deepx·mul(t, B) -> C
}
rwfunc quant(A:$num, B:$num) -> (C:[*]int8, D:[*]float32, E:$num) {
	deepx·sub(A, B) -> t
	deepx·todtype(t, "int8") -> C
	deepx·todtype(C, "float32") -> u
	deepx·exp(u) -> D
	deepx·todtype(t, "int32") -> i
	deepx·addscalar(i, 5) -> j
	deepx·todtype(j, "bool") -> m
	deepx·where(m, A, B) -> E
}
rwfunc squares(A:[*]float32, B:[*]int64) -> (C:[*]float64) {
	deepx·todtype(A, "float64") -> a
	deepx·todtype(B, "float64") -> b
	deepx·mul(a, b) -> t
	deepx·sum(t, -1, true) -> s
	deepx·greater(t, s) -> m
	deepx·where(m, 1, t) -> C
}
rwfunc centred(A:[*]int32, B:[*]bool) -> (C:[*]float32) {
	deepx·todtype(A, "float32") -> t
	deepx·where(B, t, 0.0) -> u
	deepx·mean(u, 0, true) -> s
	deepx·sub(u, s) -> C
}
rwfunc named(A:[*]float32, dtype:[]char/utf32) -> (C:any) {
	deepx·exp(A) -> t
	deepx·todtype(t, dtype) -> C
}
rwfunc names(A:[*]float32, B:[*]float32) -> (C:[*]int16, D:[*]uint8) {
	named(A, "int16") -> C
	named(B, "uint8") -> D
}
rwfunc total(A:[*]float32, B:[*]float32) -> (C:[*]float32, D:[*]float32) {
	deepx·logsumexp(A, -1, false) -> C
	deepx·logsumexp(B, 0, true) -> D
}
rwfunc ratio(A:[*]int32, B:[*]int32, n:int64) -> (C:[*]int32) {
	deepx·div(A, B) -> q
	deepx·square(q) -> r
	deepx·divscalar(r, n) -> C
}
rwfunc said(A:[*]int32, B:[*]int32) -> (C:[*]int32) {
	println("once")
	deepx·square(A) -> q
	deepx·div(q, B) -> C
}
END
build=$tmp/build
exits 0 "$kvaot" gen -o "$build" --program "$tmp/p.kv"
ninja -C "$build" >"$tmp/log" 2>&1 || die 'the program is not built' "$tmp/log"

# run ENTRY OPTIONS...: of the program; its results go to $tmp/C.npy, D.npy.
run() {
	entry=$1
	shift
	"$bin/kvrun" "--lib=$build/lib" "--entry=$entry" "$@" \
	    >"$tmp/out" 2>"$tmp/err"
}

for t in int8 int16 int32 int64 uint8 uint16 uint32 uint64; do
	for dims in 1 7 8 3x43 64x65; do
		set -- --in "A=rand:$dims:$t:1" --in "B=rand:$dims:$t:2"
		run chain --base --digest "$@" || die "chain of $t" "$tmp/err"
		mv "$tmp/out" "$tmp/want"
		run chain --strict --trace --digest "$@" ||
			die "chain of $t" "$tmp/err"
		same_files "chain of $t $dims" "$tmp/want" "$tmp/out"
		[ "$(grep -c " row $t " "$tmp/err")" -eq 1 ] ||
			fail "the chain of $t is not one kernel" "$tmp/err"
	done
done

# fuses ENTRY KERNELS OPTIONS...: so many calls in place of one an op, same bytes.
fuses() {
	entry=$1 kernels=$2
	shift 2
	run "$entry" --base --digest "$@" || die "$entry $*" "$tmp/err"
	mv "$tmp/out" "$tmp/want"
	run "$entry" --strict --trace --digest "$@" ||
		die "$entry $*" "$tmp/err"
	same_files "$entry $*" "$tmp/want" "$tmp/out"
	[ "$(grep -c ' row ' "$tmp/err")" -eq "$kernels" ] ||
		fail "$entry $* is not $kernels kernels" "$tmp/err"
}

# fused ENTRY DTYPE KERNELS OPTIONS...: the same with A and B of that dtype.
fused() {
	entry=$1 dtype=$2 kernels=$3
	shift 3
	fuses "$entry" "$kernels" --in "A=rand:333:$dtype:1" \
	    --in "B=rand:333:$dtype:2" "$@"
}

fused logic bool 1
fused rest int16 1
fused rest uint64 1
fused acts float32 1
fused masked float32 1
for t in int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64; do
	fused order $t 1
done
for t in int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64; do
	fused quant $t 1
done
fuses squares 1 --in A=rand:7x333:float32:1 --in B=rand:333:int64:2
fuses centred 1 --in A=rand:7x65:int32:1 --in B=rand:7x65:bool:2
fused names float32 2
fuses total 2 --in A=rand:7x333:float32:1 --in B=rand:65x33:float32:2
for t in bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 \
    float32 float64; do
	fused pick $t 1 --in M=rand:333:bool:3
done

run rest --trace --in 'A=int16([1,2])' --in 'B=int16([3])' ||
	fail 'rest is refused'
says "$tmp/err" 'trace: rest -> rest.1 (int16 2, int16 1)' 'the choice'

# By hand: s = [3, -2], m = [-128·3, 126·-2] wraps to [-128, 4], d = [125, 3],
# q = [-1, 1], r = [1, 0].
run chain --strict --in 'A=int8([-128,126])' --in 'B=int8([125,-128])' \
    --out "C=$tmp/C.npy" --out "D=$tmp/D.npy" || die 'chain' "$tmp/err"
[ "$(tail -c 2 "$tmp/C.npy" | od -An -td1)" = '    1    1' ] ||
	fail 'the chain of int8: C'
[ "$(tail -c 2 "$tmp/D.npy" | od -An -td1)" = ' -128    0' ] ||
	fail 'the chain of int8: D'

# refused WORD ENTRY OPTIONS...: as by the composition, whose op it names.
refused() {
	word=$1
	shift
	run "$@" && fail "$*: a division by zero"
	mv "$tmp/err" "$tmp/version"
	run "$@" --base && fail "$* --base: a division by zero"
	same_files "$*" "$tmp/err" "$tmp/version"
	says "$tmp/version" \
	    "ZeroDivisionError: division by zero (deepx/miaobyte·$word)" "$*"
}

a='A=int32([1,2,3,4,5,6,7,8,9])'
refused div ratio --in "$a" --in 'B=int32([1,2,3,4,5,6,7,8,0])' --in n=0
refused divscalar ratio --in "$a" --in 'B=int32([1,2,3,4,5,6,7,8,9])' --in n=0
run ratio --strict --in "$a" --in 'B=int32([1,2,3,4,5,6,7,8,9])' --in n=1 ||
	fail 'a ratio by other numbers than 0' "$tmp/err"
refused mod rest --in 'A=int16([1,2])' --in 'B=int16([1,0])'
# What was printed is not printed again: then the kernel is named.
run said --in "$a" --in 'B=int32([0])' && fail 'said: a division by zero'
[ "$(cat "$tmp/out")" = once ] || fail 'said: not once' "$tmp/out"
says "$tmp/err" 'ZeroDivisionError: division by zero (said.1.k0)' said
finish
