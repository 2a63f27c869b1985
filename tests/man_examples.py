#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the examples of the man pages and the README as a reader copies them: each fits a terminal of 80 columns, is shell, and
has options and operands that the program knows: man_examples.py PROGRAM TABLES, which is man_tables.c.

Of a page, its literal blocks and lines (.Bd -literal, .Dl) are rendered by mandoc. A command begins with the prompt $ or #, and
goes on to the next prompt or the end of the block; sh -n reads it."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PROGRAM, TABLES = map(os.path.abspath, sys.argv[1:] or ("jitbench", "build/man_tables"))
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


def unknown(command, operands):
    """What the program does not know of a command line that begins with its name, or nothing: --help comes after the options are read."""
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars="|<>;&")
    lexer.whitespace_split = True
    words = []
    for word in lexer:
        if re.fullmatch(r"[|<>;&]+", word):
            break
        words.append(word)
    if words[1:] and words[-1] == "2" and ">" in word:
        words.pop()
    at = words.index("--") if "--" in words else len(words)
    given = [word for word in words[2:at] if words[1] not in ("completion", "help") or word[0] == "-"]
    done = subprocess.run([PROGRAM, words[1], *given, "--help"], capture_output=True, text=True, check=False)
    known = operands.get(words[1])
    strange = [word for word in words[2:at] if known and re.fullmatch(r"[a-z]\w*", word) and word not in known and words[words.index(word) - 1][0] != "-"]
    return done.stderr + " ".join(strange) if done.returncode or strange or not done.stdout.startswith("Usage: ") else ""


def main():
    wrong, n = list(wrong_of_prolog()), 0
    operands = {}
    for line in subprocess.run([TABLES], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, *fields = line.split("\t")
        if kind == "operand":
            operands.setdefault(fields[0], []).append(fields[1])
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
                elif re.match(r"(\./)?jitbench ", command) and (why := unknown(command, operands)):
                    wrong.append(f"{where}: {why.strip()}: {command}")
    for each in wrong:
        print(f"man_examples: {each}", file=sys.stderr)
    if not n:
        print("man_examples: no command found", file=sys.stderr)
    return bool(wrong) or not n


sys.exit(main())
