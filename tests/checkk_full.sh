#!/bin/sh
# SPDX-License-Identifier: MIT
# All cases of every back end, at every level that this CPU runs, with the data of
# the seed KVAOT_SEED; then some of them with back ends that die where C leaves open what happens: a signed
# overflow in an index, an access that is not aligned as its type says, a shift
# too far.
. "$(dirname "$0")/lib.sh"
find_refs
seed=${KVAOT_SEED:-1}

# A library with the kernels of all levels.
out=$tmp/all
KVAOT_CACHE=${KVAOT_CACHE:-$KVAOT_OUT/cache}
export KVAOT_CACHE
sh "$KVAOT_TOP/configure" --build-dir="$out" --isa=all --without-check \
    >"$tmp/log" 2>&1 || die configure "$tmp/log"
build 'the library of all levels'
exits 0 "$bin/checkk" --lib "$out/lib" --ref "$refs" --seed "$seed"
grep -v '^ok ' "$tmp/out" || :

# trapping ISA OBJECT SOURCE FLAG...: floats may be divided by 0, and functions
# of the caller carry no type to check.
trapping() {
	isa=$1 object=$2 source=$3
	shift 3
	"$KVAOT_CC" -c -std=gnu11 -O1 -march="$isa" -ffp-contract=off \
	    -fno-math-errno -fPIC -fvisibility=hidden -nostdinc -w \
	    -fsanitize=undefined -fno-sanitize=float-divide-by-zero,function \
	    -fsanitize-trap=all "-DK_ISA=\"$isa\"" -I"$KVAOT_TOP/kernels" \
	    -I"$KVAOT_TOP/include" -o "$tmp/trap.o" "$@" "$source"
	ld -shared -s -o "$object" "$tmp/trap.o"
}

levels=$(sed -n 's/^ok .* \(x86-64[^:]*\): .*/\1/p' "$tmp/out" | sort -u)
[ -n "$levels" ] || die 'no back end was checked'
mkdir "$tmp/traps" "$tmp/fault"
number=0
for source in "$KVAOT_TOP"/kernels/miaobyte/*.c "$KVAOT_TOP"/kernels/cblas/*.c \
    "$KVAOT_OUT"/backends/*.c; do
	for isa in $levels; do
		number=$((number + 1))
		trapping "$isa" "$tmp/traps/$number.so" "$source"
	done
done
exits 0 "$bin/checkk" --objects "$tmp/traps" --ref "$refs" --seed "$seed" \
    --cases 500
grep -v '^ok ' "$tmp/out" || :

trapping x86-64 "$tmp/fault/neg.so" "$KVAOT_TOP/tests/harness/faults.c" \
    -DFAULT=20
exits 1 "$bin/checkk" --objects "$tmp/fault" --ref "$refs"
says "$tmp/out" 'killed by signal 4' 'an index that overflows'
finish
