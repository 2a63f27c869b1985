#!/bin/sh
# SPDX-License-Identifier: MIT
# An include never runs upward: each layer may include headers of itself and of those below it, and no other.
set -eu
cd "$(dirname "$0")/.."

allowed() {
    case $1 in
    sys) echo "sys" ;;
    engine) echo "engine sys" ;;
    bench) echo "bench engine sys" ;;
    load) echo "load bench engine sys" ;;
    out) echo "out engine sys" ;;
    cmd) echo "cmd bench load out engine sys" ;;
    esac
}

status=0
for layer in sys engine bench load out cmd; do
    may=$(allowed "$layer" | tr ' ' '|')
    found=$(grep -rnE '^#include "(sys|engine|bench|load|out|cmd)/' "src/$layer" "include/$layer" 2>/dev/null |
        grep -vE "#include \"($may)/" || true)
    if [ -n "$found" ]; then
        printf 'layer %s may include only %s:\n%s\n' "$layer" "$may" "$found" >&2
        status=1
    fi
done
exit $status
