#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints each layer with its lines of code and the layers whose headers it includes, with the number of includes. Fails when
# a layer includes a header of a layer that is not below it.
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2016 # awk's
find src include -name '*.[ch]' | LC_ALL=C sort | xargs awk '
BEGIN {
    # From the top down. Each layer may include itself and these.
    n = split("main cmd load bench out engine sys", layers)
    below["main"] = "cmd load bench out engine sys"
    below["cmd"] = "load bench out engine sys"
    below["load"] = "bench engine sys"
    below["bench"] = "engine sys"
    below["out"] = "engine sys"
    below["engine"] = "sys"
    below["sys"] = ""
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
    print "layer   lines  includes"
    for (i = 1; i <= n; i++) {
        printf "%-6s %6d", layers[i], lines[layers[i]]
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
