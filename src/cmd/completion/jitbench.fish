# SPDX-License-Identifier: MIT
# Completion of jitbench's command line for fish 3.0 and later, as `jitbench completion fish` prints it. Needs no
# jitbench.

# Prints the options of a command that take the next word as their value.
function __jitbench_valued
    switch "$argv[1]"
#@valued
    end
end

# Prints the operands of the command up to the cursor; for a command that runs another program (--command), all words
# from that program's name on.
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

# True for the command named, outside another program's command line.
function __jitbench_in
    set -l tokens (commandline -opc)
    test "$tokens[2]" = "$argv[1]"
end

# True for the command named if it takes another operand.
function __jitbench_room
    __jitbench_in $argv[1]
    and test (count (__jitbench_operands)) -lt $argv[2]
end

function __jitbench_started
    test (count (__jitbench_operands --command)) -gt 0
end

# True for the command named if the option was not given in any spelling, or may be repeated (--again). With --value, the
# last word is not counted if it is the option, because its value is being completed.
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

# True for the command named if an option's alias was typed completely; it is offered only then.
function __jitbench_typed
    set -l tokens (commandline -opc) (commandline -ct)
    test "$tokens[2]" = "$argv[1]"
    and string match -qr -- "^$argv[2](=|\$)" $tokens[-2..-1]
end

# Prints the words that were not given yet; each may be followed by a tab and its help.
function __jitbench_words
    set -l given (__jitbench_operands)
    for word in $argv
        contains -- (string split -m 1 \t -- $word)[1] $given
        or printf '%s\n' $word
    end
end

# Completes a comma-separated list of words.
function __jitbench_list
    set -l before (string match -r -- '^(?:--[^=]*=)?(.*,)' (commandline -ct))[2]
    for word in $argv
        string match -q -- "*,$word,*" ",$before"
        or printf '%s\n' "$before$word"
    end
end

# Completes the command line of another program; several are separated by --.
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
