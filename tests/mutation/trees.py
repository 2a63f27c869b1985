# SPDX-License-Identifier: MIT
"""Copies of the sources in which faults are put, built and tested, so that no fault can harm the machine.

A test runs in a PID and a mount namespace of its own: the tree and the rest of the file system are read-only but for a
/tmp and a /dev/shm of its own, whatever it starts ends with it, and what `jitbench tune` can write is put back.
"""
import ctypes
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1
# The name of the failure of a whole program: one that hangs in one run can be killed in the next.
BAD_END = "no end, or a bad one"

INSIDE = """
set -e
mount --bind "$1" /mnt
mount --bind "$2" /tmp
[ -z "$3" ] || mount --bind "$3" "$3"
mount -t tmpfs -o size=512m tmpfs /dev/shm
mount -o remount,bind,ro /mnt
mount -o remount,bind,ro /
cd /mnt
shift 3
status=0
"$@" || status=$?
exit $status
"""


def as_in_a_terminal():
    """A shell has what it starts in the background ignore SIGINT, of which there are tests. And nothing outlives us."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


class Tree:
    """A copy of the working tree with a build folder of its own."""
    def __init__(self, folder):
        self.folder = Path(folder)
        self.scratch = Path(str(folder) + ".tmp")

    def make(self, *targets):
        """Nothing of the path, the commit or the lines is in the objects: a copied build folder is up to date, and a fault
        that changes nothing makes the same object."""
        return subprocess.run(["make", "-s", "CFLAGS=-O2 -Werror", "REPRODUCIBLE=", "COMMIT=000000000000", *targets],
                              cwd=self.folder, capture_output=True, text=True)

    def run(self, program, limit_s, jitbench="jitbench", writable=""):
        """Names of the tests of that program that fail, and how long it took; where it dies or hangs, BAD_END. writable: a
        folder that the tests may change besides."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        self.scratch.chmod(0o1777)
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "sh", "-c", INSIDE, "sh",
                   self.folder, self.scratch, writable, "env", "-u", "TMPDIR", f"JITBENCH=/mnt/{jitbench}", program]
        start = time.monotonic()
        with open(str(self.folder) + ".log", "w+", errors="replace") as log:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=as_in_a_terminal)
            try:
                status = child.wait(limit_s)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                status = None
            log.seek(0)
            failed = set(re.findall(r"^\[  (?:FAILED|ERROR)\s+\] (test_\w+)$", log.read(), re.M))
        if status is None or (status and not failed):
            failed = {BAD_END}
        return failed, time.monotonic() - start


def copy_sources(top, folder):
    """All that git knows or would know of, without history; what is the same already keeps its time, and what is gone
    goes from src, include and tests."""
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=top, capture_output=True,
                           text=True, check=True).stdout.split("\0")
    for old in [file for part in ("src", "include", "tests") for file in (folder / part).rglob("*") if file.is_file()]:
        if not (top / old.relative_to(folder)).exists():
            old.unlink()
    for name in names:
        if name and (top / name).is_file():
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists() or copy.read_bytes() != (top / name).read_bytes():
                shutil.copyfile(top / name, copy)
                shutil.copymode(top / name, copy)


def layers_below(folder):
    """Of each layer, those that its unit tests link, by the Makefile."""
    return {layer: below.split() for layer, below in
            re.findall(r"^below_(\w+) *:= (.*)$", (folder / "Makefile").read_text(), re.M)}


def layer_of_unit(folder, layers, test):
    """The layer that a unit test links, as the Makefile chooses it: the highest one that has such a module."""
    module = test.removeprefix("test_")
    for layer in layers["cmd"]:
        if (folder / f"src/{layer}/{module}.c").exists():
            return layer
    return "cmd"


def functions(folder, files):
    """By file, the names of the code in objects and programs."""
    listed = subprocess.run(["nm", "-A", "--defined-only", *files], cwd=folder, capture_output=True, text=True, check=True)
    found = {file: set() for file in files}
    for file, name in re.findall(r"^([^:]+):\S+ [tT] (\w+)$", listed.stdout, re.M):
        found[file].add(name)
    return found


class Units:
    """Which unit tests have code of which source file in them; the linker leaves out what none of theirs calls."""
    def __init__(self, folder, programs):
        self.programs = {program: (folder / f"tests/unit/{Path(program).name}.c").read_text() for program in programs
                         if "/unit/" in program}
        self.below = layers_below(folder)
        self.layers = {program: layer_of_unit(folder, self.below, Path(program).name) for program in self.programs}
        self.objects = [str(file.relative_to(folder)) for file in (folder / "build").glob("*/**/*.o")
                        if file.relative_to(folder).parts[1] in self.below]
        self.code = functions(folder, self.objects + list(self.programs))

    def of(self, path):
        """The test of its module, or of that whose name its own begins with; those that include its header; the others."""
        layer, module = path.split("/")[1], Path(path).stem
        code = self.code[f"build/{path[4:-2]}.o"]
        linked = [program for program, within in self.code.items() if program in self.programs and code & within and
                  layer in self.below[self.layers[program]]]
        own = [program for program in linked if module.startswith(Path(program).name.removeprefix("test_"))]
        near = [program for program in linked if program not in own and
                f'#include "{layer}/{module}.h"' in self.programs[program]]
        return own, near, [program for program in linked if program not in own + near]


class Reached:
    """Which lines of the sources each test program of the command line reaches, as gcov counts them. Counts of processes
    that are killed, or cannot write them, are missing: a fault in these lines can count as survived though it is noticed."""
    def __init__(self, tree):
        self.tree, self.counts = tree, tree.folder / "build-coverage"

    def by(self, program, limit_s):
        """By file, the lines that have code, and those of them that this program reaches."""
        if not (self.counts / "jitbench").exists():
            made = self.tree.make("covered", "UNIT=", "CLI=")
            if made.returncode:
                raise OSError(f"no coverage build:\n{made.stderr}")
        for file in self.counts.rglob("*.gcda"):
            file.unlink()
        # Makes the files, so that tests that run as another user can write to them.
        subprocess.run([self.counts / "jitbench", "version"], stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["chmod", "-R", "a+rwX", self.counts], check=True)
        self.tree.run(program, limit_s, "build-coverage/jitbench", str(self.counts))
        listed = subprocess.run(["gcov", "--json-format", "--stdout", *map(str, self.counts.rglob("*.gcda"))],
                                cwd=self.tree.folder, capture_output=True, text=True, check=True)
        known, reached = {}, {}
        for file in [file for text in listed.stdout.splitlines() for file in json.loads(text)["files"]]:
            known.setdefault(file["file"], set()).update(line["line_number"] for line in file["lines"])
            reached.setdefault(file["file"], set()).update(line["line_number"] for line in file["lines"] if line["count"])
        return [{path: sorted(lines) for path, lines in found.items()} for found in (known, reached)]


class Settings:
    """Settings that `jitbench tune` can write, by the list of its own test, so that the damage of a fault is repaired."""
    def __init__(self, folder):
        listed = (folder / "tests/cli/test_tune.c").read_text().split("patterns[] = {")[1].split("};")[0]
        self.patterns = re.findall(r'"([^"]+)"', listed)

    def read(self):
        values = {}
        for pattern in self.patterns:
            for path in glob.glob(pattern):
                try:
                    values[path] = Path(path).read_text()
                except OSError:
                    pass
        return values

    def put_back(self, values):
        """The paths that had other values. What shows all choices has the chosen one in brackets."""
        changed = []
        for path, value in self.read().items():
            before = values.get(path, value)
            if value != before:
                chosen = re.search(r"\[(.*)\]", before)
                with open(path, "w") as file:
                    file.write(chosen.group(1) if chosen else before)
                changed.append(path)
        return changed


def possible():
    """None, or why faults cannot be run here."""
    if os.geteuid() != 0:
        return "it needs root: each test runs in namespaces of its own, so that a fault cannot harm the machine"
    tried = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--mount-proc", "true"], capture_output=True, text=True)
    return tried.stderr.strip() if tried.returncode else None
