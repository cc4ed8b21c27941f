#!/bin/sh
# SPDX-License-Identifier: MIT
# Chains of float16 and bfloat16 become one kernel a dtype, in all templates,
# with the bytes of the unfused composition: each op rounds to the dtype.
. "$(dirname "$0")/lib.sh"
kvaot=$bin/kvaot

half='[*]float16|[*]bfloat16'
cat >"$tmp/p.kv" <<END
rwfunc chain(A:$half, B:$half) -> (C:$half, D:$half) {
	deepx·mul(A, B) -> s
	deepx·add(s, A) -> t
	deepx·gelu(t) -> C
	deepx·addscalar(t, 0.1) -> u
	deepx·tanh(u) -> v
	deepx·clamp(v, -0.3, 0.3) -> D
}
rwfunc pick(A:$half, B:$half) -> (C:$half, M:[*]bool) {
	deepx·exp(A) -> e
	deepx·less(e, B) -> M
	deepx·where(M, e, B) -> C
}
rwfunc moved(A:$half, B:$half) -> (C:$half, D:$half) {
	deepx·greater(A, B) -> m
	deepx·where(m, A, B) -> C
	deepx·sub(C, B) -> D
}
rwfunc soft(A:$half) -> (B:$half) {
	deepx·reducemax(A, -1, true) -> m
	deepx·expshift(A, m) -> e
	deepx·sum(e, -1, true) -> s
	deepx·div(e, s) -> B
}
rwfunc rms(A:$half, W:$half) -> (B:$half, C:$half) {
	deepx·square(A) -> q
	deepx·mean(q, -1, true) -> C
	deepx·addscalar(C, 0.001) -> d
	deepx·rsqrt(d) -> r
	deepx·mul(A, r) -> n
	deepx·mul(n, W) -> B
}
rwfunc columns(A:$half) -> (B:$half, C:$half) {
	deepx·mean(A, 0, true) -> C
	deepx·sub(A, C) -> d
	deepx·square(d) -> q
	deepx·sum(q, 0, true) -> s
	deepx·sqrt(s) -> r
	deepx·div(d, r) -> B
}
rwfunc one(A:[*]bfloat16, x:bfloat16) -> (B:[*]bfloat16) {
	deepx·mulscalar(A, x) -> t
	deepx·sigmoid(t) -> B
}
rwfunc net(A:$half, W:$half) -> (B:$half) {
	deepx·rmsnorm(A, W, 0.00001) -> n
	deepx·silu_mul(n, A) -> B
}
rwfunc cast(A:[*]bfloat16, B:[*]float32) -> (C:[*]float16, D:[*]bfloat16) {
	deepx·todtype(A, "float32") -> a
	deepx·mul(a, B) -> p
	deepx·todtype(p, "float16") -> C
	deepx·todtype(C, "bfloat16") -> D
}
END
build=$tmp/build
exits 0 "$kvaot" gen -o "$build" --program "$tmp/p.kv"
ninja -C "$build" >"$tmp/log" 2>&1 || die 'the program is not built' "$tmp/log"
for f in chain pick moved soft rms columns one net cast; do
	exits 0 "$kvaot" explain -o "$build" "$f"
	grep -q 'row b\?float.* cert passed$' "$tmp/out" ||
		fail "$f has no certified kernel" "$tmp/out"
	! grep -q 'cert \(failed\|untested\)' "$tmp/out" ||
		fail "$f has a kernel that is not certified" "$tmp/out"
done

# run ENTRY OPTIONS...
run() {
	"$bin/kvrun" "--lib=$build/lib" "--entry=$@" >"$tmp/out" 2>"$tmp/err"
}

# fused ENTRY DTYPE OPTIONS...: one kernel in place of one an op, same bytes.
fused() {
	entry=$1 dtype=$2
	shift 2
	run "$entry" --base --digest "$@" || die "$entry of $dtype" "$tmp/err"
	mv "$tmp/out" "$tmp/want"
	run "$entry" --strict --trace --digest "$@" ||
		die "$entry of $dtype" "$tmp/err"
	same_files "$entry of $dtype" "$tmp/want" "$tmp/out"
	[ "$(grep -c " row b\?float" "$tmp/err")" -eq 1 ] ||
		fail "$entry of $dtype is not one kernel" "$tmp/err"
}

for t in float16 bfloat16; do
	for dims in 1 7 16x33 5x2049; do
		a="--in A=rand:$dims:$t:1" b="--in B=rand:$dims:$t:2"
		for f in chain pick moved; do
			fused $f $t $a $b
		done
		fused soft $t $a
	done
	for dims in 3x64 2x2x2049; do
		for f in rms net; do
			fused $f $t --in "A=rand:$dims:$t:1" \
			    --in "W=rand:${dims##*x}:$t:2"
		done
	done
	fused columns $t --in "A=rand:33x70:$t:1"
	fused columns $t --in "A=rand:2049x3:$t:1"
done
fused one bfloat16 --in A=rand:333:bfloat16:1 --in 'x=0.7'

fused cast bfloat16 --in A=rand:5x77:bfloat16:1 --in B=rand:5x77:float32:2

# The library has no kernels of halves: its functions run op by op.
soft="--in A=rand:3x50:float16:1"
run soft --strict --digest $soft || die 'soft' "$tmp/err"
mv "$tmp/out" "$tmp/want"
exits 0 "$bin/kvrun" "--lib=$KVAOT_OUT/lib" --entry=deepx:softmax --digest \
    --trace $soft --in axis=-1
same_files 'softmax of float16' "$tmp/want" "$tmp/out"
says "$tmp/err" 'softmax.1 does not fit' 'softmax of float16'

# By hand: 65520 is halfway to 65536, and infinite; 3 - 0.0015 is nearest to
# 3 - 2^-9.
run moved --strict --in 'A=float16([65504.0,3.0])' \
    --in 'B=float16([-16.0,0.0015])' --out "C=$tmp/C.npy" \
    --out "D=$tmp/D.npy" || die 'moved' "$tmp/err"
[ "$(tail -c 4 "$tmp/C.npy" | od -An -tx2)" = ' 7bff 4200' ] ||
	fail 'the larger of two float16'
[ "$(tail -c 4 "$tmp/D.npy" | od -An -tx2)" = ' 7c00 41ff' ] ||
	fail 'the difference of two float16'
finish
