#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the tests notice? Faults drawn by machine are put into copies of the sources, and the tests run on each.

mutation.py run [--minutes N] [DRAW]   tries the faults that have no outcome yet, and prints the figure; without a DRAW that
        of the last commit that changed a test, which is drawn when it does not exist
mutation.py try [--seed WORD] [--count N] [--minutes N] [PATTERN...]   draws faults in the working tree, in the files of these
        patterns, and tries them with its tests; writes nothing
mutation.py again DRAW [NUMBER...]     tries the survivors, or these, on the working tree with its tests; writes nothing
mutation.py check                      can the committed draws be read?
"""
import argparse
import contextlib
import fcntl
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
import faults as faulty  # noqa: E402
import trees  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
RESULTS = TOP / "tests/mutation/results"
COPIES = TOP / "build/mutation"
COUNT = 100
AT_ONCE = int(os.environ.get("JOBS") or os.cpu_count() or 1)
AIM = 0.85
# They write the machine's settings, of which there is one set.
ALONE = ("cli/test_tune",)
OUTCOMES = ("noticed", "survived", "-")  # the last: not tried yet
NEAR = 3  # units that reach a function and few others, which come before the cases of golden


# --- A draw, its outcomes, and the file that keeps them. ---

class Draw:
    """The faults by number from 1, and of each the outcome and the test that noticed it."""
    def __init__(self, path, faults=(), note=""):
        self.path, self.seed, self.note = path, path.stem, note
        self.faults = dict(enumerate(faults, 1))
        self.outcomes = dict.fromkeys(self.faults, ("-", "-"))
        self.lock = threading.Lock()

    def read(self):
        for row in self.path.read_text().splitlines():
            if row.startswith("#"):
                self.note = row[2:] if row.startswith("# drawn: ") else self.note
                continue
            number, place, kind, before, _, after, outcome, test = row.split("\t")
            if int(number) != len(self.faults) + 1 or outcome not in OUTCOMES or not hasattr(faulty, kind):
                raise ValueError(row)
            file, line = place.rsplit(":", 1)
            self.faults[int(number)] = faulty.Fault(file, int(line), kind, before, after)
            self.outcomes[int(number)] = (outcome, test)
        return self

    def write(self):
        rows = [f"# Faults drawn by `make mutation` with the seed {self.seed}, the last commit that changed a test, and tried "
                "on the sources and tests of that commit.", f"# {self.note}", f"# {self.figure()}",
                "# number, place, kind, before => after, outcome, test"]
        for number, fault in self.faults.items():
            rows.append("\t".join((str(number), f"{fault.path}:{fault.line}", fault.kind, fault.before, "=>", fault.after,
                                   *self.outcomes[number])))
        new = self.path.with_suffix(".new")
        new.write_text("\n".join(rows) + "\n")
        new.replace(self.path)

    def enter(self, number, outcome, test):
        with self.lock:
            self.outcomes[number] = (outcome, test)
            self.write()

    def numbers(self, outcome):
        return [number for number in self.faults if self.outcomes[number][0] == outcome]

    def share(self):
        noticed, survived = len(self.numbers("noticed")), len(self.numbers("survived"))
        return noticed, noticed + survived

    def figure(self):
        """The share only when all were tried: what is noticed is so sooner than what survives."""
        noticed, tried = self.share()
        if not tried or tried < len(self.faults):
            return f"{noticed} noticed and {tried - noticed} survived of {len(self.faults)}; {len(self.numbers('-'))} not tried yet"
        low, high = interval(noticed, tried)
        return (f"{noticed} noticed of {tried} that count: {100 * noticed / tried:.0f} %, 95 % interval {100 * low:.0f} to "
                f"{100 * high:.0f} %")


def interval(part, whole):
    """Wilson's interval of a share, 95 %."""
    z = 1.959964
    middle = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * math.sqrt(part * (whole - part) / whole + z * z / 4)
    return middle - half, middle + half


def unfit(tree):
    """A function that says why a fault cannot be tried, or None: compiled in that tree, whose objects have no places in
    the sources in them."""
    sound = {}

    def compiled(path):
        target = "build/" + path[4:-2] + ".o"
        made = tree.make(target)
        return (tree.folder / target).read_bytes() if made.returncode == 0 else None

    def reason(fault):
        file = tree.folder / fault.path
        text = file.read_text()
        if fault.path not in sound:
            sound[fault.path] = compiled(fault.path)
        file.write_text(faulty.put_in(fault, text))
        try:
            made = compiled(fault.path)
        finally:
            file.write_text(text)
        if made is None:
            return "refused by the compiler"
        return "the same object code" if made == sound[fault.path] else None
    return reason


def go_on(draw, numbers, attempt, enter, deadline=math.inf):
    """Tries these faults, as many at once as there are trees, and begins none after the deadline."""
    def one(number):
        if time.monotonic() >= deadline:
            return
        start = time.monotonic()
        test = attempt(draw.faults[number])
        enter(number, *(("noticed", test) if test else ("survived", "-")))
        fault = draw.faults[number]
        print(f"{number:3} {fault.kind:18} {fault.path}:{fault.line} {'noticed by ' + test if test else 'survived'} "
              f"({time.monotonic() - start:.0f} s)", flush=True)
        if not test:
            print(f"  - {fault.before}\n  + {fault.after}", flush=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, numbers))


# --- Trying a fault. ---

class Bench:
    """Trees with a sound build, and which tests reach what."""
    def __init__(self, folder, fill):
        """fill(folder) puts the sources there."""
        self.without = trees.Tree(folder / "sound")
        self.trees = [trees.Tree(folder / f"fault{i}") for i in range(AT_ONCE)]
        self.free = list(self.trees)
        self.permits, self.door = threading.Semaphore(AT_ONCE), threading.Lock()
        self.without.folder.mkdir(parents=True, exist_ok=True)
        self.held = open(folder / "lock", "w")
        try:
            fcntl.flock(self.held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"{folder}: another run uses it")
        fill(self.without.folder)
        self.tests = [f"{kind}/{file.stem}" for kind in ("unit", "cli")
                      for file in sorted((self.without.folder / f"tests/{kind}").glob("test_*.c")) if file.stem != "test_smoke"]
        made = self.without.make(f"-j{AT_ONCE}", "jitbench", *(f"build/{test}" for test in self.tests))
        if made.returncode:
            sys.exit(f"the sources do not build:\n{made.stderr}")
        for line in (self.without.folder / "tests/golden/cases").read_text().splitlines():
            if line and line[0] != "#":
                self.tests.append("golden/" + line.split()[0].removeprefix("~"))
        self.settings = trees.Settings(self.without.folder)
        self.reached = trees.Reached(self.without, folder / "reached.json")
        self.reached.look(self.tests)
        self.known = {name for _, names in self.reached.by.values() for name in names}
        for tree in self.trees:
            shutil.rmtree(tree.folder, ignore_errors=True)
            subprocess.run(["cp", "-a", self.without.folder, tree.folder], check=True)

    @contextlib.contextmanager
    def alone(self):
        with self.door:
            for _ in range(AT_ONCE):
                self.permits.acquire()
        try:
            yield
        finally:
            self.permits.release(AT_ONCE)

    def failures(self, tree, tests):
        """Names of what fails now."""
        values = self.settings.read() if tests[0] in ALONE else None
        failed = tree.run(tests, math.ceil(20 + 8 * sum(self.reached.by[test][0] for test in tests)))
        for path in self.settings.put_back(values) if values else ():
            print(f"put back: {path}, changed by {tests[0]}")
        return failed

    def noticed_by(self, tree, tests):
        """What fails twice with the fault, and passes without: a test that measures can fail by chance."""
        with self.alone() if tests[0] in ALONE else self.permits:
            failed = self.failures(tree, tests)
        if not failed:
            return None
        if tests[0].startswith("golden/"):
            tests = [test for test in tests if test.removeprefix("golden/") in failed][:NEAR] or tests
        with self.alone():
            again = failed & self.failures(tree, tests)
            if again:
                again -= self.failures(self.without, tests)
        if again:
            return f"{tests[0].split('/')[0] if len(tests) > 1 else tests[0]}: {sorted(again)[0]}"
        print(f"failed by chance, or without the fault too: {tests[0]}: {', '.join(sorted(failed))}")
        return None

    def rounds(self, path, function):
        """Lists of tests that reach the function, to be run one list at a time: the quick and near ones first. Where no test
        reaches it in the map, it is new or its name is, and the units of its file, golden and the command line's may."""
        def may(test):
            return (function in self.reached.by[test][1] if function in self.known else
                    test.startswith("golden/") or Path(test).name.removeprefix("test_") in Path(path).stem)
        tests = sorted(filter(may, self.tests), key=lambda test: self.reached.by[test][0])
        units = sorted((test for test in tests if test.startswith("unit/")), key=lambda test: len(self.reached.by[test][1]))
        golden = [test for test in tests if test.startswith("golden/")]
        yield from ([unit] for unit in units[:NEAR])
        yield golden[:8]
        yield golden[8:]
        yield from ([test] for test in units[NEAR:] + [test for test in tests if test.startswith("cli/")])

    def attempt(self, fault):
        """The test that notices the fault, None when all pass. Only the object with the fault in it is compiled."""
        with self.tree() as tree:
            file = tree.folder / fault.path
            text = file.read_text()
            changed = faulty.put_in(fault, text)
            if changed is None:
                return "nothing to notice: the line is no more"
            function = faulty.function_of(changed, fault.line)
            file.write_text(changed)
            try:
                for tests in filter(None, self.rounds(fault.path, function)):
                    with self.permits:
                        made = tree.make(f"build/{tests[0]}" if tests[0].startswith("unit/") else "jitbench")
                    if made.returncode:
                        return "the compiler or the linker"
                    notice = self.noticed_by(tree, tests)
                    if notice:
                        return notice
                return None
            finally:
                file.write_text(text)

    @contextlib.contextmanager
    def tree(self):
        tree = self.free.pop()
        try:
            yield tree
        finally:
            self.free.append(tree)


# --- Commands. ---

def git(*words):
    return subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True, check=True).stdout.strip()


def archived(seed):
    """A function that unpacks the sources of that commit; the files have its time."""
    def fill(folder):
        packed = subprocess.run(["git", "archive", seed], cwd=TOP, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x"], cwd=folder, input=packed, check=True)
    return fill


def drawn(bench, path, count, patterns=faulty.SOURCES):
    """Of the sources of the bench, with the path's name as the seed."""
    print(f"drawing {count} faults, each compiled to see whether it can be tried", flush=True)
    faults, replaced = faulty.draw(bench.without.folder, path.stem, count, unfit(bench.trees[0]), patterns)
    reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(replaced.items()))
    return Draw(path, faults, f"drawn: {len(faults)}, and replaced by the next of their kind: {reasons or 'none'}")


def run(arguments):
    path = arguments.draw or RESULTS / (git("log", "-1", "--format=%h", "--abbrev=8", "--", "tests", ":!tests/mutation") + ".txt")
    draw = Draw(path).read() if path.exists() else None
    if arguments.minutes > 0 and (not draw or draw.numbers("-")):
        deadline = time.monotonic() + 60 * arguments.minutes
        bench = Bench(COPIES / path.stem, archived(path.stem))
        if not draw:
            draw = drawn(bench, path, COUNT)
            path.parent.mkdir(exist_ok=True)
            draw.write()
        go_on(draw, draw.numbers("-"), bench.attempt, draw.enter, deadline)
    print(f"{path.name}: {draw.figure()}")
    noticed, tried = draw.share()
    return 1 if tried == len(draw.faults) and noticed < AIM * tried else 0


def working():
    return Bench(COPIES / "working", lambda folder: trees.copy_sources(TOP, folder))


def try_some(arguments):
    deadline = time.monotonic() + 60 * arguments.minutes
    bench = working()
    draw = drawn(bench, Path(arguments.seed), arguments.count, arguments.pattern or faulty.SOURCES)
    go_on(draw, draw.numbers("-"), bench.attempt, lambda number, *outcome: draw.outcomes.update({number: outcome}), deadline)
    print(draw.figure())
    return 0


def again(arguments):
    draw = Draw(arguments.draw).read()
    go_on(draw, arguments.number or draw.numbers("survived"), working().attempt, lambda *_: None)
    return 0


def check(_):
    bad = []
    for path in sorted(RESULTS.glob("*.txt")):
        try:
            Draw(path).read()
        except ValueError as error:
            bad.append(f"{path.name}: {error}")
    print("\n".join(bad), end="\n" if bad else "", file=sys.stderr)
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description="Do the tests notice faults drawn by machine?")
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run", help="try what has no outcome yet, and print the figure")
    running.add_argument("--minutes", type=float, default=math.inf, help="begin no fault after so many")
    running.add_argument("draw", nargs="?", type=Path, help="a file of results/; by default that of the last change of a test")
    running.set_defaults(run=run)
    trying = commands.add_parser("try", help="draw faults in the working tree, and try them")
    trying.add_argument("--seed", default="try")
    trying.add_argument("--count", type=int, default=COUNT)
    trying.add_argument("--minutes", type=float, default=math.inf)
    trying.add_argument("pattern", nargs="*", help="of files from the top, as src/out/*.c")
    trying.set_defaults(run=try_some)
    repeating = commands.add_parser("again", help="try survivors on the working tree with its tests")
    repeating.add_argument("draw", type=Path)
    repeating.add_argument("number", nargs="*", type=int)
    repeating.set_defaults(run=again)
    commands.add_parser("check", help="can the committed draws be read?").set_defaults(run=check)
    arguments = parser.parse_args()
    reason = trees.possible() if arguments.run != check else None
    if reason:
        print(f"skipped: mutation: {reason}")
        return 0
    # Without waiting for the tests that run: these end with this process.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
