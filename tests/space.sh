#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs over a space fs://DIR: the tutorials print the same bytes under mem:
# and fs://, as they stand and compiled, and again from what the folder keeps;
# values at absolute paths outlive the process, also one that is killed.
. "$(dirname "$0")/lib.sh"
copy_build "$tmp/c"
kvrun=$out/bin/kvrun space=--space=fs://$tmp/d

# same WHAT COMMAND...: the command prints what $tmp/want holds.
same() {
	what=$1
	shift
	exits 0 "$@"
	cmp -s "$tmp/want" "$tmp/out" || {
		diff "$tmp/want" "$tmp/out" | head -n 5
		fail "$file: $what prints something else"
	}
}

n=0
for file in "$src"/tutorial/[0-9]*.kv; do
	exits 0 "$kvrun" --space=mem: "$file"
	cp "$tmp/out" "$tmp/want"
	same 'kvrun without --space' "$kvrun" "$file"
	same 'kvrun under fs://' "$kvrun" "$space" "$file"
	same 'its restart' "$kvrun" "$space" --entry=test
	same 'the compiled program' "$out/bin/kvaot" run "$file"
	same 'the compiled program under fs://' \
	    "$out/bin/kvaot" run "$space" "$file"
	same 'the restart of that' "$kvrun" "$space" --entry=test
	n=$((n + 1))
done
[ $n -eq 11 ] || fail "$n tutorials instead of eleven"

# prints TEXT COMMAND...
prints() {
	text=$1
	shift
	exits 0 "$@"
	[ "$(cat "$tmp/out")" = "$text" ] ||
		fail "'$(cat "$tmp/out")' instead of '$text': $*"
}

file=$tmp/count.kv
cat >"$file" <<'END'
rwfunc reset() -> () {
	/count = 0
	/sums = [0.5, 1.5]
}
rwfunc test() -> () {
	/count = /count + 1
	deepx·add(/sums, /sums) -> /sums
	println(/count, /sums)
}
rwfunc drop() -> () {
	/count = nothing
	println(/count)
}
END
bind=$tmp/bind.kv
sed 's!deepx·add!deepx/miaobyte·add!' "$file" >"$bind"
prints '' "$kvrun" "$space" --entry=reset "$bind"
prints '1 [1.0, 3.0]' "$kvrun" "$space" --entry=test
prints '2 [2.0, 6.0]' "$kvrun" "$space" "$bind"
prints '3 [4.0, 12.0]' "$out/bin/kvaot" run "$space" "$file"
# The abstract op is bound in the compiled program, not in the folder.
exits 1 "$kvrun" "$space" --entry=test
says "$tmp/err" "error: $file:7:2: UnboundOpError: deepx·add" \
    'what the folder keeps'
prints '5 [8.0, 24.0]' "$out/bin/kvaot" run "$space" "$file"
prints None "$kvrun" "$space" --entry=drop
exits 1 "$kvrun" "$space" --entry=test
says "$tmp/err" "error: $file:6:11: TypeError: None in arithmetic" \
    'a value that was dropped'

# A program that ends by force has lost nothing that it had written.
cat >"$tmp/loop.kv" <<'END'
rwfunc test() -> () {
	/n = 0
	while (true) {
		/n = /n + 1
	}
}
rwfunc show() -> () {
	println(/n > 0)
}
END
timeout -s KILL 1 "$kvrun" "$space" "$tmp/loop.kv" >"$tmp/log" 2>&1 || :
prints true "$kvrun" "$space" --entry=show

# What cannot be: the space, the folder, a damaged file.
exits 2 "$kvrun" --space=shm://x "$file"
says "$tmp/err" 'expects mem: or fs://DIR, found shm://x' 'another space'
exits 3 "$kvrun" "--space=fs://$src" "$file"
says "$tmp/err" 'expected a folder with the file `kvspace` or an empty one' \
    'a folder of somebody else'
printf x >"$tmp/d/%2Fn"
exits 1 "$kvrun" "$space" --entry=show
says "$tmp/err" "$tmp/d/%2Fn: " 'the damaged file'
says "$tmp/err" "$tmp/loop.kv:8:10: RuntimeError: /n cannot be read" \
    'where it was read'
finish
