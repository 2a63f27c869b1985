# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# For .ci/run and .ci/nightly: packages, targets, and the sum of what these passed, failed and skipped.

export DEBIAN_FRONTEND=noninteractive REQUIRE="${REQUIRE:-1}" WERROR=1
if [ "$(id -u)" = 0 ]; then sudo=''; else sudo='sudo -n'; fi
RECORD=$(mktemp)
export RECORD
trap 'rm -f "$RECORD"' EXIT
failed=''

# Packages that cannot be had fail with REQUIRE=1.
install() {
    $sudo apt-get install -y -q --no-install-recommends "$@" && return
    echo "cannot be installed: $*"
    [ "$REQUIRE" != 1 ] || failed="$failed apt-get:$(echo "$*" | tr ' ' ,)"
}

# Runs a command; the others run although it fails.
try() {
    began=$(date +%s)
    echo "running: $*"
    "$@" || failed="$failed $(echo "$*" | tr ' ' _)"
    echo "took $(($(date +%s) - began)) s: $*"
}

# A target and the packages that it needs.
beside() {
    target=$1
    shift
    install "$@"
    try make "$target"
}

# Prints the sum, and ends with status 1 when anything failed.
finish() {
    status=0
    tests/runner.py --total "$RECORD" || status=1
    for each in $failed; do
        echo "failed: $each"
        status=1
    done
    exit $status
}
