#!/bin/sh
# SPDX-License-Identifier: MIT
# Every back end of the published library against the plainest C of its op, some
# cases of each; and whether such a run finds the faults that it is for.
. "$(dirname "$0")/lib.sh"
find_refs
exits 0 "$bin/checkk" --lib "$KVAOT_OUT/lib" --ref "$refs" --cases 150
grep -v '^ok ' "$tmp/out" || :

# The same choice, the same data: what is printed can be run again.
exits 0 "$bin/checkk" --lib "$KVAOT_OUT/lib" --ref "$refs" --case 700 add
grep -q '^ok .*·add float32 x86-64: 1 of [0-9]* cases$' "$tmp/out" ||
	fail '--case runs another number of cases'

# What movements do with large results, done with small ones.
for op in transpose constant; do
	for isa in x86-64 x86-64-v3; do
		"$KVAOT_CC" -c -std=gnu11 -O2 "-march=$isa" "-DK_ISA=\"$isa\"" \
		    -DMOVE_PAST=512 -DKV_PAST=512 -ffp-contract=off -fPIC \
		    -fvisibility=hidden -nostdinc -Wno-psabi \
		    -I"$KVAOT_TOP/include" -I"$KVAOT_TOP/kernels" \
		    -o "$tmp/past.o" "$KVAOT_TOP/kernels/miaobyte/$op.c"
		mkdir -p "$tmp/past"
		ld -shared -s -o "$tmp/past/$op.$isa.so" "$tmp/past.o"
	done
done
exits 0 "$bin/checkk" --objects "$tmp/past" --ref "$refs" --cases 150
grep -v '^ok ' "$tmp/out" || :

# finds NUMBER TEXT: a run of tests/harness/faults.c with this fault ends in a
# red line for each row, the last of which says TEXT; 0: in none.
finds() {
	"$KVAOT_CC" -c -std=gnu11 -O1 -march=x86-64 -ffp-contract=off -fPIC \
	    -fvisibility=hidden -nostdinc -Wall -Wextra -Werror -Wno-psabi \
	    -Wno-unused -DFAULT="$1" -I"$KVAOT_TOP/include" -o "$tmp/fault.o" \
	    "$KVAOT_TOP/tests/harness/faults.c"
	mkdir -p "$tmp/faults"
	ld -shared -s -o "$tmp/faults/neg.so" "$tmp/fault.o"
	exits $(($1 > 0)) "$bin/checkk" --objects "$tmp/faults" --ref "$refs" \
	    --seconds 1
	[ "$1" -eq 0 ] || says "$tmp/out" 'FAIL deepx/scratch·neg float32 x86-64' \
	    "fault $1"
	sed '$d' "$tmp/out" | tail -n 1 | grep -qE -- "$2" || {
		cat "$tmp/out"
		fail "fault $1: expected '$2'"
	}
}
finds 0 ': [0-9]+ of [0-9]+ cases$'
finds 1 'killed by signal 11$'                # writes one element too far
finds 2 'wrote outside its output$'           # and one before
finds 3 'killed by signal 11$'                # reads one element too far
finds 4 'killed by signal 11$'                # and one before
finds 5 'element [0-9]+ of .*, expected '     # a wrong lane in the tail
finds 6 '\[37\]: killed by signal 11$'        # dies at one size
finds 7 'element 0 has other bytes '          # a piece begins elsewhere
finds 8 'killed by signal 11$'                # expects alignment
finds 9 'expected 0x7fc00000 '                # keeps a NaN's payload
finds 10 'expected 0'                         # flushes denormals
finds 11 ' of 0x.* is 0x.*, expected '        # writes to its input
finds 12 'over an input: .* other bytes '     # cannot work in place
finds 13 'wrote outside its scratch memory$'  # more scratch than it asks for
finds 14 'killed by signal (9|24)$'           # never returns
finds 15 '\[128\] .* element 127 of '         # wrong at one size
finds 16 ' off: element 0 has other bytes '   # wrong at one alignment
finds 17 'is 0x0, expected 0x80000000 '         # loses the sign of zero
finds 18 'returned 3, expected 0$'            # refuses
case $(sed -n 's/^flags[^:]*: *//p' /proc/cpuinfo | head -n 1) in
*avx2*) finds 19 'x86-64-v3: .*\[70\] .*, expected ' ;; # wrong at one level
esac

exits 0 "$bin/checkk" --help
says "$tmp/out" 'usage: checkk' 'help'
exits 2 "$bin/checkk" --lib "$KVAOT_OUT/lib"
exits 2 "$bin/checkk" --lib "$KVAOT_OUT/lib" --ref
exits 2 "$bin/checkk" --lib "$KVAOT_OUT/lib" --ref "$refs" --cases many
exits 2 "$bin/checkk" --lib "$KVAOT_OUT/lib" --ref "$refs" --json
exits 3 "$bin/checkk" --lib "$KVAOT_OUT/lib" --ref "$tmp/none"
exits 3 "$bin/checkk" --lib "$KVAOT_OUT/lib" --ref "$refs" nothing
says "$tmp/err" 'there is no back end of nothing' 'an op that is none'

exits 0 "$bin/checkk" --bench --lib "$KVAOT_OUT/lib" --ref "$refs" \
    --elements 100 --json exp sum matmul
json "$tmp/out" 'checkk --bench'
says "$tmp/out" '{"opcode":"deepx/miaobyte·exp","dtype":"float32","isa":"x86-64","elements":100,"bytes":800,"call_ps":' 'what was measured'
exits 0 "$bin/checkk" --bench --lib "$KVAOT_OUT/lib" --ref "$refs" exp
says "$tmp/out" 'ns/call   ns/elem     GB/s    x ref' 'the table'
finish
