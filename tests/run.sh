#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: run.sh BUILD TIER...
# Runs the unit tests and the shell tests of the tiers; the last line counts
# both. Tests get the folders KVAOT_TOP, KVAOT_OUT and KVAOT_BIN and the
# compiler of kernels KVAOT_CC, and run in KVAOT_TOP; a shell test fails unless
# it exits 0. Those of the quick tier run as many at once as there are CPUs (or
# KVAOT_JOBS), in the order in which tiers.conf has them; those of the full one
# have the machine to themselves.
set -eu
LC_ALL=C
[ $# -ge 2 ] || { echo 'usage: run.sh BUILD TIER...' >&2; exit 2; }
KVAOT_TOP=$(cd "$(dirname "$0")/.." && pwd -P)
KVAOT_OUT=$(cd "$1" && pwd -P)
KVAOT_CC=$(sed -n 's/^clang	//p' "$KVAOT_OUT/kvobj.conf")
KVAOT_BIN=$KVAOT_OUT/bin
export LC_ALL KVAOT_TOP KVAOT_OUT KVAOT_CC KVAOT_BIN
shift
cd "$KVAOT_TOP"
run_log=$(mktemp -d)
export run_log
trap 'rm -rf "$run_log"' EXIT

# The last line of the unit tests is `N passed, M failed`; a run that dies before
# it counts as one failure.
unit() {
	status=0
	KVAOT_TOP=. "$KVAOT_OUT/bin/check" >"$run_log/unit" 2>&1 || status=$?
	cat "$run_log/unit"
	count=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' \
	    "$run_log/unit")
	passed=$((${count% *}0 / 10))
	failed=$((${count#* }0 / 10))
	[ $status -eq 0 ] || [ $failed -gt 0 ] || failed=1
}

# Each leaves a file named after how it ended; what it printed is shown in one
# piece, when it is over.
run_one='
name=$1 begun=$(date +%s) end=passed
sh "tests/$name.sh" >"$run_log/$name.out" 2>&1 || end=FAILED
{
	[ $end = passed ] || sed "s/^/    /" "$run_log/$name.out"
	echo "$end: $name, $(($(date +%s) - begun)) s"
} >"$run_log/$name.says"
cat "$run_log/$name.says"
: >"$run_log/$name.$end"'

unit
for tier do
	jobs=1
	[ "$tier" != quick ] || jobs=${KVAOT_JOBS:-$(nproc)}
	sed -n "s/^$tier //p" tests/tiers.conf |
	    xargs -P "$jobs" -n 1 sh -c "$run_one" run_one
	for name in $(sed -n "s/^$tier //p" tests/tiers.conf); do
		if [ -e "$run_log/$name.passed" ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
	done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
