#!/bin/sh
# SPDX-License-Identifier: MIT
# Publishing is killed (SIGKILL) before each system call that changes a file:
# until `current` moves, readers see the old library, whole; afterwards the new
# one; and the next publication succeeds. Between two such calls the disk does
# not change, so these are all the states that a crash can leave.
. "$(dirname "$0")/lib.sh"
calls=openat,write,fsync,mkdir,link,symlink,rename,unlink,rmdir
strace -o /dev/null true 2>/dev/null || {
	echo 'skipped: strace is not there or may not trace'
	exit 0
}
copy_build "$tmp/c"
cd "$out"
old=$(readlink lib/current)

# digest: what the library's softmax gives, by the version that it has.
digest() {
	"$out/bin/kvrun" --lib="$out/lib" --entry=deepx:softmax --strict \
	    --in A=rand:7x9:float32:3 --in axis=-1 --digest 2>&1
}

value=$(digest)
# A new library with a new object: another template, all but the last edge.
sed 's/^\([ 	]*\)return KVK_OK;/\1return KVK_OK + (n < 0);/' \
    "$src/templates/rows.c" >"$tmp/rows.c"
cat "$tmp/rows.c" >"$src/templates/rows.c"
cp -RPp lib "$tmp/lib"
build 'the template is edited'
new=$(readlink lib/current)
[ "$new" != "$old" ] || die 'the edit makes no new library'

# restore: the published library is the old one again.
restore() {
	rm -rf lib
	cp -RPp "$tmp/lib" lib
}

# points: `call ordinal` of each change, in order, from the log of strace; a call
# that fails is none.
points() {
	awk '/^[a-z]*\(/ {
		name = $0
		sub(/\(.*/, "", name)
		n[name]++
		if (!/ = -1 / && (name != "openat" || /O_CREAT/))
			print name, n[name], (/lib\/current"\) = 0/ ? "marker" : "-")
	}' "$1"
}

restore
strace -e "trace=$calls" -o "$tmp/trace" ./bin/kvaot seal -o . ||
	die 'seal fails under strace'
points "$tmp/trace" >"$tmp/points"
[ "$(readlink lib/current)" = "$new" ] || fail 'seal did not publish'
[ "$(grep -c marker "$tmp/points")" -eq 1 ] || die 'no rename of current' \
    "$tmp/trace"
for call in symlink link rename fsync write; do
	grep -q "^$call " "$tmp/points" || fail "$call is not among the calls"
done

expected=$old killed=0
while read -r call n marker; do
	restore
	status=0
	strace -e "trace=$calls" -e "inject=$call:signal=KILL:when=$n" \
	    -o /dev/null ./bin/kvaot seal -o . >/dev/null 2>&1 || status=$?
	[ $status -ne 0 ] || fail "$call $n: it was not killed"
	killed=$((killed + 1))
	[ "$(readlink lib/current)" = "$expected" ] ||
		fail "killed at $call $n: current leads elsewhere"
	[ "$(digest)" = "$value" ] || fail "killed at $call $n: $(digest)"
	[ "$marker" != marker ] || expected=$new
	[ "$marker" != marker ] || ./bin/kvaot seal -o . ||
		fail "killed at $call $n: the next seal fails"
done <"$tmp/points"
[ $killed -ge 15 ] || fail "only $killed calls"
[ $expected = "$new" ] || fail 'never came to the new library'
# What the last killed one left does not stop the next.
./bin/kvaot seal -o . || fail 'seal after a killed one'
[ "$(readlink lib/current)" = "$new" ] || fail 'the new library is not published'
[ "$(digest)" = "$value" ] || fail "the new library: $(digest)"
finish
