#!/bin/sh
# SPDX-License-Identifier: MIT
# Built twice, in two folders, the second with an empty cache, after other edits
# that are taken back: the same plans, version numbers, manifest and image; and
# the same again after a release and one more edit.
. "$(dirname "$0")/lib.sh"

# use FOLDER: the copy there is the one to use.
use() {
	src=$1/src out=$1/out KVAOT_CACHE=$1/cache
	[ -d "$out" ] || out=$src/out
}

# sums FILE: what must be the same.
sums() {
	(cd "$out" && sha256sum lib/current/manifest lib/current/image \
	    versions.pending ir.kvs built.kvs kernels/*.c kernels/*.ok
	readlink lib/current) >"$1"
}

# numbers: the versions of softmax that are published.
numbers() {
	cut -f 2 "$out/lib/current/manifest" |
	    sed -n 's/^deepx·softmax\.\([0-9]*\)\.k0$/\1/p' | sort -u | tr '\n' ' '
}

# edit FILE SED-PROGRAM: must change the file; builds; undo takes it back.
edit() {
	edited=$src/$1
	cp "$edited" "$tmp/before"
	sed "$2" "$tmp/before" >"$edited"
	! cmp -s "$tmp/before" "$edited" || die "no edit in $1: $2"
	build "$1 is edited"
	sums "$tmp/edited"
	! cmp -s "$tmp/edited" "$tmp/sums" || fail "$what: nothing changed"
}

undo() {
	cp "$tmp/before" "$edited"
	build "$what and taken back"
	sums "$tmp/again"
	same_files "$what" "$tmp/sums" "$tmp/again"
}

template='s/^\([ 	]*\)return KVK_OK;/\1return KVK_OK + 0;/'
base='s/deepx·expshift(A, m) -> e/deepx·sub(A, m) -> u\
		deepx·exp(u) -> e/'

one=$tmp/one two="$tmp/a second/f ü"
mkdir "$tmp/a second"
copy_build "$one"
sums "$tmp/sums"
edit lib/nn.kv "$base"
undo
copy_build "$two"
rm -rf "$KVAOT_CACHE" "$out/kernels" "$out/backends" "$out/lib" \
    "$out/versions.pending" "$out"/*.kvs "$out/image" "$out/plan.key"
build 'built from nothing'
[ "$(stats compile)" -gt 100 ] || fail "$what: $(stats compile) compiles"
sums "$tmp/again"
same_files "$what" "$tmp/sums" "$tmp/again"
edit templates/rows.c "$template"
undo
[ "$(numbers)" = '1 ' ] || fail "versions '$(numbers)' before a release"

for folder in "$one" "$two"; do
	use "$folder"
	grep 'softmax\.1\.k0' "$out/lib/current/manifest" >"$tmp/rows.1"
	exits 0 "$out/bin/kvaot" release
	build 'after a release'
	sums "$tmp/sums"
	edit templates/rows.c "$template"
	[ "$(numbers)" = '1 2 ' ] || fail "$what: versions '$(numbers)'"
	grep 'softmax\.1\.k0' "$out/lib/current/manifest" >"$tmp/rows"
	same_files "$what: the released rows" "$tmp/rows.1" "$tmp/rows"
	[ ! -e "$tmp/first" ] ||
		same_files "$what: the second folder" "$tmp/first" "$tmp/edited"
	cp "$tmp/edited" "$tmp/first"
	undo
done
cmp "$one/src/lib/versions.lock" "$two/src/lib/versions.lock" ||
	fail 'the locks differ'
finish
