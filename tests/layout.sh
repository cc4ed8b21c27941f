#!/bin/sh
# SPDX-License-Identifier: MIT
# What the tools print: layouts and stages are the same each time and from each
# folder, the abstract ops are those of ops.def, and --help tells all options.
. "$(dirname "$0")/lib.sh"
kvaot=$bin/kvaot
cd "$KVAOT_TOP"

exits 0 "$kvaot" gen --abstract
cmp "$tmp/out" lib/deepx.kv || fail 'lib/deepx.kv is not gen --abstract'

# same WHAT COMMAND...: exit 0 and equal output, twice and from other folders;
# the file at the end is absolute.
same() {
	what=$1
	shift
	exits 0 "$@"
	mv "$tmp/out" "$tmp/first"
	for folder in "$KVAOT_TOP" "$tmp" /; do
		cd "$folder"
		exits 0 "$@"
		cmp -s "$tmp/out" "$tmp/first" ||
			fail "$what: other output in $folder"
	done
	cd "$KVAOT_TOP"
}

# moved WHAT COMMAND...: the same for a copy of the file elsewhere, called by
# the same relative name, `program.kv`.
moved() {
	what=$1
	shift
	for folder in "$tmp/here" "$tmp/a/longer/path"; do
		mkdir -p "$folder"
		cp "$file" "$folder/program.kv"
		cd "$folder"
		exits 0 "$@" program.kv
		mv "$tmp/out" "$tmp/moved.${#folder}"
	done
	cd "$KVAOT_TOP"
	cmp -s "$tmp"/moved.* || fail "$what: other output for a moved file"
	rm "$tmp"/moved.*
}

cat >"$tmp/chain.kv" <<'END'
rwfunc test() -> () {
	x:[2,3]float32 = [1.0, 2.0, 3.0, 3.0, 2.0, 1.0]
	shape:[]int64 = [2, 3]
	deepx·exp(x) -> e
	deepx·sum(e, -1, true) -> s
	deepx·broadcastTo(s, shape) -> b
	deepx·div(e, b) -> y
	println(y)
}
END
for file in "$KVAOT_TOP"/lib/*.kv "$KVAOT_TOP"/lib/*/*.kv \
    "$KVAOT_TOP"/tutorial/[0-9]*/*.kv "$tmp/chain.kv"; do
	same "layout ${file##*/}" "$kvaot" layout "$file"
	sort -c "$tmp/first" || fail "layout ${file##*/} is not sorted"
	! grep -vqE '^/[^	]*	[^	]+	' "$tmp/first" && [ -s "$tmp/first" ] ||
		fail "layout ${file##*/}: not path, langtype and value"
	moved "layout ${file##*/}" "$kvaot" layout
done
for file in "$KVAOT_TOP"/tutorial/[0-9]*/*.kv "$tmp/chain.kv"; do
	for stage in layout program bound fusion concrete artifact c; do
		same "dump --stage=$stage ${file##*/}" "$kvaot" dump \
		    "--stage=$stage" "$file"
		[ $stage != fusion ] || [ -s "$tmp/first" ] ||
			fail "dump --stage=$stage ${file##*/} prints nothing"
		moved "dump --stage=$stage ${file##*/}" "$kvaot" dump \
		    "--stage=$stage"
	done
done
exits 0 "$kvaot" dump --stage=c "$tmp/chain.kv"
[ "$(grep -c '^kernel(' "$tmp/out")" -eq 1 ] ||
	fail 'the chain of exp, sum, broadcastTo and div is not one kernel'
same 'explain' "$kvaot" explain deepx:softmax

# told TOOL: the options in its help texts, one a line.
told() {
	{
		"$bin/$1" --help
		for command in $("$bin/$1" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
		do
			"$bin/$1" "$command" --help
		done
	} | grep -oE '(^|[ `(,[])--?[a-z][a-z-]*' | grep -oE -- '--?[a-z-]+' |
	    sort -u
}

# taken SOURCE...: the options that these sources compare with or give getopt.
taken() {
	{
		grep -ohE '"--?[a-z]+=?"' "$@" | tr -d '"='
		sed -n 's/.*{ "\([a-z]*\)", [a-z]*_argument, .*/--\1/p' "$@"
		sed -n 's/.*getopt_long(argc, argv, "\(.\):".*/-\1/p' "$@"
	} | grep -vx -- '-[a-z][a-z].*' | sort -u
}

told kvaot >"$tmp/told"
taken gen/*.c | grep -vE '^-(C|c)$' >"$tmp/taken"
# run hands these on to kvrun.
told kvrun >"$tmp/kvrun"
comm -13 "$tmp/taken" "$tmp/told" | comm -23 - "$tmp/kvrun" >"$tmp/extra"
[ ! -s "$tmp/extra" ] || fail "kvaot tells but lacks $(echo $(cat "$tmp/extra"))"
comm -23 "$tmp/taken" "$tmp/told" >"$tmp/extra"
[ ! -s "$tmp/extra" ] || fail "kvaot does not tell $(echo $(cat "$tmp/extra"))"
for tool in 'kvrun runtime/kvrun.c' 'kvobj cache/main.c' 'stamp cache/stamp.c'
do
	told ${tool% *} | grep -vx -- --help >"$tmp/told" || :
	taken ${tool#* } | grep -vx -- --help >"$tmp/taken" || :
	cmp -s "$tmp/told" "$tmp/taken" || {
		diff "$tmp/told" "$tmp/taken"
		fail "${tool% *}: --help and the source differ"
	}
done

# Each option of the help texts does something with a value.
call="--lib=$KVAOT_OUT/lib --entry=deepx:softmax --in A=rand:2x3:float32:1
    --in axis=-1"
for option in $(told kvrun); do
	case $option in
	--lib|--entry|--in) value= ;;
	--certify|--verdicts)
		exits 0 "$KVAOT_BIN/kvrun" "--lib=$KVAOT_OUT/lib" \
		    "--certify=$tmp/certified" "--verdicts=$tmp/verdicts"
		grep -q '	passed$' "$tmp/certified" && [ -d "$tmp/verdicts" ] ||
			fail 'kvrun --certify writes no verdicts'
		continue ;;
	--out) value="--out=B=$tmp/y.npy" ;;
	--load)
		exits 0 "$bin/kvrun" $call "--out=B=$tmp/y.npy"
		value=--load=$tmp/y.npy=/y ;;
	--digest|--base|--strict|--trace|--dump) value=$option ;;
	--space) value=--space=mem: ;;
	--threads) value=--threads=2 ;;
	--isa) value=--isa=x86-64 ;;
	--time) value=--time=3 ;;
	--help|--version) value=$option ;;
	*) fail "this test does not know kvrun $option"; continue ;;
	esac
	exits 0 "$bin/kvrun" $call $value
done
exits 2 "$bin/kvrun" $call --no-such-option
exits 2 "$kvaot" dump --stage=bound --no-such-option "$tmp/chain.kv"
exits 2 "$kvaot" gen --no-such-option
exits 2 "$kvaot" no-such-command
exits 2 "$bin/kvobj" ls --no-such-option
exits 2 "$bin/stamp" --no-such-option
finish
