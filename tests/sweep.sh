#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: sweep.sh [full]
# The table of doc/accuracy.md: measured again, on a sample of the inputs and the
# worst ones, or on all. Its ops and bounds are those of ops/.
. "$(dirname "$0")/lib.sh"
find_refs
doc=$KVAOT_TOP/doc/accuracy.md

# table FILE: its lines without the last column, which a sample cannot know.
table() {
	sed -n 's/^\(| .*|\)[^|]*|$/\1/p' "$1"
}

# The worst inputs of the table.
at=$(sed -n 's/^| .* | \(-\{0,1\}0x[^ ]*\) | .*/\1/p' "$doc" | sort -u |
    tr '\n' ',')
[ -n "$at" ] || die 'doc/accuracy.md has no worst input'
if [ "${1-}" = full ]; then
	set --
else
	set -- --every 10007 --at "${at%,}"
fi
exits 0 "$bin/sweep" --lib "$KVAOT_OUT/lib" --ref "$refs" "$@"
table "$doc" >"$tmp/want"
table "$tmp/out" >"$tmp/got"
same_files 'doc/accuracy.md is not what is measured; out/bin/sweep OP prints a line of it' \
    "$tmp/want" "$tmp/got"

# sees OP EXPRESSION TEXT STATUS: with this reference the sweep refuses the op.
sees() {
	mkdir -p "$tmp/ref"
	rm -f "$tmp/ref"/*
	cp "$refs/neg.so" "$refs/exp.so" "$refs/abs.so" "$tmp/ref/"
	sed "s/^#define F(S) .*/#define F(S) ref_canon_##S($2)/" \
	    "$KVAOT_TOP/kernels/ref/$1.c" >"$tmp/ref/$1.c"
	"$KVAOT_CC" -c -std=gnu11 -O1 -march=x86-64 -ffp-contract=off -fPIC \
	    -fvisibility=hidden -nostdinc -w '-DK_ISA="x86-64"' \
	    -I"$KVAOT_TOP/kernels" -I"$KVAOT_TOP/include" -o "$tmp/ref/$1.o" \
	    "$tmp/ref/$1.c"
	ld -shared -s -o "$tmp/ref/$1.so" "$tmp/ref/$1.o"
	exits "$4" "$bin/sweep" --lib "$KVAOT_OUT/lib" --ref "$tmp/ref" \
	    --every 1000003 "$1"
	says "$tmp/err" "sweep: $3" "a reference of $1 that is $2"
}
sees neg 'v[0] * -1.0000002' 'neg: the error is above the bound' 1
sees neg 'v[0] < 0 ? -v[0] : v[0] == 0 ? 0 : -v[0]' \
    'neg: the sign is wrong at 0x0p+0' 1
sees abs 'v[0] > 1e30 ? (float)__builtin_inf() : __builtin_fabs(v[0])' \
    'abs: it is finite' 1
sees abs 'v[0] > 7 ? (float)__builtin_nanf("") : __builtin_fabs(v[0])' \
    'abs: it is not NaN' 1
sees exp '__builtin_exp(v[0]) * 1.00001' \
    'the quick reference of exp is ' 3

exits 0 "$bin/sweep" --help
says "$tmp/out" 'usage: sweep' 'help'
exits 2 "$bin/sweep" --lib "$KVAOT_OUT/lib"
exits 2 "$bin/sweep" --lib "$KVAOT_OUT/lib" --ref "$refs" --every 0
exits 2 "$bin/sweep" --lib "$KVAOT_OUT/lib" --ref "$refs" --at 1,x
exits 2 "$bin/sweep" --lib "$KVAOT_OUT/lib" --ref "$refs" --nothing 1
exits 1 "$bin/sweep" --lib "$KVAOT_OUT/lib" --ref "$refs" nothing
finish
