#!/bin/sh
# SPDX-License-Identifier: MIT
# Every #include goes to a lower floor or stays in its folder (HACKING.md).
set -eu
cd "${KVAOT_TOP:-$(dirname "$0")/..}"

# check FOLDER: prints each include that goes up, and fails if there is one. A
# table to expand is named by a macro (`#define IR_DEF "gen/ir/common.def"`).
check() {
	(cd "$1" && grep -rnE '^[ 	]*#[ 	]*(include|define [A-Z_]*_DEF ")' \
	    --include='*.[ch]' --include='*.def' include base space clang \
	    cache kv ops gen runtime kernels templates) | awk -F: '
	BEGIN {
		split("include 0 base 1 space 2 clang 2 cache 3 kv 3 ops 3 " \
		    "gen 4 runtime 4", f, " ")
		for (i = 1; i in f; i += 2)
			floor[f[i]] = f[i + 1]
	}
	function refuse(why) {
		print $1 ":" $2 ": " $3 ": " why
		bad = 1
	}
	{
		from = $1
		sub(/\/.*/, "", from)
		kind = substr($3, match($3, /[<"]/), 1)
		name = substr($3, RSTART + 1)
		sub(/[>"].*/, "", name)
		to = name
		sub(/\/.*/, "", to)
	}
	from == "kernels" || from == "templates" {
		own = from == "kernels" && index($1, "kernels/" to "/") == 1
		own = own || from == "kernels" && to == "ref"
		if (kind != "\"" || name != "kvk.h" && to != "vec" && !own)
			refuse("kernels include only kvk.h, vec/, ref/ and their folder")
		next
	}
	$1 == "include/kvk.h" { refuse("kvk.h includes nothing"); next }
	kind == "<" {
		if (to ~ /^(clang|llvm)(-c)?$/ && from != "clang")
			refuse("only clang/ includes clang and LLVM")
		next
	}
	$3 ~ /include [A-Z_]*_DEF$/ { next }
	kind != "\"" { refuse("an include must name its file"); next }
	!(to in floor) || name == to { refuse("not a folder of a floor"); next }
	to != from && floor[to] >= floor[from] {
		refuse(to "/ is not below " from "/")
	}
	END { exit bad }'
}

check .

# A check that cannot fail is none: each planted include must be refused.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/include" "$tmp/base" "$tmp/space" "$tmp/clang" "$tmp/cache" \
    "$tmp/kv" "$tmp/ops" "$tmp/gen" "$tmp/runtime" "$tmp/kernels" \
    "$tmp/kernels/ref" "$tmp/kernels/miaobyte" "$tmp/templates"
plant() {
	echo "#include $2" >"$tmp/$1"
	if check "$tmp" >"$tmp/said"; then verdict=taken; else verdict=refused; fi
	rm "$tmp/$1"
	[ $verdict = "$3" ] || {
		echo "planted #include $2 in $1: expected $3, was $verdict"
		exit 1
	}
}
plant base/x.c '"base/str.h"' taken
plant runtime/x.c '"include/kvk.h"' taken
plant clang/x.c '<clang-c/Index.h>' taken
plant kernels/ref/x.c '"ref/map.h"' taken
plant kernels/miaobyte/x.c '"ref/add.c"' taken
plant kernels/ref/x.c '"miaobyte/reduce.h"' refused
plant templates/x.c '"ref/map.h"' refused
plant base/x.c '"space/value.h"' refused
plant space/x.h '"gen/ir/ir.h"' refused
plant gen/x.c '"runtime/load.h"' refused
plant kv/x.c '"ops/ops.def"' refused
plant cache/x.c '<clang-c/Index.h>' refused
plant include/kvk.h '<stdint.h>' refused
plant kernels/ref/x.c '<math.h>' refused
plant templates/x.c '"base/str.h"' refused
plant gen/x.c '"x.h"' refused
plant gen/x.c 'IR_DEF' taken
plant gen/x.c 'FILE' refused
