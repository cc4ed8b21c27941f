#!/bin/sh
# SPDX-License-Identifier: MIT
# What is in the objects of the library: one export, nothing foreign, only
# instructions of their level, and no fused multiply-add that nobody wrote.
. "$(dirname "$0")/lib.sh"
cd "$KVAOT_OUT"
for tool in readelf nm objdump; do
	command -v $tool >/dev/null || die "$tool is missing: install binutils"
done

# `receipt source isa` of every kernel, from the graph.
sed -n '/: kvobj_cc /{
	N
	s/^build \([^ ]*\): kvobj_cc \([^ ]*\) .*\n  isa = \(.*\)$/\1 \2 \3/p
}' backends.ninja kernels.ninja >"$tmp/kernels"
[ "$(wc -l <"$tmp/kernels")" -eq "$(cat backends.ninja kernels.ninja |
    grep -c ': kvobj_cc ')" ] && [ -s "$tmp/kernels" ] ||
	die 'this test cannot read the graph'

# shape OBJECT: exports, foreign symbols, needed libraries, symbol tables.
shape() {
	nm -D --defined-only "$1" | sed 's/.* //' >"$tmp/exports"
	[ "$(cat "$tmp/exports")" = kvk_table ] ||
		fail "$1 exports $(echo $(cat "$tmp/exports"))"
	nm -D --undefined-only "$1" | sed 's/.* //; s/@.*//' |
	    grep -vxE 'memcpy|memset|memmove' >"$tmp/undefined" || :
	[ ! -s "$tmp/undefined" ] ||
		fail "$1 needs $(echo $(cat "$tmp/undefined"))"
	readelf -Wd "$1" >"$tmp/dynamic"
	! grep -E 'NEEDED|R(UN)?PATH|INIT|FINI|TEXTREL' "$tmp/dynamic" ||
		fail "$1 has that"
	readelf -WSl "$1" >"$tmp/sections"
	! grep -E ' \.(symtab|debug|comment|note)|^ +TLS|GNU_STACK.* RWE ' \
	    "$tmp/sections" || fail "$1 has that"
}

# fma_in SOURCE: whether a text of the kernel besides vec/base.h, which defines
# it, calls fma.
fma_in() {
	"$KVAOT_CC" -E -std=gnu11 -nostdinc '-DK_ISA="x86-64"' $includes "$1" \
	    >"$tmp/text"
	awk '/^# [0-9]+ "/ { base = $3 ~ /vec\/base\.h"$/; next }
	    !base && /fma/ { found = 1 } END { exit !found }' "$tmp/text"
}

includes=$(sed -n 's/^include	/-I/p' kvobj.conf)
fused='vfn?m(add|sub)'
avx='%[yz]mm|%k[0-7]|^ *[0-9a-f]+:	v'
with=0
while read -r receipt source isa; do
	object=lib/obj/$(sed -n 's/^object //p' "$receipt").so
	[ -f "$object" ] || { fail "$receipt: no $object"; continue; }
	echo "$object" >>"$tmp/seen"
	shape "$object"
	objdump -d --no-show-raw-insn "$object" >"$tmp/code"
	[ "$isa" != x86-64 ] || ! grep -m 1 -E "$avx" "$tmp/code" ||
		fail "baseline $receipt holds this"
	fma_in "$source" || ! grep -m 1 -E "$fused" "$tmp/code" ||
		fail "$source calls no fma but $receipt holds this"
	! grep -qE "$fused" "$tmp/code" || with=$((with + 1))
done <"$tmp/kernels"
[ $with -gt 0 ] || [ "$(cut -d ' ' -f 3 "$tmp/kernels" | sort -u)" = x86-64 ] ||
	fail 'no object holds a fused multiply-add: this test does not see them'
# Other objects may be those of the library published before.
ls lib/obj/*.so >"$tmp/objects"
sort -u "$tmp/seen" | comm -23 - "$tmp/objects" >"$tmp/absent"
[ ! -s "$tmp/absent" ] || {
	cat "$tmp/absent"
	fail 'out/lib/obj lacks these objects of the graph'
}

# A chain a * b + c, which a compiler would gladly contract.
sum=backends/deepx%2Fmiaobyte.add,float32.c
sed 's/kv_add_f32(v0, v1)/v0 * v1 + v1/' $sum >"$tmp/chain.c"
! cmp -s $sum "$tmp/chain.c" || die 'the chain is not planted'
exits 0 env "KVAOT_CACHE=$tmp/cache" bin/kvobj cc --isa=x86-64-v3 \
    -o "$tmp/chain.ok" "$tmp/chain.c"
find "$tmp/cache/objects" -name '*.so' -exec objdump -d {} + >"$tmp/code"
grep -qE 'vmulps.*ymm' "$tmp/code" || fail 'the chain does not multiply'
! grep -m 1 -E "$fused" "$tmp/code" || fail 'a*b+c was contracted to this'
"$KVAOT_CC" -c -std=gnu11 -O3 -ffp-contract=fast -fPIC -march=x86-64-v3 \
    -nostdinc -Wno-psabi '-DK_ISA="x86-64-v3"' $includes -o "$tmp/fast.o" \
    "$tmp/chain.c"
objdump -d "$tmp/fast.o" | grep -qE "$fused" ||
	fail 'contraction would not show: this test does not see it'
finish
