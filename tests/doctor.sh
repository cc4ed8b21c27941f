#!/bin/sh
# SPDX-License-Identifier: MIT
# kvaot doctor: all in order here, and each fault that can be planted is named.
. "$(dirname "$0")/lib.sh"

# An installation of its own: settings beside a copy of the program.
mkdir -p "$tmp/i/bin" "$tmp/cache"
cp "$bin/kvaot" "$tmp/i/bin"
touch "$tmp/i/kvaot.conf"
cp -RP "$KVAOT_OUT/lib" "$tmp/i/lib"
chmod -R u+w "$tmp/i/lib"
KVAOT_CACHE=$tmp/cache
export KVAOT_CACHE
printf '#!/bin/sh\necho "clang version $(cat "%s")"\n' "$tmp/v" >"$tmp/clang"
chmod +x "$tmp/clang"
echo 14.0.6 >"$tmp/v"
ld=$(sed -n 's/^ld	//p' "$KVAOT_OUT/kvobj.conf")
settings() {
	printf '%s\t%s\n' clang "$tmp/clang" ld "$ld" closure "$tmp/clang" \
	    closure "$ld" >"$tmp/i/kvobj.conf"
}
doctor() {
	want=$1
	shift
	exits "$want" "$tmp/i/bin/kvaot" doctor "$@"
	[ "$(sed 's/^[a-z]* *\([a-z]*\) .*/\1/' "$tmp/out" | tr '\n' ' ')" = \
	    'settings compiler linker cache space toolchain library objects cpu control blas ' ] ||
		fail "the checks are $(cat "$tmp/out")"
}
# line STATUS CHECK TEXT: this line and no other is not ok.
line() {
	grep -q "^$1 *$2 .*$3" "$tmp/out" || {
		cat "$tmp/out"
		fail "expected $1 $2: $3"
	}
	others=$(grep -v '^ok ' "$tmp/out" | grep -v " $2 " || :)
	[ -z "$others" ] || fail "besides $2: $others"
}
in_order() {
	doctor 0
	! grep -v '^ok ' "$tmp/out" || fail "$1"
}

settings
[ "$(df -k "$tmp" | awk 'END { print $4 }')" -gt 1048576 ] ||
	die 'this test needs 1 GB free in TMPDIR'
in_order 'a sound installation'
exits 0 "$bin/kvaot" doctor --json
json "$tmp/out" 'doctor --json'
says "$tmp/out" '{"check":"compiler","status":"ok","text":"' 'doctor --json'

# The compiler. The toolchain is the script and ld, so it stays as it is.
echo 13.0.1 >"$tmp/v"
doctor 1
line problem compiler '13.0.1; expected clang 14 or newer; install clang-19'
echo 99.1.0 >"$tmp/v"
in_order 'clang 99'
sed "s!^clang	.*!clang	$tmp/absent!" "$tmp/i/kvobj.conf" >"$tmp/conf"
cp "$tmp/conf" "$tmp/i/kvobj.conf"
doctor 1
line problem compiler 'absent does not run; install'
settings
sed "s!^ld	.*!ld	$tmp/absent!" "$tmp/i/kvobj.conf" >"$tmp/conf"
cp "$tmp/conf" "$tmp/i/kvobj.conf"
doctor 1
line problem linker 'absent does not run; install binutils'
printf 'closure\t%s\n' "$tmp/absent" >"$tmp/conf"
settings
cat "$tmp/conf" >>"$tmp/i/kvobj.conf"
doctor 1
line problem toolchain 'absent: cannot read'
printf 'nonsense\n' >"$tmp/i/kvobj.conf"
doctor 1
says "$tmp/out" 'problem  settings' 'settings that cannot be read'
settings

# Other bytes than recorded, under the same times.
awk -F '\t' -v OFS='\t' 'NF == 4 { sub(/./, $3 ~ /^0/ ? "1" : "0", $3) } 1' \
    "$tmp/cache/memo" >"$tmp/memo"
cp "$tmp/memo" "$tmp/cache/memo"
doctor 1
line problem toolchain 'recorded is'
rm "$tmp/cache/memo"
in_order 'the memo removed, as it said'

# The cache.
chmod 777 "$tmp/cache"
doctor 1
says "$tmp/out" 'problem  cache' 'a cache for every user'
says "$tmp/out" 'every user may write' 'a cache for every user'
chmod 755 "$tmp/cache"
KVAOT_CACHE=$tmp/v/cache
doctor 1
grep -q "^problem  cache .*$tmp/v/cache" "$tmp/out" || fail 'no cache folder'
KVAOT_CACHE=$tmp/cache

# The library.
used=$(awk -F '\t' '$1 == "row" { print $14; exit }' \
    "$tmp/i/lib/current/manifest")
cp "$tmp/i/lib/obj/$used.so" "$tmp/object"
rm -f "$tmp/i/lib/obj/$used.so"
{ cat "$tmp/object"; printf x; } >"$tmp/i/lib/obj/$used.so"
doctor 1
line problem objects "$used.so is absent or damaged; run ninja"
rm -f "$tmp/i/lib/obj/$used.so"
doctor 1
line problem objects "$used.so is absent or damaged; run ninja"
cp "$tmp/object" "$tmp/i/lib/obj/$used.so"
for file in image manifest; do
	cp "$tmp/i/lib/current/$file" "$tmp/$file"
	rm -f "$tmp/i/lib/current/$file"
	{ cat "$tmp/$file"; printf x; } >"$tmp/i/lib/current/$file"
	doctor 1
	grep -q "^problem  library .*/$file:" "$tmp/out" ||
		fail "a damaged $file: $(cat "$tmp/out")"
	cp "$tmp/$file" "$tmp/i/lib/current/$file"
done
doctor 1 "--lib=$tmp/none"
grep -q "^problem  library .*$tmp/none" "$tmp/out" || fail 'no library'
in_order 'all mended'
doctor 0 "--lib=$KVAOT_OUT/lib"

# A library for other CPUs: its rows for the best level of this one removed.
best=$(grep -o '	x86-64-v[0-9]	' "$tmp/manifest" | sort | tail -n 1 | tr -d '	')
if [ "$best" ]; then
	grep -v "	$best	" "$tmp/manifest" | sed '$d' >"$tmp/rows"
	printf 'sha256\t%s\n' "$(sha256sum <"$tmp/rows" | cut -d ' ' -f 1)" |
	    cat "$tmp/rows" - >"$tmp/i/lib/current/manifest"
	doctor 0
	line warning cpu "$best, for which the library has no kernels"
	cp "$tmp/manifest" "$tmp/i/lib/current/manifest"
else
	echo 'skipped: this CPU has only the lowest level'
fi

# Something that switches denormals off in every program.
cat >"$tmp/ftz.c" <<'END'
#include <immintrin.h>
__attribute__((constructor)) static void
off(void)
{
	_MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
}
END
"$KVAOT_CC" -shared -fPIC -o "$tmp/ftz.so" "$tmp/ftz.c"
exits 0 env "LD_PRELOAD=$tmp/ftz.so" "$tmp/i/bin/kvaot" doctor
line warning control 'MXCSR 9f80, not 1f80'

# OpenBLAS is named; without it matmul does not run, all else does.
says "$tmp/out" ': OpenBLAS ' 'the line of blas'
KVAOT_BLAS=$tmp/absent
export KVAOT_BLAS
doctor 0
line warning blas "does not run; KVAOT_BLAS .*/absent: .*; install libopenblas0-pthread"
exits 2 "$bin/kvaot" doctor stray
finish
