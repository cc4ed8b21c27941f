#!/bin/sh
# SPDX-License-Identifier: MIT
# The fusion cases of tests/cases, planned as a library of their own: the values
# of tests/cases/golden, and compiled the bytes of the base.
. "$(dirname "$0")/lib.sh"
golden=tests/cases/golden

# plan DIR FOLDER OPTIONS...: a library of the cases in FOLDER.
plan() {
	dir=$1 folder=$2
	shift 2
	"$bin/kvaot" gen -o "$dir" "$@" "$folder" >"$tmp/log" 2>&1 ||
		die 'the cases are not planned' "$tmp/log"
	ninja -C "$dir" >"$tmp/log" 2>&1 || die 'ninja failed' "$tmp/log"
	! grep '^warning' "$tmp/log" || fail 'a kernel of a case is not used'
}

# tensor DIMS SEED DTYPE: .npy on standard output; bytes are told in octal, of
# numbers of at most 6 significant bits.
tensor() {
	printf "$(awk -v dims="$1" -v seed="$2" -v type="$3" '
	function bytes(negative, e, m,   sign) { # the lowest first, m in 1/64
		sign = negative ? 128 : 0
		if (type == "float16")
			return sprintf("\\%o\\%o", m % 16 * 16,
			    sign + e * 4 + int(m / 16))
		if (type == "bfloat16")
			return sprintf("\\%o\\%o", e % 2 * 128 + m * 2,
			    sign + int(e / 2))
		if (type == "float32")
			return sprintf("\\0\\0\\%o\\%o", e % 2 * 128 + m * 2,
			    sign + int(e / 2))
		return sprintf("\\0\\0\\0\\0\\0\\%o\\%o\\%o", m % 4 * 64,
		    e % 16 * 16 + int(m / 4), sign + int(e / 16))
	}
	function number(v,   negative, e) {
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
		bias = type == "float16" ? 15 : type == "float64" ? 1023 : 127
		split("float64 f8 float32 f4 float16 f2 bfloat16 V2", known, " ")
		for (i = 1; known[i] != type; i += 2)
			;
		head = sprintf("{\"descr\": \"<%s\", \"fortran_order\": " \
		    "False, \"shape\": (%s), }", known[i + 1], shape)
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
	at=$((10 + $(od -An -tu2 -j8 -N2 "$1")))
	case $(head -c $at "$1" | sed -n "s/.*'descr': '<\(..\)'.*/\1/p") in
	f8) type=f8 half=0 ;;
	f4) type=f4 half=0 ;;
	f2) type=u2 half=10 ;; # bits after the point
	V2) type=u2 half=7 ;;
	esac
	od -An -v -t $type -w8 -j $at "$1" | awk -v bits=$half '
	function decode(u,   sign, one, e, most) {
		one = 2 ^ bits
		sign = u >= 32768 ? -1 : 1
		u %= 32768
		most = 32768 / one - 1
		e = int(u / one)
		u %= one
		if (e == most)
			return u ? "nan" : sign < 0 ? "-inf" : "inf"
		u = e ? 1 + u / one : u / one * 2
		return sign * u * 2 ^ (e - int(most / 2))
	}
	{ for (i = 1; i <= NF; i++)
		printf "%.17g\n", bits ? decode($i) : $i }'
}

# near TOLERANCE: standard input are the numbers of a file and, after a line `-`,
# those of the reference; with `table` its row: sum first second third last, each
# as exact as float64 and as its digits.
near() {
	awk -v tol="$1" '
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
		if ((tol != "table" || m > 1) && size($1) > max)
			max = size($1)
	}
	END {
		if (tol != "table") {
			if (n != m)
				bad = 1
			for (i = 0; i < n; i++)
				check("element " i, v[i], r[i], 0,
				    max + size(r[i]))
			exit bad
		}
		tol = 1e-12
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

# tolerance DTYPE: against float64.
tolerance() {
	case $1 in
	float16) echo 2e-3 ;;
	bfloat16) echo 1.6e-2 ;;
	float32) awk -v k="$k" 'BEGIN { print k ? 1e-5 * sqrt(k) : 3e-8 }' ;;
	esac
}

# typed DTYPE: one dtype of the row by $author.
typed() {
	folder=$author
	case $1 in
	*float16) folder=$author,$1 ;;
	esac
	"$bin/kvaot" explain -o "$tmp/$folder" "$entry" >"$tmp/why"
	strict=
	! grep -q '^chosen: \.' "$tmp/why" || strict=--strict
	[ $kernels = - ] || { [ "$(grep -c '^k' "$tmp/why")" -eq 1 ] &&
	    ! grep -q '^--' "$tmp/why"; } ||
		fail "$entry is not one kernel"
	arguments "$1" $inputs
	file=$tmp/$entry:$out,$author,$1.npy
	call $folder "$file" --base --threads=1
	grep -aq "'shape': ($(echo "$dims" | sed 's/x/, /g'))" "$file" ||
		fail "$entry: $out is not $dims"
	call $folder "$tmp/other.npy" $strict --threads=1
	cmp "$file" "$tmp/other.npy" || fail "$entry: $out of $1 by $author"
	[ $author = miaobyte ] || return 0
	call $folder "$tmp/other.npy" $strict --threads=2
	cmp "$file" "$tmp/other.npy" ||
		fail "$entry: $out of $1 on two threads"
}

# row: one of the table, with both authors and all dtypes.
row() {
	for author in miaobyte cblas; do
		typed float64
		{ numbers "$file"; echo -; printf '%s\n' $values; } |
		    near table ||
			fail "$entry: $out by $author is not as the table says"
		numbers "$file" >"$tmp/reference"
		for dtype in float32 float16 bfloat16; do
			typed $dtype
			{ numbers "$file"; echo -; cat "$tmp/reference"; } |
			    near "$(tolerance $dtype)" ||
				fail "$entry: $out of $dtype by $author is not close"
		done
	done
}

printf '*\tmiaobyte\n' >"$tmp/authors.map"
plan "$tmp/miaobyte" tests/cases --authors "$tmp/authors.map"
plan "$tmp/cblas" tests/cases
# Kernels of halves are made for functions of halves alone.
for dtype in float16 bfloat16; do
	mkdir "$tmp/$dtype"
	for file in tests/cases/*.kv; do
		sed "s/\[\*\]float32|\[\*\]float64/[*]$dtype/g" "$file" \
		    >"$tmp/$dtype/${file##*/}"
	done
	plan "$tmp/miaobyte,$dtype" "$tmp/$dtype" --authors "$tmp/authors.map"
	plan "$tmp/cblas,$dtype" "$tmp/$dtype"
done
rows=0
while read -r entry kernels k out dims sum first second third last inputs; do
	[ "$entry" != // ] || continue
	values="$sum $first $second $third $last"
	row </dev/null
	rows=$((rows + 1))
done <"$golden"

# Every function of the cases but what they share has a row.
sed -n 's/^rwfunc \([a-z_0-9]*\).*/\1/p' tests/cases/*.kv | sort >"$tmp/functions"
{ echo heads_attend; sed '/^\/\//d; s/ .*//' $golden; } | sort -u >"$tmp/tested"
same_files 'a case has no values' "$tmp/functions" "$tmp/tested"
[ $rows -ge 27 ] || fail "only $rows rows"
finish
