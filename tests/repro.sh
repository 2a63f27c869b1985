#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the committed tree in two folders whose names differ in length, and compares the programs byte by byte.
set -eu
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for name in a another-longer-name; do
    git clone -q . "$dir/$name"
    make -s -j2 -C "$dir/$name" ${CC:+CC="$CC"}
done
cmp "$dir/a/jitbench" "$dir/another-longer-name/jitbench"
echo "repro: two builds in different folders are byte-identical: $(sha256sum <"$dir/a/jitbench" | cut -d' ' -f1)"
