#!/bin/sh
# SPDX-License-Identifier: MIT
# kvaot explain: the rule table, what a rebuild would change, JSON.
. "$(dirname "$0")/lib.sh"
kvaot=$bin/kvaot
KVAOT_CACHE=$tmp/cache
export KVAOT_CACHE
mkdir "$KVAOT_CACHE"

# The table against the text of fusion.def, rows of one kind in its order.
exits 0 "$kvaot" explain --states
sed -n 's/^CLASS(\(.*\), \(.*\))$/class\t\1\t\2/p
    s/^LIMIT(\(.*\), \(.*\))$/limit\t\1\t\2/p
    s/^STATE(\([a-z_]*\), "\(.*\)")$/state\t\1\t\2/p' \
    "$KVAOT_TOP/gen/fusion.def" >"$tmp/want"
grep -v '^template' "$tmp/out" >"$tmp/got"
[ -s "$tmp/want" ] || die 'this test cannot read fusion.def'
same_files 'explain --states' "$tmp/want" "$tmp/got"
for name in $(sed -n 's/^TEMPLATE(\(.*\))$/\1/p' "$KVAOT_TOP/gen/fusion.def")
do
	match=$(sed -n 's/.*@match \(.*\) \*\/$/\1/p' \
	    "$KVAOT_TOP/templates/$name.c")
	grep -qxF "template	$name	$match" "$tmp/out" ||
		fail "--states does not say that $name takes $match"
done
exits 0 "$kvaot" explain --states --json
json "$tmp/out" 'explain --states --json'

# Each of these is one kernel, whatever template takes it.
for name in softmax log_softmax standardize scale_shift layernorm rmsnorm \
    add_layernorm add_rmsnorm normalize silu_mul bias_gelu cross_entropy; do
	exits 0 "$kvaot" explain "deepx:$name"
	! grep -q -e '^-- ' -e '^k[1-9]' "$tmp/out" && grep -q '^k0 ' "$tmp/out" &&
	    grep -q '^chosen: \.[1-9]' "$tmp/out" || {
		cat "$tmp/out"
		fail "$name is not one kernel"
	}
done

exits 0 "$kvaot" explain --json deepx:softmax
json "$tmp/out" 'explain --json'
says "$tmp/out" '"function":"deepx·softmax"' 'explain --json'
says "$tmp/out" '"ops":["deepx/miaobyte·reducemax",' 'explain --json'
[ "$(grep -o '"object":' "$tmp/out" | wc -l)" -eq "$(grep -c \
    '^row	deepx·softmax.1.k0	' "$KVAOT_OUT/lib/current/manifest")" ] ||
	fail 'explain --json has other rows than the manifest'

# program LINE...: $tmp/p.kv, whose function t·f has these rows.
program() {
	{
		printf 'lib t {\n\trwfunc f(x:[*]float32) -> (y:[*]float32) {\n'
		printf '\t\t%s\n' "$@"
		printf '\t}\n}\nrwfunc test() -> () {\n\ta:[2]float32 = %s\n' \
		    '[0.0, 0.0]'
		printf '\tt·f(a) -> b\n\tprint(b)\n}\n'
	} >"$tmp/p.kv"
}

rebuild() {
	exits 0 "$kvaot" explain --rebuild "--program=$tmp/p.kv" "$@" t:f
}

program 'deepx·exp(x) -> e' 'deepx·mul(e, x) -> y'
exits 1 "$kvaot" explain --rebuild "--program=$tmp/p.kv" t:f
says "$tmp/err" 'kvaot run' 'a program that was never run'
# Not yet run, it is explained all the same.
exits 0 "$kvaot" explain "--program=$tmp/p.kv" t:f
says "$tmp/out" 'k0 map fusable: exp mul' 'explain --program'
exits 0 "$kvaot" run "$tmp/p.kv"
[ "$(cat "$tmp/out")" = '[0.0, 0.0]' ] || fail 'exp(0) * 0 is not 0'
exits 0 "$kvaot" explain "--program=$tmp/p.kv" t:f
says "$tmp/out" 'row float32' 'rows of a program that was run'
rebuild
[ "$(cat "$tmp/out")" = 't·f is unchanged since the last plan' ] ||
	fail "nothing changed but: $(cat "$tmp/out")"
rebuild --json
json "$tmp/out" 'explain --rebuild --json'
says "$tmp/out" '"status":"unchanged","level":null,"changes":[]' unchanged

# Comments and blank lines mean nothing.
program '// a comment' 'deepx·exp(x) -> e' '' 'deepx·mul(e, x) -> y'
rebuild
says "$tmp/out" 'unchanged' 'a comment'

# One op becomes another.
program 'deepx·relu(x) -> e' 'deepx·mul(e, x) -> y'
rebuild
cat >"$tmp/want" <<END
t·f changed since the last plan; first level that differs: program
  changed op deepx·relu(x) -> (e)  $tmp/p.kv:3
          was op deepx·exp(x) -> (e)
          differs in opcode
END
same_files 'one op changed' "$tmp/want" "$tmp/out"
rebuild --json
json "$tmp/out" 'explain --rebuild --json'
says "$tmp/out" '"status":"changed","level":"program","changes":[{"change":"changed"' \
    'explain --rebuild --json'

# A row more, a row less.
program 'deepx·exp(x) -> e' 'deepx·mul(e, x) -> g' 'deepx·relu(g) -> y'
rebuild
says "$tmp/out" '  added   op deepx·mul(e, x) -> (g)' 'a row more'
says "$tmp/out" '  changed op deepx·relu(g) -> (y)' 'a row more'
says "$tmp/out" '          was op deepx·mul(e, x) -> (y)' 'a row more'
# An op is known by what it writes.
program 'deepx·exp(x) -> y'
rebuild
says "$tmp/out" '  removed op deepx·exp(x) -> (e)' 'a row less'
says "$tmp/out" '  removed value e' 'a row less'
says "$tmp/out" '  changed op deepx·exp(x) -> (y)' 'a row less'

# What the function calls changed, not the function: the level after inlining.
exits 0 "$kvaot" run "$tmp/p.kv"
exits 0 "$kvaot" explain --rebuild "--program=$tmp/p.kv" test
says "$tmp/out" 'test is unchanged' 'the caller'
program 'deepx·relu(x) -> y'
exits 0 "$kvaot" explain --rebuild "--program=$tmp/p.kv" test
says "$tmp/out" 'first level that differs: inlined' 'the caller'

# Functions that are new or gone.
sed 's/t·f/t·g/; s/rwfunc f/rwfunc g/' "$tmp/p.kv" >"$tmp/q.kv"
mv "$tmp/q.kv" "$tmp/p.kv"
rebuild
[ "$(cat "$tmp/out")" = 't·f was removed since the last plan' ] ||
	fail 'a function that is gone'
exits 0 "$kvaot" explain --rebuild "--program=$tmp/p.kv" t:g
[ "$(cat "$tmp/out")" = 't·g is new since the last plan' ] ||
	fail 'a new function'
exits 1 "$kvaot" explain --rebuild "--program=$tmp/p.kv" t:h
says "$tmp/err" 'function `t·h`' 'an unknown function'

# The plan of a build folder of one's own.
exits 0 "$kvaot" gen -o "$tmp/out.d" --program "$tmp/p.kv"
exits 0 "$kvaot" explain --rebuild -o "$tmp/out.d" t:g
says "$tmp/out" 'unchanged' 'explain -o'
printf x >>"$tmp/out.d/ir.kvs"
exits 1 "$kvaot" explain --rebuild -o "$tmp/out.d" t:g
says "$tmp/err" ir.kvs 'a damaged plan'

exits 1 "$kvaot" explain deepx:sofmax
says "$tmp/err" 'the library has no function `deepx·sofmax`; did you mean deepx·softmax?' 'an unknown function'
exits 2 "$kvaot" explain
exits 2 "$kvaot" explain --states deepx:softmax
exits 2 "$kvaot" explain --no-such-option deepx:softmax
finish
