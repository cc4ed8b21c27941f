#!/bin/sh
# SPDX-License-Identifier: MIT
# Every program of the tutorial and of tests/language does what its comments
# say, with kvrun as it stands and compiled by `kvaot run`:
#	// expect: LINE                          the next line that it prints
#	// expect-error: LINE:COLUMN: TEXT       how it ends, after the lines
#	// expect-kvrun-error: LINE:COLUMN: TEXT how it ends when not compiled
#	// expect-run-error: LINE:COLUMN: TEXT   how it ends when compiled
# One that expects nothing prints the same both ways. The eleven on tensors dump
# what tests/golden/tutorials.dump lists, whose numbers are of another program.
. "$(dirname "$0")/lib.sh"
copy_build "$tmp/c"

# comment KEY: the texts of such comments.
comment() {
	sed -n "s!^// $1: !!p" "$file"
}

# ends WHAT KEY COMMAND...: status, output and first error of one run. One that
# fails only this way prints nothing.
ends() {
	what="${file#"$src/"} by $1" want=$(comment "$2") lines='' status=0
	shift 2
	[ "$want" ] || {
		want=$(comment expect-error)
		lines=$expected
	}
	"$@" "$file" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$(cat "$tmp/out")" = "$lines" ] || {
		cat "$tmp/out"
		fail "$what: other output than expected"
	}
	[ $status = "${want:+1}" ] || [ "$status$want" = 0 ] || {
		head -n 3 "$tmp/err"
		fail "$what: exit $status"
	}
	error=$(sed -n 's/^error: //p' "$tmp/err" | head -n 1)
	case $error in
	"${want:+$file:}$want"*) ;;
	*) fail "$what: expected '$want', found '$error'" ;;
	esac
}

programs=$(cd "$src" && find tutorial tests/language -name '*.kv' | sort)
[ "$(echo "$programs" | grep -c ^tutorial/errors/)" -ge 10 ] ||
	fail 'fewer than ten programs of tutorial/errors'
for file in $programs; do
	file=$src/$file
	expected=$(comment expect)
	case $file in
	*/errors/*)
		sed -n 1p "$file" | grep -q '^// expect-error: ' ||
			fail "${file#"$src/"}: line 1 is no expect-error" ;;
	esac
	if ! grep -q '^// expect' "$file"; then
		exits 0 "$out/bin/kvrun" "$file"
		expected=$(cat "$tmp/out")
	fi
	ends kvrun expect-kvrun-error "$out/bin/kvrun"
	ends 'kvaot run' expect-run-error "$out/bin/kvaot" run
done
for file in "$src"/tutorial/[0-9]*.kv; do
	basename "$file" .kv
	"$out/bin/kvrun" --dump "$file" 2>&1 >"$tmp/out"
done >"$tmp/dump"
same_files 'the dumps of the tutorials' \
    "$KVAOT_TOP/tests/golden/tutorials.dump" "$tmp/dump"
finish
