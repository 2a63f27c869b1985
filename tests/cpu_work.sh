#!/bin/sh
# SPDX-License-Identifier: MIT
# Whetstone's and the arithmetic tests' work is in their object files: the loops hold the instructions that the methods
# prescribe. Dhrystone's calls are counted by its unit test. Takes the build folder. x86-64 only: elsewhere it is skipped.
set -eu
objects=${1:-build}/bench
status=0

format=$(objdump -f "$objects/whetstone.o")
if ! echo "$format" | grep -q x86-64; then
    echo "skipped: objects: the instructions are known for x86-64 only"
    exit 0
fi

# The instructions of a function between a backward jump and its target: what it repeats.
repeated() {
    objdump -d --no-show-raw-insn "$objects/$1.o" | awk -v name="<$2>:" '
        function value(hex,  i, n) {
            n = 0
            for (i = 1; i <= length(hex); i++)
                n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
            return n
        }
        $2 == name { inside = 1; next }
        inside && (NF == 0 || /^[0-9a-f]+ </) { exit }
        inside { sub(":", "", $1); at[++n] = value($1); text[n] = $0
                 if ($2 ~ /^j/ && value($3) <= at[n]) { from[++loops] = value($3); to[loops] = at[n] } }
        END { for (i = 1; i <= n; i++)
                  for (l = 1; l <= loops; l++)
                      if (at[i] >= from[l] && at[i] <= to[l]) { print text[i]; break } }'
}

# file, function, extended regular expression, fewest
expect() {
    found=$(repeated "$1" "$2" | grep -cE "$3" || true)
    if [ "$found" -lt "$4" ]; then
        echo "cpu_work: $2 of $1.o repeats $found times '$3', not $4" >&2
        status=1
    fi
}

expect whetstone n1 '[[:space:]]mulsd' 4
expect whetstone n1 '[[:space:]](add|sub)sd' 10
expect whetstone n2 '[[:space:]]mulsd' 24
expect whetstone n2 '[[:space:]](add|sub)sd' 60
expect whetstone n3 '[[:space:]](cmp|test|xor|set|j)' 2
expect whetstone n5 '[[:space:]]call' 8
expect whetstone n5 '[[:space:]]divsd' 2
expect whetstone n6 '[[:space:]]mulsd' 3
expect whetstone n6 '[[:space:]]addsd' 3
expect whetstone n7 '[[:space:]]mov' 2
expect whetstone whetstone_n8 '[[:space:]]call' 2
expect whetstone whetstone_n8 '[[:space:]]mulsd' 1
expect arith work_short '[[:space:]]idiv' 1
expect arith work_int '[[:space:]]idiv' 1
expect arith work_long '[[:space:]]idiv' 1
expect arith work_float '[[:space:]]divss' 1
expect arith work_double '[[:space:]]divsd' 1
expect arith work_arithoh '[[:space:]]add' 1
exit $status
