#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the libraries of others that bench/bench.sh compares with into a
# folder; the system stays as it is.
set -eu

usage() {
	cat <<-END
	Usage: bench/peers.sh [FOLDER]

	Installs what can be had into FOLDER [out/peers], of some 1.2 GB: from npm
	ONNX Runtime and ggml (the prebuilt one of node-llama-cpp), from Debian
	oneDNN, numpy and PyTorch. Says in a line each what cannot be had.
	END
	exit "$1"
}

[ $# -le 1 ] || usage 2 >&2
case ${1-} in
--help) usage 0 ;;
-*) usage 2 >&2 ;;
esac
mkdir -p -- "${1:-out/peers}"
cd -- "${1:-out/peers}"

without() {
	echo "peers.sh: without $*" >&2
}

# from_npm NAME PACKAGE: installs it beside the others.
from_npm() {
	[ ! -d "node_modules/$2" ] || return 0
	npm install --prefix . --ignore-scripts --no-audit --no-fund \
	    --fetch-retries 1 "$2" >npm.log 2>&1 ||
		without "$1: npm cannot install $2 ($(pwd)/npm.log says why)"
}

# from_debian PACKAGE...: unpacks them and what they need, but for what is
# installed, into debian/.
from_debian() {
	[ ! -d debian ] || return 0
	mkdir -p archives/partial
	apt-get install -y --download-only --reinstall --no-install-recommends \
	    -o Debug::NoLocking=1 -o Dir::Cache::archives="$(pwd)/archives" \
	    "$@" >apt.log 2>&1 || {
		without "$*: apt-get cannot have them ($(pwd)/apt.log says why)"
		return 0
	}
	mkdir debian.new
	for archive in archives/*.deb; do
		dpkg-deb -x "$archive" debian.new
	done
	rm -r archives
	mv debian.new debian
}

if command -v npm >/dev/null; then
	from_npm 'ONNX Runtime' onnxruntime-node
	from_npm ggml @node-llama-cpp/linux-x64
else
	without 'ONNX Runtime and ggml: there is no npm'
fi
if command -v apt-get >/dev/null; then
	from_debian libdnnl2 libpython3.11 libpython3.11-minimal \
	    libpython3.11-stdlib python3-numpy python3-torch
else
	without 'oneDNN, numpy and PyTorch: there is no apt-get'
fi
