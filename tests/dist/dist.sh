#!/bin/sh
# SPDX-License-Identifier: MIT
# Release builds: dist/jitbench-VERSION-ARCH.tar.gz for every architecture, and what they passed. Takes the names of
# architectures; all eight otherwise.
#   --no-tests   only builds and packs
#   --no-units   leaves out the unit tests (they come from cmocka's source, which is fetched once)
# The contents of a tarball depend only on the commit and the compilers: see tests/dist/repro.sh.
set -eu
cd "$(dirname "$0")/../.."
. tests/dist/arches.sh

tests=yes units=yes
while :; do
    case ${1:-} in
    --no-tests) tests=no ;;
    --no-units) units=no ;;
    -*)
        echo "usage: ${0##*/} [--no-tests] [--no-units] [ARCH...]: of $arches" >&2
        exit 2
        ;;
    *) break ;;
    esac
    shift
done
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $arches

missing=''
for arch in "$@"; do
    if ! compiler=$(triplet "$arch"); then
        echo "${0##*/}: no architecture '$arch': one of $arches" >&2
        exit 2
    fi
    command -v "$compiler-gcc" >/dev/null || missing="$missing $(package "$arch")"
done
if [ -n "$missing" ]; then
    echo "${0##*/}: a compiler is missing: apt-get install$missing" >&2
    exit 1
fi

version=$(sed -n 's/^VERSION *:= *//p' Makefile)
date=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || true)}
if [ -z "$date" ]; then
    echo "${0##*/}: neither a commit nor SOURCE_DATE_EPOCH to date the files with" >&2
    exit 1
fi
if [ -n "$(git status --porcelain --untracked-files=no 2>/dev/null)" ]; then
    echo "${0##*/}: note: the tree differs from the commit that 'jitbench version' will name" >&2
fi

pack() {
    name=jitbench-$version-$1
    rm -rf "build-dist/$1/pack"
    mkdir -p "build-dist/$1/pack/$name/man" dist
    folder=build-dist/$1/pack/$name
    install -m 755 "build-dist/$1/jitbench" "$folder/jitbench"
    "$(strip_of "$1")" "$folder/jitbench"
    install -m 644 README.md LICENSE "$folder/"
    install -m 644 man/*.[1-9] "$folder/man/"
    sums=$(cd "$folder" && find . -type f | LC_ALL=C sort | sed 's,^\./,,' | xargs sha256sum)
    echo "$sums" >"$folder/SHA256SUMS"
    chmod 644 "$folder/SHA256SUMS"
    chmod 755 "$folder" "$folder/man"
    LC_ALL=C tar --format=ustar --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner -C "build-dist/$1/pack" \
        -cf - "$name" | gzip -n -9 >"dist/$name.tar.gz"
}

# Counts of ok, failed and skipped tests in cmocka's output.
counts() {
    awk '/^\[       OK \]/ { ok++ }
        /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
        /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
        END { printf "%d ok, %d failed, %d skipped", ok, failed, skipped }' "$1"
}

# Everything on the packed program. Native test programs drive it; where it is foreign, the kernel starts the emulator.
check() {
    program=$PWD/build-dist/$1/pack/jitbench-$version-$1/jitbench log=build-dist/$1
    verdict=passed emulate=tests/dist/emulate.sh
    case $1 in
    x86_64* | i386) emulate='env' ;; # with all rights that the caller has
    esac
    "$emulate" tests/dist/run.py "$1" "$program" >"$log/run.log" 2>&1 || verdict='run FAILED'
    : >"$log/cli.log"
    for test in tests/cli/test_*.c; do
        test=${test##*/}
        # The disassembly goes by the names of functions, which a stripped program lacks.
        driven=$program
        [ "$test" != test_payload.c ] || driven=$PWD/build-dist/$1/jitbench
        JITBENCH=$driven timeout 1200 "$emulate" "build-dist/native/cli/${test%.c}" >>"$log/cli.log" 2>&1 ||
            verdict="$verdict, ${test%.c} FAILED"
    done
    result="command line: $(counts "$log/cli.log")"
    if [ "$units" = yes ] && [ "$1" != x86_64-musl ]; then
        tests/dist/unit.sh "$1" >"$log/unit.log" 2>&1 || verdict="$verdict, units FAILED"
        result="$result; units: $(counts "$log/unit.log")"
    fi
    printf '%-12s %s; %s\n' "$1" "$result" "$verdict" | tee -a build-dist/tested
}

mkdir -p build-dist
for arch in "$@"; do
    make_for "$arch" -j"$(nproc)"
    pack "$arch"
done
(cd dist && sha256sum "jitbench-$version"-*.tar.gz >SHA256SUMS)
for arch in "$@"; do
    program=build-dist/$arch/pack/jitbench-$version-$arch/jitbench
    printf '%-12s %8d bytes, packed %7d: %s\n' "$arch" "$(wc -c <"$program")" "$(wc -c <"dist/jitbench-$version-$arch.tar.gz")" \
        "dist/jitbench-$version-$arch.tar.gz"
done

[ "$tests" = yes ] || exit 0
programs=''
for test in tests/cli/test_*.c; do
    test=${test##*/}
    programs="$programs build-dist/native/cli/${test%.c}"
done
# shellcheck disable=SC2086
make -s BUILD=build-dist/native -j"$(nproc)" $programs
: >build-dist/tested
for arch in "$@"; do
    check "$arch"
done
if grep FAILED build-dist/tested >&2; then
    echo "${0##*/}: see build-dist/ARCH/*.log" >&2
    exit 1
fi
