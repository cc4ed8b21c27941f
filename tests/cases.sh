#!/bin/sh
# SPDX-License-Identifier: MIT
# The fusion cases of tests/cases, planned as a library of their own: the values
# of tests/cases/golden, and compiled the bytes of the base.
. "$(dirname "$0")/lib.sh"
golden=tests/cases/golden

# plan DIR OPTIONS...: a library of the cases in DIR.
plan() {
	dir=$1
	shift
	"$bin/kvaot" gen -o "$dir" "$@" tests/cases >"$tmp/log" 2>&1 ||
		die 'the cases are not planned' "$tmp/log"
	ninja -C "$dir" >"$tmp/log" 2>&1 || die 'ninja failed' "$tmp/log"
	! grep '^warning' "$tmp/log" || fail 'a kernel of a case is not used'
}

# tensor DIMS SEED DTYPE: .npy on standard output; bytes are told in octal, of
# numbers of at most 6 significant bits.
tensor() {
	printf "$(awk -v dims="$1" -v seed="$2" -v type="$3" '
	function bytes(negative, e, m,   sign) { # the highest first, m in 1/64
		sign = negative ? 128 : 0
		if (type == "float32")
			return sprintf("\\0\\0\\%o\\%o", e % 2 * 128 + m * 2,
			    sign + int(e / 2))
		return sprintf("\\0\\0\\0\\0\\0\\%o\\%o\\%o", m % 4 * 64,
		    e % 16 * 16 + int(m / 4), sign + int(e / 16))
	}
	function number(v,   negative, e, bias) {
		bias = type == "float32" ? 127 : 1023
		negative = v < 0
		v = negative ? -v : v
		if (v == 0)
			return bytes(0, 0, 0)
		if (v > 1e9)
			return bytes(negative, 2 * bias + 1, 0)
		for (; v >= 2; e++)
			v /= 2
		for (; v < 1; e--)
			v *= 2
		return bytes(negative, e + bias, (v - 1) * 64)
	}
	BEGIN {
		rank = split(dims, d, "x")
		n = 1
		for (i = 1; i <= rank; i++) {
			n *= d[i]
			shape = shape d[i] ","
		}
		head = sprintf("{\"descr\": \"<%s\", \"fortran_order\": " \
		    "False, \"shape\": (%s), }", type == "float32" ? "f4" : "f8",
		    shape)
		gsub("\"", "\x27", head)
		printf "\\223NUMPY\\1\\0\\166\\0%-117s\\n", head
		positive = seed ~ /^[+]/
		for (i = 0; i < n; i++) {
			v = ((i * 37 + seed * 17 + 5) % 61 - 30) / 32
			if (positive)
				v = (v < 0 ? -v : v) + 0.25
			if (seed == "causal")
				v = i % d[2] > int(i / d[2]) ? -1e10 : 0
			printf "%s", number(v)
		}
	}')"
}

# numbers FILE: those of a .npy, one a line.
numbers() {
	type=f8
	! head -c 128 "$1" | grep -aq '<f4' || type=f4
	at=$((10 + $(od -An -tu2 -j8 -N2 "$1")))
	od -An -v -t $type -w8 -j $at "$1" | awk '{ for (i = 1; i <= NF; i++)
		print $i }'
}

# near K: standard input are the numbers of a file and, after a line `-`, those
# of the reference; with K -1 the row of the table: sum first second third last,
# each as exact as float64 and as its digits.
near() {
	awk -v k="$1" '
	function size(v) { return v < 0 ? -v : v }
	function check(what, v, ref, digits, scale,   e, unit) {
		unit = 0
		if (digits && ref != 0) {
			e = log(size(ref)) / log(10)
			e = e < int(e) ? int(e) - 1 : int(e)
			unit = 0.501 * 10 ^ (e - digits + 1)
		}
		if (!(size(v - ref) <= unit + tol * scale)) {
			printf "%s is %.17g, not %.17g\n", what, v, ref
			bad = 1
		}
	}
	$1 == "-" { refs = 1; next }
	!refs { v[n++] = $1; next }
	{
		r[m++] = $1
		if ((k >= 0 || m > 1) && size($1) > max)
			max = size($1)
	}
	END {
		tol = k < 0 ? 1e-12 : k > 0 ? 1e-5 * sqrt(k) : 3e-8
		if (k >= 0) {
			if (n != m)
				bad = 1
			for (i = 0; i < n; i++)
				check("element " i, v[i], r[i], 0,
				    max + size(r[i]))
			exit bad
		}
		for (i = 0; i < n; i++)
			sum += v[i]
		if (m != 5 || n < 4)
			bad = 1
		check("the sum", sum, r[0], 12, n * max)
		for (i = 0; i < 3; i++)
			check("element " i, v[i], r[i + 1], 9, max)
		check("the last element", v[n - 1], r[4], 9, max)
		exit bad
	}'
}

# arguments DTYPE INPUT...: $in are the options of kvrun for them.
arguments() {
	type=$1 in=
	shift
	for input; do
		name=${input%%=*} value=${input#*=}
		case $value in
		[0-9]*:*)
			file=$tmp/in,$value,$type.npy
			[ -e "$file" ] || tensor "${value%%:*}" "${value#*:}" \
			    "$type" >"$file"
			value=$file
			;;
		*:*)
			value=$tmp/$value,miaobyte,$type.npy
			;;
		esac
		in="$in --in $name=$value"
	done
}

# call AUTHOR FILE OPTIONS...: the entry's output in FILE, by this author.
call() {
	lib=$tmp/$1/lib result=$2
	shift 2
	exits 0 "$bin/kvrun" --lib="$lib" --entry="$entry" $in \
	    --out "$out=$result" "$@"
}

# row: one of the table, with both authors and dtypes.
row() {
	for author in miaobyte cblas; do
		"$bin/kvaot" explain -o "$tmp/$author" "$entry" >"$tmp/why"
		strict=
		! grep -q '^chosen: \.' "$tmp/why" || strict=--strict
		[ $kernels = - ] || { [ "$(grep -c '^k' "$tmp/why")" -eq 1 ] &&
		    ! grep -q '^--' "$tmp/why"; } ||
			fail "$entry is not one kernel"
		for dtype in float32 float64; do
			arguments $dtype "$@"
			file=$tmp/$entry:$out,$author,$dtype.npy
			call $author "$file" --base --threads=1
			grep -aq "'shape': ($(echo "$dims" | sed 's/x/, /g'))" \
			    "$file" || fail "$entry: $out is not $dims"
			call $author "$tmp/other.npy" $strict --threads=1
			cmp "$file" "$tmp/other.npy" ||
				fail "$entry: $out of $dtype by $author"
			[ $author = miaobyte ] || continue
			call $author "$tmp/other.npy" $strict --threads=2
			cmp "$file" "$tmp/other.npy" ||
				fail "$entry: $out of $dtype on two threads"
		done
		file=$tmp/$entry:$out,$author
		{ numbers "$file,float64.npy"; echo -; printf '%s\n' $values; } |
		    near -1 ||
			fail "$entry: $out by $author is not as the table says"
		{ numbers "$file,float32.npy"; echo -
		    numbers "$file,float64.npy"; } | near "$k" ||
			fail "$entry: $out of float32 by $author is not close"
	done
}

printf '*\tmiaobyte\n' >"$tmp/authors.map"
plan "$tmp/miaobyte" --authors "$tmp/authors.map"
plan "$tmp/cblas"
rows=0
while read -r entry kernels k out dims sum first second third last inputs; do
	[ "$entry" != // ] || continue
	values="$sum $first $second $third $last"
	row $inputs </dev/null
	rows=$((rows + 1))
done <"$golden"

# Every function of the cases but what they share has a row.
sed -n 's/^rwfunc \([a-z_0-9]*\).*/\1/p' tests/cases/*.kv | sort >"$tmp/functions"
{ echo heads_attend; sed '/^\/\//d; s/ .*//' $golden; } | sort -u >"$tmp/tested"
same_files 'a case has no values' "$tmp/functions" "$tmp/tested"
[ $rows -ge 27 ] || fail "only $rows rows"
finish
