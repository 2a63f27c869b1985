#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each allocation of the user's process fails in turn, alone and with all later ones.

    memory.py [--every N] PROGRAM [COMMAND...]

PROGRAM is linked with memory.c. Of each command, allocation 1, 2, ... is refused until none is left to refuse. A run ends
in time and without a signal. It has the exit status that it has with memory, or ends with status 1 (2 for a command line
that could not be read) and a line on standard error that names memory; every line there is either one that it has with
memory or names it. Where the status is that with memory, the CSV has all its cells (or a row that names memory) and the
tables all their lines (or one that does). No file is empty or a header alone, and no snapshot is left unless `untune`
restores it. """
import argparse
import concurrent.futures
import csv
import io
import os
import subprocess
import sys
import tempfile

SETTING = "/proc/sys/vm/stat_interval"
PRIME = ["prime", "-q", "-i", "1", "-n", "1000"]
COMMANDS = {
    "prime": [*PRIME, "-o", "out.csv"],
    "run": ["run", "-q", "-i", "1", "-o", "out.csv", "--", "/bin/true"],
    "compare": ["compare", "../../a.csv", "--", "../../b.csv"],
    "tune": ["tune", "stat_interval", "--snapshot", "snapshot"],
    "untune": ["untune", "--snapshot", "snapshot"],
    "init": ["init", "--run", "prime -q -i 1 -n 1000"],
}
ALONE = ("tune", "untune")  # they change the one setting of the machine
AT_ONCE = 4 * len(os.sched_getaffinity(0))
GOOD = 8  # runs with memory: what all of them have, is there in a run that says nothing of memory
LIMIT_S = 60


def cells(text):
    """The cells of a CSV that have a value."""
    return {(row["metric"], name) for row in csv.DictReader(io.StringIO(text)) for name, cell in row.items() if cell}


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Run:
    status, out, err, csv = 0, "", "", ""


class Memory:
    def __init__(self, program, root):
        self.program, self.root = os.path.abspath(program), root
        self.faults = 0
        for name in "ab":
            subprocess.run([self.program, *PRIME, "-o", f"{root}/{name}.csv"], check=True, stdout=subprocess.DEVNULL)

    def run(self, args, order):
        with tempfile.TemporaryDirectory(dir=self.root) as own:
            place, mark = own + "/work", own + "/mark"
            os.mkdir(place)
            if args[0] == "untune":
                subprocess.run([self.program, *COMMANDS["tune"]], cwd=place, check=True, stdout=subprocess.DEVNULL)
            env = {"PATH": "/usr/bin:/bin", "TMPDIR": place, "ALLOCATION": order, "ALLOCATION_MARK": mark}
            before = read(SETTING)
            run = Run()
            try:
                ended = subprocess.run([self.program, *args], cwd=place, env=env, timeout=LIMIT_S, check=False,
                                       capture_output=True, encoding="utf-8", errors="replace")
                run.status, run.out, run.err = ended.returncode, ended.stdout, ended.stderr
            except subprocess.TimeoutExpired:
                run.status = "hang"
            run.reached = os.path.exists(mark)
            run.csv = read(place + "/out.csv") if os.path.exists(place + "/out.csv") else ""
            run.wrong = self.left(place, before, args)
            return run

    def left(self, place, before, args):
        """What is wrong with what the run left."""
        wrong = []
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
        run = self.run(COMMANDS[name], order)
        wrong = run.wrong
        usual = {line for each in good for line in each.err.splitlines()}
        odd = [line for line in run.err.splitlines() if line not in usual and "memory" not in line
               and not line.startswith(("jitbench init:", " "))]
        if run.status not in (good[0].status, 1, 2):
            wrong.append(f"ended with {run.status}")
        if run.status != good[0].status and "memory" not in run.err + run.out:
            wrong.append(f"status {run.status}, and nothing names memory")
        lacking = set.intersection(*(cells(each.csv) for each in good)) - cells(run.csv)
        if run.status == good[0].status and lacking and "memory" not in run.csv:
            wrong.append(f"status {run.status}, and the CSV lacks {sorted(lacking)[:3]}")
        lines = min(each.out.count("\n") for each in good) - run.out.count("\n")
        if run.status == good[0].status and lines > 0 and "memory" not in run.err + run.out + run.csv:
            wrong.append(f"status {run.status}, and {lines} lines are missing")
        wrong += ["says: " + line for line in odd]
        for each in wrong if run.reached else []:
            self.faults += 1
            print(f"failed: {name}, allocation {order}: {each}", flush=True)
        return run.reached

    def command(self, name, every):
        at_once = 1 if name in ALONE else AT_ONCE
        n, before = 0, self.faults
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            good = list(pool.map(lambda order: self.run(COMMANDS[name], order), ["0"] * GOOD))
            for each in good:
                if each.wrong or each.status not in (0, 4):
                    raise SystemExit(f"{name}: {vars(each)}")
            for stays in ("", "+"):
                reached, number = [True], 1
                while all(reached):
                    orders = [f"{number + i * every}{stays}" for i in range(8 * at_once)]
                    reached = list(pool.map(lambda order: self.check(name, order, good), orders))
                    number += every * len(orders)
                    n += sum(reached)
        print(f"passed {n - (self.faults - before)}: allocations of {name}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("program")
    parser.add_argument("command", nargs="*")
    args = parser.parse_args()
    if os.geteuid() != 0 or not os.access(SETTING, os.W_OK):
        print("skipped: allocations: needs root and settings that can be written")
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
    return 1 if memory.faults else 0


if __name__ == "__main__":
    sys.exit(main())
