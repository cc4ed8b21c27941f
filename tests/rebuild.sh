#!/bin/sh
# SPDX-License-Identifier: MIT
# What an edit costs: exactly the kernels whose text it changes. And what was
# lost or damaged is repaired, and nothing else is touched.
. "$(dirname "$0")/lib.sh"
copy_build "$tmp/c"

# holding TEXT: the kernels whose generated C text holds it.
holding() {
	(cd "$out" && grep -lF -- "$1" kernels/*.c backends/*.c) |
	    sed 's!.*/!!; s!\.c$!!'
}

# edit FILE SED-PROGRAM: must change the file.
edit() {
	sed "$2" "$src/$1" >"$tmp/edited"
	! cmp -s "$tmp/edited" "$src/$1" || die "no edit in $1: $2"
	cat "$tmp/edited" >"$src/$1"
}

cat >>"$src/lib/nn.kv" <<'END'
lib deepx {
	rwfunc rb_inner(A:[*]float32) -> (B:[*]float32) {
		deepx·add(A, A) -> d
		deepx·mul(d, A) -> B
	}
	rwfunc rb_outer(A:[*]float32) -> (B:[*]float32) {
		deepx·rb_inner(A) -> t
		deepx·relu(t) -> B
	}
}
END
inner='deepx.rb_inner,k0,float32,dyn deepx.rb_outer,k0,float32,dyn'
mark
build 'composites are added'
compiled $inner
planned=$(wc -l <"$out/planner.log")
mark
settled
compiled
[ "$(wc -l <"$out/planner.log")" -eq "$planned" ] ||
	fail 'the second build planned again'

mark
edit lib/nn.kv 's/deepx·mul(d, A)/deepx·sub(d, A)/'
build 'a composite is edited'
compiled $inner
settled

# The activation of one layer of lib/models.
mark
edit lib/models/bert.kv 's/deepx·gelu(p) -> h/deepx·gelu(p) -> g\n\t\tdeepx·tanh(g) -> h/'
build 'the activation of a layer is edited'
compiled deepx.bert_ffn,k0,float32,dyn deepx.bert_ffn,k0,float64,dyn
settled

cp "$out/versions.pending" "$tmp/pending"
(cd "$out/kernels" && cat *.c) >"$tmp/kernels.c"
mark
edit lib/nn.kv 's/ -> d$/ -> renamed/; s/sub(d, A)/sub(renamed, A)/'
edit lib/nn.kv 's!rwfunc rb_outer!// A comment.\n\n&!'
build 'a temporary is renamed and a comment added'
compiled
cmp "$out/versions.pending" "$tmp/pending" || fail "$what: new versions"
(cd "$out/kernels" && cat *.c) | cmp - "$tmp/kernels.c" ||
	fail "$what: other kernels"
settled

# Time stamps of long ago do not hide an edit.
mark
edit templates/rows.c 's/^\([ 	]*\)return KVK_OK;/\1return KVK_OK + 0;/'
touch -d 2001-01-01T00:00:00 "$src/templates/rows.c"
build 'template rows is edited'
compiled $(holding KVK_ROWS)
settled
mark
edit templates/map.c 's/^\([ 	]*\)return KVK_OK;/\1return KVK_OK + 0;/'
touch -d 2001-01-01T00:00:00 "$src/templates/map.c"
build 'template map is edited'
compiled $(holding KVK_MAP)
settled

mark
edit kernels/vec/expshift.h 's/^#include "vec\/base.h"/&\n#define RB_EDIT 1/'
touch -d 2001-01-01T00:00:00 "$src/kernels/vec/expshift.h"
build 'a vec header is edited'
compiled $(holding vec/expshift.h)
settled

# What the graph of before cannot make as it should is made with the next one.
mark
edit kernels/vec/expshift.h 's/RB_EDIT 1/RB_EDIT 2/'
mkdir "$src/kernels/mirror"
cat >"$src/kernels/mirror/neg.c" <<'END'
/* SPDX-License-Identifier: MIT */
/* Of this test alone. */
#define AUTHOR "mirror"
#include "ref/neg.c"
END
build 'a vec header is edited and a back end added'
compiled $(holding vec/expshift.h) deepx%2Fmirror.neg
settled
relu=$(holding vec/relu.h)
mark
edit ops/ops.def '/^OP(relu/,/)$/s/relu, EXACT/abs, EXACT/'
build 'the row of an op is edited'
compiled $relu
settled

# receipts_kept PATTERN: only receipts of this name were written since the mark.
receipts_kept() {
	find "$out/kernels" "$out/backends" -name '*.ok' -newer "$tmp/mark" |
	    sed 's!.*/!!' | grep -vxF "$1" >"$tmp/written" || :
	[ ! -s "$tmp/written" ] ||
		fail "$what: other receipts written: $(head -n 1 "$tmp/written")"
}

# repaired EVENT...: the events of one receipt, $one, and a library as before.
repaired() {
	for event do echo "$event $one"; done | sort >"$tmp/expected"
	events >"$tmp/events"
	cmp -s "$tmp/events" "$tmp/expected" || {
		cat "$tmp/events"
		fail "$what: expected '$*' of $one"
	}
	receipts_kept "$one"
	same_library
	settled
}

# same_library: the published library is whole, and what it was.
same_library() {
	[ "$(readlink "$out/lib/current")" = "$current" ] ||
		fail "$what: lib/current leads elsewhere"
	library >"$tmp/now"
	cmp -s "$tmp/now" "$tmp/library" || {
		diff "$tmp/library" "$tmp/now" | head -n 3
		fail "$what: lib is not what it was"
	}
}

library() {
	(cd "$out/lib" &&
	    sha256sum current/image current/manifest obj/*.so 2>&1) || :
}

# Objects of a fresh library are links to the cache's.
rm -rf "$out/lib"
build 'out/lib is deleted'
current=$(readlink "$out/lib/current")
library >"$tmp/library"
settled

one=$(cd "$out/kernels" && ls deepx.softmax*float64*.ok | head -n 1)
receipt=$out/kernels/$one
kernel=$out/kernels/deepx.softmax,k0,float64,dyn
object() {
	hex=$(sed -n 's/^object //p' "$receipt")
	printf '%s/objects/%.2s/%s.so' "$KVAOT_CACHE" "$hex" "$hex"
}

# flip FILE: changes a byte in its middle and keeps its time.
flip() {
	chmod u+w "$1"
	touch -r "$1" "$tmp/time"
	at=$(($(wc -c <"$1") / 2))
	byte=$(od -An -tu1 -j $at -N 1 "$1")
	printf "\\$(printf %o $((255 - byte)))" |
	    dd of="$1" bs=1 seek=$at conv=notrunc 2>/dev/null
	touch -r "$tmp/time" "$1"
}

mark
rm "$kernel.c"
build 'the C file of a kernel is deleted'
[ -f "$kernel.c" ] || fail "$what: it did not come back"
compiled
receipts_kept "$one"
same_library
settled
mark
rm "$receipt"
build 'a receipt is deleted'
repaired hit
mark
flip "$receipt"
build 'a receipt is damaged'
repaired hit
# It is one file with the object of lib, which must be repaired too.
mark
flip "$(object)"
build 'an object of the cache is damaged'
repaired repair compile
mark
rm -f "$(object)"
build 'an object of the cache is deleted'
repaired repair compile

for file in lib/current "lib/current/manifest" "lib/obj/$(cd "$out/lib/obj" &&
    ls | head -n 1)" image ir.kvs versions.pending library.sealed \
    "kernels/${kernel##*/}.map"; do
	mark
	cp -RPp "$out" "$tmp/kept"
	rm -f "$out/$file"
	build "$file is deleted"
	[ -e "$out/$file" ] || fail "$what: it did not come back"
	compiled
	same_library
	settled
	rm -rf "$out"
	mv "$tmp/kept" "$out"
done
finish
