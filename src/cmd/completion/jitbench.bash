# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Completion of jitbench's command line for bash 4.2 and later, as `jitbench completion bash` prints it. Needs neither
# jitbench nor bash-completion; if bash-completion is loaded, the command line after `run` is completed with its rules.

# Sets the options and operands of a command. options has a line for each option: its spellings, the kind of its value,
# and the words to choose from. operands has their kind, their maximum number (0: any number), and the words.
_jitbench_tables() {
    case $1 in
#@tables
    *)
        options=()
        operands=(none 0)
        ;;
    esac
}

# Sets the kind of value, and the words, of the option with the index row.
_jitbench_kind() {
    local -a parts
    read -ra parts <<<"${options[row]}"
    while [[ ${parts[0]} == -* ]]; do
        parts=("${parts[@]:1}")
    done
    kind=${parts[0]}
    choices=("${parts[@]:1}")
}

# Finds the option in a word (of several letters the last): its index in row, '' when there is none. attached is 1 when
# the word also contains the value: value, with lead before it.
_jitbench_find() {
    local word=$1 name i at
    row='' kind='' lead='' value='' attached=''
    if [[ $word == --* ]]; then
        name=${word%%=*}
        for i in "${!options[@]}"; do
            [[ " ${options[i]} " == *" $name "* ]] && row=$i && break
            [[ -z $row && " ${options[i]}" == *" $name"* ]] && row=$i
        done
        [[ $row ]] || return
        _jitbench_kind
        used[row]=1
        [[ $word == *=* ]] && attached=1 lead=$name= value=${word#*=}
    else
        for ((at = 1; at < ${#word}; at++)); do
            row=
            for i in "${!options[@]}"; do
                [[ ${options[i]} == "-${word:at:1} "* ]] && row=$i && break
            done
            [[ $row ]] || return
            _jitbench_kind
            used[row]=1
            [[ $kind == flag ]] && continue
            lead=${word:0:at+1} value=${word:at+1}
            [[ $value ]] && attached=1
            return
        done
    fi
}

# Completes $3 as a value of kind $1; each candidate begins with $2.
_jitbench_value() {
    local kind=$1 lead=$2 value=$3 word before
    shift 3
    case $kind in
    words | optional)
        mapfile -t COMPREPLY < <(compgen -P "$lead" -W "$*" -- "$value")
        ;;
    list)
        before=${value%"${value##*,}"}
        for word; do
            [[ ,$before == *,"$word",* || $word != "${value##*,}"* ]] || COMPREPLY+=("$lead$before$word")
        done
        compopt -o nospace 2>/dev/null
        ;;
    file | files | folder)
        value=${value#[\"\']}
        value=${value//\\/}
        compopt -o filenames 2>/dev/null
        if [[ $kind == folder ]]; then
            mapfile -t COMPREPLY < <(compgen -P "$lead" -d -- "$value")
        else
            mapfile -t COMPREPLY < <(compgen -P "$lead" -f -- "$value")
        fi
        ;;
    esac
    return 0
}

_jitbench_options_left() {
    local i spelling
    for i in "${!options[@]}"; do
        row=$i
        _jitbench_kind
        [[ ${used[i]-} && $kind != list && $kind != values ]] && continue
        spelling=--${options[i]#*--}
        spelling=${spelling%% *}
        [[ $spelling == "$cur"* ]] || continue
        case $kind in
        flag | optional) COMPREPLY+=("$spelling") ;;
        *) COMPREPLY+=("$spelling=") ;;
        esac
    done
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}

_jitbench_operand() {
    local word
    local -a left=()
    [[ ${operands[1]} -gt 0 && ${#given[@]} -ge ${operands[1]} ]] && return
    if [[ ${operands[0]} != words ]]; then
        _jitbench_value "${operands[0]}" '' "$cur"
        return
    fi
    for word in "${operands[@]:2}"; do
        [[ " ${given[*]-} " == *" $word "* ]] || left+=("$word")
    done
    _jitbench_value words '' "$cur" "${left[@]}"
}

# Completes another program's command line from word $1 on; several are separated by --.
_jitbench_command() {
    local i first=$1
    for ((i = first; i < n - 1; i++)); do
        [[ ${words[i]} == -- ]] && first=$((i + 1))
    done
    if declare -F _command_offset >/dev/null; then
        _command_offset "${at[first]}"
    elif ((first == n - 1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur" | sort -u)
    else
        _jitbench_value file '' "$cur"
    fi
}

_jitbench() {
    local cur word row kind lead value attached wanted='' ended='' glue='' i n=0
    local -a words=() at=() options=() operands=() given=() used=() choices=()
    local IFS=$' \t\n'
    COMPREPLY=()

    # Bash splits words at the characters of $COMP_WORDBREAKS, such as = and :, so they are joined again.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $n -gt 0 && ($glue || $word == [=:] || $word == [=:][=:]) ]]; then
            words[n - 1]+=$word
            glue=
            [[ $word == *[=:] ]] && glue=1
        else
            words[n]=$word
            at[n]=$i
            n=$((n + 1))
        fi
    done
    cur=${words[n - 1]}
    if ((n == 1)); then
        if [[ $cur == -* ]]; then
            words=(--help --version)
        else
            _jitbench_tables help
            words=("${operands[@]:2}")
        fi
        _jitbench_value words '' "$cur" "${words[@]}"
        return
    fi
    if [[ ${words[n - 2]} == *[\<\>]* ]]; then
        _jitbench_value file '' "$cur"
        return
    fi

    _jitbench_tables "${words[0]}"
    for ((i = 1; i < n - 1; i++)); do
        word=${words[i]}
        if [[ $ended || $word != -?* ]]; then
            if [[ ${operands[0]} == command ]]; then
                _jitbench_command "$i"
                return
            fi
            given+=("$word")
        elif [[ $word == -- ]]; then
            ended=1
        else
            _jitbench_find "$word"
            if [[ $row && $kind != flag && $kind != optional && -z $attached ]]; then
                i=$((i + 1))
                ((i == n - 1)) && wanted=$row
            fi
        fi
    done

    if [[ $wanted ]]; then
        row=$wanted
        _jitbench_kind
        _jitbench_value "$kind" '' "$cur" "${choices[@]}"
    elif [[ -z $ended && $cur == --*=* ]]; then
        _jitbench_find "$cur"
        # If bash has split a word at =, only the part after it is replaced.
        [[ $COMP_WORDBREAKS == *=* ]] && lead=
        [[ $attached ]] && _jitbench_value "$kind" "$lead" "$value" "${choices[@]}"
    elif [[ -z $ended && $cur == -[!-]* ]]; then
        _jitbench_find "$cur"
        [[ $row && -z $attached ]] && COMPREPLY=("$cur")
        [[ $attached ]] && _jitbench_value "$kind" "$lead" "$value" "${choices[@]}"
    elif [[ -z $ended && $cur == -* ]]; then
        _jitbench_options_left
    elif [[ ${operands[0]} == command ]]; then
        _jitbench_command $((n - 1))
    else
        _jitbench_operand
    fi
    return 0
}

complete -F _jitbench jitbench
