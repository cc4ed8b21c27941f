#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the kernels of a build folder, with one thread and with two, next to
# the libraries of others in its folder peers.
set -eu

usage() {
	cat <<-END
	Usage: bench/bench.sh [BUILD-FOLDER [OPTION]...]

	Measures the library of BUILD-FOLDER [out] and bench/lib on top of it. Prints
	a table; it and the figures as JSON go to bench.md and bench.json there. For
	others to compare with run bench/peers.sh BUILD-FOLDER/peers before.

	Options are those of bin/bench, e.g. --case='softmax:float32:*': the cases to
	measure, or --rounds=9. bin/bench --help lists them.
	END
	exit "$1"
}

case ${1-} in
--help) usage 0 ;;
-*) usage 2 >&2 ;;
esac
top=$(cd "$(dirname "$0")/.." && pwd -P)
build=${1:-out}
[ $# -eq 0 ] || shift
[ -x "$build/bin/bench" ] || {
	echo "bench.sh: no $build/bin/bench: run ninja -C $build bin/bench" >&2
	exit 3
}
build=$(cd "$build" && pwd -P)
debian=$build/peers/debian
"$build/bin/kvaot" gen -o "$build/bench" "$top/bench/lib"
ninja -C "$build/bench" --quiet
sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1
if [ -d "$build/peers" ]; then
	set -- "--peers=$build/peers" "$@"
else
	echo "bench.sh: alone; for others run bench/peers.sh $build/peers"
fi
library=usr/lib/x86_64-linux-gnu
for threads in 1 2; do
	# OpenMP's threads are those of oneDNN and PyTorch.
	OMP_NUM_THREADS=$threads \
	LD_LIBRARY_PATH=$debian/$library:$debian/lib/x86_64-linux-gnu:$debian/usr/lib \
	    "$build/bin/bench" --lib="$build/bench/lib" --threads=$threads \
	    --json="$build/bench.json.$threads" \
	    --table="$build/bench.md.$threads" "$@"
done
for form in json md; do
	cat "$build/bench.$form.1" "$build/bench.$form.2" >"$build/bench.$form"
	rm "$build/bench.$form.1" "$build/bench.$form.2"
done
