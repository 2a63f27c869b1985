#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the tests notice? Faults drawn by machine are put into copies of the sources, and the tests run on each.

mutation.py run [--minutes N] [DRAW]   tries the faults that have no outcome yet, and prints the figure; without a DRAW that
        of the last commit that changed a test, which is drawn when it does not exist
mutation.py again DRAW [NUMBER...]     tries the survivors, or these, on the working tree with its tests; writes nothing
mutation.py check                      can the committed draws be read?
"""
import argparse
import contextlib
import fcntl
import hashlib
import json
import math
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
AT_ONCE = 2
AIM = 0.9
# They write the machine's settings, of which there is one set.
ALONE = ("test_tune",)
# far: the nearest tests pass, the others were not run yet. -: not tried yet.
OUTCOMES = ("noticed", "survived", "far", "-")


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
                "# number, place, kind, before => after, outcome (far: the nearest tests pass, the others were not run yet), test"]
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
            return (f"{noticed} noticed and {tried - noticed} survived of {len(self.faults)}; {len(self.numbers('far'))} pass the "
                    f"nearest tests, {len(self.numbers('-'))} not tried yet")
        low, high = interval(noticed, tried)
        return (f"{noticed} noticed of {tried} that count: {100 * noticed / tried:.0f} %, 95 % interval {100 * low:.0f} to "
                f"{100 * high:.0f} %")


def interval(part, whole):
    """Wilson's interval of a share, 95 %."""
    z = 1.959964
    middle = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * math.sqrt(part * (whole - part) / whole + z * z / 4)
    return middle - half, middle + half


def write_json(path, value):
    new = path.with_suffix(".new")
    new.write_text(json.dumps(value))
    new.replace(path)


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


def go_on(draw, numbers, attempt, enter, deadline=math.inf, passed="survived"):
    """Tries these faults, as many at once as there are trees, and begins none after the deadline. passed: the outcome of
    those that no test of the attempt notices."""
    def one(number):
        if time.monotonic() >= deadline:
            return
        start = time.monotonic()
        test = attempt(draw.faults[number])
        outcome = ("noticed", test) if test else (passed, "-")
        enter(number, *outcome)
        fault = draw.faults[number]
        print(f"{number:3} {fault.kind:18} {fault.path}:{fault.line} {' '.join(outcome)} "
              f"({time.monotonic() - start:.0f} s)", flush=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, numbers))


# --- Trying a fault. ---

class Bench:
    """Trees with a sound build, and what the tests say of the program without any fault."""
    def __init__(self, folder, fill):
        """fill(folder) puts the sources there."""
        self.without = trees.Tree(folder / "sound")
        self.trees = [trees.Tree(folder / f"fault{i}") for i in range(AT_ONCE)]
        self.free = list(self.trees)
        self.permits, self.door, self.looking = threading.Semaphore(AT_ONCE), threading.Lock(), threading.Lock()
        self.without.folder.mkdir(parents=True, exist_ok=True)
        self.held = open(folder / "lock", "w")
        try:
            fcntl.flock(self.held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"{folder}: another run uses it")
        fill(self.without.folder)
        programs = [f"build/{kind}/{file.stem}" for kind in ("unit", "cli")
                    for file in sorted((self.without.folder / f"tests/{kind}").glob("test_*.c"))]
        made = self.without.make(f"-j{AT_ONCE}", "jitbench", *programs)
        if made.returncode:
            sys.exit(f"the sources do not build:\n{made.stderr}")
        for tree in self.trees:
            shutil.rmtree(tree.folder, ignore_errors=True)
            subprocess.run(["cp", "-a", self.without.folder, tree.folder], check=True)
        self.settings = trees.Settings(self.without.folder)
        self.units = trees.Units(self.without.folder, programs)
        self.keys = {program: self.key(program) for program in programs}
        self.sound_file, self.lines_file = folder / "sound.json", folder / "lines.json"
        self.sound = json.loads(self.sound_file.read_text()) if self.sound_file.exists() else {}
        self.lines = json.loads(self.lines_file.read_text()) if self.lines_file.exists() else {}

    @contextlib.contextmanager
    def alone(self):
        with self.door:
            for _ in range(AT_ONCE):
                self.permits.acquire()
        try:
            yield
        finally:
            self.permits.release(AT_ONCE)

    def beside(self, program=""):
        return self.alone() if Path(program).name in ALONE else self.permits

    def key(self, program):
        """Hash of all that the outcome of a test program depends on."""
        folder = self.without.folder
        digest = hashlib.sha256((folder / program).read_bytes())
        if "/cli/" in program:
            digest.update((folder / "jitbench").read_bytes())
        return digest.hexdigest()

    def without_fault(self, program):
        """Finds out which tests fail twice on the sound tree and how long the program takes, when that is not known yet."""
        key = self.keys[program]
        if key not in self.sound:
            with self.beside(program), self.looking:
                failed, seconds = self.without.run(program, 600)
            if failed:
                with self.alone():
                    failed &= self.without.run(program, 600)[0]
            for name in failed:
                print(f"fails without any fault, and does not count: {Path(program).name}: {name}", flush=True)
            with self.looking:
                self.sound[key] = {"failed": sorted(failed), "seconds": seconds}
                write_json(self.sound_file, self.sound)

    def look_at_lines(self):
        """Finds out which lines the tests of the command line reach, where that is not known yet: some ten minutes."""
        reached = trees.Reached(self.without)
        for program in self.keys:
            if "/cli/" in program and self.keys[program] not in self.lines:
                with self.alone():
                    self.lines[self.keys[program]] = reached.by(program, 900)
                write_json(self.lines_file, self.lines)

    def reaches(self, program, fault):
        """Whether a test program can come to that line; where the compiler made no code for it, such as in a table, any can."""
        known, reached = self.lines[self.keys[program]]
        return fault.line in reached.get(fault.path, ()) or fault.line not in known.get(fault.path, ())

    @contextlib.contextmanager
    def tree(self):
        tree = self.free.pop()
        try:
            yield tree
        finally:
            self.free.append(tree)

    def failures(self, tree, program):
        """Names of the tests that fail now and do not always fail on the sound tree."""
        sound = self.sound[self.keys[program]]
        values = self.settings.read() if Path(program).name in ALONE else None
        failed, _ = tree.run(program, math.ceil(10 + 5 * sound["seconds"]))
        for path in self.settings.put_back(values) if values else ():
            print(f"put back: {path}, changed by {program}")
        return failed - set(sound["failed"])

    def noticed_by(self, tree, programs):
        """The first test that fails twice with the fault, and passes without: one that measures can fail by chance."""
        for program in sorted(programs, key=lambda name: self.sound.get(self.keys[name], {"seconds": 0})["seconds"]):
            self.without_fault(program)
            with self.beside(program):
                failed = self.failures(tree, program)
            if not failed:
                continue
            with self.alone():
                again = failed & self.failures(tree, program)
                if again:
                    again -= self.failures(self.without, program)
            if again:
                return f"{Path(program).name}: {sorted(again)[0]}"
            print(f"failed by chance, or without the fault too: {Path(program).name}: {', '.join(sorted(failed))}")
        return None

    def rounds(self, fault, parts):
        """Test programs, the nearest first. Near: its module's, those that include its header, the command line's of its
        name. Far: the other units that have its code in them, those of the command line's that reach the line."""
        own, including, others = self.units.of(fault.path)
        cli = [program for program in self.keys if "/cli/" in program]
        named = [program for program in cli if Path(program).stem.removeprefix("test_") in Path(fault.path).stem]
        if "near" in parts:
            yield from (own, including, named)
        if "far" in parts:
            yield others
            yield [program for program in cli if program not in named and self.reaches(program, fault)]

    def attempt(self, fault, parts=("near", "far")):
        """The test that notices the fault, None when all of these parts pass. Only the object with the fault in it is compiled."""
        with self.tree() as tree:
            file = tree.folder / fault.path
            text = file.read_text()
            changed = faulty.put_in(fault, text)
            if changed is None:
                return "nothing to notice: the line is no more"
            file.write_text(changed)
            try:
                for programs in filter(None, self.rounds(fault, parts)):
                    with self.beside():
                        made = tree.make(*{"jitbench" if "/cli/" in program else program for program in programs})
                    if made.returncode:
                        return "the compiler or the linker"
                    notice = self.noticed_by(tree, programs)
                    if notice:
                        return notice
                return None
            finally:
                file.write_text(text)


# --- Commands. ---

def git(*words):
    return subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True, check=True).stdout.strip()


def archived(seed):
    """A function that unpacks the sources of that commit; the files have its time."""
    def fill(folder):
        packed = subprocess.run(["git", "archive", seed], cwd=TOP, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x"], cwd=folder, input=packed, check=True)
    return fill


def run(arguments):
    path = arguments.draw or RESULTS / (git("log", "-1", "--format=%h", "--abbrev=12", "--", "tests", ":!tests/mutation") + ".txt")
    draw = Draw(path)
    if path.exists():
        draw.read()
    left = draw.numbers("-") + draw.numbers("far")
    if arguments.minutes > 0 and (left or not draw.faults):
        deadline = time.monotonic() + 60 * arguments.minutes
        bench = Bench(COPIES / draw.seed, archived(draw.seed))
        if not draw.faults:
            print(f"drawing {COUNT} faults, each compiled to see whether it can be tried", flush=True)
            faults, replaced = faulty.draw(bench.without.folder, draw.seed, COUNT, unfit(bench.trees[0]))
            reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(replaced.items()))
            draw = Draw(path, faults, f"drawn: {len(faults)}, and replaced by the next of their kind: {reasons or 'none'}")
            path.parent.mkdir(exist_ok=True)
            draw.write()
        go_on(draw, draw.numbers("-"), lambda fault: bench.attempt(fault, ["near"]), draw.enter, deadline, "far")
        bench.look_at_lines()
        go_on(draw, draw.numbers("far"), lambda fault: bench.attempt(fault, ["far"]), draw.enter, deadline)
    for number in draw.numbers("survived"):
        fault = draw.faults[number]
        print(f"survived: {number} {fault.path}:{fault.line} {fault.kind}\n  - {fault.before}\n  + {fault.after}")
    print(f"{path.name}: {draw.figure()}")
    noticed, tried = draw.share()
    return 1 if tried == len(draw.faults) and noticed < AIM * tried else 0


def again(arguments):
    draw = Draw(arguments.draw).read()
    bench = Bench(COPIES / "working", lambda folder: trees.copy_sources(TOP, folder))
    bench.look_at_lines()
    go_on(draw, arguments.number or draw.numbers("survived"), bench.attempt, lambda *_: None)
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
