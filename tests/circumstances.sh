#!/bin/sh
# SPDX-License-Identifier: MIT
# A build, a cache and a library where things are not as they should be: clocks,
# folders that moved, users without a name or a home, folders that cannot be
# written, full disks. Each ends right, or with exit 3 and one sentence, and what
# was there stays whole.
. "$(dirname "$0")/lib.sh"
# Mounts of a name space of its own go away with it.
if [ -z "${KVAOT_MOUNTS+set}" ]; then
	KVAOT_MOUNTS=
	export KVAOT_MOUNTS
	if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
		KVAOT_MOUNTS=1
		rm -rf "$tmp"
		exec unshare -m sh "$0"
	fi
fi
chmod 755 "$tmp"
copy_build "$tmp/c"
program=$src/tutorial/16-compiler/op_version.kv

# value COMMAND...: runs kvrun by it; softmax has the bytes that it had.
value() {
	exits 0 "$@" "--lib=$library" --entry=deepx:softmax \
	    --in A=rand:7x9:float32:3 --in axis=-1 --digest --strict
	[ "${digest:=$(cat "$tmp/out")}" = "$(cat "$tmp/out")" ] ||
		fail "other bytes: $*: $(cat "$tmp/out")"
}

# sentence FILE: one line on stderr, which names it.
sentence() {
	[ "$(grep -c . "$tmp/err")" -eq 1 ] || {
		head -n 5 "$tmp/err"
		fail "not one sentence about $1"
	}
	says "$tmp/err" "$1" 'the sentence'
}

# whole: no object of the cache is damaged.
whole() {
	exits 0 "$out/bin/kvobj" verify
}

library=$out/lib
value "$out/bin/kvrun"

# --- restored, moved ---

# goes_on WHAT: the build in $src and $out has nothing to do, and does what is.
goes_on() {
	build "$1"
	! echo "$ran" | grep -qE '^(kernel|cc|link)' || fail "$1 ran: $(echo $ran)"
	value "$out/bin/kvrun"
	exits 0 "$out/bin/kvaot" run "$program"
	[ "$(wc -l <"$tmp/out")" -eq 2 ] || fail "$1: run prints not two lines"
	echo '# A comment.' >>"$src/configure"
	echo '// A comment.' >>"$src/lib/nn.kv"
	build "$1, sources edited"
	echo "$ran" | grep -qx configure || fail "$1: configure did not run"
	settled
	whole
}

# at DIR: the copy there is the one to use.
at() {
	program=$1${program#"$from"}
	src=$1${src#"$from"} out=$1${out#"$from"} KVAOT_CACHE=$1/cache
	library=$out/lib from=$1
	[ ! -L "$out/top" ] || ln -sfn "$src" "$out/top"
}

from=$tmp/c
mkdir -p "$tmp/r/else where"
tar -C "$from" -cf - . | tar -C "$tmp/r/else where" -xf -
mv "$from" "$tmp/gone"
at "$tmp/r/else where"
goes_on 'restored from a tar'
mv "$from" "$tmp/moved"
at "$tmp/moved"
goes_on 'moved'
exits 0 make -s -C "$src" help
rm -rf "$tmp/gone"

# --- clocks ---

# A tool made here, so that making it again gives the same bytes.
touch "$src/cache/receipt.h"
build 'a header is touched'
compiles=$(stats compile)
for when in '+67 seconds' 2099-01-01; do
	find "$src/lib" "$src/templates" "$src/kernels" "$src/gen" \
	    "$src/cache/receipt.h" ! -name '*.[ch]' -exec touch -d "$when" {} +
	find "$src/templates" "$src/kernels" "$src/cache/receipt.h" \
	    -exec touch -d "$when" {} +
	build "sources dated $when"
	settled
done
[ "$(stats compile)" -eq "$compiles" ] || fail 'dates compiled a kernel'

# ahead: as if a clock 67 s ahead had made everything, and ninja remembered it.
ahead() {
	find "$out" -type f ! -path '*/obj/*' -exec touch -d '+67 seconds' {} +
	awk -F '\t' -v OFS='\t' -v at="$(date -d '+68 seconds' +%s%N)" \
	    '!/^#/ { $3 = at } { print }' "$out/.ninja_log" >"$tmp/ninja_log"
	cat "$tmp/ninja_log" >"$out/.ninja_log"
}

# killed: what ninja leaves that was killed after it had seen the edit.
killed() {
	(cd "$out" && bin/stamp stamp.conf) || fail 'stamp'
}

cp -R "$src/lib" "$src/kernels" "$tmp"
manifest=$(sha256sum <"$library/current/manifest")
ahead
sed 's/^#include "vec\/base.h"/&\n#define CIRCUMSTANCES 1/' \
    "$tmp/kernels/vec/expshift.h" >"$src/kernels/vec/expshift.h"
killed
build 'edited, outputs from the future'
[ "$(stats compile)" -ge $((compiles + 8)) ] ||
	fail "$what: not all kernels with expshift were compiled"
ahead
cat >>"$src/lib/nn.kv" <<'END'
lib deepx {
	rwfunc twice(A:[*]float32) -> (B:[*]float32) {
		deepx·add(A, A) -> d
		deepx·mul(d, A) -> B
	}
}
END
killed
build 'a function is added, outputs from the future'
says "$library/current/manifest" 'deepx·twice.1.k0' "$what"
ahead
cp "$tmp/lib/nn.kv" "$src/lib/nn.kv"
cp "$tmp/kernels/vec/expshift.h" "$src/kernels/vec/expshift.h"
killed
build 'the edits are taken back'
[ "$(sha256sum <"$library/current/manifest")" = "$manifest" ] ||
	fail "$what: another manifest"
value "$out/bin/kvrun"
whole

# --- users ---

# nobody COMMAND...: as a user without a name, a home and an environment.
if [ "$(id -u)" -eq 0 ] && setpriv --reuid=12345 --clear-groups true 2>/dev/null
then
	nobody() {
		setpriv --reuid=12345 --regid=12345 --clear-groups \
		    env -i "PATH=$PATH" "$@"
	}
else
	echo 'skipped: this is not root, so there is no other user'
	nobody() {
		env -i "PATH=$PATH" "$@"
	}
fi
mkdir "$tmp/bare" "$tmp/theirs"
cp "$out/bin/kvobj" "$out/bin/kvrun" "$tmp/bare"
chmod 777 "$tmp/theirs"
cp -R "$library" "$tmp/ro"
chmod -R a-w,a+rX "$tmp/ro"
library=$tmp/ro
value nobody "$tmp/bare/kvrun"
exits 3 nobody "$tmp/bare/kvobj" ls
sentence 'say --cache=DIR or set KVAOT_CACHE'
exits 0 nobody "$tmp/bare/kvobj" ls "--cache=$tmp/theirs/cache"
exits 0 nobody KVAOT_CACHE="$tmp/theirs/cache" "$out/bin/kvaot" run "$program"
[ "$(wc -l <"$tmp/out")" -eq 2 ] || fail 'run by nobody prints not two lines'
exits 0 nobody KVAOT_CACHE="$tmp/theirs/cache" "$out/bin/kvobj" verify
exits 0 nobody HOME="$tmp/theirs" "$tmp/bare/kvobj" ls
[ -d "$tmp/theirs/.cache/kvaot" ] || fail 'the cache is not in ~/.cache/kvaot'
[ "$(id -u)" -ne 0 ] || {
	exits 3 nobody "$out/bin/kvaot" run "$program"
	sentence "cannot make the cache folder"
	exits 3 nobody "$out/bin/kvobj" mask "--lib=$library" deepx:softmax.1
	sentence "$library"
	exits 3 nobody "$out/bin/kvrun" "--lib=$library" --entry=deepx:softmax \
	    --in A=rand:2x3:float32:1 --in axis=-1 "--out=B=$tmp/bare/B.npy"
	sentence "$tmp/bare/B.npy"
}

# --- disks ---

[ "$KVAOT_MOUNTS" ] && mkdir "$tmp/disk" &&
    mount -t tmpfs -o size=64m none "$tmp/disk" 2>/dev/null || {
	echo 'skipped: no file system may be mounted here'
	finish
}
trap 'umount "$tmp/ro" "$tmp/disk" 2>/dev/null; rm -rf "$tmp"' EXIT
mount --bind "$tmp/ro" "$tmp/ro"
mount -o remount,ro,bind "$tmp/ro"
value "$out/bin/kvrun"
exits 3 "$out/bin/kvobj" mask "--lib=$library" deepx:softmax.1
sentence "$library"
library=$out/lib

# leave KIB: so much of the disk stays free.
leave() {
	rm -f "$tmp/disk/fill"
	dd if=/dev/zero of="$tmp/disk/fill" bs=4k 2>/dev/null || :
	truncate -s $(($(stat -c %s "$tmp/disk/fill") - $1 * 1024)) \
	    "$tmp/disk/fill"
}

# own N: the folder of a library with one function, a chain of N operations.
own() {
	mkdir -p "$tmp/own"
	awk -v n="$1" 'BEGIN {
		print "lib own {\n\trwfunc chain(A:[*]float32) -> (B:[*]float32) {"
		print "\t\tdeepx·add(A, A) -> d1"
		for (i = 2; i < n; i++)
			print "\t\tdeepx·add(d" i - 1 ", A) -> d" i
		print "\t\tdeepx·mul(d" n - 1 ", A) -> B\n\t}\n}"
	}' >"$tmp/own/f.kv"
}

# made BUILD: plans and builds own; the status is of what failed first.
made() {
	"$out/bin/kvaot" gen -o "$1" "$tmp/own" && ninja -C "$1"
}

# full BUILD KIB: with so little space it fails and says so, what was published
# is what it was, and with space it is made.
full() {
	was=$(readlink "$1/lib/current" || :)
	leave "$2"
	! made "$1" >"$tmp/log" 2>&1 || fail "$1 is made in $2 KiB"
	says "$tmp/log" 'No space left on device' "$1 in $2 KiB"
	[ "$(readlink "$1/lib/current" || :)" = "$was" ] ||
		fail "$1 in $2 KiB: something was published"
	[ -z "$was" ] || exits 0 "$out/bin/kvrun" "--lib=$1/lib" --strict \
	    --entry=own:chain --in A=rand:5:float32:1 --digest
	rm "$tmp/disk/fill"
	made "$1" >"$tmp/log" 2>&1 || die "$1 with space" "$tmp/log"
	exits 0 "$out/bin/kvrun" "--lib=$1/lib" --strict --entry=own:chain \
	    --in A=rand:5:float32:1 --digest
	mv "$tmp/out" "$tmp/by_kernel"
	exits 0 "$out/bin/kvrun" "--lib=$1/lib" --base --entry=own:chain \
	    --in A=rand:5:float32:1 --digest
	cmp -s "$tmp/out" "$tmp/by_kernel" || fail "$1: other bytes by the base"
	whole
}

own 2
leave 4
exits 3 "$out/bin/kvaot" gen -o "$tmp/disk/first" "$tmp/own"
sentence "$tmp/disk/first"
says "$tmp/err" 'make space' 'what to do'
rm "$tmp/disk/fill"
n=3
for kib in 0 16 80 200; do
	own $n
	full "$tmp/disk/build" $kib
	n=$((n + 1))
done
rm -rf "$tmp/disk/"*
kept=$KVAOT_CACHE
KVAOT_CACHE=$tmp/disk/cache
leave 1024
exits 3 "$out/bin/kvaot" gen -o "$tmp/build" "$tmp/own"
sentence "$KVAOT_CACHE"
for kib in 0 8 24; do
	own $n
	full "$tmp/build" $kib
	n=$((n + 1))
done
KVAOT_CACHE=$kept

leave 40
echo old >"$tmp/disk/B.npy"
exits 3 "$out/bin/kvrun" "--lib=$library" --entry=deepx:softmax \
    --in A=rand:100x1000:float32:7 --in axis=-1 "--out=B=$tmp/disk/B.npy"
sentence "$tmp/disk/B.npy"
[ "$(cat "$tmp/disk/B.npy")" = old ] || fail 'the old tensor is lost'
[ "$(ls -A "$tmp/disk" | grep -vxE 'B.npy|fill|cache')" = '' ] ||
	fail 'a part of a tensor stays'
finish
