# SPDX-License-Identifier: MIT
# Completion of jitbench's command line for fish 3.0 and later, as `jitbench completion fish` prints it.
# `jitbench __complete` finds the candidates.

function __jitbench
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -e words[1]
    set -l lines ($program __complete -- $words "$current" 2>/dev/null)
    set -l head (string split ' ' -- $lines[1])
    set -e lines[1]
    if test "$head[1]" = command
        for i in (seq $head[2])
            set -e words[1]
        end
        set words (string escape -- $words) "$current"
        string match -q -- '-*' $words[1]
        or complete --do-complete="$words"
        return
    end
    set -l lead (string sub -l $head[2] -- "$current")
    set -l value (string sub -s (math $head[2] + 1) -- "$current")
    switch "$head[1]"
        case files
            set lines (complete --do-complete="'' $value")
        case folders
            set lines (__fish_complete_directories $value)
    end
    printf '%s\n' $lead$lines
end

complete -c jitbench -f -a '(__jitbench)'
