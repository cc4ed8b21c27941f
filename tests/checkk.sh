#!/bin/sh
# SPDX-License-Identifier: MIT
# Every back end of the published library against the plainest C of its op:
# compiles kernels/ref/ and runs checkk.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for file in kernels/ref/*.c; do
	stem=${file##*/}
	stem=${stem%.c}
	"${KVAOT_CC:-clang-19}" -c -std=gnu11 -O2 -march=x86-64 -ffp-contract=off \
	    -fno-math-errno -fPIC -fvisibility=hidden -nostdinc -Wall -Wextra \
	    -Werror -Wno-psabi '-DK_ISA="x86-64"' -Ikernels -Iinclude \
	    -o "$tmp/$stem.o" "$file"
	ld -shared -s -o "$tmp/$stem.so" "$tmp/$stem.o"
	rm "$tmp/$stem.o"
done
"$KVAOT_OUT/bin/checkk" --lib "$KVAOT_OUT/lib" --ref "$tmp"
