#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: damage.sh [all]
# Files of a library and of a build, cut at lengths and with bytes flipped: the
# tool that reads one refuses it by name and dies of no signal. `all`: every
# length and byte; else 300 of files from 4 KiB on.
. "$(dirname "$0")/lib.sh"
copy_build "$tmp/c"
"$KVAOT_CC" -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -o "$tmp/damage" \
    "$KVAOT_TOP/tests/tools/damage.c"
most=300
[ "${1-}" != all ] || most=0

# refused FILE COMMAND...
refused() {
	file=$1 n=$most
	[ -f "$file" ] || die "no file $file"
	chmod u+w "$file"
	[ "$(wc -c <"$file")" -ge 4096 ] || n=0
	shift
	"$tmp/damage" $n "$file" "$@" >"$tmp/said" || {
		cat "$tmp/said"
		fail "$file: damage is not refused: $*"
	}
	[ -z "${VERBOSE-}" ] || tail -n 1 "$tmp/said"
}

kernel=$out/kernels/deepx.softmax,k0,float32,dyn.x86-64.ok
object=$(sed -n 's/^object //p' "$kernel").so
mkdir "$tmp/lib"
cp -R "$out/lib/." "$tmp/lib"
for file in current/image current/manifest "obj/$object"; do
	refused "$tmp/lib/$file" "$out/bin/kvrun" "--lib=$tmp/lib" \
	    --isa=x86-64 --threads=1 --entry=deepx:softmax \
	    --in=A=rand:2x3:float32:7 --in=axis=-1
done
refused "$kernel" "$out/bin/kvobj" show "$kernel"
refused "$kernel" "$out/bin/kvaot" seal -o "$out"
refused "$out/ir.kvs" "$out/bin/kvaot" seal -o "$out"
refused "$KVAOT_CACHE/objects/$(printf %.2s "$object")/$object" \
    "$out/bin/kvobj" show "$kernel"
finish
