#!/bin/sh
# SPDX-License-Identifier: MIT
# The build in folders with strange names: it settles, and sources that come and
# go, touched, deleted and lost files cost exactly what they must.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
src="$tmp/s \$o:u'r ü"
out="$tmp/o \$u:t' ü"
KVAOT_CACHE=$KVAOT_OUT/cache
export KVAOT_CACHE
unset MAKEFLAGS CFLAGS LDFLAGS || :

# A copy of the sources without .git and build folders.
mkdir "$src" "$out"
(cd "$KVAOT_TOP" && tar cf - --exclude=./.git --exclude='./out*' .) |
    (cd "$src" && tar xf -)
cd "$out"

fail() {
	echo "$1:"
	cat "$tmp/log"
	exit 1
}

# build WHAT: runs ninja; $ran is what ran besides stamp, sorted.
build() {
	what=$1
	ninja >"$tmp/log" 2>&1 || fail "$what: ninja failed"
	ran=$(sed -n 's/^\[[0-9/]*\] //p' "$tmp/log" | grep -vx stamp | sort)
}

# expect PATTERN: only lines of this pattern ran.
expect() {
	! printf '%s\n' "$ran" | grep -vxE "$1" | grep -q . ||
		fail "$what: expected only '$1'"
}

count() {
	printf '%s\n' "$ran" | grep -cE "$1" || :
}

# How many kernels were compiled, and not found in the cache.
compiled() {
	grep -c '^compile' "$KVAOT_CACHE/stats" || :
}

sh "$src/configure" --quiet --without-check CFLAGS=-O0 >"$tmp/log" 2>&1 ||
	fail configure
build 'first build'
[ "$(count '^kernel kernels/|^kernel .kernels/')" -gt 0 ] ||
	fail 'first build made no fused kernel'
planned=$(wc -l <planner.log)

build 'second build'
expect ''
[ "$(wc -l <planner.log)" -eq "$planned" ] || fail 'the planner ran again'

# Another best level: no kernel of the old one is wanted, all of the new one are.
cp "$src/base/isa.def" "$tmp/isa.def"
echo 'ISA("x86-64-new", 99, "-march=x86-64", "")' >>"$src/base/isa.def"
build 'a level is added'
[ "$(find backends kernels -name '*.x86-64-new.ok' | wc -l)" -eq \
    "$(find backends kernels -name '*.x86-64.ok' | wc -l)" ] ||
	fail 'the best level has not the kernels of the lowest'
build 'after adding a level'
expect ''
cp "$tmp/isa.def" "$src/base/isa.def"
build 'the level is taken back'

# A new source that an old one needs at once, then both gone.
cp "$src/base/str.c" "$tmp/str.c"
echo 'int graph_new(void);' >"$src/base/graph_new.h"
printf '#include "base/graph_new.h"\nint graph_new(void) { return 1; }\n' \
    >"$src/base/graph_new.c"
printf '#include "base/graph_new.h"\nint graph_old(void);\n%s\n' \
    'int graph_old(void) { return graph_new(); }' >>"$src/base/str.c"
build 'a source is added'
[ -e obj/base/graph_new.o ] || fail 'the added source was not compiled'
build 'after adding a source'
expect ''
rm "$src/base/graph_new.c" "$src/base/graph_new.h"
cp "$tmp/str.c" "$src/base/str.c"
build 'a source is deleted'
build 'after deleting a source'
expect ''
mkdir "$src/gen/graph_new"
echo 'extern int graph_new;' >"$src/gen/graph_new/x.c"
build 'a folder is added'
[ -e obj/gen/graph_new/x.o ] || fail 'the added folder was not compiled'
rm -r "$src/gen/graph_new"
build 'a folder is deleted'

# Back ends written by hand depend on their files, but the cache knows them.
before=$(compiled)
find "$src" -type f -exec touch {} +
build 'all is touched'
expect '|configure|cc .*|link .*|archive .*|gather|plan|backends|kernel .?backends/.*'
[ "$(count '^(cc|link) ')" -gt 0 ] || fail 'touching compiled no tool'

receipt=$(find kernels -name '*.ok' | sort | head -n 1)
rm "$receipt"
build 'a receipt is deleted'
expect '|kernel .*|seal'
[ "$(count '^kernel ')" -eq 1 ] || fail 'one deleted receipt is one kernel'
source=$(find kernels -name '*.c' | sort | head -n 1)
rm "$source"
build 'a kernel source is deleted'
[ -e "$source" ] || fail 'the deleted kernel source was not made again'
build 'at the end'
expect ''
[ "$(compiled)" -eq "$before" ] || fail 'a kernel was compiled again'

# Contents decide, also those of a header that back ends share. The cache, which
# outlives this test, has never seen this text.
echo "#define GRAPH_NEW $(date +%s%N)" >>"$src/kernels/ref/other.h"
build 'a header of back ends is edited'
[ "$(compiled)" -gt "$before" ] || fail 'no back end was compiled again'
build 'after the edit'
expect ''
