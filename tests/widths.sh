#!/bin/sh
# SPDX-License-Identifier: MIT
# Numbers of elements have 64 bits in templates and kernels:
#
# - nothing makes 64 bits 32 ones unasked (clang's -Wshorten-64-to-32);
# - a loop with a shorter index ends at a number, at a constant, which is in
#   capitals, or at one of $few, which count rows or vectors at once;
# - no short variable or parameter has the name of a count, unless its line has
#   the constant that it does not exceed;
# - in templates and back ends each cast to int is one of $casts: what it casts
#   is below a constant. Vectors (vec/) are cast bit by bit and hold 8 elements.
. "$(dirname "$0")/lib.sh"

few='rows|groups|half'
counts='n|count|len|length|total|elements|items|inner|outer|cols|columns'
counts="$counts|width|height|stride|offset"
short='(unsigned int|unsigned|int|short|char|u?int(8|16|32)_t)'
constant='([0-9]+|[A-Z][A-Z0-9_]*)( *[-+*/] *([0-9]+|[A-Z][A-Z0-9_]*))*'

cat >"$tmp/casts" <<'END'
templates/map.c	step(&w, i, (int)(n - i));
templates/rows.c	rest(w, i, (int)(end - i));
templates/cols.c	j * w->width + v * KV_LANES, v, (int)(j % KV_LANES), k };
templates/cols.c	w->k = (int)(left - (w->vecs - 1) * KV_LANES);
kernels/miaobyte/arange.c	return __builtin_convertvector(lane + (int)i, V); \
kernels/miaobyte/arange.c	(int)(hi - lo)); \
kernels/miaobyte/arange.c	kv_put_##S(to + lo, (V)v, (int)(hi - lo)); \
kernels/miaobyte/scan.h	(int)left : KV_LANES);
kernels/miaobyte/uniform.c	value(u, x), V), (int)(hi - lo)); \
kernels/miaobyte/fold.h	int k = (int)(m - i);
kernels/miaobyte/fold.h	NAME(take_rows)(c, &way, 0, (int)(end - j), new, none,
kernels/miaobyte/reduce.h	.k = cols < KV_LANES ? (int)cols : KV_LANES,
kernels/miaobyte/argmax.h	int n = (int)(c->n - first < MOST ? c->n - first : MOST);
END

# sources ROOT: the C files of its templates and kernels.
sources() {
	(cd "$1" && find templates kernels -name '*.[ch]' | sort)
}

# narrowing ROOT: where 64 bits become 32.
narrowing() {
	for file in $(sources "$1"); do
		"$KVAOT_CC" -x c -fsyntax-only -std=gnu11 -march=x86-64-v3 \
		    -nostdinc -Wno-everything -Wshorten-64-to-32 '-DK_ISA="x86-64-v3"' \
		    -I"$1/kernels" -I"$KVAOT_TOP/kernels" \
		    -I"$KVAOT_TOP/include" "$1/$file" 2>&1 |
		    grep -- '-Wshorten-64-to-32' || :
	done
}

# loops FILE...: loops with a short index that end at anything else.
loops() {
	grep -nE "for \($short [a-z]+ *=" "$@" /dev/null | grep -vE \
	    "; *[a-z]+ *(<|<=|>|>=|!=) *($constant|($few)( && [^;]*)?) *;" || :
}

# names FILE...: short variables with the name of a count.
names() {
	grep -nE "(^|[(, 	])$short \*?($counts) *([,;)]|= )" "$@" /dev/null |
	    grep -vE '[<?].*[A-Z][A-Z0-9_]{2}' || :
}

# casts ROOT: those in templates and back ends that the list lacks.
casts() {
	(cd "$1" && grep -rE "\($short\) *[a-z(]" templates kernels/miaobyte \
	    kernels/cblas || :) | sed 's/:[ 	]*/	/' |
	    grep -vxF -f "$tmp/casts" || :
}

# lint ROOT: all that is refused in it.
lint() {
	(
		cd "$1"
		loops $(sources .)
		names $(sources .)
	)
	casts "$1"
	narrowing "$1"
}

lint "$KVAOT_TOP" >"$tmp/said"
loops "$KVAOT_OUT"/backends/*.c "$KVAOT_OUT"/kernels/*.c >>"$tmp/said"
names "$KVAOT_OUT"/backends/*.c "$KVAOT_OUT"/kernels/*.c >>"$tmp/said"
[ ! -s "$tmp/said" ] || {
	cat "$tmp/said"
	fail 'a number of elements has fewer than 64 bits'
}

# plant LINE VERDICT: a function with this line.
mkdir -p "$tmp/top/templates" "$tmp/top/kernels/miaobyte" \
    "$tmp/top/kernels/cblas"
plant() {
	printf '#include "kvk.h"\nenum { ROWS = 4 };\nint f(int, const int64_t *);\n%s\n%s\n%s\n' \
	    'int f(int rows, const int64_t *dim) {' "$1" \
	    'return rows + (int)dim[0]; }' >"$tmp/top/templates/x.c"
	printf 'templates/x.c\treturn rows + (int)dim[0]; }\n' >>"$tmp/casts"
	verdict=taken
	lint "$tmp/top" >"$tmp/said"
	[ ! -s "$tmp/said" ] || verdict=refused
	[ "$verdict" = "$2" ] || {
		cat "$tmp/said"
		fail "planted $1: expected $2, was $verdict"
	}
}
plant 'for (int64_t i = 0; i < dim[0]; i++) f(0, dim);' taken
plant 'for (int i = 0; i < 8; i++) f(0, dim);' taken
plant 'for (int i = 0; i < 2 * ROWS - 1; i++) f(0, dim);' taken
plant 'for (int i = 0; i < rows && i < dim[0]; i++) f(0, dim);' taken
plant 'int k = (int)(dim[0] - 3); f(k, dim);' refused
plant 'for (int i = 0; i < dim[0]; i++) f(0, dim);' refused
plant 'int64_t m = *dim; for (int i = 0; i < m; i++) f(i, dim);' refused
plant 'for (unsigned i = 0; i + 8 <= dim[0]; i += 8) f(0, dim);' refused
plant 'for (uint32_t i = 0; i != dim[0]; i++) f(0, dim);' refused
plant 'int n = rows; f(n, dim);' refused
plant 'f(rows + dim[1], dim);' refused
plant 'unsigned bytes = dim[1] * 4; f(bytes, dim);' refused
finish
