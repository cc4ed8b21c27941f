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
