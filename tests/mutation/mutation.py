#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the tests notice? Deliberate faults are put into copies of the sources, and the tests run on each.

mutation.py draw [--seed N] [--count N] [LIST]   draws faults and writes the list
mutation.py run [--work DIR] [--only N,N] [--skip TEST,TEST] [--tests TEST,TEST] [--quick] [LIST]
        runs the tests on each; exit status 1 when fewer than nine in ten are noticed
mutation.py check [LIST]                          is each one's line still there?
"""
import argparse
import hashlib
import json
import math
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
import faults as faulty  # noqa: E402
import trees  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
LIST = TOP / "tests/mutation/list.txt"
# At a time: they measure, and disturb each other.
AT_ONCE = 2
# 45 of 50.
SHARE = 0.9


# --- Drawing. ---

class Compiler:
    """Compiles single files of a copy of the tree, to tell which faults are faults of a program that could be shipped."""
    def __init__(self, copy):
        self.copy = copy
        self.sound = {}
        subprocess.run(["cp", "-r", "Makefile", "src", "include", copy], cwd=TOP, check=True)

    def object(self, path):
        """The bytes of the file's object, without places in the sources; None when the compiler objects to anything."""
        target = "build/" + path[4:-2] + ".o"
        (self.copy / target).unlink(missing_ok=True)
        made = subprocess.run(["make", "-s", "CFLAGS=-O2 -Werror", target], cwd=self.copy, capture_output=True)
        return (self.copy / target).read_bytes() if made.returncode == 0 else None

    def unfit(self, fault):
        file = self.copy / fault.path
        text = file.read_text()
        if fault.path not in self.sound:
            self.sound[fault.path] = self.object(fault.path)
        file.write_text(faulty.put_in(fault, text))
        try:
            made = self.object(fault.path)
        finally:
            file.write_text(text)
        if made is None:
            return "the compiler refuses it"
        return "the compiler makes the same code of it" if made == self.sound[fault.path] else None


def draw(arguments):
    with tempfile.TemporaryDirectory(prefix="jitbench-mutation-") as scratch:
        compiler = Compiler(Path(scratch))
        faults, replaced = faulty.draw(TOP, arguments.seed, arguments.count, compiler.unfit)
    faulty.write_list(arguments.list, arguments.seed, faults, replaced)
    print(f"{len(faults)} faults in {arguments.list}")
    return 0


# --- Checking. ---

def check(arguments):
    stale = [f"{number} ({fault.path} {fault.function})" for number, fault in enumerate(faulty.read_list(arguments.list), 1)
             if not (TOP / fault.path).exists() or faulty.put_in(fault, (TOP / fault.path).read_text()) is None]
    if stale:
        print(f"{arguments.list}: the line is no more: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


# --- Running. ---

class Run:
    """Trees with a sound build, and what the tests say of the program without any fault."""
    def __init__(self, work, arguments):
        commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=TOP, capture_output=True, text=True,
                                check=True).stdout.strip()
        self.without = trees.Tree(work / "sound", commit)
        self.trees = [trees.Tree(work / f"fault{i}", commit) for i in range(AT_ONCE)]
        self.sound_file = work / "sound.json"
        self.skip, self.tests, self.quick = arguments.skip.split(","), arguments.tests.split(","), arguments.quick
        self.sound = {}
        self.lock, self.busy = threading.Lock(), threading.Lock()
        self.without.folder.mkdir(exist_ok=True)
        trees.copy_sources(TOP, self.without.folder)
        made = self.without.make(f"-j{AT_ONCE}", "jitbench", *self.programs())
        if made.returncode:
            sys.exit(f"the sources do not build:\n{made.stderr}")
        for tree in self.trees:
            shutil.rmtree(tree.folder, ignore_errors=True)
            subprocess.run(["cp", "-a", self.without.folder, tree.folder], check=True)
        self.settings = trees.Settings(self.without.folder)
        self.units = trees.Units(self.without.folder, self.programs())

    def programs(self):
        folder = self.without.folder
        names = [f"build/{kind}/{file.stem}" for kind in ("unit", "cli")
                 for file in sorted((folder / f"tests/{kind}").glob("test_*.c"))]
        return [name for name in names if Path(name).name not in self.skip and
                (self.tests == [""] or Path(name).name in self.tests)]

    def key(self, program):
        """Of all that the outcome of a test program depends on."""
        folder = self.without.folder
        digest = hashlib.sha256((folder / program).read_bytes())
        if "/cli/" in program:
            digest.update((folder / "jitbench").read_bytes())
        return digest.hexdigest()

    def without_faults(self, programs):
        """Which tests fail, and how long each program takes, on the sound tree; as far as that is not known yet."""
        known = json.loads(self.sound_file.read_text()) if self.sound_file.exists() else {}
        keys = {program: self.key(program) for program in programs}

        def look(program, tree):
            failed, seconds = tree.run(program, 900)
            known[keys[program]] = {"failed": sorted(failed), "seconds": seconds}
        self.spread(look, [program for program in programs if keys[program] not in known])
        self.sound_file.write_text(json.dumps(known))
        self.sound = {program: known[keys[program]] for program in programs}
        for program in programs:
            for name in self.sound[program]["failed"]:
                print(f"fails without any fault, and does not count: {Path(program).name}: {name}")

    def spread(self, work, items):
        """Each item with a tree of which it has the use."""
        free = list(self.trees)

        def one(item):
            with self.lock:
                tree = free.pop()
            try:
                return work(item, tree)
            finally:
                with self.lock:
                    free.append(tree)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(one, items))

    def failures(self, tree, program):
        """Of the tests that fail now and passed on the sound tree."""
        sound = self.sound[program]
        values = self.settings.read() if program.endswith("/test_tune") else None
        failed, _ = tree.run(program, math.ceil(30 + 6 * sound["seconds"]))
        for path in self.settings.put_back(values) if values else ():
            print(f"put back: {path}, changed by {program}")
        return failed - set(sound["failed"])

    def noticed_by(self, tree, programs):
        """The first test that fails, and fails again, but does not without the fault: one that measures can fail by
        chance, or for the machine's being busy just now."""
        for program in sorted(programs, key=lambda name: self.sound[name]["seconds"]):
            failed = self.failures(tree, program)
            if not failed:
                continue
            again = self.failures(tree, program) & failed
            if again:
                with self.busy:
                    again -= self.failures(self.without, program)
            if again:
                return f"{Path(program).name}: {sorted(again)[0]}"
            print(f"failed by chance, or without the fault too: {Path(program).name}: {', '.join(sorted(failed))}")
        return None

    def try_fault(self, numbered, tree):
        """Which test notices it, None when all pass. The nearest units first, then the others, then the command line."""
        number, fault = numbered
        file = tree.folder / fault.path
        text = file.read_text()
        changed = faulty.put_in(fault, text)
        if changed is None:
            return self.say(number, fault, None, "stale: the line is no more")
        own, including, others = self.units.of(fault.path)
        cli = [program for program in self.sound if "/cli/" in program]
        near = [program for program in cli if Path(program).stem.removeprefix("test_") in Path(fault.path).stem]
        rounds = [(own, own), (including, including), (near, ["jitbench"] if near else [])]
        if not self.quick:
            rounds += [(others, others), (set(cli) - set(near), ["jitbench"])]
        file.write_text(changed)
        notice = None
        try:
            for programs, target in rounds:
                programs = [program for program in programs if program in self.sound]
                target = [name for name in target if name in self.sound or name == "jitbench"]
                made = tree.make(*target) if target else None
                if made and made.returncode:
                    notice = "the linker or the compiler"
                notice = notice or self.noticed_by(tree, programs)
                if notice:
                    break
        finally:
            file.write_text(text)
        return self.say(number, fault, notice, notice or "SURVIVED")

    def say(self, number, fault, notice, words):
        print(f"{number:3} {fault.kind:18} {fault.path.removeprefix('src/'):26} {fault.function:24} {words}", flush=True)
        return notice


def run(arguments):
    reason = trees.possible()
    if reason:
        print(f"skipped: {reason}")
        return 0
    numbered = list(enumerate(faulty.read_list(arguments.list), 1))
    if arguments.only:
        wanted = {int(number) for number in arguments.only.split(",")}
        numbered = [item for item in numbered if item[0] in wanted]
    work = arguments.work or Path(tempfile.mkdtemp(prefix="jitbench-mutation-"))
    work.mkdir(exist_ok=True)
    try:
        these = Run(work, arguments)
        these.without_faults(these.programs())
        notices = these.spread(these.try_fault, numbered)
    finally:
        if not arguments.work:
            shutil.rmtree(work)
    noticed = sum(notice is not None for notice in notices)
    survivors = [str(number) for (number, _), notice in zip(numbered, notices) if notice is None]
    print(f"{noticed} of {len(numbered)} noticed" + (f"; survivors: {', '.join(survivors)}" if survivors else ""))
    return 0 if noticed >= SHARE * len(numbered) else 1


def main():
    parser = argparse.ArgumentParser(description="Do the tests notice deliberate faults?")
    commands = parser.add_subparsers(required=True)
    drawing = commands.add_parser("draw", help="draw faults and write the list")
    drawing.add_argument("--seed", type=int, default=8)
    drawing.add_argument("--count", type=int, default=50)
    drawing.set_defaults(run=draw)
    running = commands.add_parser("run", help="run the tests on each fault of the list")
    running.add_argument("--work", type=Path, help="folder for the copies, kept for the next run")
    running.add_argument("--only", help="numbers of faults")
    running.add_argument("--skip", default="", help="test programs that are not run, such as test_noise")
    running.add_argument("--tests", default="", help="the only test programs that are run")
    running.add_argument("--quick", action="store_true", help="only the tests nearest to each fault: a lower bound")
    running.set_defaults(run=run)
    checking = commands.add_parser("check", help="is each fault's line still there?")
    checking.set_defaults(run=check)
    for command in (drawing, running, checking):
        command.add_argument("list", nargs="?", type=Path, default=LIST)
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
