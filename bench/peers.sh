#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the peers that can be had into FOLDER (out/peers): so far ONNX
# Runtime, from npm. Says in one line what is not to be had.
set -eu

usage() {
	echo "Usage: bench/peers.sh [FOLDER]"
	exit "$1"
}

[ $# -le 1 ] || usage 2 >&2
case ${1-} in
--help) usage 0 ;;
-*) usage 2 >&2 ;;
esac
folder=${1:-out/peers}
library=node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1

none() {
	echo "peers.sh: no ONNX Runtime: $*; measuring goes on without it" >&2
	exit 0
}

mkdir -p -- "$folder"
cd -- "$folder"
if [ ! -e "$library" ]; then
	command -v npm >/dev/null || none "npm is not installed"
	npm install --prefix . --ignore-scripts --no-audit --no-fund \
	    --fetch-retries 1 onnxruntime-node >npm.log 2>&1 ||
		none "npm cannot install it ($(pwd)/npm.log says why)"
	[ -e "$library" ] || none "its package has no $library"
fi
echo "$(pwd)/$library"
