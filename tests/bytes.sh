#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: bytes.sh [full]
# Every fused result has the bytes of the unfused composition: the
# composites of lib/nn.kv on random shapes in one process, softmax through kvrun
# too, a user's own chain, random graphs.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
KVAOT_CACHE=$KVAOT_OUT/cache
export KVAOT_CACHE
bin=$KVAOT_OUT/bin
full=${1:+--full}

fail() {
	echo "$1"
	shift
	[ $# -eq 0 ] || cat "$@"
	exit 1
}

# quietly COMMAND...: shows what it printed only when it fails.
quietly() {
	"$@" >"$tmp/log" 2>&1 || fail "$1 failed:" "$tmp/log"
}

# graphs SEED COUNT: as many random functions, planned and built as a program.
graphs() {
	"$bin/bytes" print --seed="$1" --count="$2" >"$tmp/graphs.kv"
	quietly "$bin/kvaot" gen -o "$tmp/graphs" --program "$tmp/graphs.kv"
	quietly ninja -C "$tmp/graphs"
	"$bin/bytes" graphs --lib="$tmp/graphs/lib" --seed="$1" --count="$2" ||
		fail "graphs of seed $1 differ"
	rm -rf "$tmp/graphs"
}

# softmax FILE OPTIONS...: one call; its output goes to FILE.
softmax() {
	file=$1
	shift
	"$bin/kvrun" --entry=deepx:softmax --out "B=$file" "$@"
}

# both DIMS DTYPE AXIS: base and version of softmax through kvrun.
both() {
	set -- --in "A=rand:$1:$2:5" --in "axis=$3"
	softmax "$tmp/base.npy" --base "$@"
	softmax "$tmp/fused.npy" --strict --trace "$@" 2>"$tmp/trace"
	grep -q '^trace: deepx·softmax\.1\.k0 row ' "$tmp/trace" ||
		fail "softmax $*: no fused kernel ran:" "$tmp/trace"
	cmp "$tmp/base.npy" "$tmp/fused.npy" || fail "softmax $*: differs"
}

"$bin/bytes" composites --lib="$KVAOT_OUT/lib" $full ||
	fail 'a composite differs'

for dtype in float32 float64; do
	for dims in 1 7 8x9 3x2047 2x2048 1x2049 4x4097 6145 2x3x5x7 64x128; do
		both "$dims" $dtype -1
	done
done

cat >"$tmp/chain.kv" <<'END'
rwfunc chain(x:[6,2049]float32) -> (y:[6,2049]float32) {
	deepx·exp(x) -> e
	deepx·sum(e, -1, true) -> s
	deepx·broadcastTo(s, [6,2049]) -> w
	deepx·div(e, w) -> y
}
END

# chain FILE OPTIONS...: a run of it; its output goes to FILE.
chain() {
	file=$1
	shift
	"$bin/kvaot" run "$tmp/chain.kv" --entry=chain --trace \
	    --in x=rand:6x2049:float32:9 --out "y=$file" "$@" \
	    2>"$tmp/trace" || fail 'the chain does not run:' "$tmp/trace"
}

chain "$tmp/base.npy" --base
[ "$(grep -c ' row ' "$tmp/trace")" -eq 4 ] ||
	fail 'the unfused chain is not four kernels:' "$tmp/trace"
chain "$tmp/fused.npy" --strict
[ "$(grep -c ' row ' "$tmp/trace")" -eq 1 ] ||
	fail 'the fused chain is not one kernel:' "$tmp/trace"
grep -q '^trace: chain\.1\.k0 row ' "$tmp/trace" ||
	fail 'the kernel of the chain is not its own:' "$tmp/trace"
cmp "$tmp/base.npy" "$tmp/fused.npy" || fail 'the chain differs'

# Arithmetic of scalars keeps their own dtype, whatever tensor they meet later.
cat >"$tmp/scalars.kv" <<'END'
rwfunc other(A:[*]float32|[*]float64, B:[*]float32|[*]float64) -> (C:[*]float32|[*]float64) {
	deepx·exp(B) -> e
	deepx·mul(e, e) -> f
	deepx·mul(A, f) -> C
}
rwfunc literal(A:[*]float32, B:[*]float32) -> (C:[*]float32) {
	deepx·mul(B, 1.1) -> e
	deepx·mul(e, 1.3) -> f
	deepx·mul(A, f) -> C
}
END

# scalars ENTRY B: a call with a float32 tensor and B.
scalars() {
	for option in --base --threads=1; do
		"$bin/kvaot" run "$tmp/scalars.kv" --entry="$1" $option \
		    --in A=rand:9:float32:1 --in "B=$2" \
		    --out "C=$tmp/$option.npy" >"$tmp/log" 2>&1 ||
			fail "scalars $1 does not run:" "$tmp/log"
	done
	cmp "$tmp/--base.npy" "$tmp/--threads=1.npy" ||
		fail "scalars $1: differs"
}

scalars other 1.2345678901
scalars literal rand::float32:7

graphs 1 100
[ -z "$full" ] || for seed in 2 3 4 5 6 7 8 9 10 11; do
	graphs $seed 200
done
