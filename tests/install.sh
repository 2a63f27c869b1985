#!/bin/sh
# SPDX-License-Identifier: MIT
# make install into an empty folder: what is there is what is listed here, and works; after make uninstall nothing is left
# of it, and what others put beside it stays. Takes make, its BUILD and PROGRAM from the environment.
set -eu
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
root=$dir/root
trap 'rm -rf "$dir"' EXIT

fail() {
    printf 'install: %s\n' "$*" >&2
    exit 1
}
run_make() {
    "${MAKE:-make}" --no-print-directory BUILD="${BUILD:-build}" PROGRAM="${PROGRAM:-jitbench}" DESTDIR="$root" "$@" \
        >"$dir/log" 2>&1 || {
        cat "$dir/log" >&2
        fail "make $* failed"
    }
}
files() {
    (cd "$root" && find . ! -type d) | LC_ALL=C sort
}

run_make PREFIX=/opt/measure install
top=$root/opt/measure
{
    echo ./opt/measure/bin/jitbench
    echo ./opt/measure/share/bash-completion/completions/jitbench
    echo ./opt/measure/share/zsh/site-functions/_jitbench
    echo ./opt/measure/share/fish/vendor_completions.d/jitbench.fish
    for page in man/*; do echo "./opt/measure/share/man/man${page##*.}/${page#man/}"; done
} | LC_ALL=C sort >"$dir/want"
files >"$dir/have"
diff -u "$dir/want" "$dir/have" >&2 || fail 'installed (+) is not what is to be installed (-)'

test -x "$top/bin/jitbench" || fail 'the program cannot be run'
case $(file -b "$top/bin/jitbench") in
*'not stripped'*) fail 'the program is not stripped' ;;
esac
find "$top" -type f ! -path '*/bin/*' -perm /133 | grep . >&2 && fail 'these are not 0644'
find "$top" -type f ! -perm -444 | grep . >&2 && fail 'not everyone may read these'
if ! command -v man >/dev/null; then
    echo 'skipped: man: it is not installed (package man-db)'
else
    for page in jitbench jitbench-unix; do
        case $(man -l "$top/share/man/man1/$page.1" 2>&1) in
        *NAME*jitbench*) ;;
        *) fail "man -l shows no page $page" ;;
        esac
    done
    case $(man -w -M "$top/share/man" jitbench-csv 2>&1) in
    "$top"/share/man/man5/*) ;;
    *) fail 'man finds no page jitbench-csv' ;;
    esac
fi
# A program for another machine does not run here.
if "$top/bin/jitbench" version >/dev/null 2>&1; then
    test "$("$top/bin/jitbench" version | sed -n 's/^build id *//p')" = \
        "$("$(realpath "${PROGRAM:-jitbench}")" version | sed -n 's/^build id *//p')" || fail 'another build id than before'
    "$top/bin/jitbench" version | grep -qx 'build id  [0-9a-f]\{40\}' || fail 'the build id is not whole'
    "$top/bin/jitbench" completion bash | cmp - "$top/share/bash-completion/completions/jitbench"
    "$top/bin/jitbench" completion zsh | cmp - "$top/share/zsh/site-functions/_jitbench"
    "$top/bin/jitbench" completion fish | cmp - "$top/share/fish/vendor_completions.d/jitbench.fish"
fi
grep -q 'complete -F _jitbench jitbench' "$top/share/bash-completion/completions/jitbench" || fail 'no script for bash'

: >"$top/bin/another"
: >"$top/share/man/man1/another.1"
run_make PREFIX=/opt/measure uninstall
files | tr '\n' ' ' | grep -qx './opt/measure/bin/another ./opt/measure/share/man/man1/another.1 ' ||
    fail "uninstall left or took: $(files)"
# Again, when nothing is there any more.
run_make PREFIX=/opt/measure uninstall
echo 'passed: install: all is where it belongs, and gone again'
