#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: mainjob.sh BUILD
# The main job on a built tree, with figures: softmax by its base and by its
# version; what recompiles after an edit; the same bytes from a copied folder.
set -eu
LC_ALL=C
export LC_ALL
[ $# -eq 1 ] || { echo 'usage: mainjob.sh BUILD' >&2; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd -P)
out=$(cd "$1" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# call FILE OPTIONS...: softmax 1024x1024 float32; its output goes to FILE.
call() {
	file=$1
	shift
	"$out/bin/kvrun" --entry=deepx:softmax --threads=1 --digest \
	    --in A=rand:1024x1024:float32:7 --in axis=-1 --time=21 "$@" >"$file"
}

micros() {
	sed -n 's/^time: \([0-9.]*\) us.*/\1/p' "$1"
}

digest() {
	sed -n 's/^digest: //p' "$1"
}

# compiles COMMAND...: how many objects were compiled while it ran.
compiles() {
	before=$("$work/tree/out/bin/kvobj" stats | sed -n 's/^compile\t*//p')
	"$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
	after=$("$work/tree/out/bin/kvobj" stats | sed -n 's/^compile\t*//p')
	echo $((after - before))
}

echo 'softmax 1024x1024 float32, one thread'
call "$work/base" --base
call "$work/version"
"$out/bin/kvrun" --copy=1024x1024:float32 --time=21 >"$work/copy"
printf '  base, one kernel an op  %10s us  %s\n' "$(micros "$work/base")" \
    "$(digest "$work/base")"
printf '  softmax.1, one kernel   %10s us  %s\n' "$(micros "$work/version")" \
    "$(digest "$work/version")"
[ "$(digest "$work/base")" = "$(digest "$work/version")" ] || {
	echo 'mainjob: the two outputs differ' >&2
	exit 1
}
awk -v b="$(micros "$work/base")" -v v="$(micros "$work/version")" \
    -v c="$(micros "$work/copy")" 'BEGIN {
	printf "  base / softmax.1        %10.2f\n", b / v
	printf "  share of copy speed     %9.0f%%\n", 100 * c / v }'

echo 'what recompiles (in a copy of the tree)'
mkdir "$work/tree"
(cd "$top" && tar -cf - --exclude=./out --exclude=./.git .) |
    (cd "$work/tree" && tar -xf -)
KVAOT_CACHE=$work/cache
export KVAOT_CACHE
cp -R "$out/cache" "$KVAOT_CACHE"
(cd "$work/tree" && ./configure --without-check >/dev/null && ninja -C out >/dev/null)
cat >>"$work/tree/lib/nn.kv" <<'END'
lib deepx {
	rwfunc scale2(A:[*]float32) -> (B:[*]float32) {
		deepx·add(A, A) -> d
		deepx·mul(d, A) -> B
	}
}
END
printf '  a composite added:   %s compiles\n' \
    "$(compiles ninja -C "$work/tree/out")"
sed -i 's/deepx·mul(d, A)/deepx·sub(d, A)/' "$work/tree/lib/nn.kv"
printf '  that one edited:     %s compiles\n' \
    "$(compiles ninja -C "$work/tree/out")"
find "$work/tree" -path "$work/tree/out" -prune -o -type f -exec touch {} +
printf '  everything touched:  %s compiles\n' \
    "$(compiles ninja -C "$work/tree/out")"

echo 'from a copied folder, with an empty PATH'
mkdir "$work/ship"
cp "$out/bin/kvrun" "$work/ship"
cp -R "$out/lib" "$work/ship/lib"
(cd "$work/ship" && env -i PATH= ./kvrun --lib lib --entry deepx:softmax \
    --in A=rand:1024x1024:float32:7 --in axis=-1 --digest) >"$work/shipped"
printf '  softmax.1  %s\n' "$(digest "$work/shipped")"
[ "$(digest "$work/base")" = "$(digest "$work/shipped")" ] || {
	echo 'mainjob: the copied library gives other bytes' >&2
	exit 1
}
