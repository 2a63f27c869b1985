#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes pages of real runs and of a hostile file, and looks at them in a browser: run.sh JITBENCH [FOLDER for pictures]
set -eu
cd "$(dirname "$0")/../.."
jitbench=$1
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT

"$jitbench" all --quick -q -o "$pages/all.csv" >/dev/null 2>&1 || [ $? -eq 1 ]
"$jitbench" prime -i 5 -n 2K --limit 10:46:4 --precision 90% -q -o "$pages/sweep.csv" >/dev/null
/usr/bin/env python3 tests/browser/hostile.py "$pages/all.csv" "$pages/hostile.csv"
/usr/bin/env python3 tests/browser/many.py "$pages/all.csv" "$pages/many.csv"
"$jitbench" report "$pages/all.csv" -o "$pages/one.html"
"$jitbench" report "$pages/all.csv" "$pages/sweep.csv" -o "$pages/several.html"
"$jitbench" report "$pages/hostile.csv" -o "$pages/hostile.html"
"$jitbench" report "$pages/many.csv" -o "$pages/fleet.html"

timeout 400 tests/browser/pages.py ${2:+--shots "$2"} "$pages/one.html" "$pages/several.html" "$pages/hostile.html" \
    "$pages/fleet.html"
