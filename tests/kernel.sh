#!/bin/sh
# SPDX-License-Identifier: MIT
# kvaot kernel: the object that the planner makes of the same group, and what a
# request is refused for, each at its place.
. "$(dirname "$0")/lib.sh"
cd "$tmp"
library() {
	(cd "$KVAOT_OUT" && ls -lL --time-style=full-iso lib/current/* \
	    versions.pending ir.kvs plan.key && readlink lib/current)
}
library >before

# kernel STATUS OPTIONS...: of the request on standard input, into k/.
kernel() {
	want_status=$1
	shift
	cat >request.json
	exits "$want_status" "$bin/kvaot" kernel -o k "$@" <request.json
}

# of FUNC RECEIPT: its object is the one of a receipt.
of() {
	object=$(sed -n 's/^object //p' "$2")
	[ "$(sha256sum <"k/$1.so")" = "$object  -" ] ||
		fail "$1: not the object of ${2##*/}"
	says "k/$1.json" "\"hash\":\"$object\"" "meta of $1"
	says "k/$1.json" "\"so_size\":$(($(wc -c <"k/$1.so")))" "meta of $1"
	json "k/$1.json" "meta of $1"
}

# softmax of any shape, with its data flow, and as the composite.
for isa in $(cd "$KVAOT_OUT/kernels" &&
    ls deepx.softmax,k0,float32,dyn.*.ok | sed 's/.*dyn\.//; s/\.ok$//'); do
	planned=$KVAOT_OUT/kernels/deepx.softmax,k0,float32,dyn
	kernel 0 --isa="$isa" <<'END'
{"func": "chain", "pattern": "softmax", "ops": ["reducemax", "expshift", "sum", "div"],
 "inputs": [{"shape": null, "dtype": "float32"}],
 "outputs": [{"shape": null, "dtype": "float32"}], "accum_dtype": "float32",
 "edges": [["in0"], ["in0", "op0"], ["op1"], ["op1", "op2"]],
 "attributes": [{"axis": -1, "keepdims": true}, {}, {"keepdims": true, "axis": -1}, {}]}
END
	of chain "$planned.$isa.ok"
	cmp k/chain.c "$planned.c" || fail 'the C text of softmax'
	kernel 0 --isa="$isa" <<'END'
{"func": "whole", "ops": ["softmax"], "attributes": [{"axis": -1}],
 "inputs": [{"shape": null, "dtype": "float32"}],
 "outputs": [{"shape": null, "dtype": "float32"}]}
END
	of whole "$planned.$isa.ok"
done
says k/chain.json '{"func":"chain","pattern":"softmax","inputs":[{"shape":null,"dtype":"float32"}],"outputs":[{"shape":null,"dtype":"float32"}],"ptr":[{"of":"in0","dtype":"float32"},{"of":"out0","dtype":"float32"}],"author":"aot","dtype":"float32"' 'meta'
says k/chain.json '"class":"rows","template":"rows","operands":"*xn","outdims":"=0","guard":"","shape_hash":"' 'meta'
exits 0 "$bin/kvobj" show k/chain.so

# What follows the product of a linear layer, in order: no edges are needed.
kernel 0 --isa="$isa" <<'END'
{"func": "__fusion_0", "pattern": "linear_gelu", "ops": ["add", "gelu"],
 "inputs": [{"shape": null, "dtype": "float64"}, {"shape": null, "dtype": "float64"}],
 "outputs": [{"shape": null, "dtype": "float64"}], "accum_dtype": "float64"}
END
of __fusion_0 "$KVAOT_OUT/kernels/deepx.bias_gelu,k0,float64,dyn.$isa.ok"
of __fusion_0 "$KVAOT_OUT/kernels/deepx.bert_ffn,k0,float64,dyn.$isa.ok"

# Known shapes, a literal operand, two results: what a program of these gives.
cat >fixed.kv <<'END'
rwfunc fixed(x:[6,2049]float32, g:[2049]float32) -> (r:[6,2049]float32, y:[6,2049]float32) {
	deepx·addscalar(x, 0.5) -> r
	deepx·mean(r, [-1], true) -> m
	deepx·sub(r, m) -> c
	deepx·mul(g, c) -> y
}
END
"$bin/kvaot" gen -o fixed --program fixed.kv >log 2>&1 && ninja -C fixed \
    >log 2>&1 || die 'fixed.kv is not built' log
kernel 0 --isa="$isa" <<'END'
{"func": "fixed", "ops": ["addscalar", "mean", "sub", "mul"],
 "inputs": [{"shape": [6, 2049], "dtype": "float32"}, {"shape": [2049], "dtype": "float32"}],
 "outputs": [{"shape": [6, 2049], "dtype": "float32", "from": "op0"},
  {"shape": [6, 2049], "dtype": "float32"}],
 "edges": [["in0"], ["op0"], ["op0", "op1"], ["in1", "op2"]],
 "attributes": [{"scalar": 0.5}, {"axis": [-1], "keepdims": true}, {}, {}]}
END
of fixed "$(ls fixed/kernels/fixed,k0,float32,*."$isa".ok)"
sed 's/.*"ptr":\([^]]*]\).*/\1/; s/,"dtype":"float32"//g' k/fixed.json >ptr
[ "$(cat ptr)" = '[{"of":"in0"},{"of":"0.5"},{"of":"in1"},{"of":"out0"},{"of":"out1"}]' ] ||
	fail "pointers $(cat ptr)"

says k/fixed.json '"operands":"6x2049,(),2049","outdims":"6x2049,6x2049"' 'shapes'

# Halves add up in float32.
half='{"func": "__fusion_0", "pattern": "linear_relu", "ops": ["add", "relu"],
 "inputs": [{"shape": [512, 512], "dtype": "float16"}, {"shape": [512], "dtype": "float16"}],
 "outputs": [{"shape": [512, 512], "dtype": "float16"}], "accum_dtype": "float32"}'
echo "$half" | kernel 0
says k/__fusion_0.json '"author":"aot","dtype":"float16"' 'float16'
echo "$half" | sed 's/"accum_dtype": "float32"/"accum_dtype": "float16"/' | kernel 1
says err 'error: <stdin>:3:73: kernels of float16 accumulate in float32, found float16' 'float16'

# An op that names its back end, for the best level of this machine.
kernel 0 <<'END'
{"func": "same", "ops": ["deepx/miaobyte·abs", "deepx·sqrt"],
 "inputs": [{"shape": [2, 3], "dtype": "float32"}],
 "outputs": [{"shape": [2, 3], "dtype": "float32"}]}
END
says k/same.json '"class":"map"' 'abs and sqrt'
best=$(sed -n 's/.*"isa":"\([^"]*\)".*/\1/p' k/same.json)
ls "$KVAOT_OUT"/kernels/*."$best".ok >/dev/null 2>&1 ||
	fail "$best is not the best level"

# refused WHERE TEXT: the request on standard input, with this error.
refused() {
	kernel 1
	says err "error: <stdin>:$1: $2" "$1"
}

# tensors N: N inputs and an output of [4]float32.
tensors() {
	t='{"shape":[4],"dtype":"float32"}' all=
	for i in $(seq "$1"); do all=$all${all:+,}$t; done
	printf '"inputs":[%s],"outputs":[%s]' "$all" "$t"
}

echo '{' | refused 2:1 'expected a text in quotes, found the end of the text'
echo '[]' | refused 1:1 'expected an object, the request, found an array'
echo '{}' | refused 1:1 'the member `func` is missing'
grep -c missing err >count
[ "$(cat count)" -eq 4 ] || fail 'not all that is missing is told'
echo "{\"func\":\"a b\",\"ops\":[\"relu\"],$(tensors 1)}" |
    refused 1:9 'expected the name of a function, found the text "a b"'
echo "{\"func\":\"if\",\"ops\":[\"abs\",\"relu\"],$(tensors 1)}" |
    refused 1:9 ''
echo "{\"func\":\"f\",\"ops\":[\"relu(\"],$(tensors 1)}" |
    refused 1:20 'expected an op, as "matmul", found the text "relu("'
echo "{\"func\":\"f\",\"ops\":[\"add\",\"nil\"],$(tensors 2)}" |
    refused 1:26 'there is no op `deepx·nil` with one result'
echo "{\"func\":\"f\",\"ops\":[\"add_rmsnorm\"],$(tensors 2)}" |
    refused 1:20 'there is no op `deepx·add_rmsnorm` with one result'
echo "{\"func\":\"f\",\"ops\":[\"relu\"],\"axes\":1,$(tensors 1)}" |
    refused 1:35 'unknown member `axes`'
echo "{\"func\":\"f\",\"ops\":[\"add\",\"relu\"],$(tensors 1)}" |
    refused 1:20 'deepx·add takes 2 operands, but no more inputs are left'
echo "{\"func\":\"f\",\"ops\":[\"abs\",\"relu\"],$(tensors 2)}" |
    refused 1:76 'no op reads in1'
echo "{\"func\":\"f\",\"ops\":[\"abs\",\"relu\"],\"edges\":[[\"in0\"],[\"op1\"]],$(tensors 1)}" |
    refused 1:52 'expected an input or an op before this one, found `op1`'
echo "{\"func\":\"f\",\"ops\":[\"abs\",\"relu\"],\"edges\":[[\"in0\"],[\"in0\"]],$(tensors 1)}" |
    refused 1:20 'no op reads op0, and it is no output'
echo "{\"func\":\"f\",\"ops\":[\"abs\",\"relu\"],\"attributes\":[{},{\"to\":1}],$(tensors 1)}" |
    refused 1:57 'deepx·relu has no parameter `to`'
echo "{\"func\":\"f\",\"ops\":[\"abs\",\"relu\"],\"accum_dtype\":\"float64\",$(tensors 1)}" |
    refused 1:48 'kernels of float32 accumulate in float32, found float64'
kernel 1 <<'END'
{"func": "f", "ops": ["abs", "mul"],
 "inputs": [{"shape": [2, 3], "dtype": "float32"}, {"shape": [2], "dtype": "f32"},
  {"shape": [1, -1], "dtype": "float32"}],
 "outputs": [{"shape": [2, 3], "dtype": 7}]}
END
says err 'error: <stdin>:2:76: expected a dtype, as "float32", found the text "f32"' 'dtype'
says err 'error: <stdin>:3:17: expected an extent, found -1' 'extent'
says err 'error: <stdin>:4:41: expected a dtype, as "float32", found 7' 'dtype'
kernel 1 <<'END'
{"func": "f", "ops": ["abs", "exp"],
 "inputs": [{"shape": [2, 3], "dtype": "float32"}],
 "outputs": [{"shape": [3, 2], "dtype": "float32"}]}
END
says err 'error: <stdin>:3:14: this output is [2,3]float32' 'output'

kernel 0 <<'END'
{"func": "mixed", "ops": ["abs", "less"],
 "inputs": [{"shape": [8], "dtype": "float32"}, {"shape": [8], "dtype": "float32"}],
 "outputs": [{"shape": [8], "dtype": "bool"}]}
END
says k/mixed.json '{"of":"out0","dtype":"bool"}]' 'a result of another dtype'

# literal VALUE DTYPE: a request that adds it.
literal() {
	t="{\"shape\":[4],\"dtype\":\"$2\"}"
	printf '{"func":"f","ops":["addscalar","abs"],"inputs":[%s],"outputs":[%s],' \
	    "$t" "$t"
	printf '"attributes":[{"scalar":%s},{}]}\n' "$1"
}

literal true float32 | refused 1:150 'expected float32|'
literal 0.5 int32 | refused 1:9 'a literal float64 is no int32'
literal 5000000000 int32 | refused 1:9 'a literal int64 is no int32'
literal 5 int32 | kernel 0
literal 5 float64 | kernel 0
t='{"shape":[4],"dtype":"float32"}'
echo "{\"func\":\"f\",\"ops\":[\"add\",\"exp\"],\"inputs\":[$t,{\"shape\":[3],\"dtype\":\"float32\"}],\"outputs\":[$t]}" |
    refused 1:20 'deepx·add: [4] and [3] do not broadcast'

# Not one kernel: the state of each part.
kernel 1 <<'END'
{"func": "f", "ops": ["batchnorm"],
 "inputs": [{"shape": null, "dtype": "float32"}, {"shape": null, "dtype": "float32"},
  {"shape": null, "dtype": "float32"}, {"shape": null, "dtype": "float32"},
  {"shape": null, "dtype": "float32"}],
 "outputs": [{"shape": null, "dtype": "float32"}], "attributes": [{"eps": 0.5}]}
END
says err 'error: <stdin>:1:23: expected one kernel of all ops, found `deepx·batchnorm`, which is not-fusable' 'batchnorm'
kernel 1 <<'END'
{"func": "f", "ops": ["uniform", "abs", "relu"], "inputs": [],
 "outputs": [{"shape": [4], "dtype": "float32"}],
 "attributes": [{"shape": [4], "low": 0.0, "high": 1.0, "seed": 7}, {}, {}]}
END
says err 'error: <stdin>:1:23: expected one kernel of all ops, found `deepx·uniform`, which is not-fusable' 'uniform'
says err 'error: <stdin>:1:34: expected one kernel of all ops, found `deepx·abs deepx·relu`, which is a kernel of its own, fusable' 'uniform'

exits 2 "$bin/kvaot" kernel --isa=none <request.json
exits 2 "$bin/kvaot" kernel request.json
rm k/fixed.*
chmod a-w k
if [ ! -w k ]; then
	kernel 3 <<'END'
{"func": "fixed", "ops": ["abs", "sqrt"],
 "inputs": [{"shape": [2, 3], "dtype": "float32"}],
 "outputs": [{"shape": [2, 3], "dtype": "float32"}]}
END
fi
chmod u+w k
ls k | grep -v '\.\(c\|so\|json\)$' && fail 'other files are left'
# Without a compiler, for a kernel that no cache has: the same folder, but for
# the settings.
mkdir -p home/bin
for file in "$KVAOT_OUT"/*; do
	case ${file##*/} in
	bin) ;;
	kvobj.conf) sed "s!	\.\./!	$KVAOT_OUT/../!; s!^clang	.*!clang	$tmp/none!" \
	    "$file" >home/kvobj.conf ;;
	*.conf) sed "s!	\.\./!	$KVAOT_OUT/../!" "$file" >"home/${file##*/}" ;;
	*) ln -s "$file" home/ ;;
	esac
done
cp "$bin/kvaot" home/bin/
cat >request.json <<'END'
{"func": "f", "ops": ["softmax"], "attributes": [{"axis": -1}],
 "inputs": [{"shape": [2, 76543], "dtype": "float32"}],
 "outputs": [{"shape": [2, 76543], "dtype": "float32"}]}
END
exits 3 home/bin/kvaot kernel -o k <request.json
says err "$tmp/none" 'no compiler'
library >after
same_files 'the library' before after
finish
