#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: fuzz.sh [SECONDS [READER...]]
# Each reader of tests/fuzz/readers.def (or those named) under libFuzzer and the
# sanitizers, from its corpus on, for so many seconds: KVAOT_FUZZ_SECONDS when
# none are given, else 20; one a CPU at a time. An input that brings one down is
# kept in fuzz/ of the build folder, with what was said of it.
. "$(dirname "$0")/lib.sh"
seconds=${1:-${KVAOT_FUZZ_SECONDS:-20}}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^READER(\([a-z_]*\)).*/\1/p' \
    "$KVAOT_TOP/tests/fuzz/readers.def")
ninja -C "$KVAOT_OUT" fuzz >"$tmp/log" 2>&1 ||
    die 'ninja fuzz failed (it needs libclang-rt of that clang)' "$tmp/log"
kept=$KVAOT_OUT/fuzz
mkdir -p "$kept"

fuzz_reader() {
	reader=$1 seeds=$KVAOT_TOP/tests/fuzz/corpus/$1
	[ -d "$seeds" ] || die "no corpus $seeds"
	mkdir "$tmp/$reader"
	words=$KVAOT_TOP/tests/fuzz/$reader.dict
	[ -e "$words" ] && words=-dict=$words || words=-verbosity=1
	"$bin/fuzz" "--reader=$reader" -max_total_time="$seconds" -timeout=30 \
	    -rss_limit_mb=1024 -max_len=16384 "$words" \
	    -artifact_prefix="$kept/$reader-" \
	    "$tmp/$reader" "$seeds" >"$tmp/$reader.log" 2>&1 || {
		cp "$tmp/$reader.log" "$kept"
		grep -aE 'ERROR|internal error|SUMMARY|Test unit' \
		    "$tmp/$reader.log" || tail -n 20 "$tmp/$reader.log"
		fail "$reader has a fault; see $kept"
		return
	}
	[ -z "${VERBOSE-}" ] || echo "$reader: $(grep -a '^Done' \
	    "$tmp/$reader.log")"
}

# every N FIRST READER...: each N-th reader from FIRST on.
every() {
	step=$1 skip=$2
	shift 2
	for reader do
		[ $((skip % step)) -ne 0 ] || fuzz_reader "$reader"
		skip=$((skip + 1))
	done
	finish
}

cpus=$(nproc) pids=
while [ "$cpus" -gt "$(echo $pids | wc -w)" ]; do
	every "$cpus" "$(echo $pids | wc -w)" "$@" &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || failed=1
done
finish
