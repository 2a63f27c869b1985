#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the examples of the man pages and the README as a reader copies them: each fits a terminal of 80 columns, and is shell.

Of a page, its literal blocks and lines (.Bd -literal, .Dl) are rendered by mandoc. A command begins with the prompt $ or #, and
goes on to the next prompt or the end of the block; sh -n reads it."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 80
PAGE = ".Dd November 26, 2026\n.Dt EXAMPLE 1\n.Os\n.Sh NAME\n.Nm example\n.Nd example\n.Sh EXAMPLES\n"


def rendered(block):
    """Lines of a block of mdoc as mandoc prints them, with their indentation."""
    text = subprocess.run(["mandoc", "-Tascii", f"-Owidth={WIDTH}"], input=PAGE + block, capture_output=True, text=True,
                          check=True).stdout
    lines = re.sub(r".\x08", "", text).split("\n")
    return [line.expandtabs() for line in lines[lines.index("EXAMPLES") + 1:-2] if line.strip()]


def blocks_of(path):
    """The examples of a file: number of the line, and the lines as a reader sees them."""
    text = path.read_text()
    if path.suffix == ".md":
        for found in re.finditer(r"(?:^    [$#] .*\n)+", text, re.M):
            yield text[:found.start()].count("\n") + 1, found[0].rstrip("\n").split("\n")
        return
    for found in re.finditer(r"^\.Dl .*\n|^\.Bd -literal.*\n(?:.*\n)*?\.Ed\n", text, re.M):
        yield text[:found.start()].count("\n") + 1, rendered(found[0])


def wrong_of_prolog():
    """A prolog fails, which drains the node, only where the program, here a stand-in, finds something: status 4."""
    for path in (TOP / "man/jitbench-recipes.7", TOP / "README.md"):
        text = next("\n".join(line.strip() for line in lines) for _, lines in blocks_of(path) if "health.log" in "".join(lines))
        recipe = re.sub(r"^\$ ", "", text, flags=re.M).replace("/tmp/health.log", "health.log")
        for status in range(5):
            with tempfile.TemporaryDirectory() as folder:
                stand_in = pathlib.Path(folder, "jitbench")
                stand_in.write_text(f"#!/bin/sh\ntest -s health.txt && exit {status}\n")
                stand_in.chmod(0o755)
                done = subprocess.run(["sh", "-c", recipe], cwd=folder, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
                                      check=False)
            if (done.returncode != 0) != (status == 4):
                yield f"{path.relative_to(TOP)}: the prolog ends with {done.returncode} where jitbench ends with {status}"


def main():
    wrong, n = list(wrong_of_prolog()), 0
    for path in [*sorted(TOP.glob("man/*.[1-9]")), TOP / "README.md"]:
        for number, lines in blocks_of(path):
            where = f"{path.relative_to(TOP)}:{number}"
            if path.suffix != ".md":
                wrong += [f"{where}: wider than {WIDTH} columns: {line}" for line in lines if len(line) > WIDTH]
                if len(lines) > 1 and path.read_text().split("\n")[number - 1].startswith(".Dl"):
                    wrong.append(f"{where}: is broken into {len(lines)} lines: {lines[0].strip()}")
            text = "\n".join(line.strip() for line in lines)
            for command in re.findall(r"^[$#] (.*(?:\n(?![$#] ).*)*)", text, re.M):
                n += 1
                done = subprocess.run(["sh", "-n"], input=command + "\n", capture_output=True, text=True, check=False)
                if done.returncode:
                    wrong.append(f"{where}: sh -n: {done.stderr.strip()}: {command}")
    for each in wrong:
        print(f"man_examples: {each}", file=sys.stderr)
    if not n:
        print("man_examples: no command found", file=sys.stderr)
    return bool(wrong) or not n


sys.exit(main())
