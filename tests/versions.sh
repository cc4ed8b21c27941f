#!/bin/sh
# SPDX-License-Identifier: MIT
# Which version of a published library runs: masked ones don't, nor those of
# another base; a program's own function wins over the versions of its name.
. "$(dirname "$0")/lib.sh"
kvobj=$KVAOT_BIN/kvobj
KVAOT_CACHE=$tmp/none
export KVAOT_CACHE
mkdir "$tmp/lib"
cp -R "$KVAOT_OUT/lib/." "$tmp/lib"
KVAOT_LIB=$tmp/lib
export KVAOT_LIB

run() {
	exits "$1" "$KVAOT_BIN/kvrun" --entry=deepx:softmax --in A=rand:2x5:float32:1 \
	    --in axis=-1 --digest --trace ${2-}
}

run 0
says "$tmp/err" 'deepx·softmax -> deepx·softmax.1' 'as published'
digest=$(cat "$tmp/out")

# A version in no library, no version at all, one that is not masked.
exits 1 "$kvobj" mask deepx:softmax.7
says "$tmp/err" 'has no version deepx·softmax.7' mask
exits 1 "$kvobj" mask deepx:softmax
says "$tmp/err" 'is no name of a version' mask
exits 1 "$kvobj" unmask deepx:softmax.1
says "$tmp/err" 'is not masked' unmask
exits 2 "$kvobj" mask
exits 1 "$kvobj" mask --lib="$tmp" deepx:softmax.1
says "$tmp/err" '--lib=DIR' 'mask of no library'
exits 2 "$kvobj" mask --cache=x deepx:softmax.1
[ ! -e "$tmp/lib/masked" ] || fail 'a refused command wrote a file'

exits 0 "$kvobj" mask deepx:softmax.1
[ "$(cat "$tmp/lib/masked")" = 'kvmasked 1
deepx·softmax.1' ] || fail 'the file masked'
exits 0 "$kvobj" mask "--lib=$tmp/lib" deepx:softmax.1
run 0
says "$tmp/err" 'deepx·softmax.1 is not chosen: it is masked' masked
says "$tmp/err" 'deepx·softmax -> base' masked
[ "$(cat "$tmp/out")" = "$digest" ] || fail 'the base gives other bytes'
run 1 --strict
says "$tmp/err" 'deepx·softmax.1: it is masked' '--strict'
image=$(echo "$tmp"/lib/*/image | tr ' ' '\n' | head -n 1)
run 0 "--lib=$image"
says "$tmp/err" 'it is masked' 'the image file of a library'
exits 0 "$kvobj" unmask deepx:softmax.1
run 0 --strict
says "$tmp/err" 'deepx·softmax -> deepx·softmax.1' 'unmasked'

for text in '' 'kvmasked 2' 'kvmasked 1
softmax'; do
	printf '%s\n' "$text" >"$tmp/lib/masked"
	run 3
	says "$tmp/err" "$tmp/lib/masked:" "masked holding '$text'"
	exits 1 "$kvobj" unmask deepx:softmax.1
done
rm "$tmp/lib/masked"

# The base is edited and nothing compiled: the base that is there runs.
cat >"$tmp/p.kv" <<'END'
lib deepx {
	rwfunc softmax(A:[*]float32, axis:int64) -> (B:[*]float32) {
		deepx/miaobyte·add(A, A) -> B
	}
}
A:[2]float32 = [1.0, 2.0]
deepx·softmax(A, -1) -> B
println(B)
END
exits 0 "$KVAOT_BIN/kvrun" "$tmp/p.kv"
says "$tmp/out" '[2.0, 4.0]' 'an edited base'
finish
