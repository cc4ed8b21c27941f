# SPDX-License-Identifier: MIT
# Completion of kvaot, kvobj and kvrun for bash: source it, or install it where
# bash-completion looks. Commands and options come from the help texts, so they
# are always those of the installed programs.

# _kvaot_values PROGRAM COMMAND OPTION: what an option may be, one a line.
_kvaot_values() {
	case $3 in
	--stage) "$1" dump --help | sed -n 's/^  --stage=STAGE *//p' | tr -d , |
	    tr ' ' '\n' ;;
	--op) "$1" ls | sed 's/	.*//; s/\.[0-9]*\.k[0-9]*$//; s/·/:/' | sort -u ;;
	--dtype) "$1" ls | cut -f 3 | sort -u ;;
	--author) "$1" ls | cut -f 8 | sort -u ;;
	NAME) "$1" doc | sed -n 's/^## //p' | sed 's/·/:/' ;;
	*) return 1 ;;
	esac
}

# The words that may stand at the cursor, for the token typed so far.
_kvaot_words() {
	local program=$1 command=$2 token=$3 option
	case $token in
	--*=*)
		option=${token%%=*}
		_kvaot_values "$program" "$command" "$option" |
		    sed "s/^/$option=/"
		;;
	-*)
		"$program" $command --help |
		    sed -n 's/^  \(--*[a-z-]*=\{0,1\}\).*/\1/p'
		[ -n "$command" ] || printf '%s\n' --help --version
		;;
	*)
		if [ -z "$command" ]; then
			"$program" --help |
			    sed -n 's/^  \([a-z][a-z]*\)  *[^ ].*/\1/p'
		elif [ "$command" = explain ]; then
			_kvaot_values "$program" '' --op
		elif [ "$command" = doc ]; then
			_kvaot_values "$program" '' NAME
		fi
		;;
	esac
}

_kvaot() {
	local IFS=$'\n' line=${COMP_LINE:0:COMP_POINT} token kept='' command='' word
	token=${line##*[[:blank:]]}
	# The line is split at : and =, and only what follows is replaced.
	case $token in *[:=]*) kept=${token%"${token##*[:=]}"} ;; esac
	if [ "${1##*/}" != kvrun ]; then
		IFS=$' \t' read -r _ command _ <<<"$line"
		[ "$command" != "$token" ] || [ "$COMP_CWORD" -gt 1 ] || command=''
	fi
	COMPREPLY=()
	for word in $(_kvaot_words "$1" "$command" "$token" 2>/dev/null); do
		[[ $word != "$token"* ]] || COMPREPLY+=("${word#"$kept"}")
	done
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
}

complete -o default -F _kvaot kvaot kvobj kvrun
