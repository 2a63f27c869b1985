# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bash complete.bash SCRIPT LINES [BASH_COMPLETION]: what the script offers at the end of each line, as bash would call it.
# Prints "== LINE" and the candidates, a line each.
# shellcheck disable=SC1090
[[ $3 ]] && source "$3"
source "$1"
# There is no completion to set options of.
compopt() { :; }
while IFS= read -r line; do
    printf '== %s\n' "$line"
    # Bash makes words of their own of what stands in $COMP_WORDBREAKS.
    broken=${line//=/ = }
    read -ra COMP_WORDS <<<"${broken//:/ : }"
    [[ $broken == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9 COMP_KEY=9
    COMPREPLY=()
    _jitbench jitbench
    printf '%s\n' "${COMPREPLY[@]}"
done <"$2"
