#!/bin/sh
# SPDX-License-Identifier: MIT
# What a library of 1,000 functions costs: planned, built from nothing and from
# the cache, opened, called. Each function is a chain of its own of 5 to 8 ops,
# for float32 and all levels of a local build, so there are twice as many
# kernels where this machine has a higher level than the baseline. Medians,
# each beside its budget; CPU is of all processes and does not wait for others.
set -eu
LC_ALL=C
export LC_ALL

usage() {
	cat <<-END
	Usage: bench/scale.sh [BUILD-FOLDER [FUNCTIONS]]

	Makes FUNCTIONS [1000] functions in BUILD-FOLDER/scale [out/scale] and
	measures planning, building and calling them. The first run compiles their
	kernels into the cache, some 90 ms of CPU each; later runs find them there.
	END
	exit "$1"
}

case ${1-} in
--help) usage 0 ;;
-*) usage 2 >&2 ;;
esac
[ $# -le 2 ] || usage 2 >&2
build=${1:-out} count=${2:-1000}
[ -x "$build/bin/scale" ] || {
	echo "scale.sh: no $build/bin/scale: run ninja -C $build" >&2
	exit 3
}
bin=$(cd "$build/bin" && pwd -P)
mkdir -p "$build/scale"
cd "$build/scale"
folder=$(pwd -P)
trap 'rm -rf "$folder/away" "$folder/figures" "$folder/log" \
    "$folder/used.0" "$folder/used.1"' EXIT

# functions: files of 50 in functions/, alike for each run.
functions() {
	mkdir -p functions
	awk -v count="$count" '
	function op(name, more, to) {
		printf "\t\tdeepx·%s(%s) -> %s\n", name, more, to >file
	}
	BEGIN {
		split("add sub mul max min div", two)
		split("abs neg relu exp sqrt", one)
		split("abs neg relu exp sqrt mulscalar", more)
		for (i = 0; i < count; i++) {
			if (i % 50 == 0) {
				if (file) { print "}" >file; close(file) }
				file = sprintf("functions/part%03d.kv", i / 50)
				print "lib scale {" >file
			}
			printf "\trwfunc c%04d(A:[*]float32, B:[*]float32) -> " \
			    "(C:[*]float32) {\n", i >file
			k = i
			op(two[k % 6 + 1], "A, B", "t1"); k = int(k / 6)
			op(one[k % 5 + 1], "t1", "t2"); k = int(k / 5)
			op(two[k % 6 + 1], "t2, B", "t3"); k = int(k / 6)
			last = more[k % 6 + 1]
			op(last, last == "mulscalar" ? "t3, 0.5" : "t3", "t4")
			if (i % 3 == 0) {
				op("mul", "t4, A", "C")
			} else if (i % 3 == 1) {
				op("softmax", "t4, -1", "C")
			} else {
				op("sum", "t4, -1, true", "s")
				op("div", "t4, s", "C")
			}
			print "\t}" >file
		}
		print "}" >file
	}'
}

# timed COMMAND...: appends its wall time and CPU time in ms to figures.
timed() {
	times >used.0
	start=$(date +%s%N)
	"$@" >log 2>&1 || { cat log >&2; exit 1; }
	end=$(date +%s%N)
	times >used.1
	cat used.0 used.1 | sed 's/[ms]/ /g' | awk -v ns=$((end - start)) '
	    NR % 2 == 0 { ms = ($1 + $3) * 60000 + ($2 + $4) * 1000 - ms }
	    END { printf "%d %d\n", ns / 1e6, ms }' >>figures
}

# median COLUMN: of figures.
median() {
	cut -d ' ' -f "$1" figures | sort -n |
	    awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# line WHAT BUDGET: the medians of figures, which begins anew.
line() {
	printf '%s\t%s\t%s\tms\tCPU %s ms\n' "$1" "$2" "$(median 1)" \
	    "$(median 2)" | row
	rm figures
}

# row: WHAT TAB BUDGET TAB MEASURED TAB UNIT TAB NOTE as a line of the table.
row() {
	awk -F '\t' '{
		verdict = $2 == "-" ? "" : $3 + 0 < $2 + 0 ? "met" : "missed"
		printf "%-38s %6s %9s %-3s %-7s%s\n", $1, $2, $3, $4, verdict, $5
	}'
}

compiles() {
	"$bin/kvobj" stats --config="$bin/../kvobj.conf" |
	    sed -n 's/^compile	//p'
}

plan() {
	"$bin/kvaot" gen -o library functions
}

both() {
	plan
	ninja -C library
}

# away: the library as if it never was. No i-node gets free, for making files
# right after many were removed is slow on some file systems.
away() {
	moved=$((${moved:-0} + 1))
	mkdir -p "away/$moved"
	mv library "away/$moved"
}

functions
rm -rf library
echo "$count functions; load $(cut -d ' ' -f 1 /proc/loadavg), $(nproc) CPUs"
printf '%-38s %6s %9s\n' '' budget measured
for i in 1 2 3; do
	[ ! -e library ] || away
	timed plan
done
line planned 1000
known=$(compiles)
timed ninja -C library
line "built, $(($(compiles) - known)) kernels compiled" -
for i in 1 2 3 4 5; do timed ninja -C library; done
line 'second ninja' 100
known=$(compiles)
for i in 1 2 3; do
	rm -rf library/kernels library/lib
	timed both
done
line "restored, $(($(compiles) - known)) kernels compiled" 2000
"$bin/scale" --lib=library/lib --small="$bin/../lib" --functions="$count" >log
row <log
