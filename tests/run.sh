#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: run.sh BUILD TIER...
# Runs the unit tests and the shell tests of the tiers; the last line counts
# both. Tests get the folders KVAOT_TOP, KVAOT_OUT and KVAOT_BIN and the
# compiler of kernels KVAOT_CC, and run in KVAOT_TOP; a shell test fails unless
# it exits 0.
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
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
passed=0 failed=0

# The last line of the unit tests is `N passed, M failed`; a run that dies before
# it counts as one failure.
unit() {
	status=0
	KVAOT_TOP=. "$KVAOT_OUT/bin/check" >"$log/unit" 2>&1 || status=$?
	cat "$log/unit"
	count=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' \
	    "$log/unit")
	passed=$((passed + ${count% *}0 / 10))
	unit_failed=$((${count#* }0 / 10))
	[ $status -eq 0 ] || [ $unit_failed -gt 0 ] || unit_failed=1
	failed=$((failed + unit_failed))
}

shell_test() {
	if sh "tests/$1.sh" >"$log/$1" 2>&1; then
		echo "passed: $1"
		passed=$((passed + 1))
	else
		sed 's/^/    /' "$log/$1"
		echo "FAILED: $1"
		failed=$((failed + 1))
	fi
}

unit
for tier do
	for name in $(sed -n "s/^$tier //p" tests/tiers.conf); do
		shell_test "$name"
	done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
