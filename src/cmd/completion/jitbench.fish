# SPDX-License-Identifier: MIT
# Completion of jitbench's command line for fish 3.0 and later, as `jitbench completion fish` prints it. Needs no
# jitbench.

# The options of a command that take the next word as their value.
function __jitbench_valued
    switch "$argv[1]"
#@valued
    end
end

# The words behind the command that are no options, as far as the cursor; of a command that runs another program
# (--command) all from that program's name on.
function __jitbench_operands
    set -l whole $argv[1]
    set -l tokens (commandline -opc)
    set -l valued (__jitbench_valued $tokens[2])
    set -l i 3
    while test $i -le (count $tokens)
        set -l token $tokens[$i]
        set i (math $i + 1)
        if test "$token" = --
            set -q tokens[$i]
            and printf '%s\n' $tokens[$i..-1]
            return
        else if not string match -q -- '-?*' "$token"
            if test "$whole" = --command
                printf '%s\n' $token
                set -q tokens[$i]
                and printf '%s\n' $tokens[$i..-1]
                return
            end
            printf '%s\n' $token
        else if contains -- "$token" $valued
            set i (math $i + 1)
        else if string match -qr -- '^-[^-].' "$token"
            set -l letters (string split '' -- (string sub -s 2 -- "$token"))
            for k in (seq (count $letters))
                if contains -- -$letters[$k] $valued
                    test $k -eq (count $letters)
                    and set i (math $i + 1)
                    break
                end
            end
        end
    end
end

# The command is the one named; other programs' command lines are not its own any more.
function __jitbench_in
    set -l tokens (commandline -opc)
    test "$tokens[2]" = "$argv[1]"
end

# Within the command named, at most so many operands less one are there.
function __jitbench_room
    __jitbench_in $argv[1]
    and test (count (__jitbench_operands)) -lt $argv[2]
end

function __jitbench_started
    test (count (__jitbench_operands --command)) -gt 0
end

# Within the command named, none of the spellings has been given, or it may be given again (--again). The last word does
# not count when it is the option and that takes a value (--value), which is then what is being completed.
function __jitbench_new
    set -l tokens (commandline -opc)
    test "$tokens[2]" = "$argv[1]"
    or return
    set -e argv[1]
    if test "$argv[1]" = --again
        return 0
    else if test "$argv[1]" = --value
        set -e argv[1]
        contains -- "$tokens[-1]" $argv
        and set -e tokens[-1]
    end
    for token in $tokens[3..-1]
        for spelling in $argv
            if string match -q -- "$spelling" "$token"
                or string match -q -- "$spelling=*" "$token"
                return 1
            end
        end
    end
    return 0
end

# Within the command named, the other name of an option has been typed whole: only then is it offered.
function __jitbench_typed
    set -l tokens (commandline -opc) (commandline -ct)
    test "$tokens[2]" = "$argv[1]"
    and string match -qr -- "^$argv[2](=|\$)" $tokens[-2..-1]
end

# Words that are not there yet; each may have its help behind a tab.
function __jitbench_words
    set -l given (__jitbench_operands)
    for word in $argv
        contains -- (string split -m 1 \t -- $word)[1] $given
        or printf '%s\n' $word
    end
end

# A list of words with commas between.
function __jitbench_list
    set -l before (string match -r -- '^(?:--[^=]*=)?(.*,)' (commandline -ct))[2]
    for word in $argv
        string match -q -- "*,$word,*" ",$before"
        or printf '%s\n' "$before$word"
    end
end

# The command line of another program; there may be several, -- between.
function __jitbench_command
    set -l words
    for word in (__jitbench_operands --command)
        if test "$word" = --
            set words
        else
            set -a words (string escape -- $word)
        end
    end
    set -l line $words (commandline -ct)
    string match -q -- '-*' $line[1]
    or complete --do-complete="$line"
end

complete -c jitbench -f
complete -c jitbench -n __fish_is_first_token -s h -l help -d 'Print the commands'
complete -c jitbench -n __fish_is_first_token -s V -l version -d 'Print what this program is'
#@complete
