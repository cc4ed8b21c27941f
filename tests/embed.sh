#!/bin/sh
# SPDX-License-Identifier: MIT
# libkvaot as its users have it: the examples built through pkg-config, shared
# and static; only kvaot* is exported; 8 threads and a live swap, also under
# ThreadSanitizer.
. "$(dirname "$0")/lib.sh"
made=$KVAOT_OUT/embed
library=$KVAOT_OUT/lib
[ -f "$made/libkvaot.so.0" ] || die "there is no $made/libkvaot.so.0"

# What is exported, and what the shared object needs.
nm -D --defined-only "$made/libkvaot.so.0" | sed 's/.* //' >"$tmp/symbols"
[ "$(grep -c '^kvaot[A-Z]' "$tmp/symbols")" -eq \
    "$(grep -c '^KVAOT_API ' "$KVAOT_TOP/include/kvaot.h")" ] ||
	fail "exported: $(echo $(cat "$tmp/symbols"))"
! grep -v '^kvaot[A-Z]' "$tmp/symbols" || fail 'these are exported too'
nm --defined-only -g "$made/libkvaot.a" | sed -n 's/.* T //p' |
    grep -v '^kvaot[A-Z]' >"$tmp/extra" || :
[ ! -s "$tmp/extra" ] || fail "libkvaot.a defines $(head -n 1 "$tmp/extra")"
readelf -d "$made/libkvaot.so.0" >"$tmp/dynamic"
says "$tmp/dynamic" '[libkvaot.so.0]' 'its SONAME'
sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$tmp/dynamic" |
    grep -vxE 'lib(c|m)\.so\.6|ld-linux-.*' >"$tmp/extra" || :
[ ! -s "$tmp/extra" ] || fail "libkvaot needs $(echo $(cat "$tmp/extra"))"

# Installed, in a folder with a blank in its name.
prefix="$tmp/in stalled"
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
cp -P "$made"/libkvaot.so* "$made/libkvaot.a" "$prefix/lib"
cp "$KVAOT_TOP/include/kvaot.h" "$prefix/include"
ln -s "$prefix" "$tmp/prefix"
sed "s!@prefix@!$tmp/prefix!; s!@libdir@!\${prefix}/lib!
    s!@includedir@!\${prefix}/include!; s!@version@!0!" \
    "$KVAOT_TOP/kvaot.pc.in" >"$prefix/lib/pkgconfig/kvaot.pc"
PKG_CONFIG_PATH=$tmp/prefix/lib/pkgconfig
LD_LIBRARY_PATH=$tmp/prefix/lib
export PKG_CONFIG_PATH LD_LIBRARY_PATH
flags=$(pkg-config --cflags --libs kvaot)
static=$(pkg-config --static --cflags --libs kvaot |
    sed 's/-lkvaot/-l:libkvaot.a/')
cxx=$(command -v c++ || echo "$KVAOT_CC" | sed 's/clang\(-[0-9]*\)*$/clang++\1/')
warn='-Wall -Wextra -Wpedantic -Werror'
examples=$KVAOT_TOP/tutorial/embed

# compiles COMMAND...: quietly.
compiles() {
	"$@" >"$tmp/log" 2>&1 || die "does not compile: $*" "$tmp/log"
}

compiles "$KVAOT_CC" -std=c99 $warn "$examples/softmax.c" $flags -o "$tmp/c"
compiles "$KVAOT_CC" -std=c99 $warn "$examples/softmax.c" $static \
    -o "$tmp/static"
compiles "$cxx" -std=c++11 $warn "$examples/softmax.cpp" $flags -o "$tmp/cpp"
cat >"$tmp/rows" <<'END'
0.0900 0.2447 0.6652
0.3333 0.3333 0.3333
END
for program in c static cpp; do
	for at in "$library" "$library/current/image"; do
		exits 0 "$tmp/$program" "$at"
		grep -v '^softmax of 2x3 gives 2x3$' "$tmp/out" >"$tmp/numbers"
		cmp -s "$tmp/numbers" "$tmp/rows" ||
			fail "$program prints $(cat "$tmp/out")"
	done
	exits 1 "$tmp/$program" "$tmp/absent"
	says "$tmp/err" 'holds no published library' "$program"
done
unset LD_LIBRARY_PATH
exits 0 "$tmp/static" "$library"

# 8 threads, two libraries, one swapped live.
cp -R "$library" "$tmp/second"
threads=$KVAOT_TOP/tests/embed/threads.c
compiles "$KVAOT_CC" -std=c11 -D_GNU_SOURCE -O2 $warn -pthread "$threads" \
    $static -o "$tmp/threads"
exits 0 "$tmp/threads" "$library" "$tmp/second"
says "$tmp/out" ' 0 wrong' threads

# Products by OpenBLAS from 4 threads, and in children; or none at all.
products=$KVAOT_TOP/tests/embed/products.c
compiles "$KVAOT_CC" -std=c11 -D_GNU_SOURCE -O2 $warn -pthread "$products" \
    $static -o "$tmp/products"
exits 0 timeout 60 "$tmp/products" "$library"
says "$tmp/out" '200 products, 0 wrong' products
exits 1 env "KVAOT_BLAS=$tmp/absent" "$tmp/products" "$library"
says "$tmp/err" 'products: -2 EnvironmentError: deepx/cblas·matmul needs OpenBLAS: ' \
    'products without BLAS'

# The same, all of it compiled with ThreadSanitizer, which must be able to see
# a race here.
tsan="$KVAOT_CC -std=c11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -pthread"
cat >"$tmp/race.c" <<'END'
#include <pthread.h>
static int n;
static void *add(void *p) { for (int i = 0; i < 100000; i++) n++; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0);
	pthread_join(t, 0); return 0; }
END
compiles $tsan "$tmp/race.c" -o "$tmp/race"
! "$tmp/race" 2>"$tmp/err" || fail 'ThreadSanitizer does not see a race'
says "$tmp/err" 'data race' 'ThreadSanitizer'
mkdir "$tmp/obj"
cd "$KVAOT_TOP"
for file in $(grep -L '^main(' base/*.c space/*.c kv/*.c ops/*.c runtime/*.c)
do
	compiles $tsan -I. -c "$file" -o "$tmp/obj/$(echo "$file" | tr / .).o"
done
compiles $tsan -Iinclude "$threads" "$tmp/obj"/*.o -lm -ldl -o "$tmp/threads"
exits 0 "$tmp/threads" "$library" "$tmp/second"
says "$tmp/out" ' 0 wrong' 'threads under ThreadSanitizer'
[ ! -s "$tmp/err" ] || fail "ThreadSanitizer: $(head -n 20 "$tmp/err")"
# It does not run threads in a child of many.
compiles $tsan -Iinclude "$products" "$tmp/obj"/*.o -lm -ldl -o "$tmp/products"
exits 0 "$tmp/products" "$library" nofork
says "$tmp/out" ' 0 wrong' 'products under ThreadSanitizer'
[ ! -s "$tmp/err" ] || fail "ThreadSanitizer: $(head -n 20 "$tmp/err")"
finish
