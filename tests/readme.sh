#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of README's section on a library of one's own, from an empty
# folder that has only `out`: each must succeed and print what the page shows.
# A line of dots there stands for any lines. Not compared are digests, which
# depend on the compiler, line numbers of the library's files, and levels of CPUs
# above the lowest.
. "$(dirname "$0")/lib.sh"

folder=$tmp/empty
mkdir "$folder" "$tmp/step"
ln -s "$KVAOT_OUT" "$folder/out"
KVAOT_CACHE=${KVAOT_CACHE:-$KVAOT_OUT/cache}
export KVAOT_CACHE

# step/N.sh: a command; step/N.want: what the page shows after it.
awk -v to="$tmp/step/" '
	/^## / { on = $0 == "## A library of your own" }
	!on { next }
	/^```/ { inside = !inside; sh = ""; next }
	!inside || !(/^\$ / || sh) { next }
	here { print >sh; if ($0 == "END") here = 0; next }
	/^\$ / {
		sh = sprintf("%s%02d.sh", to, ++n)
		want = sprintf("%s%02d.want", to, n)
		print substr($0, 3) >sh
		printf "" >want
		here = /<<'\''END'\''/
		next
	}
	{ print >want }' "$KVAOT_TOP/README.md"
set -- "$tmp"/step/*.sh
[ $# -ge 8 ] || die "this test found $# commands in README.md"

# like FILE: its lines with one word for what is not compared.
like() {
	sed 's/[0-9a-f]\{12,64\}/DIGEST/g; s/x86-64-v[0-9]/LEVEL/g
	    s!\(lib/[a-z]*\.kv\):[0-9-]*!\1:LINES!g' "$1"
}

# shown WANT GOT: whether the lines are those the page shows.
shown() {
	like "$1" >"$tmp/want"
	like "$2" | awk -v page="$tmp/want" '
	    BEGIN { while ((getline line <page) > 0) want[++n] = line; i = 1 }
	    i <= n && want[i] == "…" { any = 1; i++ }
	    i <= n && $0 == want[i] { any = 0; i++; next }
	    !any { bad = 1 }
	    END { if (want[i] == "…") i++; exit bad || i <= n }'
}

for step in "$tmp"/step/*.sh; do
	(cd "$folder" && sh "$step") >"$tmp/out" 2>&1 ||
		die "README: this command fails: $(cat "$step")" "$tmp/out"
	shown "${step%.sh}.want" "$tmp/out" || {
		diff "${step%.sh}.want" "$tmp/out" || :
		fail "README shows something else after: $(head -n 1 "$step")"
	}
done
finish
