#!/bin/sh
# SPDX-License-Identifier: MIT
# The recipes of HACKING.md, followed in a copy of the tree: what each adds
# works with no other file touched.
. "$(dirname "$0")/lib.sh"
copy_build "$tmp/c"
cp -Rp "$src" "$tmp/before"

# touched FILE...: exactly these were added or changed since the last recipe.
touched() {
	(cd "$src" && find . -path ./out -prune -o -type f -print | sort |
	    while read -r file; do
		cmp -s "$file" "$tmp/before/$file" || echo "${file#./}"
	    done) >"$tmp/got"
	printf '%s\n' "$@" | sort >"$tmp/want"
	same_files "$recipe: files" "$tmp/want" "$tmp/got"
	for file in "$@"; do
		cp -p "$src/$file" "$tmp/before/$file"
	done
}

# run LINE...: a program of these rows prints what $tmp/want holds.
run() {
	{
		printf 'lib p {\n\trwfunc test() -> () {\n'
		printf '\t\t%s\n' "$@"
		printf '\t}\n}\n'
	} >"$tmp/p.kv"
	exits 0 "$out/bin/kvaot" run --trace "$tmp/p.kv" --entry=p:test
	grep -qF "$trace" "$tmp/err" || {
		cat "$tmp/err"
		fail "$recipe: the trace does not say $trace"
	}
	same_files "$recipe" "$tmp/want" "$tmp/out"
}

recipe='a new elementwise op'
# x / (1 + |x|)
sed '/^OP(sqrt,/i\
OP(softsign, MAP, 1, 1, "float", "float", "A,C", "", SAME, BROADCAST,\
    softsign, ULP2, "Softsign", "softsign")' "$KVAOT_TOP/ops/ops.def" \
    >"$src/ops/ops.def"
cat >"$src/kernels/vec/softsign.h" <<'END'
/* SPDX-License-Identifier: MIT */
/* x / (1 + |x|), within 2 ulp. */
#ifndef VEC_SOFTSIGN_H
#define VEC_SOFTSIGN_H

#include "vec/base.h"

KV_INLINE v8f
kv_softsign_f32(v8f x)
{
	return x / (1 + kv_abs_f32(x));
}

KV_INLINE v8d
kv_softsign_f64(v8d x)
{
	return x / (1 + kv_abs_f64(x));
}

#endif
END
mark
build "$recipe"
compiled 'deepx%2Fmiaobyte.softsign,float32' \
    'deepx%2Fmiaobyte.softsign,float64' 'deepx%2Fmiaobyte.softsign,half'
[ "$(echo "$ran" | grep '^cc ')" = 'cc obj/ops/ops.o' ] ||
	fail "$recipe: other objects were compiled: $(echo "$ran" | grep '^cc ')"
touched kernels/vec/softsign.h ops/ops.def
cat >"$tmp/softsign.kv" <<'END'
rwfunc test() -> () {
	x:[]float32 = [3.0, -1.0, 0.0, 7.0]
	deepx/miaobyte·softsign(x) -> y
	u:[]float64 = [3.0, -1.0, 0.25]
	deepx/miaobyte·softsign(u) -> v
	println(y, v)
}
END
exits 0 "$out/bin/kvrun" "$tmp/softsign.kv"
[ "$(cat "$tmp/out")" = '[0.75, -0.5, 0.0, 0.875] [0.75, -0.5, 0.2]' ] ||
	fail "$recipe: other values"
# The abstract op is in a file that is made from the row; then it fuses.
"$out/bin/kvaot" gen --abstract >"$src/lib/deepx.kv"
build "$recipe, its abstract op"
touched lib/deepx.kv
cat >"$tmp/chain.kv" <<'END'
rwfunc chain(A:[*]float32) -> (C:[*]float32) {
	deepx·softsign(A) -> t
	deepx·square(t) -> C
}
END
exits 0 "$out/bin/kvaot" run "$tmp/chain.kv" --entry=chain --strict --trace \
    --in 'A=float32([3,-1,0])' --out "C=$tmp/C.npy"
says "$tmp/err" 'trace: chain.1.k0 row float32' "$recipe: it fuses"
[ "$(tail -c 12 "$tmp/C.npy" | od -An -tf4 | tr -s ' ')" = ' 0.5625 0.25 0' ] ||
	fail "$recipe: other values where it is fused"

recipe='a new back end'
mkdir "$src/kernels/mirror"
mkdir "$tmp/before/kernels/mirror"
cat >"$src/kernels/mirror/neg.c" <<'END'
/* SPDX-License-Identifier: MIT */
#define AUTHOR "mirror"
#include "ref/neg.c"
END
build "$recipe"
touched kernels/mirror/neg.c
printf '[-1.0, 2.0]' >"$tmp/want"
trace='deepx/mirror·neg'
run 'float32([1, -2]) -> x' 'deepx/mirror·neg(x) -> y' 'print(y)'

# What goes away again needs configure.
rm -r "$src/kernels/mirror" "$tmp/before/kernels/mirror"
sh "$out/config.status" >"$tmp/log" 2>&1 || die configure "$tmp/log"
build "$recipe, removed"

recipe='a new template'
# map with smaller pieces of work, tried before it.
sed 's/^#define BLOCK .*/#define BLOCK 512/' "$KVAOT_TOP/templates/map.c" \
    >"$src/templates/fine.c"
sed 's/^TEMPLATE(map)$/TEMPLATE(fine)\n&/' "$KVAOT_TOP/gen/fusion.def" \
    >"$src/gen/fusion.def"
build "$recipe"
touched gen/fusion.def templates/fine.c
exits 0 "$out/bin/kvaot" explain deepx:silu_mul
says "$tmp/out" 'k0 fine fusable: silu mul' "$recipe"
for base in '' --base; do
	exits 0 "$out/bin/kvrun" $base --entry=deepx:silu_mul \
	    --in a=rand:3x5003:float32:1 --in b=rand:5003:float32:2 --digest
	cp "$tmp/out" "$tmp/digest$base"
done
same_files "$recipe: bytes" "$tmp/digest--base" "$tmp/digest"

recipe='a new instruction set level'
sed '/^ISA("x86-64", /a\
ISA("x86-64-v2", 20, "-march=x86-64-v2", "sse3 ssse3 sse4.1 sse4.2 popcnt")' \
    "$KVAOT_TOP/base/isa.def" >"$src/base/isa.def"
build "$recipe"
touched base/isa.def
mkdir "$tmp/mine"
cat >"$tmp/mine/f.kv" <<'END'
lib mine {
	rwfunc f(A:[*]float32) -> (B:[*]float32) {
		deepx·exp(A) -> t
		deepx·softmax(t, -1) -> B
	}
}
END
exits 0 "$out/bin/kvaot" gen --isa=all -o "$tmp/own" "$tmp/mine"
ninja -C "$tmp/own" >"$tmp/log" 2>&1 || die "$recipe" "$tmp/log"
for isa in x86-64 x86-64-v2 x86-64-v3; do
	exits 0 "$out/bin/kvrun" --lib="$tmp/own/lib" --isa=$isa --trace \
	    --entry=mine:f --in A=rand:7x33:float32:1 --digest
	cp "$tmp/out" "$tmp/digest.$isa"
	[ $isa != x86-64-v2 ] || grep -q 'isa x86-64-v2 ' "$tmp/err" ||
		fail "$recipe: no kernel of it runs"
	same_files "$recipe: bytes" "$tmp/digest.x86-64" "$tmp/digest.$isa"
done
finish
