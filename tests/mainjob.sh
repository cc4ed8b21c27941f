#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: mainjob.sh BUILD
# The main job on a built tree, with figures: softmax by its base and by its
# version; what recompiles after an edit; the same bytes from a copied folder.
set -eu
[ $# -eq 1 ] || { echo 'usage: mainjob.sh BUILD' >&2; exit 2; }
KVAOT_TOP=$(cd "$(dirname "$0")/.." && pwd -P)
KVAOT_OUT=$(cd "$1" && pwd -P)
cd "$KVAOT_TOP"
. tests/lib.sh

# digest KVRUN OPTIONS...: of softmax of the same 1024x1024 numbers.
digest() {
	"$@" --entry=deepx:softmax --digest --in A=rand:1024x1024:float32:7 \
	    --in axis=-1 | sed -n 's/^digest: B //p'
}

same() {
	[ "$1" = "$base" ] || die "$2 gives other bytes than the base"
}

# recompiles WHAT: builds, and says how many objects were compiled.
recompiles() {
	before=$(stats compile)
	build "$1"
	printf '  %-22s %s compiles\n' "$1:" $(($(stats compile) - before))
}

"$bin/bench" --lib="$KVAOT_OUT/lib" --case=softmax:float32:1024x1024 |
    sed '/^$/,$d'
base=$(digest "$bin/kvrun" --base)
fused=$(digest "$bin/kvrun")
same "$fused" softmax.1
echo 'SHA-256 of the outputs'
echo "  base, one kernel an op  $base"
echo "  softmax.1, one kernel   $fused"

echo 'what recompiles, in a copy of the tree'
copy_build "$tmp"
cat >>"$src/lib/nn.kv" <<'END'
lib deepx {
	rwfunc scale2(A:[*]float32) -> (B:[*]float32) {
		deepx·add(A, A) -> d
		deepx·mul(d, A) -> B
	}
}
END
recompiles 'a composite added'
sed -i 's/deepx·mul(d, A)/deepx·sub(d, A)/' "$src/lib/nn.kv"
recompiles 'that one edited'
find "$src" -path "$src/out" -prune -o -type f -exec touch {} +
recompiles 'everything touched'

echo 'from a copied folder, with an empty PATH'
mkdir "$tmp/ship"
cp "$bin/kvrun" "$tmp/ship"
cp -R "$KVAOT_OUT/lib" "$tmp/ship/lib"
cd "$tmp/ship"
shipped=$(digest env -i PATH= ./kvrun --lib=lib)
same "$shipped" 'the copied library'
echo "  softmax.1               $shipped"
finish
