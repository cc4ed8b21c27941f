#!/bin/sh
# SPDX-License-Identifier: MIT
# The specification: what its clauses name exists, the Chinese and the English
# text have the same clauses and references, the examples print what they say
# they print, and links of our pages lead somewhere.
. "$(dirname "$0")/lib.sh"
kvaot=$bin/kvaot tab='	'
cd "$KVAOT_TOP"
find doc/spec -name '*.kv' | sort >"$tmp/chapters"
[ "$(wc -l <"$tmp/chapters")" -ge 4 ] || die 'chapters of doc/spec are missing'

# chinese FILE, english FILE: `clause TAB path TAB name` of each reference, and
# `clause` alone of each clause. Before the first clause it is the file's name.
chinese() {
	awk -v tab="$tab" '
	/^\/\/ [0-9]+\.[0-9]+\.[0-9]+ / { clause = $2; print clause }
	sub("^//" tab "见 ", "") {
		path = $1
		sub("^[^ ]+ ?", "")
		print clause tab path tab $0
	}' "$1"
}

english() {
	awk -v tab="$tab" -v clause="${1##*/}" '
	/^\*\*[0-9.]+\*\* / { clause = substr($1, 3, length($1) - 4); print clause }
	sub("^- `", "") {
		path = substr($0, 1, index($0, "`") - 1)
		sub("^[^`]*` ?", "")
		print clause tab path tab $0
	}' "$1"
}

while read -r chapter; do
	chinese "$chapter"
done <"$tmp/chapters" >"$tmp/chinese"
english doc/spec.en.md >"$tmp/english"
diff "$tmp/chinese" "$tmp/english" >"$tmp/diff" || {
	head -n 5 "$tmp/diff"
	fail 'the Chinese and the English text differ in clauses or references'
}

# Clauses of a chapter count from 1, and each has a reference.
awk -F "$tab" '
function refuse(why) { print clause ": " why; bad = 1 }
NF == 1 {
	if (clause && !named)
		refuse("names no test, tutorial or file")
	clause = $1
	named = 0
	n = split(clause, part, ".")
	chapter = part[1] "." part[2]
	if (n != 3 || part[3] != ++last[chapter])
		refuse("out of order")
}
NF == 3 { named = 1 }
END {
	if (!named)
		refuse("names no test, tutorial or file")
	exit bad
}' "$tmp/chinese" >"$tmp/said" || fail "clauses: $(head -n 1 "$tmp/said")"

# Clauses that a text speaks of are there.
cat doc/spec.en.md $(cat "$tmp/chapters") | grep -oE '[0-9]{2}\.[0-9]+\.[0-9]+' |
    sort -u | grep -vxFf "$tmp/chinese" >"$tmp/said" || :
[ ! -s "$tmp/said" ] || fail "there is no clause $(echo $(cat "$tmp/said"))"

# found PATH NAME: the file declares the test or function, or has the words.
found() {
	case $1 in
	tests/t_*.c) grep -qxF "START_TEST($2)" "$1" ;;
	doc/*.kv|tutorial/*.kv|lib/nn.kv) grep -qF "rwfunc $2(" "$1" ;;
	*) grep -qF -- "$2" "$1" ;;
	esac
}

# unfound: references of the input that do not hold.
unfound() {
	while IFS=$tab read -r clause path name; do
		[ -z "$path" ] || { [ "$name" ] && [ -f "$path" ] &&
		    found "$path" "$name"; } ||
			echo "$clause names '$name' of '$path'"
	done
}

english doc/pytorch.md >"$tmp/pytorch"
[ "$(wc -l <"$tmp/pytorch")" -ge 7 ] || fail 'doc/pytorch.md names no tests'
cat "$tmp/chinese" "$tmp/pytorch" | unfound >"$tmp/said"
[ ! -s "$tmp/said" ] || {
	cat "$tmp/said"
	fail 'doc names what is not there'
}
# A check that cannot fail is none.
for planted in tests/none.sh tests/spec.sh tests/t_gen_policy.c lib/nn.kv; do
	printf '1.1.1\t%s\tno%s such words\n' "$planted" ''
done | unfound >"$tmp/said"
[ "$(wc -l <"$tmp/said")" -eq 4 ] || fail 'planted references are taken'

# Links between our pages lead somewhere.
for page in README.md HACKING.md doc/*.md; do
	grep -oE '\]\([^)#:]+\)' "$page" | sed 's/^](//; s/)$//' |
	while read -r link; do
		[ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
	done
done >"$tmp/said"
[ ! -s "$tmp/said" ] || fail "dead link in $(head -n 1 "$tmp/said")"

# An abstract op is provided by nobody under its own name.
sed -n 's/^	rwir \([A-Za-z0-9_]*\)(.*/deepx·\1/p' lib/deepx.kv >"$tmp/abstract"
[ -s "$tmp/abstract" ] || fail 'this test finds no abstract op'
cut -f 2 "$KVAOT_OUT/lib/current/manifest" | grep -xFf "$tmp/abstract" &&
	fail 'an abstract op has a row'

# Examples.
exits 0 "$kvaot" fmt --check doc
exits 0 "$kvaot" vet doc
[ ! -s "$tmp/err" ] || fail "vet: $(head -n 1 "$tmp/err")"

# printed WHAT: the last output is what the chapter expects.
printed() {
	cmp -s "$tmp/out" "$tmp/expected" || {
		diff "$tmp/expected" "$tmp/out" | head -n 4
		fail "$1 prints something else"
	}
}

while read -r chapter; do
	exits 0 "$kvaot" layout "$chapter"
	sed -n 's!.*// expect: !!p' "$chapter" >"$tmp/expected"
	[ -s "$tmp/expected" ] || fail "$chapter expects nothing"
	exits 0 "$kvaot" run "$chapter"
	printed "$chapter"
	exits 0 "$kvaot" run "$chapter" --base
	printed "$chapter --base"
done <"$tmp/chapters"

# A chapter without abstract ops runs without the compiler too.
chapter=$(grep '编译器定位' "$tmp/chapters")
sed -n 's!.*// expect: !!p' "$chapter" >"$tmp/expected"
exits 0 "$bin/kvrun" "--lib=$KVAOT_OUT/lib" "$chapter"
printed "$chapter, which runs without the compiler,"
finish
