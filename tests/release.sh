#!/bin/sh
# SPDX-License-Identifier: MIT
# Versions from pending to released: what a release writes, that it is written
# once, and that released versions are built again from the sources alone.
. "$(dirname "$0")/lib.sh"
copy_build "$tmp/c"
kvaot=$out/bin/kvaot
lock=$src/lib/versions.lock
plan=$src/lib/versions/deepx.softmax.1.kvs

# rows: the versions of softmax that are published.
rows() {
	cut -f 2 "$out/lib/current/manifest" |
	    sed -n 's/^deepx·softmax\.\([0-9]*\)\.k0$/\1/p' | sort -u | tr '\n' ' '
}

# has VERSIONS: just these are published.
has() {
	[ "$(rows)" = "$1" ] || fail "$what: published '$(rows)', expected '$1'"
}

# edit FILE SED-PROGRAM: must change the file.
edit() {
	cp "$src/$1" "$tmp/before"
	sed "$2" "$tmp/before" >"$src/$1"
	! cmp -s "$tmp/before" "$src/$1" || die "no edit in $1: $2"
}

# value NAME [OPTION]...: the digest of the result.
value() {
	name=$1
	shift
	exits 0 "$out/bin/kvrun" "--entry=$name" --in A=rand:5x33:float32:7 \
	    --in axis=-1 --digest "$@"
	cat "$tmp/out"
}

[ "$(cat "$lock")" = 'kvversions 1' ] || die 'the lock is not empty'
what='before a release'
has '1 '
[ "$(sed -n 's/^row	deepx·softmax\.1\..*	//p' "$out/lib/current/manifest" |
    sort -u)" = passed ] || fail 'softmax.1 has not passed its certificate'
cp "$out/versions.pending" "$tmp/pending"
first=$(readlink "$out/lib/current")
compiles=$(stats compile)

exits 2 "$kvaot" release deepx:softmax
exits 0 "$kvaot" release --help
says "$tmp/out" 'versions.lock' help
exits 0 "$kvaot" release
says "$tmp/out" 'released deepx·softmax.1' release
cmp -s "$lock" "$tmp/pending" || fail 'the lock has other lines than pending'
[ -f "$plan" ] || fail "no file $plan"
cp "$lock" "$tmp/lock.1"
cp "$plan" "$tmp/plan.1"
exits 1 "$kvaot" release
says "$tmp/err" 'nothing is pending' 'a second release'
build 'after a release'
[ "$(readlink "$out/lib/current")" = "$first" ] || fail "$what: another library"
[ "$(stats compile)" = "$compiles" ] || fail "$what: it compiled"
exits 1 "$kvaot" release
says "$tmp/err" 'nothing is pending' 'a release of a build with none'
settled

# Another plan of the same function.
edit templates/rows.c 's/^\([ 	]*\)return KVK_OK;/\1return KVK_OK + 0;/'
exits 1 "$kvaot" release
says "$tmp/err" 'out of date' 'a release of a build that is not from these sources'
cmp -s "$lock" "$tmp/lock.1" || fail 'a refused release changed the lock'
build 'the template is edited'
has '1 2 '
cmp -s "$lock" "$tmp/lock.1" || fail "$what: the lock changed"
says "$out/versions.pending" 'deepx·softmax	2	' "$what"
base=$(value deepx:softmax --base)
for name in deepx:softmax deepx:softmax.1 deepx:softmax.2; do
	[ "$(value $name)" = "$base" ] || fail "$what: $name has other bytes"
done
exits 0 "$out/bin/kvrun" --entry=deepx:softmax --in A=rand:5x33:float32:7 \
    --in axis=-1 --trace
says "$tmp/err" 'deepx·softmax -> deepx·softmax.2' "$what"
exits 0 "$kvaot" explain deepx:softmax
grep -v '^[k ]' "$tmp/out" | sed 's/core .* base [0-9a-f]*/…/' >"$tmp/said"
[ "$(cat "$tmp/said")" = 'deepx·softmax.2 pending …
deepx·softmax.1 released …
chosen: .2 (highest whose groups all fit)' ] || {
	cat "$tmp/said"
	fail "$what: explain"
}
grep -q '^  row float32 .* cert' "$tmp/out" || fail "$what: explain has no rows"
exits 0 "$out/bin/kvobj" mask deepx:softmax.2
exits 0 "$kvaot" explain deepx:softmax
grep -q '^deepx·softmax\.2 pending .* masked$' "$tmp/out" ||
	fail 'explain does not say what is masked'
says "$tmp/out" 'chosen: .1 ' 'explain of a masked version'
exits 0 "$out/bin/kvrun" --entry=deepx:softmax --in A=rand:5x33:float32:7 \
    --in axis=-1 --trace --strict
says "$tmp/err" 'deepx·softmax -> deepx·softmax.1' 'the new version is masked'
exits 0 "$out/bin/kvobj" unmask deepx:softmax.2
exits 0 "$kvaot" gen -o "$tmp/elsewhere"
exits 0 ninja -C "$tmp/elsewhere"
[ "$(readlink "$tmp/elsewhere/lib/current")" = \
    "$(readlink "$out/lib/current")" ] || fail 'elsewhere: another library'
settled

mv "$plan" "$tmp/away"
! ninja -C "$out" >"$tmp/log" 2>&1 || fail 'a lost file of a release is accepted'
says "$tmp/log" 'deepx.softmax.1.kvs' 'a lost file of a release'
says "$tmp/log" 'version control' 'a lost file of a release'
head -c 3000 "$tmp/away" >"$plan"
! ninja -C "$out" >"$tmp/log" 2>&1 || fail 'half a file of a release is accepted'
says "$tmp/log" 'deepx.softmax.1.kvs' 'half a file of a release'
mv "$tmp/away" "$plan"
build 'the file is back'
has '1 2 '

cp "$src/templates/rows.c" "$tmp/rows.2"
cp "$KVAOT_TOP/templates/rows.c" "$src/templates/rows.c"
build 'the edit is taken back'
has '1 '
[ "$(readlink "$out/lib/current")" = "$first" ] || fail "$what: another library"

cp "$tmp/rows.2" "$src/templates/rows.c"
build 'the edit is there again'
exits 0 "$kvaot" release
cmp -s "$plan" "$tmp/plan.1" || fail 'a released file was written again'
! grep -vxFqf "$lock" "$tmp/lock.1" || fail 'a released line changed'
[ "$(grep -c '^deepx·softmax	' "$lock")" -eq 2 ] || fail 'the lock has not two versions'
cp "$KVAOT_TOP/templates/rows.c" "$src/templates/rows.c"
build 'the edit is taken back after its release'
has '1 2 '
[ "$(wc -l <"$out/versions.pending")" -eq 1 ] || fail "$what: pending again"

# A kernel that does not do what its base does is not used, and not released.
cp "$lock" "$tmp/lock.2"
edit templates/rows.c 's/^\([ 	]*\)return KVK_OK;/\1return n > 40 ? KVK_RANGE : KVK_OK;/'
build 'a template is wrong'
says "$tmp/log" 'deepx·softmax.3.k0 float32 x86-64 is not used' "$what"
exits 0 "$out/bin/kvrun" --entry=deepx:softmax --in A=rand:5x33:float32:7 \
    --in axis=-1 --trace
says "$tmp/err" 'deepx·softmax -> deepx·softmax.2' "$what"
exits 0 "$kvaot" explain deepx:softmax
says "$tmp/out" 'cert failed' "$what: explain"
exits 1 "$kvaot" release
says "$tmp/err" 'failed its certificate' "$what: release"
cmp -s "$lock" "$tmp/lock.2" || fail "$what: the lock changed"
cp "$tmp/before" "$src/templates/rows.c"
build 'the template is right again'

# Another source: what was made from the old one is not built any more.
edit lib/nn.kv 's/deepx·expshift(A, m) -> e/deepx·sub(A, m) -> u\
		deepx·exp(u) -> e/'
build 'the base is edited'
has '3 '
exits 0 "$kvaot" explain deepx:softmax
[ "$(grep -c '^deepx·softmax\.[12] released .* superseded' "$tmp/out")" -eq 2 ] ||
	fail "$what: explain does not say superseded"
says "$tmp/out" 'chosen: .3 ' "$what: explain"
cmp -s "$lock" "$tmp/lock.2" || fail "$what: the lock changed"
cp "$tmp/before" "$src/lib/nn.kv"
build 'the base is as it was'
has '1 2 '

# A folder has a lock of its own; the library's lines are not repeated in it.
mkdir "$tmp/own"
cat >"$tmp/own/f.kv" <<'END'
lib own {
	rwfunc twice(A:[*]float32) -> (B:[*]float32) {
		deepx·add(A, A) -> d
		deepx·mul(d, A) -> B
	}
}
END
exits 0 "$kvaot" gen -o "$tmp/g" "$tmp/own"
exits 1 "$kvaot" release -o "$tmp/g"
says "$tmp/err" 'out of date' 'a release before the build'
exits 0 ninja -C "$tmp/g"
exits 0 "$kvaot" release -o "$tmp/g"
[ "$(cut -f 1,2 "$tmp/own/versions.lock" | tr '\n\t' ' :')" = \
    'kvversions 1 own·twice:1 ' ] || fail 'the lock of a folder'
[ -f "$tmp/own/versions/own.twice.1.kvs" ] || fail 'no file in the folder'
exits 1 "$kvaot" release -o "$tmp/g"
says "$tmp/err" 'nothing is pending' 'a second release of a folder'
cmp -s "$lock" "$tmp/lock.2" || fail "a folder's release changed the library"
finish
