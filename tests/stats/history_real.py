#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures prime on CPU 1 again and again, the last third of the times beside a busy loop on that CPU, and checks that
`jitbench history` finds that one change of the mean, within one run of its place. Needs an otherwise quiet CPU 1."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

CPU = 1


def busy_loop():
    """A process that keeps the CPU busy until it is killed."""
    child = os.fork()
    if child == 0:
        os.sched_setaffinity(0, {CPU})
        while True:
            pass
    return child


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--quick", action="store_true", help="shorter runs of prime")
    arguments = parser.parse_args()
    jitbench = os.path.abspath(os.environ["JITBENCH"])
    if CPU not in os.sched_getaffinity(0):
        print("skipped: history_real: CPU %d is not allowed" % CPU)
        return 0
    before = arguments.runs * 2 // 3
    with tempfile.TemporaryDirectory() as folder:
        for run in range(arguments.runs):
            child = busy_loop() if run >= before else 0
            try:
                subprocess.run([jitbench, "prime", "--cpus", str(CPU), "-q", "-m", "run %d" % (run + 1), "-o", "%s/%03d.csv" % (folder, run)]
                               + ["--quick"] * arguments.quick, stdout=subprocess.DEVNULL, check=True)
            finally:
                if child:
                    os.kill(child, 9)
                    os.waitpid(child, 0)
        table = subprocess.run([jitbench, "history", "--stat", "mean", folder], stdout=subprocess.PIPE, check=True, text=True,
                               env=dict(os.environ, LC_ALL="C")).stdout
    print(table, end="")
    changes = [int(run) for run in re.findall(r"^\d{4}-\d\d-\d\d \d\d:\d\d +(\d+) .* WORSE ", table, re.M)]
    others = len(re.findall(r" BETTER ", table))
    if len(changes) != 1 or others or abs(changes[0] - (before + 1)) > 1:
        print("failed: history_real: changes at %s, expected one at run %d" % (changes, before + 1))
        return 1
    print("passed: history_real: the busy loop began at run %d, the change is at run %d" % (before + 1, changes[0]))
    return 0


sys.exit(main())
