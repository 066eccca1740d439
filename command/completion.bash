# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Completion of furwock's command line: what each --help lists, so nothing here is out of date.
_furwock() {
    local program=$1 word=$2 said i path=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            -- | -*) ;;
            *) path+=("${COMP_WORDS[i]}") ;;
        esac
        # From the program on that shall be run, the line is its own.
        if [[ ${path[*]} == "run "* || ${path[*]} == "compare "* ||
            ${path[*]} == "rt trace "* ]]; then
            COMPREPLY=()
            declare -F _command_offset > /dev/null && _command_offset "$i"
            return 0
        fi
    done
    [[ ${path[0]-} == rt ]] || path=("${path[@]:0:1}")
    path=("${path[@]:0:2}")
    said=$("$program" "${path[@]}" --help 2> /dev/null) || return 0
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(grep -o -e '--[a-z-][a-z-]*=\?' <<< "$said")" \
            -- "$word")
    elif [[ ${path[*]} == "" || ${path[*]} == rt ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/^  \([a-z]\{1,\}\) \{3,\}.*/\1/p' \
            <<< "$said")" -- "$word")
    elif [[ ${path[*]} == run || ${path[*]} == compare || ${path[*]} == "rt trace" ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$word")
    else
        COMPREPLY=() # files, by -o default
    fi
}
complete -o default -F _furwock furwock
