#!/bin/sh
# SPDX-License-Identifier: MIT
# kvaot doc: a section an op, gaps, JSON.
. "$(dirname "$0")/lib.sh"
kvaot=$bin/kvaot
unset KVAOT_LIB || :

# section NAME: as --build=$build prints it; $tmp/want is what it must be.
section() {
	cat >"$tmp/want"
	exits 0 "$kvaot" doc "--build=$build" "$1"
	same_files "doc $1" "$tmp/want" "$tmp/out"
}

mkdir "$tmp/mine"
cat >"$tmp/mine/scale.kv" <<'END'
// SPDX-License-Identifier: MIT

/*
 * Ops of mine.
 */
lib mine {
	// Multiplies, *then* adds.
	//
	//   B twice
	rwfunc scaled(A:[*]float32, B:[*]float32) -> (C:[*]float32) { // not this
		deepx·mul(A, B) -> t
		deepx·add(t, B) -> C
	}

	// Far away.

	rwir absent(x:int64, rest:any...) -> (y:any)
}
END
build=$tmp/build
exits 0 "$kvaot" gen -o "$build" "$tmp/mine"
ninja -C "$build" >"$tmp/log" 2>&1 || die 'the folder is not built' "$tmp/log"
section mine:scaled <<'END'
## mine·scaled

`mine·scaled(A, B) -> (C)`

Multiplies, *then* adds.

  B twice

- `A`: `[*]float32`
- `B`: `[*]float32`
- result `C`: `[*]float32`
- versions: .1 (float32)
- source: folder/scale.kv:10
END
section mine:absent <<'END'
## mine·absent

`mine·absent(x, rest...) -> (y)`

- `x`: `int64`
- `rest`: `any...`
- result `y`: `any`
- back ends: none
- source: folder/scale.kv:17
END
num='[*]float32|[*]float64|[*]float16|[*]bfloat16|[*]int8|[*]int16|[*]int32|[*]int64|[*]uint8|[*]uint16|[*]uint32|[*]uint64'
section deepx:rdivscalar <<END
## deepx·rdivscalar

\`deepx·rdivscalar(scalar, A) -> (C)\`

- \`scalar\`: \`float32|float64|float16|bfloat16|int8|int16|int32|int64|uint8|uint16|uint32|uint64\`
- \`A\`: \`$num\`
- result \`C\`: \`$num\`
- kind: elementwise
- dtype of the result: that of the operands
- shape of the result: that of all operands together, as NumPy broadcasts
- accuracy: exact
- elsewhere: ONNX Div
- back ends: miaobyte (int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 float16 bfloat16)
- source: lib/deepx.kv:$(grep -n '^	rwir rdivscalar(' "$KVAOT_TOP/lib/deepx.kv" |
    cut -d : -f 1)
END

# All ops and functions that the sources declare, sorted.
exits 0 "$kvaot" doc
sed -n 's/^## //p' "$tmp/out" >"$tmp/got"
sed -n 's/^	rw[a-z]* \([^(]*\)(.*/deepx·\1/p' "$KVAOT_TOP"/lib/*.kv \
    "$KVAOT_TOP"/lib/*/*.kv |
    sort >"$tmp/want"
same_files 'the sections of doc' "$tmp/want" "$tmp/got"
sed -n 1p "$tmp/out" | grep -qx '# Ops of the library' || fail 'no title'
mv "$tmp/out" "$tmp/all"
exits 0 "$kvaot" doc -o "$tmp/all.md"
same_files 'doc -o' "$tmp/all" "$tmp/all.md"
[ ! -s "$tmp/out" ] || fail 'doc -o prints'

# gaps: the line a back end of plain source gives, from the files of kernels/
# that include it and the dtypes of the manifest.
sed -n 's/^row	//p' "$KVAOT_OUT/lib/current/manifest" |
    awk -F '\t' '$3 == 0 { print $1 "\t" $2 "\t" $4 }' | sort -u >"$tmp/rows"
while IFS='	' read -r opcode base dtype; do
	author=${opcode#deepx/} author=${author%%·*}
	file=$KVAOT_TOP/kernels/$author/${opcode#*·}
	case $dtype in
	*float16) [ ! -f "${file}_half.c" ] || file=${file}_half ;;
	float*) ;;
	bool)
		for end in _bool _int; do
			[ ! -f "$file$end.c" ] || { file=$file$end && break; }
		done ;;
	*) [ ! -f "${file}_int.c" ] || file=${file}_int ;;
	esac
	if [ -f "$file.c" ] && grep -q '^#include "ref/.*\.c"' "$file.c" &&
	    ! grep -q '^#include "vec/' "$file.c"; then
		printf '%s\t%s\tplain\n' "$base" "$dtype"
	else
		printf '%s\t%s\tgood\n' "$base" "$dtype"
	fi
done <"$tmp/rows" | awk -F '\t' '
    $3 == "plain" { plain[$1, $2] = 1; ops[$1] }
    $3 == "good" { good[$1, $2] = 1 }
    END {
	n = split("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 " \
	    "float32 float64 float16 bfloat16", dtype, " ")
	for (op in ops) {
		list = ""
		for (i = 1; i <= n; i++)
			if ((op, dtype[i]) in plain && !((op, dtype[i]) in good))
				list = list (list == "" ? "" : " ") dtype[i]
		if (list != "")
			print op "\tplain\t" list
	}
    }' | sort >"$tmp/want"
[ "$(grep -c . "$tmp/rows")" -ge 100 ] || die 'hardly a row: this test shows nothing'
exits 0 "$kvaot" doc --gaps
same_files 'doc --gaps' "$tmp/want" "$tmp/out"
printf 'mine·absent\tnone\t-\n' >>"$tmp/want"
exits 0 "$kvaot" doc "--build=$build" --gaps
same_files 'doc --gaps of the folder' "$tmp/want" "$tmp/out"
exits 0 "$kvaot" doc --gaps deepx:softmax
[ ! -s "$tmp/out" ] || fail 'a composite has a gap'

# The catalog: a line for each section of the reference, in its order.
exits 0 "$kvaot" doc "--build=$build" --list
cut -d '(' -f 1 "$tmp/out" >"$tmp/got"
exits 0 "$kvaot" doc "--build=$build"
sed -n 's/^## //p' "$tmp/out" >"$tmp/want"
same_files 'ops in doc --list' "$tmp/want" "$tmp/got"
{
	printf 'deepx·exp(A) -> (C)\tfloat32 float64 float16 bfloat16\t'
	echo 'elementwise; ONNX Exp, PyTorch exp'
	printf 'mine·absent(x, rest...) -> (y)\t-\t\n'
	printf 'mine·scaled(A, B) -> (C)\tfloat32\tMultiplies, *then* adds.\n'
} >"$tmp/want"
exits 0 "$kvaot" doc "--build=$build" --list deepx:exp mine:scaled mine:absent
same_files 'doc --list' "$tmp/want" "$tmp/out"
exits 2 "$kvaot" doc --list --gaps
exits 2 "$kvaot" doc --list --json
exits 0 "$kvaot" doc "--build=$build" --json
json "$tmp/out" 'doc --json'
[ "$(grep -o '"name":"[^"]*·' "$tmp/out" | wc -l)" -eq \
    $(($(grep -c '^## ' "$tmp/all") + 2)) ] || fail 'ops in doc --json'
says "$tmp/out" '{"name":"mine·absent","kind":"abstract","file":"folder/scale.kv","line":17,"text":"","reads":[{"name":"x","type":"int64","variadic":false,"attribute":false},{"name":"rest","type":"any","variadic":true,"attribute":false}],"writes":[{"name":"y","type":"any"}],"backends":[]}' 'doc --json'
says "$tmp/out" '"versions":[{"n":1,"dtypes":["float32"]}]' 'doc --json'
exits 0 "$kvaot" doc "--build=$build" --gaps --json mine:absent
[ "$(cat "$tmp/out")" = '[{"op":"mine·absent","gap":"none","dtypes":[]}]' ] ||
	fail 'doc --gaps --json'

exits 1 "$kvaot" doc deepx:sofmax
says "$tmp/err" 'the library has no op `deepx·sofmax`; did you mean deepx·softmax?' 'an unknown op'
exits 1 "$kvaot" doc "--build=$tmp/none"
says "$tmp/err" "$tmp/none/kvaot.conf" 'no build folder'
exits 1 "$kvaot" doc "--lib=$tmp/none"
says "$tmp/err" "$tmp/none: holds no published library" 'no library'
exits 0 "$kvaot" doc "--lib=$build/lib" deepx:softmax
mv "$tmp/out" "$tmp/want"
exits 0 "$kvaot" doc deepx:softmax
same_files 'doc --lib' "$tmp/want" "$tmp/out"
exits 2 "$kvaot" doc --nothing
exits 2 "$kvaot" doc -o
finish
