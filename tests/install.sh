#!/bin/sh
# SPDX-License-Identifier: MIT
# make install puts everything below DESTDIR, and uninstall takes it away.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS || :
makefile=$KVAOT_OUT/Makefile
[ "$KVAOT_OUT" != "$KVAOT_TOP/out" ] || makefile=$KVAOT_TOP/Makefile
dest="$tmp/d \$e's ü"

# Another prefix than configure's, so that the machine's own is not assumed.
run() {
	DESTDIR=$dest make -s -C "${makefile%/*}" "$1" bindir=/p/bin libdir=/p/lib \
	    includedir=/p/include datadir=/p/share mandir=/p/share/man
}

run install
for file in bin/kvaot bin/kvobj bin/kvrun include/kvk.h \
    lib/kvaot/current/manifest lib/kvaot/current/image \
    share/kvaot/templates/rows.c share/kvaot/kernels/vec/base.h \
    share/man/man1/kvaot.1 share/man/man1/kvobj.1 share/man/man1/kvrun.1 \
    share/bash-completion/completions/kvaot \
    share/bash-completion/completions/kvobj \
    share/bash-completion/completions/kvrun share/kvaot/lib/nn.kv; do
	[ -f "$dest/p/$file" ] || { echo "not installed: $file"; exit 1; }
done
[ -z "$(find "$dest" -type f ! -path "$dest/p/*")" ] ||
	{ echo 'files outside the prefix'; exit 1; }
"$dest/p/bin/kvrun" --help >"$tmp/help"
KVAOT_CACHE=$tmp/cache "$dest/p/bin/kvaot" doctor "--lib=$dest/p/lib/kvaot" \
    >"$tmp/doctor" || { cat "$tmp/doctor"; exit 1; }
run uninstall
left=$(find "$dest" ! -type d)
[ -z "$left" ] || { printf 'left by uninstall:\n%s\n' "$left"; exit 1; }
