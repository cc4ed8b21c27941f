#!/bin/sh
# SPDX-License-Identifier: MIT
# kvaot test: examples in comments, run on base and versions.
. "$(dirname "$0")/lib.sh"
kvaot=$bin/kvaot

# prints WHAT: standard input is what was printed, with every time as T.
prints() {
	cat >"$tmp/want"
	sed -E 's/ [0-9]+\.[0-9] us/ T/g' "$tmp/out" >"$tmp/got"
	same_files "$1" "$tmp/want" "$tmp/got"
}

mkdir "$tmp/mine"
cat >"$tmp/mine/scale.kv" <<'END'
lib mine {
	// Multiplies, then adds.
	//
	// ex: scaled([1.5, -2], [2, 0.25]) -> [5, -0.25]
	// ex: mine·scaled([[1], [3]], [2, 4]) -> [[4, 8], [8, 16]]
	rwfunc scaled(A:[*]float32, B:[*]float32) -> (C:[*]float32) {
		deepx·mul(A, B) -> t
		deepx·add(t, B) -> C
	}
	/*
	 * ex: halves(float64([1, 3])) -> float64([0.5, 1.5]), 2
	 */
	rwfunc halves(A:[*]float64) -> (B:[*]float64, n:int64) {
		deepx·divscalar(A, 2.0) -> B
		ndarray·numel(A) -> n
	}
}
END
cat >"$tmp/next.kv" <<'END'
// ex: next(41, true) -> 42, false
rwfunc next(n:int64, b:bool) -> (m:int64, c:bool) {
	println("time: 1000.0 us")
	m = n + 1
	c = !b
}
END
cd "$tmp"
exits 0 "$kvaot" test mine next.kv
prints 'a folder and a program' <<'END'
mine·scaled	mine/scale.kv:4	ok	base T	.1 T
mine·scaled	mine/scale.kv:5	ok	base T	.1 T
mine·halves	mine/scale.kv:11	ok	base T
next	next.kv:1	ok	base T
END
grep -q '1000\.0' "$tmp/out" && fail "a time is the program's own"

# What the base gives is compared with what is stated: floats to 1e-6 of the
# number and of the largest one, shapes and all else exactly.
cat >"$tmp/off.kv" <<'END'
// ex: off([8, 1]) -> [8.000015, 1.000008]
// ex: off([8, 1]) -> [8, 1.00001]
// ex: off([8, 1]) -> [8.00002, 1]
// ex: off([8, 1]) -> [[8, 1]]
// ex: off([8, 1]) -> float64([8, 1])
// ex: off([]) -> [8, 1]
rwfunc off(A:[*]float32) -> (B:[*]float32|[*]float64) {
	deepx·mulscalar(A, 1.0) -> B
}
// ex: wide([8, 1]) -> [8, 1.000000000008]
// ex: wide([8, 1]) -> [8, 1.00000000001]
rwfunc wide(A:[*]float64) -> (B:[*]float64) {
	deepx·mulscalar(A, 1.0) -> B
}
// ex: bad([1, 2], [1, 2, 3]) -> [1]
rwfunc bad(A:[*]float32, B:[*]float32) -> (C:[*]float32) {
	deepx·add(A, B) -> C
}
END
exits 1 "$kvaot" test off.kv
says "$tmp/err" 'error: off.kv:6:12: in an example `A` is' 'an empty array'
[ ! -s "$tmp/out" ] || fail 'an example runs beside one that is malformed'
sed -i '/off(\[\])/d' off.kv
exits 1 "$kvaot" test off.kv
sed -i 's/\(bad: \).*/\1…/' "$tmp/out"
prints 'what is stated' <<'END'
off	off.kv:1	ok	base T
off	off.kv:2	differs	base T	off: B is [2]float32 [8.0, 1.0], stated is [2]float32 [8.0, 1.00001]
off	off.kv:3	differs	base T	off: B is [2]float32 [8.0, 1.0], stated is [2]float32 [8.00002, 1.0]
off	off.kv:4	differs	base T	off: B is [2]float32 [8.0, 1.0], stated is [1,2]float32 [[8.0, 1.0]]
off	off.kv:5	differs	base T	off: B is [2]float32 [8.0, 1.0], stated is [2]float64 [8.0, 1.0]
wide	off.kv:9	ok	base T
wide	off.kv:10	differs	base T	wide: B is [2]float64 [8.0, 1.0], stated is [2]float64 [8.0, 1.00000000001]
bad	off.kv:14	differs	bad: …
END

# The library's own. A version whose guard does not hold is not run.
line=$(grep -n -m 1 '// ex: softmax(' "$KVAOT_TOP/lib/nn.kv" | sed 's/:.*//')
exits 0 "$kvaot" test
[ "$(wc -l <"$tmp/out")" -eq "$(cat "$KVAOT_TOP"/lib/*.kv "$KVAOT_TOP"/lib/*/*.kv |
    grep -c '// ex: ')" ] ||
	fail 'not every example of the library has its line'
grep -E "^deepx·softmax	.*:$line	ok	base .* us	\.1 .* us\$" "$tmp/out" \
    >/dev/null || fail 'softmax and its version'
grep -E "^deepx·softmax	.*:$((line + 1))	ok	base .* us	\.1 .* us\$" "$tmp/out" \
    >/dev/null || fail 'softmax along axis 0'
grep -E '^deepx·var	.*	ok	base .* us	\.1 does not fit$' "$tmp/out" \
    >/dev/null || fail 'var along two axes'
exits 0 "$kvaot" test --json
json "$tmp/out" 'test --json'
says "$tmp/out" '{"name":"deepx·softmax","file":"lib/nn.kv","line":'"$line"',"ok":true,"problem":null,"runs":[{"version":0,"fits":true,"ns":' 'test --json'

# A version that gives other bytes: kvrun is one that changes the last byte.
mkdir -p home/bin
for file in "$KVAOT_OUT"/*; do
	case ${file##*/} in
	bin) ;;
	*.conf) sed "s!	\.\./!	$KVAOT_OUT/../!" "$file" >"home/${file##*/}" ;;
	*) ln -s "$file" home/ ;;
	esac
done
cp "$kvaot" home/bin/
cat >home/bin/kvrun <<END
#!/bin/sh
"$bin/kvrun" "\$@" || exit
case "\$*" in
*softmax.1*)
	for last; do :; done
	file=\${last#B=}
	printf '\\177' | dd of="\$file" bs=1 seek=\$((\$(wc -c <"\$file") - 1)) \\
	    conv=notrunc 2>/dev/null
esac
END
chmod +x home/bin/kvrun
exits 1 home/bin/kvaot test
[ "$(grep -c '	differs	base .*	deepx·softmax\.1: B is .*, the base gives ' \
    "$tmp/out")" -eq 3 ] || { cat "$tmp/out"; fail 'a version that differs'; }
exits 1 home/bin/kvaot test --json
says "$tmp/out" '"ok":false,"problem":"deepx·softmax.1: B is ' 'what differs'
rm home/bin/kvrun
exits 3 home/bin/kvaot test
says "$tmp/err" 'kvrun: the program was not found' 'no kvrun'

exits 2 "$kvaot" test --nothing
exits 1 "$kvaot" test none.kv
says "$tmp/err" 'error: none.kv: cannot find' 'no file'
mkdir empty
exits 0 "$kvaot" test empty
says "$tmp/err" 'warning: there is no example' 'no example'
finish
