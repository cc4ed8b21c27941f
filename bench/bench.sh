#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the kernels of a build folder (out), with one thread and with two,
# next to the peers in its folder peers. The figures go to bench.json there.
set -eu

usage() {
	echo "Usage: bench/bench.sh [BUILD-FOLDER [OPTION OF bin/bench]...]"
	exit "$1"
}

case ${1-} in
--help) usage 0 ;;
-*) usage 2 >&2 ;;
esac
build=${1:-out}
[ $# -eq 0 ] || shift
peer=$build/peers/node_modules/onnxruntime-node/bin/napi-v6/linux/x64
[ -x "$build/bin/bench" ] || {
	echo "bench.sh: no $build/bin/bench: run ninja -C $build bin/bench" >&2
	exit 3
}
if [ -e "$peer/libonnxruntime.so.1" ]; then
	set -- "--ort=$peer/libonnxruntime.so.1" "$@"
else
	echo "bench.sh: no peer; for ONNX Runtime run bench/peers.sh $build/peers"
fi
sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1
for threads in 1 2; do
	"$build/bin/bench" --lib="$build/lib" --threads=$threads \
	    --json="$build/bench.$threads" "$@"
done
cat "$build/bench.1" "$build/bench.2" >"$build/bench.json"
rm "$build/bench.1" "$build/bench.2"
