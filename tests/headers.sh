#!/bin/sh
# SPDX-License-Identifier: MIT
# Every header compiles alone, so it includes what it needs.
set -eu
cd "${KVAOT_TOP:-$(dirname "$0")/..}"
clang=${KVAOT_CC:-clang-19}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# alone HEADER FLAG...: as the only thing in a source.
alone() {
	header=$1
	shift
	printf '#include "%s"\nextern int x;\n' "$header" >"$tmp/x.c"
	"$clang" -fsyntax-only -Wall -Wextra -Werror "$@" "$tmp/x.c" || {
		echo "$header does not compile alone"
		bad=1
	}
}

# A header that includes what a macro names expands a table; it needs the macro.
for header in $(find base space clang cache kv ops gen runtime tests include \
    -name '*.h' | sort); do
	! grep -qE '^#[ 	]*include [A-Z]' "$header" || continue
	alone "$header" -std=c11 -Wpedantic -D_GNU_SOURCE -I.
done
# The headers beside an author's kernels are parts of them; those of vec/ are not,
# but for one that is included once for each dtype and needs its macros.
for header in $(cd kernels && find vec -name '*.h' | sort); do
	! grep -q '^NAME(' "kernels/$header" || continue
	for isa in x86-64 x86-64-v3 x86-64-v4; do
		alone "$header" -std=gnu11 -nostdinc -Wno-psabi \
		    -Wno-unused-function -march=$isa "-DK_ISA=\"$isa\"" \
		    -Ikernels -Iinclude
	done
done
exit $bad
