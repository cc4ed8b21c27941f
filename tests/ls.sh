#!/bin/sh
# SPDX-License-Identifier: MIT
# kvaot ls prints the rows of the manifest, whose text awk reads here.
. "$(dirname "$0")/lib.sh"
manifest=$KVAOT_OUT/lib/current/manifest

# want CONDITION: the lines of the rows for which it holds, in columns of the
# manifest from 2.
want() {
	awk -F '\t' -v OFS='\t' '$1 == "row" && ('"$1"') {
	    print $2, $4, $5, $6, $7, $8, $9, $10, substr($14, 1, 12), $17
	}' "$manifest" >"$tmp/want"
	[ -s "$tmp/want" ] || die "no row has $1: this test shows nothing"
}

# lists CONDITION OPTION...
lists() {
	want "$1"
	shift
	exits 0 "$bin/kvaot" ls "$@"
	same_files "ls $*" "$tmp/want" "$tmp/out"
}

unset KVAOT_LIB || :
lists 1
lists '$3 == "deepx·softmax"' --op=deepx:softmax
lists '$2 == "deepx·softmax.1.k0"' --op deepx:softmax.1.k0
lists '$4 == 1' --n=1
lists '$4 == 0' --n 0
lists '$5 == "float64"' --dtype=float64
lists '$10 == "aot"' --author=aot
lists '$3 == "deepx·add" && $5 == "float32"' --op=deepx:add --dtype=float32 \
    --author=miaobyte --n=0

# Nothing fits all filters: an empty list is an answer.
exits 0 "$bin/kvaot" ls --op=deepx:softmax --author=nobody
[ ! -s "$tmp/out" ] || fail 'rows of nobody'
exits 0 "$bin/kvaot" ls --op=deepx:softmax --author=nobody --json
[ "$(cat "$tmp/out")" = '[]' ] || fail 'an empty list in JSON'

exits 0 "$bin/kvaot" ls --json
json "$tmp/out" 'ls --json'
[ "$(grep -o '"opcode":' "$tmp/out" | wc -l)" -eq \
    "$(grep -c '^row	' "$manifest")" ] || fail 'rows in ls --json'
says "$tmp/out" '"base":"deepx·softmax","n":1,"dtype":"float32","pattern":"*xn","guard":"axis==-1"' 'ls --json'

# Another library by option and by environment.
cp -RP "$KVAOT_OUT/lib" "$tmp/lib"
exits 0 "$bin/kvaot" ls "--lib=$tmp/lib"
want 1
same_files 'ls of a copy' "$tmp/want" "$tmp/out"
exits 0 env "KVAOT_LIB=$tmp/lib" "$bin/kvaot" ls
same_files 'ls by KVAOT_LIB' "$tmp/want" "$tmp/out"
chmod -R u+w "$tmp/lib"
printf x >>"$tmp/lib/current/manifest"
exits 1 "$bin/kvaot" ls "--lib=$tmp/lib"
says "$tmp/err" manifest 'a damaged manifest'
exits 1 "$bin/kvaot" ls "--lib=$tmp/none"
says "$tmp/err" "$tmp/none: holds no published library" 'no library'
exits 1 "$bin/kvaot" ls --op=deepx:sofmax
says "$tmp/err" 'no rows of `deepx·sofmax`' 'an unknown op'
for wrong in --n=-1 --n=x --dtype=float31 --nothing stray; do
	exits 2 "$bin/kvaot" ls "$wrong"
done
finish
