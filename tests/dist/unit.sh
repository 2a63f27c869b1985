#!/bin/sh
# SPDX-License-Identifier: MIT
# The unit tests of one architecture, linked statically with a cmocka of its own, run under emulation. Takes its name, then
# the tests (all of them otherwise).
set -eu
cd "$(dirname "$0")/../.."
. tests/dist/arches.sh

arch=$1
shift
[ $# -gt 0 ] || set -- tests/unit/test_*.c
tests/dist/cmocka.sh build-dist/cmocka
mkdir -p "build-dist/$arch/unit"
for feature in CLOCK_REALTIME GCC_THREAD_LOCAL_STORAGE INTTYPES_H MALLOC_H SIGLONGJMP SIGNAL_H STRINGS_H STRSIGNAL \
    STRUCT_TIMESPEC; do
    defines="${defines:-} -DHAVE_$feature"
done
# shellcheck disable=SC2086
"$(triplet "$arch")-gcc" -w -O1 -std=gnu99 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 $defines \
    -Ibuild-dist/cmocka/include -c -o "build-dist/$arch/cmocka.o" build-dist/cmocka/src/cmocka.c
rm -f "build-dist/$arch/libcmocka.a"
ar rc "build-dist/$arch/libcmocka.a" "build-dist/$arch/cmocka.o"

programs=''
for test in "$@"; do
    test=${test##*/}
    programs="$programs build-dist/$arch/unit/${test%.c}"
done
# shellcheck disable=SC2086
make_for "$arch" -j"$(nproc)" UNIT_CPPFLAGS=-Ibuild-dist/cmocka/include \
    UNIT_LINK="-static -Lbuild-dist/$arch" $programs
case $arch in
x86_64* | i386) emulate='env' emulated='' ;;
*) emulate=tests/dist/emulate.sh emulated=JITBENCH_EMULATED=1 ;;
esac
for program in $programs; do
    echo "== $program"
    # shellcheck disable=SC2086
    if ! timeout 600 "$emulate" env $emulated "$program"; then
        failed="${failed:-} ${program##*/}"
    fi
done
[ -z "${failed:-}" ] || {
    echo "$arch: failed:$failed" >&2
    exit 1
}
