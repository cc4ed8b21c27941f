#!/bin/sh
# SPDX-License-Identifier: MIT
# Ops at their edges: the programs of tests/ops print what their comments
# `// expect: LINE` say, and what an op refuses names the op.
. "$(dirname "$0")/lib.sh"

for file in tests/ops/*.kv; do
	sed -n 's!^// expect: !!p' "$file" >"$tmp/want"
	exits 0 "$bin/kvrun" "$file"
	cmp -s "$tmp/out" "$tmp/want" || {
		diff "$tmp/want" "$tmp/out" || :
		fail "$file: other output than expected"
	}
done

# refused CALL TEXT: the call on these values ends with this message.
refused() {
	cat >"$tmp/p.kv" <<END
rwfunc test() -> () {
	i:[]int64 = [1, 0]
	b:[]bool = [true, false]
	f:[2,3]float64 = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
	shape:[]int64 = [2, -1]
	order:[]int64 = [0, 0]
	deepx/miaobyte·$1 -> r
}
END
	exits 1 "$bin/kvrun" "$tmp/p.kv"
	says "$tmp/err" "$tmp/p.kv:7:2: $2" "$1"
}

div0='ZeroDivisionError: division by zero (deepx/miaobyte·'
refused 'div(i, i)' "${div0}div)"
refused 'divscalar(i, 0)' "${div0}divscalar)"
refused 'rdivscalar(1, i)' "${div0}rdivscalar)"
refused 'addscalar(i, 0.5)' 'TypeError: deepx/miaobyte·addscalar arg 2 (scalar)'
refused 'addscalar(i, i)' 'TypeError: deepx/miaobyte·addscalar: scalar must be one number, found a tensor [2]'
refused 'add(i, f)' 'TypeError: deepx/miaobyte·add arg 2 (B): expected int64'
refused 'equal(b, b, 0)' 'TypeError: deepx/miaobyte·equal arg 3 (epsilon): expected bool'
refused 'todtype(i, "int")' 'TypeError: deepx/miaobyte·todtype arg 2 (dtype): expected the name of a dtype such as "int32", got "int"'
refused 'todtype(i, 1)' 'TypeError: deepx/miaobyte·todtype arg 2 (dtype): expected []char/utf32|[]char/utf8, got int64'
refused 'where(i, f, f)' 'TypeError: deepx/miaobyte·where arg 1 (cond): expected bool, got [2]int64'
refused 'where(b, i, f)' 'TypeError: deepx/miaobyte·where arg 3 (B): expected int64'
refused 'where(b, i, 0.5)' 'TypeError: deepx/miaobyte·where arg 3 (B): expected int64'
refused 'where(b, f, f)' 'TypeError: deepx/miaobyte·where: [2] and [2,3] do not broadcast'
refused 'sqrt(i)' 'TypeError: deepx/miaobyte·sqrt has no kernel of int64'
refused 'mean(i, 0, true)' 'TypeError: deepx/miaobyte·mean has no kernel of int64'
refused 'transpose(f, order)' 'TypeError: deepx/miaobyte·transpose: axis 0 appears twice'
refused 'constant(shape, 1)' 'TypeError: deepx/miaobyte·constant: extent 1 is negative'
refused 'uniform(i, 0.0, 1.0, 1.5)' 'TypeError: deepx/miaobyte·uniform arg 4 (seed)'
refused 'matmul(f, f)' 'TypeError: deepx/miaobyte·matmul: [2,3] and [2,3] do not multiply'
refused 'matmul_nt(i, i)' 'TypeError: deepx/miaobyte·matmul_nt: expected two matrices, found [2] and [2]'
refused 'squeeze(f, 0)' 'TypeError: deepx/miaobyte·squeeze: axis 0 has length 2, not 1'
refused 'unsqueeze(f, 3)' 'TypeError: deepx/miaobyte·unsqueeze: axis 3 is out of range for rank 3'
refused 'flatten(f, i)' 'TypeError: deepx/miaobyte·flatten arg 2 (axis): expected int32|int64, got [2]int64'
refused 'flatten(f, 3)' 'TypeError: deepx/miaobyte·flatten: axis 3 is out of range for rank 2'
refused 'cumsum(f, 2, false, false)' 'TypeError: deepx/miaobyte·cumsum: axis 2 is out of range for rank 2'
refused 'cumsum(b, 0, false, false)' 'TypeError: deepx/miaobyte·cumsum has no kernel of bool'
refused 'cumsum(f, 0, 1, false)' 'TypeError: deepx/miaobyte·cumsum arg 3 (exclusive): expected bool, got int64'
refused 'normal(i, 0.0, 1.0, 1.5)' 'TypeError: deepx/miaobyte·normal arg 4 (seed)'
refused 'normal(i, 0, 1, 1)' 'TypeError: deepx/miaobyte·normal has no kernel of int64'
refused 'normal([3], 0.0, 1.0, 2147483647)' 'IndexError: an element is outside of what the op accepts (deepx/miaobyte·normal)'
refused 'indexselect(f, [0, 2], 0)' 'IndexError: an element is outside of what the op accepts (deepx/miaobyte·indexselect)'
refused 'indexselect(f, [-4], 1)' 'IndexError: an element is outside of what the op accepts (deepx/miaobyte·indexselect)'
refused 'indexselect(f, f, 0)' 'TypeError: deepx/miaobyte·indexselect arg 2 (index): expected int64, got [2,3]float64'
refused 'indexselect(f, i, 2)' 'TypeError: deepx/miaobyte·indexselect: axis 2 is out of range for rank 2'
refused 'gather(i, [2], 0)' 'IndexError: an element is outside of what the op accepts (deepx/miaobyte·gather)'
refused 'gather(f, i, 0)' 'TypeError: deepx/miaobyte·gather: an index [2] for a tensor [2,3] along axis 0'
refused 'zeros(i, "float31")' 'TypeError: deepx/miaobyte·zeros arg 2 (dtype): expected the name of a dtype such as "int32", got "float31"'
refused 'ones(shape, "int8")' 'TypeError: deepx/miaobyte·ones: extent 1 is negative'
refused 'ones(i, 8)' 'TypeError: deepx/miaobyte·ones arg 2 (dtype)'
refused 'topk(f, 1, 1, true)' 'TypeError: deepx/miaobyte·topk expects 2 writes, got 1'
refused 'slice(f, 1, 0, 3, 0)' 'TypeError: deepx/miaobyte·slice: expected a step of 1 or more, found 0'
refused 'slice(f, 1, 0, 1.5, 1)' 'TypeError: deepx/miaobyte·slice arg 4 (stop): expected int32|int64, got float64'
refused 'repeat(f, [2])' 'TypeError: deepx/miaobyte·repeat: expected a number of repeats for each axis, 2 to 8, found 1'
refused 'repeat_interleave(f, -1, 0)' 'TypeError: deepx/miaobyte·repeat_interleave: expected 0 or more repeats, found -1'
refused 'pad(f, i, 0.0)' 'TypeError: deepx/miaobyte·pad: expected 4 pads, before and after each axis, found 2'
refused 'pad(i, i, 0.5)' 'TypeError: deepx/miaobyte·pad arg 3 (value): expected int64 as the other operands'
refused 'pad(b, i, 1)' 'TypeError: deepx/miaobyte·pad arg 3 (value): expected bool as the other operands'
refused 'tril(i, 0)' 'TypeError: deepx/miaobyte·tril: expected at least two axes, found 1'
refused 'triu(f, i)' 'TypeError: deepx/miaobyte·triu arg 2 (k): expected int32|int64, got [2]int64'
refused 'argmin(f, 2, true)' 'TypeError: deepx/miaobyte·argmin: axis 2 is out of range'
finish
