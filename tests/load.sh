#!/bin/sh
# SPDX-License-Identifier: MIT
# kvrun --load: tensors of files at absolute paths, as constants of programs,
# interpreted and compiled; and what is refused.
. "$(dirname "$0")/lib.sh"
cd "$tmp"

# long N: N as 8 bytes, the lowest first.
long() {
	printf "$(printf '\\%o\\%o\\0\\0\\0\\0\\0\\0' $(($1 % 256)) $(($1 / 256)))"
}

# safetensors FILE HEADER BYTES: with blanks after the header up to 8 bytes.
safetensors() {
	while [ $((${#2} % 8)) -ne 0 ]; do
		set -- "$1" "$2 " "$3"
	done
	{ long ${#2}; printf '%s' "$2"; printf "$3"; } >"$1"
}

# [[1,2],[3,4]] and [0.5,-1] as float32: 1.0 is 3f800000.
safetensors mlp.safetensors '{"__metadata__":{"format":"pt"},"l.0.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"l.0.bias":{"dtype":"F32","shape":[2],"data_offsets":[16,24]}}' \
    '\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\100\0\0\0\77\0\0\200\277'
printf '\223NUMPY\1\0v\0%-117s\n\1\0\0\0\0\0\0\0\376\377\377\377\377\377\377\377' \
    "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }" >x.npy
load='--load mlp.safetensors=/model/mlp --load=x.npy=/model/x'

cat >mlp.kv <<'END'
rwfunc layer(x:[*]float32, W:[*]float32, b:[*]float32) -> (y:[*]float32) {
	deepx/miaobyte·matmul(x, W) -> p
	deepx·add(p, b) -> s
	deepx·relu(s) -> y
}

rwfunc test() -> () {
	x:[1,2]float32 = [1.0, 10.0]
	layer(x, /model/mlp/l.0.weight, /model/mlp/l.0.bias) -> y
	println(y, /model/x, /model/none)
	w = /model/mlp/l.0.bias
	w[0] = 7.0
	println(w, /model/mlp/l.0.bias)
	deepx·neg(/model/x) -> /model/x
	println(/model/x)
}
END
cat >want <<'END'
[[31.5, 41.0]] [1, -2] None
[7.0, -1.0] [0.5, -1.0]
[-1, 2]
END

# prints COMMAND...: what want holds.
prints() {
	exits 0 "$@"
	cmp -s out want || {
		diff want out || :
		fail "it prints something else: $*"
	}
}

cksum mlp.safetensors x.npy >before
prints "$bin/kvaot" run mlp.kv $load
sed 's/deepx·/deepx\/miaobyte·/' mlp.kv >bound.kv
prints "$bin/kvrun" $load bound.kv
prints "$bin/kvrun" $load --base bound.kv
# A space lies over it: what a program has written stays.
prints "$bin/kvrun" $load --space="fs://$tmp/d" bound.kv
sed 's/\[1, -2\]/[-1, 2]/; s/^\[-1, 2\]$/[1, -2]/' want >again
mv again want
prints "$bin/kvrun" $load --space="fs://$tmp/d" bound.kv
cksum mlp.safetensors x.npy >after
same_files 'files that were loaded' before after

# The same weights as bfloat16, whose 1.0 is 3f80.
safetensors half.safetensors '{"W":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]}}' \
    '\200\77\0\100\100\100\200\100\0\77\200\277'
cat >half.kv <<'END'
rwfunc layer(x:[*]bfloat16, W:[*]bfloat16, b:[*]bfloat16) -> (y:[*]bfloat16) {
	deepx/miaobyte·matmul(x, W) -> p
	deepx·add(p, b) -> s
	deepx·relu(s) -> y
}

rwfunc test() -> () {
	x:[1,2]bfloat16 = [1.0, 10.0]
	layer(x, /half/W, /half/b) -> y
	println(y)
}
END
echo '[[31.5, 41.0]]' >want
prints "$bin/kvaot" run half.kv --load half.safetensors=/half
prints "$bin/kvaot" run half.kv --load half.safetensors=/half --base

# refused STATUS TEXT OPTIONS...: with --load of these.
refused() {
	status=$1 text=$2
	shift 2
	exits "$status" "$bin/kvrun" "$@" bound.kv
	says err "$text" "$*"
}

refused 1 'error: mlp.safetensors: expected a path such as /model/x, not below /lib, found /lib/x' --load mlp.safetensors=/lib/x
refused 1 'found /model/' --load mlp.safetensors=/model/
refused 1 'found /a//b' --load x.npy=/a//b
refused 1 'error: x.npy: /a is loaded twice' --load x.npy=/a --load x.npy=/a
refused 1 'error: mlp.kv: expected F.npy or F.safetensors' --load mlp.kv=/a
refused 3 'error: none.safetensors: cannot read' --load none.safetensors=/a
refused 3 'error: none.npy: cannot read' --load none.npy=/a
refused 2 '--load expects FILE=/PATH, found x.npy' --load x.npy
refused 2 '--load expects FILE=/PATH, found x.npy=a' --load x.npy=a
head -c 100 mlp.safetensors >cut.safetensors
refused 1 'error: cut.safetensors: safetensors: expected the length of a header' --load cut.safetensors=/a
head -c 40 x.npy >cut.npy
refused 1 'error: cut.npy: npy: expected' --load cut.npy=/a
: >empty.safetensors
refused 1 'found 0 bytes' --load empty.safetensors=/a
safetensors f8.safetensors '{"t":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[0,1]}}' '\1'
refused 1 'found the text "F8_E5M2"' --load f8.safetensors=/a
safetensors up.safetensors '{"a//b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}' '\1'
refused 1 'found /a/a//b' --load up.safetensors=/a
mkdir folder.safetensors
refused 1 'expected a regular file' --load folder.safetensors=/a
exits 2 "$bin/kvrun" --certify=m --load x.npy=/a
finish
