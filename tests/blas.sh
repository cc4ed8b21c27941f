#!/bin/sh
# SPDX-License-Identifier: MIT
# Author cblas: matmul's default, opened when the first product runs and only
# then; a machine without OpenBLAS builds all the same and says what it lacks.
. "$(dirname "$0")/lib.sh"
unset KVAOT_BLAS || :

cat >"$tmp/p.kv" <<'END'
rwfunc test() -> () {
	a:[2,2]float64 = [1.0, 2.0, 3.0, 4.0]
	deepx·matmul(a, a) -> b
	deepx/miaobyte·matmul(a, a) -> c
	println(b, c)
}
END
product='[[7.0, 10.0], [15.0, 22.0]]'
exits 0 "$bin/kvaot" dump --stage=bound "$tmp/p.kv"
says "$tmp/out" "$tmp/p.kv:3: deepx/cblas·matmul(a, a) -> b // why=default-table row=matmul" dump
says "$tmp/out" "$tmp/p.kv:4: deepx/miaobyte·matmul(a, a) -> c // why=explicit-author" dump
exits 0 "$bin/kvaot" run "$tmp/p.kv"
[ "$(cat "$tmp/out")" = "$product $product" ] ||
	fail "the program prints $(cat "$tmp/out")"

# lacks PLACE: the last command ended for want of OpenBLAS.
lacks() {
	says "$tmp/err" "error: $1: EnvironmentError: deepx/cblas·matmul needs OpenBLAS: " "$1"
	says "$tmp/err" 'libopenblas0-pthread' "$1"
}
none="KVAOT_BLAS=$tmp/absent"
exits 3 env "$none" "$bin/kvaot" run "$tmp/p.kv"
lacks "$tmp/p.kv:3:2"
says "$tmp/err" "KVAOT_BLAS cannot be used ($tmp/absent: " 'another BLAS'
exits 3 env "$none" "$bin/kvrun" tutorial/04-matmul.kv
[ "$(cat "$tmp/out")" = '[[19.0, 22.0], [43.0, 50.0]]' ] ||
	fail "before the product of cblas it prints $(cat "$tmp/out")"
lacks "tutorial/04-matmul.kv:$(grep -n cblas tutorial/04-matmul.kv |
    sed '/:\/\//d; s/:.*//'):2"

# Whoever multiplies nothing needs no OpenBLAS: not programs without products,
# nor an empty product, nor one of integers.
exits 0 env "$none" "$bin/kvrun" tutorial/05-reduce.kv
cat >"$tmp/q.kv" <<'END'
rwfunc test() -> () {
	none:[]int64 = [0, 3]
	some:[]int64 = [3, 2]
	deepx/miaobyte·constant(none, 1.0) -> a
	deepx/miaobyte·constant(some, 1.0) -> b
	deepx/cblas·matmul(a, b) -> c
	i:[2]int64 = [3, 4]
	deepx/cblas·matmul(i, i) -> d
	println(c, d)
}
END
exits 0 env "$none" "$bin/kvrun" "$tmp/q.kv"
[ "$(cat "$tmp/out")" = '[] [25]' ] || fail "prints $(cat "$tmp/out")"

# kvrun and lib are enough besides the library, which the system finds.
mkdir "$tmp/ship"
cp "$bin/kvrun" "$tmp/ship"
cp -r "$KVAOT_OUT/lib" "$tmp/ship/lib"
exits 0 env -i PATH= "$tmp/ship/kvrun" "--lib=$tmp/ship/lib" tutorial/04-matmul.kv
[ "$(sort -u "$tmp/out")" = '[[19.0, 22.0], [43.0, 50.0]]' ] ||
	fail "with an empty environment it prints $(cat "$tmp/out")"

# A library whose base multiplies.
mkdir "$tmp/my"
cat >"$tmp/my/scores.kv" <<'END'
lib mine {
	rwfunc scores(A:[*]float32, W:[*]float32, b:[*]float32) -> (C:[*]float32) {
		deepx·matmul(A, W) -> t
		deepx·add(t, b) -> u
		deepx·softmax(u, -1) -> C
	}
}
END
# scores [OPTION...]: the digest of a call, large enough for several threads.
scores() {
	exits 0 "$bin/kvrun" "--lib=$tmp/o/lib" --entry=mine:scores \
	    --in A=rand:2x150x80:float32:1 --in W=rand:80x90:float32:2 \
	    --in b=rand:90:float32:3 --digest --trace "$@"
	sed -n 's/^digest: C //p' "$tmp/out"
}
# made COMMAND...: builds it.
made() {
	"$@" "$bin/kvaot" gen -o "$tmp/o" "$tmp/my" >"$tmp/log" 2>&1 &&
	    "$@" ninja -C "$tmp/o" >>"$tmp/log" 2>&1 ||
		die 'the library does not build' "$tmp/log"
}
KVAOT_CACHE=$tmp/cache
export KVAOT_CACHE
made env "$none"
says "$tmp/log" 'warning: mine·scores.1 is not used: mine·scores cannot run here without OpenBLAS; install libopenblas0-pthread' 'built without OpenBLAS'
plain=$(scores)
says "$tmp/err" 'mine·scores -> base' 'built without OpenBLAS'
rm "$tmp/o/library.sealed"
made env
! grep warning "$tmp/log" || fail 'built with OpenBLAS it warns'
version=$(scores)
says "$tmp/err" 'mine·scores -> mine·scores.1' 'built with OpenBLAS'
[ "$plain" ] && [ "$plain" = "$version" ] ||
	fail 'base and version give other bytes'
for threads in 1 2; do
	first=$(scores --threads=$threads)
	[ "$first" ] && [ "$first" = "$(scores --threads=$threads --base)" ] ||
		fail "other bytes with $threads threads"
done
finish
