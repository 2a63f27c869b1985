#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each allocation of the user's process fails in turn, alone and with all later ones.

    memory.py [--every N] PROGRAM [COMMAND...]

PROGRAM is linked with memory.c. Of each command, allocation 1, 2, ... is refused until none is left to refuse. A run ends in
time and without a signal. It has the exit status that it has with memory, or ends with status 1 (2 for a command line that
could not be read) and a line on standard error that names memory; every line there is either one that it has with memory
or names it. No file is empty, none is a header alone unless
lost rows are named, and no snapshot is left unless `untune` restores it. """
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

MEMORY = re.compile(r"memory")
SETTING = "/proc/sys/vm/stat_interval"
PRIME = ["prime", "-q", "-i", "1", "-n", "1000", "--core-probe", "off"]
COMMANDS = {
    "prime": [*PRIME, "-o", "out.csv"],
    "run": ["run", "-q", "-i", "1", "--core-probe", "off", "-o", "out.csv", "--", "/bin/true"],
    "compare": ["compare", "../a.csv", "--", "../b.csv"],
    "tune": ["tune", "stat_interval", "--snapshot", "snapshot"],
    "untune": ["untune", "--snapshot", "snapshot"],
    "init": ["init", "--run", "prime -q -i 1 -n 1000 --core-probe off"],
}
LIMIT_S = 30


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Memory:
    def __init__(self, program, root):
        self.program, self.root = os.path.abspath(program), root
        self.faults = []
        for name in "ab":
            subprocess.run([self.program, *PRIME, "-o", f"{root}/{name}.csv"], check=True, stdout=subprocess.DEVNULL)

    def run(self, args, order):
        mark = self.root + "/mark"
        place = self.root + "/work"
        if os.path.exists(mark):
            os.unlink(mark)
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place)
        if args[0] == "untune":
            subprocess.run([self.program, *COMMANDS["tune"]], cwd=place, check=True, stdout=subprocess.DEVNULL)
        env = {"PATH": "/usr/bin:/bin", "TMPDIR": place, "ALLOCATION": order, "ALLOCATION_MARK": mark}
        before = read(SETTING)
        try:
            run = subprocess.run([self.program, *args], cwd=place, env=env, capture_output=True, timeout=LIMIT_S)
            status, out, err = run.returncode, run.stdout.decode(errors="replace"), run.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            status, out, err = "hang", "", ""
        return status, out, err, os.path.exists(mark), self.left(before, args)

    def left(self, before, args):
        """What is wrong with what the run left."""
        wrong = []
        place = self.root + "/work"
        for name in os.listdir(place):
            path = os.path.join(place, name)
            text = read(path) if os.path.isfile(path) else ""
            if os.path.isdir(path) or name.startswith(".") or not text:
                wrong.append(f"{name} is left" if text or os.path.isdir(path) else f"{name} is empty")
            elif name.endswith(".csv") and text.count("\n") < 2:
                wrong.append(f"{name} is a header alone")
        if os.path.exists(place + "/snapshot"):
            undone = subprocess.run([self.program, "untune", "--snapshot", "snapshot"], cwd=place, capture_output=True, check=False)
            if undone.returncode:
                wrong.append("untune: " + undone.stderr.decode())
        elif args[0] == "tune" and read(SETTING) != before:
            wrong.append("a setting is changed, and there is no snapshot")
        return wrong

    def check(self, name, order, good):
        args = COMMANDS[name]
        status, out, err, reached, wrong = self.run(args, order)
        if "out of memory: " in err:
            wrong = [each for each in wrong if "header alone" not in each]
        usual = set(good[2].splitlines())
        odd = [line for line in err.splitlines() if line not in usual and not MEMORY.search(line)
               and not line.startswith(("jitbench init:", " "))]
        if status not in (good[0], 1, 2):
            wrong.append(f"ended with {status}")
        if status != good[0] and not MEMORY.search(err + out):
            wrong.append(f"status {status}, and nothing names memory")
        wrong += ["says: " + line for line in odd]
        for each in wrong if reached else []:
            self.faults.append(f"{name}, allocation {order}: {each}")
            print(self.faults[-1], flush=True)
        return reached

    def command(self, name, every):
        good = self.run(COMMANDS[name], "0")
        if good[4] or good[0] not in (0, 4):
            raise SystemExit(f"{name}: {good}")
        n = 0
        for stays in ("", "+"):
            number = 1
            while self.check(name, f"{number}{stays}", good):
                number += every
                n += 1
        print(f"{name}: {n} allocations refused", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("program")
    parser.add_argument("command", nargs="*")
    args = parser.parse_args()
    if os.geteuid() != 0 or not os.access(SETTING, os.W_OK):
        print("1 passed, 0 failed, 1 skipped: needs root and settings that can be written")
        return 0
    before = read(SETTING)
    with open(SETTING, "w", encoding="ascii") as file:
        file.write("1\n")
    try:
        with tempfile.TemporaryDirectory(prefix="jitbench-memory-") as root:
            memory = Memory(args.program, root)
            for name in args.command or COMMANDS:
                memory.command(name, args.every)
    finally:
        with open(SETTING, "w", encoding="ascii") as file:
            file.write(before)
    failed = len(memory.faults)
    print(f"{len(args.command or COMMANDS)} passed, {failed} failed, 0 skipped" if failed == 0 else f"0 passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
