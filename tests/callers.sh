#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails when a public function of src has no caller outside its own file: it is to be static, or to go. tests/callers.txt
# lists those that are public for a test alone, with the reason. Takes the build folder.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
objects=$(find src -name '*.c' | sed "s|^src/|$build/|; s|c\$|o|" | LC_ALL=C sort)

# Objects of other architectures are not there.
# shellcheck disable=SC2016 # awk's
for object in $objects; do
    [ ! -f "$object" ] || echo "$object"
done | xargs nm -A | awk -v accepted=tests/callers.txt '
BEGIN {
    while ((getline line < accepted) > 0)
        if (line !~ /^#/ && split(line, field, " ") > 1)
            for_tests[field[1]] = 1
    for_tests["main"] = 1
}
$(NF - 1) == "T" { split($1, file, ":"); defined[$NF] = file[1] }
$(NF - 1) == "U" { used[$NF] = 1 }
END {
    for (name in defined) {
        functions++
        if (!(name in used) && !(name in for_tests)) {
            print "callers: " name " of " defined[name] " has no caller in another file" | "sort >&2"
            wrong = 1
        }
    }
    for (name in for_tests)
        if (!(name in defined) || (name in used)) {
            print "callers: " name " in " accepted " is gone, or has a caller: remove the line" | "sort >&2"
            wrong = 1
        }
    if (functions < 100) {
        print "callers: only " functions + 0 " functions in the objects" | "sort >&2"
        wrong = 1
    }
    close("sort >&2")
    exit wrong
}'
