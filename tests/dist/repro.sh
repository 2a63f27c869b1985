#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the tarballs of the committed tree in two folders whose names differ in length, and compares them byte by byte. Takes
# the names of architectures; all eight otherwise.
set -eu
cd "$(dirname "$0")/../.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
git clone -q . "$dir/a"
git clone -q "$dir/a" "$dir/another-longer-name" # the same commit, whatever is committed meanwhile
for name in a another-longer-name; do
    # Neither the rights that new files get nor the time zone may show.
    (umask 0$((${#name} > 1 ? 77 : 22)) && TZ=UTC$((${#name} > 1 ? 5 : -3)) "$dir/$name/tests/dist/dist.sh" --no-tests "$@" >/dev/null)
done
for file in "$dir"/a/dist/*; do
    cmp "$file" "$dir/another-longer-name/dist/${file##*/}"
done
echo "repro: the tarballs made in two folders are byte-identical:"
cat "$dir/a/dist/SHA256SUMS"
