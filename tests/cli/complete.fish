# SPDX-License-Identifier: MIT
# fish complete.fish SCRIPT LINES: what the script offers at the end of each line. Prints "== LINE" and the candidates.
source $argv[1]
while read -l line
    printf '== %s\n' $line
    complete -C "$line"
end <$argv[2]
