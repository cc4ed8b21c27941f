#!/bin/sh
# SPDX-License-Identifier: MIT
# kvrun and a copy of lib are enough: no compiler, no other program, no cache and
# no environment, and the same bytes.
. "$(dirname "$0")/lib.sh"

digest() {
	sed -n 's/^digest: //p' "$tmp/out"
}

in='--entry=deepx:softmax --in A=rand:37x129:float32:7 --in axis=-1 --digest'
exits 0 "$bin/kvrun" --lib "$KVAOT_OUT/lib" $in
expected=$(digest)
[ "$expected" ] || die 'kvrun prints no digest'

mkdir "$tmp/ship"
cp "$bin/kvrun" "$tmp/ship"
cp -r "$KVAOT_OUT/lib" "$tmp/ship/lib"
cp "$KVAOT_TOP/tutorial/16-compiler/op_version.kv" "$tmp/ship/program.kv"
cd "$tmp/ship"
for options in '' --base --threads=1 --isa=x86-64; do
	exits 0 env -i PATH= ./kvrun --lib lib $in $options
	[ "$(digest)" = "$expected" ] || fail "other bytes: $options"
done
# In a folder of its own, kvrun finds lib beside its own folder.
mkdir "$tmp/ship/bin"
mv kvrun bin
exits 0 env -i PATH= bin/kvrun $in
[ "$(digest)" = "$expected" ] || fail 'other bytes with ../lib'
exits 0 env -i PATH= bin/kvrun program.kv
[ "$(wc -l <"$tmp/out")" -eq 2 ] || fail 'the program prints not two lines'

ldd "$bin/kvrun" | sed 's/^[ 	]*//; s/ .*//; s!.*/!!' |
    grep -vxE 'linux-vdso\.so\.1|libc\.so\.6|libm\.so\.6|ld-linux-.*' \
    >"$tmp/extra" || :
[ ! -s "$tmp/extra" ] || fail "kvrun needs more: $(echo $(cat "$tmp/extra"))"

traced() {
	strace -f -o "$tmp/trace" -e trace=execve,execveat,open,openat,openat2 \
	    env -i PATH= bin/kvrun $in >"$tmp/out" 2>&1
}
if ! command -v strace >/dev/null || ! strace -o "$tmp/trace" true 2>/dev/null
then
	echo 'skipped: strace is not there or may not trace'
	finish
fi
traced || fail 'kvrun fails when it is traced'
[ "$(digest)" = "$expected" ] || fail 'other bytes when it is traced'
# strace starts env, env starts kvrun, kvrun starts nothing.
[ "$(grep -cE 'execve(at)?\(.*= 0' "$tmp/trace")" -eq 2 ] ||
	fail "kvrun starts a program: $(grep execve "$tmp/trace" | tail -n 1)"
sed -n '/execve("bin\/kvrun"/,$s/.*open[a-z0-9]*([^"]*"\([^"]*\)".*= [0-9].*/\1/p' \
    "$tmp/trace" | sort -u >"$tmp/opened"
grep -q '^lib' "$tmp/opened" || grep -q 'manifest' "$tmp/opened" ||
	fail 'the trace shows no library: this test does not see the files'
! grep -iE 'clang|llvm|python|/cache/|\.kv$' "$tmp/opened" ||
	fail 'kvrun opened one of these'
grep -vE '^/(etc/ld\.so\.cache|proc/|sys/|dev/)|/lib(c|m)\.so\.6$' "$tmp/opened" |
    grep '^/' | grep -vF "$tmp/ship/" >"$tmp/extra" || :
[ ! -s "$tmp/extra" ] || fail "kvrun opened $(head -n 1 "$tmp/extra")"
finish
