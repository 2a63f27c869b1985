#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a command in which programs of other architectures can be executed as if they were the machine's own, by qemu-user.
# Where the machine has registered the emulators (Debian's qemu-user-static with systemd or binfmt-support does), nothing is
# done. Otherwise they are registered in a user namespace of the command's own (Linux 6.7 and later), of which the rest of the
# machine sees nothing; in it the command is an ordinary user, as it also has to be where it was root.
#
# The kernel opens the emulator when it is registered (flag F), so it is found in a chroot as well. jitbench executes itself
# by /proc/self/exe, which the emulator answers with the path of the emulated program.
set -eu

emulators='aarch64 arm ppc64le riscv64 s390x'
registry=/proc/sys/fs/binfmt_misc

registered() {
    for name in $emulators; do
        grep -qs '^enabled' "$registry/qemu-$name" || return 1
    done
}

case ${1:-} in
--inside) # root of the new user namespace, until the next one
    shift
    user=$1 group=$2
    shift 2
    mount -t binfmt_misc binfmt_misc "$registry"
    for name in $emulators; do
        cat "/usr/lib/binfmt.d/qemu-$name.conf" >"$registry/register"
    done
    exec unshare --user --map-user="$user" --map-group="$group" -- "$@"
    ;;
'')
    echo "usage: ${0##*/} COMMAND [ARGUMENT...]" >&2
    exit 2
    ;;
esac

registered && exec "$@"
for name in $emulators; do
    if [ ! -e "/usr/lib/binfmt.d/qemu-$name.conf" ]; then
        echo "${0##*/}: no emulator for $name: apt-get install qemu-user-static" >&2
        exit 1
    fi
done
user=$(id -u) group=$(id -g)
[ "$user" != 0 ] || user=1000 group=1000
if ! unshare --user --map-root-user --mount mount -t binfmt_misc binfmt_misc "$registry" 2>/dev/null; then
    echo "${0##*/}: the emulators are not registered, and this kernel has no private registry (before 6.7, or no user" \
        "namespaces): as root, systemctl restart systemd-binfmt" >&2
    exit 1
fi
exec unshare --user --map-root-user --mount "$0" --inside "$user" "$group" "$@"
