#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the tests notice? Deliberate faults are put into copies of the sources, and the tests run on each.

mutation.py draw --seed N --count N [FILE]   draws faults and writes the list
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import faults as faulty  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
LIST = TOP / "tests/mutation/list.txt"


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


def main():
    parser = argparse.ArgumentParser(description="Do the tests notice deliberate faults?")
    commands = parser.add_subparsers(required=True)
    drawing = commands.add_parser("draw", help="draw faults and write the list")
    drawing.add_argument("--seed", type=int, default=8)
    drawing.add_argument("--count", type=int, default=50)
    drawing.add_argument("list", nargs="?", type=Path, default=LIST)
    drawing.set_defaults(run=draw)
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
