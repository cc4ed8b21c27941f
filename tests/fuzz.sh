#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: fuzz.sh [SECONDS [READER...]]
# Each reader of tests/fuzz/readers.def (or those named) under libFuzzer and the
# sanitizers, from its corpus on, for so many seconds: KVAOT_FUZZ_SECONDS when
# none are given, else 2. An input that brings one down is kept in fuzz/ of the
# build folder, with what was said of it.
. "$(dirname "$0")/lib.sh"
seconds=${1:-${KVAOT_FUZZ_SECONDS:-2}}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^READER(\([a-z_]*\)).*/\1/p' \
    "$KVAOT_TOP/tests/fuzz/readers.def")
ninja -C "$KVAOT_OUT" fuzz >"$tmp/log" 2>&1 ||
    die 'ninja fuzz failed (it needs libclang-rt of that clang)' "$tmp/log"
kept=$KVAOT_OUT/fuzz
mkdir -p "$kept"

for reader do
	seeds=$KVAOT_TOP/tests/fuzz/corpus/$reader
	[ -d "$seeds" ] || die "no corpus $seeds"
	mkdir "$tmp/$reader"
	words=$KVAOT_TOP/tests/fuzz/$reader.dict
	[ -e "$words" ] && words=-dict=$words || words=-verbosity=1
	"$bin/fuzz" "--reader=$reader" -max_total_time="$seconds" -timeout=10 \
	    -rss_limit_mb=1024 -max_len=16384 "$words" \
	    -artifact_prefix="$kept/$reader-" \
	    "$tmp/$reader" "$seeds" >"$tmp/log" 2>&1 || {
		cp "$tmp/log" "$kept/$reader.log"
		grep -aE 'ERROR|internal error|SUMMARY|Test unit' "$tmp/log" ||
			tail -n 20 "$tmp/log"
		fail "$reader has a fault; see $kept"
		continue
	}
	[ -z "${VERBOSE-}" ] || echo "$reader: $(grep -a '^Done' "$tmp/log")"
done
finish
