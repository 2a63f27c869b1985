# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# The release builds, for the other scripts to read: names, compilers and the clock that each is to find.

# shellcheck disable=SC2034
arches='x86_64 x86_64-musl i386 aarch64 armhf riscv64 ppc64el s390x'

# The GNU name of an architecture: its compiler is NAME-gcc.
triplet() {
    case $1 in
    x86_64) echo x86_64-linux-gnu ;;
    x86_64-musl) echo musl ;;
    i386) echo i686-linux-gnu ;;
    aarch64) echo aarch64-linux-gnu ;;
    armhf) echo arm-linux-gnueabihf ;;
    riscv64) echo riscv64-linux-gnu ;;
    ppc64el) echo powerpc64le-linux-gnu ;;
    s390x) echo s390x-linux-gnu ;;
    *) return 1 ;;
    esac
}

# The Debian package that it is in.
package() {
    case $1 in
    x86_64) echo gcc ;;
    x86_64-musl) echo musl-tools ;;
    *) echo "gcc-$(triplet "$1")" ;;
    esac
}

strip_of() {
    case $1 in
    x86_64-musl) echo x86_64-linux-gnu-strip ;;
    *) echo "$(triplet "$1")-strip" ;;
    esac
}

# Arguments of `make`. None of them comes from the caller's environment: two builds are the same bytes.
make_for() {
    arch=$1
    shift
    env -u CFLAGS -u CPPFLAGS -u LDFLAGS -u MAKEFLAGS -u MFLAGS make -s CC="$(triplet "$arch")-gcc" CFLAGS='-O2 -g' \
        BUILD="build-dist/$arch" PROGRAM="build-dist/$arch/jitbench" "$@"
}
