#!/bin/sh
# SPDX-License-Identifier: MIT
# kvobj why names the part of the key that changed, and no other.
. "$(dirname "$0")/lib.sh"
unset KVAOT_CACHE || :
mkdir "$tmp/inc" "$tmp/a" "$tmp/b"
cp "$KVAOT_TOP/include/kvk.h" "$tmp/inc"
echo 'toolchain one' >"$tmp/tools"
{
	grep -E '^(clang|ld)	' "$KVAOT_OUT/kvobj.conf"
	printf '%s\t%s\n' closure tools include inc cache cache \
	    scan "$KVAOT_OUT/lib-tools/kvaot-clang.so"
} >"$tmp/kvobj.conf"
echo '#define ONE 1' >"$tmp/inc/one.h"
cat >"$tmp/a/k.c" <<'END'
#include "kvk.h"
#include "one.h"
static int
kernel(void *const *ptr, const int64_t *dim, const struct kvk_stream *s)
{
	(void)s;
	for (int64_t i = 0; i < dim[0]; i++)
		((float *)ptr[1])[i] = ((const float *)ptr[0])[i] + ONE;
	return 0;
}
static const struct kvk_entry entry = {
	.abi = KVK_ABI, .size = sizeof(entry), .opcode = "t/t·one",
	.langtypes = "any->any", .dtype = "float32", .isa = K_ISA,
	.cls = KVK_MAP, .nin = 1, .nout = 1, .fn = kernel,
};
__attribute__((visibility("default"))) extern const struct kvk_table kvk_table;
const struct kvk_table kvk_table = {
	KVK_ABI, sizeof(kvk_table), 1, sizeof(entry), &entry
};
END
cd "$tmp"
tool() {
	command=$1
	shift
	"$bin/kvobj" "$command" --config=kvobj.conf "$@"
}
# differing: the names of the differing parts, on one line.
differing() {
	echo $(sed -n 's/^differs	\([^	]*\)	.*/\1/p' out)
}

exits 0 tool why --isa=x86-64 a/k.c
says out 'state	compile: no stored action has this key' 'a new source'
says out 'nearest	-' 'a new source'
exits 1 tool why none.ok
exits 0 tool cc --isa=x86-64 -o k.ok a/k.c
object=$(sed -n 's/^object //p' k.ok)
exits 0 tool why k.ok
says out "action	$(sed -n 's/^action //p' k.ok)" 'a receipt'
says out "state	hit: the cache holds the object $object" 'a receipt'
says out 'compiled	1' 'a receipt'
says out 'hits	0' 'a receipt'
says out "part	text 0/one.h	$(sha256sum <inc/one.h | cut -d ' ' -f 1)" \
    'the digest of a header'
says out "part	text kernel.c	$(sha256sum <a/k.c | cut -d ' ' -f 1)" \
    'the digest of the source'
exits 0 tool cc --isa=x86-64 -o k2.ok a/k.c
exits 0 tool why --isa=x86-64 a/k.c
says out 'hits	1' 'a second cc'
cp out source
exits 0 tool why k2.ok
same_files 'the source and its receipt' source out

# Each kind of part, alone. A same-named source elsewhere counts as the source.
cp a/k.c b/k.c
echo '/* other */' >>b/k.c
exits 0 tool why --isa=x86-64 b/k.c
says out 'state	compile' 'another text'
[ "$(differing)" = 'text kernel.c' ] || fail "a text: $(differing)"
echo '#define ONE 2' >inc/one.h
exits 0 tool why --isa=x86-64 a/k.c
[ "$(differing)" = 'text 0/one.h' ] || fail "a header: $(differing)"
says out "was $(echo '#define ONE 1' | sha256sum | cut -d ' ' -f 1)	is $(
    sha256sum <inc/one.h | cut -d ' ' -f 1)" 'both digests'
# Of two stored actions the nearer one is compared.
exits 0 tool cc --isa=x86-64 -o k3.ok b/k.c
exits 0 tool why --isa=x86-64 b/k.c
[ "$(differing)" = 'text kernel.c text 0/one.h' ] ||
	fail "two parts: $(differing)"
exits 0 tool why --isa=x86-64 a/k.c
case $(differing) in
'text 0/one.h'|'text kernel.c') ;;
*) fail "the nearest of two: $(differing)" ;;
esac
echo '#define ONE 1' >inc/one.h
echo 'toolchain two, longer' >tools
exits 0 tool why --isa=x86-64 a/k.c
[ "$(differing)" = toolchain ] || fail "a toolchain: $(differing)"
echo 'toolchain one' >tools
exits 0 tool why --isa=x86-64-v3 a/k.c
[ "$(differing)" = 'isa features flags' ] || fail "a level: $(differing)"
sed '/one\.h/d; s/ONE/1/' a/k.c >b/k.c
exits 0 tool why --isa=x86-64 b/k.c
says out 'differs	text 0/one.h	was ' 'a header less'
says out '	is absent' 'a header less'

# Without --isa: each level of a local build.
exits 0 tool why a/k.c
[ "$(grep -c '^source	k.c$' out)" -eq "$(find "$KVAOT_OUT/backends" \
    -name '*miaobyte.add,float32.*.ok' | wc -l)" ] || fail 'why without --isa'

# The object is gone; so is the record.
path=cache/objects/$(echo $object | cut -c 1-2)/$object.so
mv -f "$path" kept
exits 0 tool why k.ok
says out 'state	compile: the object' 'an absent object'
mv kept "$path"
exits 0 tool verify
record=cache/why/k.c/$(sed -n 's/^action //p' k.ok)
cp "$record" good
chmod u+w "$record"
sed 's/^abi 1$/abi/' good >"$record"
exits 1 tool why k.ok
says err "$record:3: parts of a key are damaged" 'a damaged record'
exits 1 tool verify
says err "damaged parts of a key" verify
exits 0 tool verify --repair
[ ! -e "$record" ] || fail 'verify --repair keeps a damaged record'
exits 1 tool why k.ok
says err 'does not know what the key of this receipt was made of' 'no record'
# The next cc keeps it again, though it compiles nothing.
exits 0 tool cc --isa=x86-64 -o k.ok a/k.c
same_files 'a record that was made again' good "$record"

exits 0 tool stats --json
json out 'stats --json'
tool stats | sed 's/\(.*\)	\(.*\)/"\1":\2/' | tr '\n' , |
    sed 's/^/{/; s/,$/}/' >want
tr -d '\n' <out >got
same_files 'stats --json' want got
exits 2 tool why
exits 2 tool why --isa=x86-64 k.ok
exits 2 tool why --isa=none a/k.c
exits 2 tool ls --json
finish
