# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of jitbench's command line for bash 4.2 and later, as `jitbench completion bash` prints it. `jitbench __complete`
# finds the candidates. If bash-completion is loaded, the command line after `run` is completed with its rules.

# Sets COMPREPLY to the names of files (-f) or directories (-d) that begin with $3; $2 is put before each.
_jitbench_names() {
    local value=${3#[\"\']}
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -P "$2" "$1" -- "${value//\\/}")
}

_jitbench() {
    local cur word kind='' number=0 lead broken='' glue='' i n=0
    local -a words=() at=() lines=()
    local IFS=$' \t\n'
    COMPREPLY=()

    # Bash splits words at the characters of $COMP_WORDBREAKS, such as = and :, so they are joined again. broken is the
    # part of the current word before the last such character: bash keeps it, and replaces only what follows.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $n -gt 0 && ($glue || $word == [=:] || $word == [=:][=:]) ]]; then
            broken=${words[n - 1]} glue=
            words[n - 1]+=$word
            [[ $word == *[=:] ]] && glue=1 broken+=$word
        else
            words[n]=$word at[n]=$i broken=
            n=$((n + 1))
        fi
    done
    cur=${words[n - 1]}
    if [[ $n -gt 1 && ${words[n - 2]} == *[\<\>]* ]]; then
        kind=files
    else
        mapfile -t lines < <("${1/#\~/$HOME}" __complete -- "${words[@]}" 2>/dev/null)
        read -r kind number <<<"${lines[0]}"
    fi

    lead=${cur:0:number}
    case $kind in
    files) _jitbench_names -f "$lead" "${cur:number}" ;;
    folders) _jitbench_names -d "$lead" "${cur:number}" ;;
    command)
        if declare -F _command_offset >/dev/null; then
            _command_offset "${at[number]}"
        elif ((number == n - 1)); then
            mapfile -t COMPREPLY < <(compgen -c -- "$cur" | sort -u)
        else
            _jitbench_names -f '' "$cur"
        fi
        return
        ;;
    *)
        for word in "${lines[@]:1}"; do
            word=$lead${word%%$'\t'*}
            [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
        done
        [[ $kind == list || (${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *=) ]] && compopt -o nospace 2>/dev/null
        ;;
    esac
    COMPREPLY=("${COMPREPLY[@]#"$broken"}")
}

complete -F _jitbench jitbench
