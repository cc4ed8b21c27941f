# SPDX-License-Identifier: MIT
# What shell tests share: `. tests/lib.sh` first. $tmp is a folder of the test,
# removed at its end.
set -eu
LC_ALL=C
export LC_ALL
unset MAKEFLAGS MAKELEVEL CC CFLAGS LDFLAGS KVAOT_LIB XDG_CACHE_HOME || :
bin=$KVAOT_OUT/bin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# fail SENTENCE: one statement does not hold; the test goes on.
fail() {
	printf '%s: %s\n' "${0##*/}" "$*"
	failed=1
}

# die SENTENCE [LOG]: what follows makes no sense any more.
die() {
	[ $# -lt 2 ] || tail -n 20 "$2"
	fail "$1"
	exit 1
}

# finish: the last line of a test.
finish() {
	exit $failed
}

# exits STATUS COMMAND...: its output goes to $tmp/out and $tmp/err.
exits() {
	want=$1 status=0
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ $status -eq "$want" ] || {
		tail -n 5 "$tmp/out" "$tmp/err"
		fail "exit $status instead of $want: $*"
	}
}

# says FILE TEXT WHAT: the file holds the text.
says() {
	grep -qF -- "$2" "$1" || {
		head -n 5 "$1"
		fail "$3: expected '$2'"
	}
}

# find_refs: $refs holds the objects of kernels/ref, and none of a kernel that
# is gone.
find_refs() {
	refs=$KVAOT_OUT/obj/ref
	for object in "$refs"/*.so; do
		stem=${object##*/}
		[ -e "$KVAOT_TOP/kernels/ref/${stem%.so}.c" ] || rm "$object"
	done
}

# copy_tree DIR: the sources without .git and build folders.
copy_tree() {
	mkdir -p "$1"
	(cd "$KVAOT_TOP" && tar -cf - --exclude=./.git --exclude='./out*' .) |
	    (cd "$1" && tar -xf -)
}

# copy_build DIR: sources in $src and build in $out, both below DIR, with times
# of files kept, so that ninja goes on where the tested build is; the cache is a
# copy too.
copy_build() {
	src=$1/src out=$1/out
	[ "$KVAOT_OUT" != "$KVAOT_TOP/out" ] || out=$src/out
	copy_tree "$src"
	cp -RPp "$KVAOT_OUT" "$out"
	cp -RPp "${KVAOT_CACHE:-$KVAOT_OUT/cache}" "$1/cache"
	KVAOT_CACHE=$1/cache
	export KVAOT_CACHE
	rm -rf "$out/cache" "$out/run"
	[ ! -L "$out/top" ] || ln -sfn "$src" "$out/top"
	sh "$out/config.status" --without-check >"$tmp/log" 2>&1 ||
		die configure "$tmp/log"
	build 'the copied build'
}

# build WHAT: ninja; $ran is what ran besides stamp, sorted.
build() {
	what=$1
	ninja -C "$out" >"$tmp/log" 2>&1 || die "$what: ninja failed" "$tmp/log"
	ran=$(sed -n 's/^\[[0-9/]*\] //p' "$tmp/log" | grep -vx stamp | sort)
}

# settled: a build with nothing to do runs stamp, once.
settled() {
	build "$what, once more"
	[ -z "$ran" ] || fail "$what ran: $(echo $ran)"
}

# mark: events of the cache and written receipts count from here.
mark() {
	seen=$(wc -l <"$KVAOT_CACHE/stats")
	touch "$tmp/mark"
}

# events: `event kernel` since the mark, sorted; a kernel is its receipt's name.
events() {
	tail -n +$((seen + 1)) "$KVAOT_CACHE/stats" |
	while read -r event action; do
		receipt=$(cd "$out" && grep -lF "$action" kernels/*.ok \
		    backends/*.ok | head -n 1)
		echo "$event ${receipt##*/}"
	done | sort
}

# texts: of receipts on standard input, `isa digest of the C text`. Of two kernels
# with one text only the first is compiled.
texts() {
	while read -r receipt; do
		kernel=${receipt%.*.ok} text=$receipt
		for file in "$out/kernels/$kernel.c" "$out/backends/$kernel.c"; do
			[ ! -f "$file" ] || text=$(sha256sum <"$file")
		done
		echo "${receipt#"$kernel"} $text"
	done | sort -u
}

# compiled KERNEL...: just these were compiled since the mark, each for every isa
# it has a receipt of.
compiled() {
	events | sed -n 's/^compile //p' >"$tmp/compiled"
	for kernel; do
		(cd "$out" && ls kernels/"$kernel".*.ok backends/"$kernel".*.ok \
		    2>"$tmp/log") | sed 's!.*/!!'
	done | sort >"$tmp/expected"
	[ "$(texts <"$tmp/compiled")" = "$(texts <"$tmp/expected")" ] || {
		diff "$tmp/expected" "$tmp/compiled" | head -n 5
		fail "$what: other compiles than expected"
	}
}

# stats EVENT: how often the cache counted it.
stats() {
	"$out/bin/kvobj" stats | sed -n "s/^$1	//p"
}

# json FILE WHAT: another program reads it as JSON.
json() {
	if command -v python3 >/dev/null; then
		python3 -m json.tool <"$1" >/dev/null 2>"$tmp/json" || {
			cat "$tmp/json"
			fail "$2 is not JSON"
		}
	elif command -v node >/dev/null; then
		node -e 'JSON.parse(require("fs").readFileSync(0))' <"$1" ||
			fail "$2 is not JSON"
	else
		echo "skipped: neither python3 nor node to read $2"
	fi
}

# same_files WHAT FILE FILE: they hold the same bytes.
same_files() {
	diff "$2" "$3" || fail "$1"
}
