#compdef jitbench
# SPDX-License-Identifier: MIT
# Completion of jitbench's command line for zsh, as `jitbench completion zsh` prints it. `jitbench __complete` finds the
# candidates.

_jitbench() {
    local line word kind
    local -i number
    local -a lines plain open

    lines=("${(@f)$("${(Q)words[1]/#\~/$HOME}" __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    kind=${lines[1]% *} number=${lines[1]#* }
    if [[ $kind == command ]]; then
        shift $((number + 1)) words
        (( CURRENT -= number + 1 ))
        if (( CURRENT == 1 )); then
            _command_names -e
        else
            _normal
        fi
        return
    fi
    compset -p $number
    case $kind in
    files) _files ;;
    folders) _files -/ ;;
    *)
        # No blank follows a candidate in open.
        for line in "${(@)lines[2,-1]}"; do
            word=${line%%$'\t'*}
            [[ $line == *$'\t'* ]] && line=${word//:/\\:}:${line#*$'\t'} || line=${word//:/\\:}
            if [[ $kind == list || $word == *= ]]; then
                open+=("$line")
            else
                plain+=("$line")
            fi
        done
        _describe -t values value plain -- open -S ''
        ;;
    esac
}

# Works both autoloaded from a directory in $fpath and read by source.
if [[ $funcstack[1] == _jitbench ]]; then
    _jitbench "$@"
else
    compdef _jitbench jitbench
fi
