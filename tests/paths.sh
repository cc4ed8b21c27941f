#!/bin/sh
# SPDX-License-Identifier: MIT
# Sources, build, cache, library, program and tensors in folders with strange
# names; graph.sh builds from nothing in such folders.
. "$(dirname "$0")/lib.sh"
strange="s \$o:u'r \"#%& ü"
copy_build "$tmp/$strange"
cd "$tmp"
settled
kvaot=$out/bin/kvaot

mkdir "p $strange"
program="p $strange/q $strange.kv"
cp "$src/tutorial/16-compiler/op_version.kv" "$program"
for folder in "$tmp" "$tmp/p $strange" /; do
	case $folder in
	"$tmp") file=$program ;;
	/) file=$tmp/$program ;;
	*) file="q $strange.kv" ;;
	esac
	cd "$folder"
	exits 0 "$kvaot" run "$file"
	[ "$(wc -l <"$tmp/out")" -eq 2 ] || fail "run in $folder: not two lines"
	exits 0 "$kvaot" dump --stage=bound "$file"
	says "$tmp/out" "$file:" "dump in $folder"
done
cd "$tmp"
cp "$src/lib/authors.map" "a $strange"
exits 0 "$kvaot" run "$program" "--authors=a $strange"
exits 0 "$kvaot" explain deepx:softmax
exits 1 "$out/bin/kvrun" "$src/tutorial/16-compiler/backend_bind.kv"
says "$tmp/err" "$src/tutorial/16-compiler/backend_bind.kv:" kvrun

exits 0 "$out/bin/kvrun" --entry=deepx:softmax --in A=rand:2x3:float32:1 \
    --in axis=-1 --digest --out "B=t $strange.npy"
digest=$(cat "$tmp/out")
exits 0 "$out/bin/kvrun" --entry=deepx:softmax --in A=rand:2x3:float32:1 \
    --in axis=-1 --digest --base
[ "$(cat "$tmp/out")" = "$digest" ] || fail 'kvrun: other bytes by the base'
exits 0 "$out/bin/kvrun" --entry=deepx:softmax \
    --in axis=-1 --in "A=t $strange.npy" --digest
grep -q '^digest: B ' "$tmp/out" || fail 'kvrun cannot read what it wrote'

# A library of one's own, planned and built elsewhere.
mkdir "l $strange"
cp "$src"/lib/*.kv "$src/lib/authors.map" "$src/lib/versions.lock" "l $strange"
cat >>"l $strange/nn.kv" <<'END'
lib deepx {
	rwfunc pt_twice(A:[*]float32) -> (B:[*]float32) {
		deepx·add(A, A) -> d
		deepx·mul(d, A) -> B
	}
}
END
exits 0 "$kvaot" gen -o "g $strange" "l $strange"
exits 0 ninja -C "g $strange"
exits 0 "$out/bin/kvrun" "--lib=g $strange/lib" --entry=deepx:pt_twice \
    --in A=rand:5:float32:1 --digest --strict
exits 0 ninja -C "g $strange"
says "$tmp/out" 'no work to do' 'the second build of an own library'

echo '// A comment.' >>"$src/lib/nn.kv"
build 'a source is edited'
! echo "$ran" | grep -q kernel || fail "$what ran: $(echo $ran)"
settled
finish
