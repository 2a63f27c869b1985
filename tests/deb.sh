#!/bin/sh
# SPDX-License-Identifier: MIT
# The Debian package that `make deb` left in $DEB: unpacked into an empty folder and installed into an empty root it works,
# and a second build gives the same bytes. Takes make from the environment. Needs what `make deb` needs.
set -eu
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    printf 'deb: %s\n' "$*" >&2
    exit 1
}
package=$(find "$DEB" -name 'jitbench_*.deb')
test -f "$package" || fail "not one package in $DEB"
version=$(sed -n 's/^VERSION := //p' Makefile)

test "$(dpkg-deb -f "$package" Version)" = "$version" || fail "not version $version"
test -z "$(dpkg-deb -f "$package" Depends)" || fail 'a static program depends on nothing'
dpkg-deb -x "$package" "$dir/root"
for file in bin/jitbench share/bash-completion/completions/jitbench share/zsh/vendor-completions/_jitbench \
    share/fish/vendor_completions.d/jitbench.fish share/man/man1/jitbench.1.gz share/man/man5/jitbench-csv.5.gz \
    share/doc/jitbench/copyright; do
    test -f "$dir/root/usr/$file" || fail "no /usr/$file"
done
"$dir/root/usr/bin/jitbench" version | grep -qx "jitbench $version" || fail 'it does not say its version'
(cd "$dir" && root/usr/bin/jitbench prime --samples 1 --experiments 10K --no-csv --quiet) >"$dir/out" ||
    fail 'it does not measure'

if [ "$(id -u)" = 0 ]; then
    mkdir -p "$dir/installed/var/lib/dpkg/info" "$dir/installed/var/lib/dpkg/updates"
    : >"$dir/installed/var/lib/dpkg/status"
    : >"$dir/installed/var/lib/dpkg/available"
    dpkg --root="$dir/installed" --force-not-root --log=/dev/null -i "$package" >"$dir/log" 2>&1 || {
        cat "$dir/log" >&2
        fail 'dpkg cannot install it'
    }
    chroot "$dir/installed" /usr/bin/jitbench version >/dev/null || fail 'it does not run where nothing else is'
    dpkg --root="$dir/installed" --log=/dev/null -r jitbench >>"$dir/log" 2>&1 || fail 'dpkg cannot remove it'
    test -z "$(find "$dir/installed/usr" ! -type d 2>/dev/null)" || fail 'removed, and not all is gone'
fi

"${MAKE:-make}" --no-print-directory BUILD="$dir/another-folder" deb >"$dir/log" 2>&1 || {
    cat "$dir/log" >&2
    fail 'the second build failed'
}
for file in "$DEB"/*.deb; do
    cmp "$file" "$dir/another-folder/deb/${file##*/}" || fail 'the second build gave another package'
done
echo "deb: $(sha256sum <"$package" | cut -d' ' -f1), built twice"
