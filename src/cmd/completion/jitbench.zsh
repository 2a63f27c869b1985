#compdef jitbench
# SPDX-License-Identifier: MIT
# Completion of jitbench's command line for zsh, as `jitbench completion zsh` prints it. Needs no jitbench.

# Completes operands with their help, without those already given. $1: description of the operands.
_jitbench_words() {
    local word
    local -a left
    for word in $operands; do
        (( ${words[2,CURRENT-1][(Ie)${word%%:*}]} )) || left+=("$word")
    done
    _describe -t operands "$1" left
}

# Completes the command line of another program; several are separated by --.
_jitbench_command() {
    local -i before=${words[1,CURRENT-1][(I)--]}
    shift before words
    (( CURRENT -= before ))
    if (( CURRENT == 1 )); then
        _command_names -e
    else
        _normal
    fi
}

_jitbench_commands() {
    local -a commands=(
#@commands
    )
    _describe -t commands command commands
}

_jitbench() {
    local curcontext=$curcontext context state line
    local -A opt_args
    local -a operands
    local -i ret=1

    _arguments -C \
        '(- *)'{-h,--help}'[print the commands]' \
        '(- *)'{-V,--version}'[print what this program is]' \
        ':command:_jitbench_commands' \
        '*:: :->arguments' && ret=0
    [[ $state == arguments ]] || return ret
    curcontext=${curcontext%:*}-$words[1]:
    case $words[1] in
#@arguments
    esac
    return ret
}

# Works both autoloaded from a directory in $fpath and read by source.
if [[ $funcstack[1] == _jitbench ]]; then
    _jitbench "$@"
else
    compdef _jitbench jitbench
fi
