#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints each layer with its lines of code and the layers whose headers it includes, with the number of includes. Fails when
# a layer includes a header of a layer that is not below it.
set -eu
cd "$(dirname "$0")/.."

# The Makefile has the layers: of each, the ones that it may include, in order.
table=$(sed -n 's/^below_[a-z]* *:= //p' Makefile)
# shellcheck disable=SC2016 # awk's
find src include -name '*.[ch]' | LC_ALL=C sort | xargs awk -v table="$table" -v top="$(echo "$table" | grep '^cmd ')" '
BEGIN {
    n = split("main " top, layers)
    below["main"] = top
    for (i = split(table, line, "\n"); i > 0; i--) {
        layer = line[i]
        sub(/ .*/, "", layer)
        below[layer] = substr(line[i], length(layer) + 2)
    }
}
FNR == 1 {
    split(FILENAME, part, /[\/.]/)
    layer = part[2]
    in_comment = 0
    if (!(layer in below))
        wrong = wrong FILENAME ": is in no layer\n"
}
/^#include "[a-z]+\// {
    split($0, part, /["\/]/)
    to = part[2]
    if (to in below && to != layer) {
        includes[layer, to]++
        if (!index(" " below[layer] " ", " " to " "))
            wrong = wrong FILENAME ":" FNR ": " layer " may include only " layer " " below[layer] ": " $0 "\n"
    }
}
# Counts the lines that hold more than blanks and comments.
{
    rest = $0
    code = ""
    if (!in_comment)
        gsub(/"([^"\\]|\\.)*"/, "\"\"", rest)
    while (rest != "") {
        at = index(rest, in_comment ? "*/" : "/*")
        if (!in_comment)
            code = code (at ? substr(rest, 1, at - 1) : rest)
        if (at)
            in_comment = !in_comment
        rest = at ? substr(rest, at + 2) : ""
    }
    if (code ~ /[^ \t]/)
        lines[layer]++
}
END {
    print "layer     lines  includes"
    for (i = 1; i <= n; i++) {
        printf "%-8s %6d", layers[i], lines[layers[i]]
        arrow = "  -> "
        for (k = 1; k <= n; k++)
            if (includes[layers[i], layers[k]]) {
                printf "%s%s %d", arrow, layers[k], includes[layers[i], layers[k]]
                arrow = ", "
            }
        print ""
    }
    if (wrong != "") {
        printf "%s", wrong | "cat >&2"
        exit 1
    }
}'
