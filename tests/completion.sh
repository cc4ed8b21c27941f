#!/bin/sh
# SPDX-License-Identifier: MIT
# Completion for bash, by sourcing it and completing lines.
. "$(dirname "$0")/lib.sh"
command -v bash >/dev/null || { echo 'skipped: no bash'; exit 0; }

# The words of a line are split as readline splits them.
cat >"$tmp/complete" <<'END'
source "$KVAOT_TOP/doc/completion/kvaot.bash"
COMP_LINE=$1
COMP_POINT=${#COMP_LINE}
read -r -a COMP_WORDS <<<"$COMP_LINE"
[[ $COMP_LINE != *' ' ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
program=${COMP_WORDS[0]}
complete -p "$program" | grep -q -- '-F _kvaot ' || exit 1
_kvaot "$KVAOT_BIN/$program" "${COMP_WORDS[COMP_CWORD]}"
printf '%s\n' "${COMPREPLY[@]}"
END

# gives LINE WORD...: what completing the line offers, in any order.
gives() {
	line=$1
	shift
	bash "$tmp/complete" "$line" | sort >"$tmp/got" || fail "'$line' fails"
	printf '%s\n' "$@" | sort >"$tmp/want"
	same_files "completing '$line'" "$tmp/want" "$tmp/got"
}

gives 'kvaot la' layout
gives 'kvaot d' dump doc doctor
gives 'kvaot t' test
gives 'kvaot test --' --json
gives 'kvobj s' show stats scan
gives 'kvaot --v' --version
gives 'kvaot nothing' ''
gives 'kvaot ls --' --op= --n= --dtype= --author= --lib= --json
gives 'kvaot ls --d' --dtype=
gives 'kvaot ls --json --a' --author=
gives 'kvaot doctor --' --lib= --json
gives 'kvobj stats --j' --json
gives 'kvobj why --i' --isa=
gives 'kvrun --tr' --trace
gives 'kvrun --entry=f --st' --strict
# Only what follows = or : is replaced.
gives 'kvaot dump --stage=' layout program bound fusion concrete artifact c
gives 'kvaot dump --stage=co' concrete
gives 'kvaot ls --dtype=float6' float64
gives 'kvaot ls --author=a' aot
gives 'kvaot explain deepx:softm' softmax
gives 'kvaot explain --json deepx:softm' softmax
gives 'kvaot ls --op=deepx:softm' softmax
gives 'kvaot doc deepx:uni' uniform
gives 'kvaot doc --g' --gaps
# Files are bash's own business.
gives 'kvaot layout x' ''
gives 'kvaot explain --program=x' ''
[ "$(bash -c 'source "$KVAOT_TOP/doc/completion/kvaot.bash"
    complete -p kvaot' | grep -c -- '-o default')" -eq 1 ] ||
	fail 'files are not offered'
finish
