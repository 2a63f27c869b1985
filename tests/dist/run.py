#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs prime, stream and two tests of unix on a release build, and looks at what they say of it.

    run.py ARCH PROGRAM

The CPU's own result checks are in the program: a wrong one makes its row `failed`. Here each row must have a value or a
reason that holds on that architecture, and the clock must be the architecture's own.
"""

import csv
import subprocess
import sys

# What `uname -m` may say; the clocks that are read there (qemu-arm refuses cntvct by SIGILL, as a kernel may); whether it has
# non-temporal stores.
ARCHES = {
    "x86_64": (("x86_64",), ("rdtscp",), True),
    "x86_64-musl": (("x86_64",), ("rdtscp",), True),
    "i386": (("i686", "x86_64"), ("rdtscp",), True),
    "aarch64": (("aarch64",), ("cntvct",), True),
    "armhf": (("armv7l", "armv8l", "aarch64"), ("cntvct", "clock_gettime"), False),
    "riscv64": (("riscv64",), ("rdtime",), False),
    "ppc64el": (("ppc64le",), ("mftb",), False),
    "s390x": (("s390x",), ("stckf",), False),
}
RUNS = (
    (("prime", "--limit", "500", "--experiments", "2000"), {"cycles", "clock_hz", "divisions"}),
    (("stream", "--sizes", "800,12800", "--experiments", "1000", "--array-size", "1M", "--repetitions", "3"),
     {"cycles", "array_bytes", "copy_rate", "scale_rate", "add_rate", "triad_rate"}),
    (("unix", "dhry2reg", "pipe", "--quick", "--copies", "1"), {"rate"}),
)


def complain(*words):
    print("run.py:", *words, file=sys.stderr)
    sys.exit(1)


def look_at(row, wanted, names, clocks, nontemporal):
    what = "%s %s %s" % (row["test"], row["param"], row["metric"])
    if row["arch"] not in names:
        complain(what, "ran on", row["arch"], "not on", " or ".join(names))
    if row["status"] == "skipped" and not nontemporal and "non-temporal" in row["reason"]:
        return
    if row["status"] not in ("ok", "unstable"):
        complain(what, "is", row["status"] + ":", row["reason"])
    if row["metric"] in wanted and not (row["value"] and float(row["value"]) > 0):
        complain(what, "has the value '%s'" % row["value"])
    for word in row["param"].split():
        if word.startswith("clock=") and word[6:] not in clocks:
            complain(what, "used another clock than", " or ".join(clocks))
    if row["metric"] in wanted and not row["layout"].startswith("random"):
        complain(what, "was no fresh process: layout", row["layout"])


def main():
    arch, program = sys.argv[1:]
    names, clocks, nontemporal = ARCHES[arch]
    for command, wanted in RUNS:
        ran = subprocess.run([program, *command, "--samples", "2", "-q", "-o", "-"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=False, timeout=300)
        if ran.returncode != 0:
            complain(*command, "ended with", ran.returncode)
        rows = list(csv.DictReader(ran.stdout.decode().splitlines()))
        found = {row["metric"] for row in rows if row["status"] in ("ok", "unstable")}
        if not found >= wanted:
            complain(command[0], "has no", " ".join(sorted(wanted - found)))
        for row in rows:
            look_at(row, wanted, names, clocks, nontemporal)
        print("%s: %s: %d rows" % (arch, " ".join(command[:2]), len(rows)))


if __name__ == "__main__":
    main()
