#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetches the source of Debian's cmocka into a folder, through a private apt state: Debian has no cmocka built for every
# architecture here, and to add architectures to the machine's own apt is not for a build to do. cmocka is one C file.
set -eu

if [ $# != 1 ]; then
    echo "usage: ${0##*/} FOLDER" >&2
    exit 2
fi
folder=$1
[ ! -e "$folder/src/cmocka.c" ] || exit 0
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
trap 'rm -rf "$folder/apt"' EXIT
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/apt/parts"

# The machine's own mirrors, with the sources instead of the binaries.
: >"$folder/apt/sources.list"
if [ -e /etc/apt/sources.list ]; then
    sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$folder/apt/sources.list"
fi
for file in /etc/apt/sources.list.d/*; do
    case $file in
    *.list) sed -n 's/^deb /deb-src /p' "$file" >>"$folder/apt/sources.list" ;;
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder/apt/parts/${file##*/}" ;;
    esac
done

apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$folder/apt/sources.list" -o Dir::Etc::sourceparts="$folder/apt/parts" \
        -o Dir::State::lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User= "$@"
}
apt update
(cd "$folder/apt" && apt source --download-only cmocka && dpkg-source --no-check -x ./*.dsc "$folder/apt/source" >/dev/null)
cp -R "$folder/apt/source/include" "$folder/apt/source/src" "$folder/"
