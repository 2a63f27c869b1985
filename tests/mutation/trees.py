# SPDX-License-Identifier: MIT
"""Copies of the sources in which faults are put, built and tested, so that no fault can harm the machine.

A test runs in a PID and a mount namespace of its own: the tree and the rest of the file system are read-only but for a
/tmp and a /dev/shm of its own, whatever it starts ends with it, and what `jitbench tune` can write is put back.
A test is named FOLDER/NAME: a program of tests/unit or tests/cli, or a case of tests/golden.
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
FAILED = re.compile(r"^(?:\[  (?:FAILED|ERROR)\s+\] (test_\w+)|failed: ([^:\n]+):.*)$", re.M)

INSIDE = """
set -e
mount --bind "$1" /mnt
mount --bind "$2" /tmp
mount -t tmpfs -o size=512m tmpfs /dev/shm
mount -o remount,bind,ro /mnt
mount -o remount,bind,ro /
cd /mnt
shift 2
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

    def make(self, *targets, cflags="-O2 -Werror"):
        """Nothing of the path, the commit or the lines is in the objects: a copied build folder is up to date, and a fault
        that changes nothing makes the same object."""
        return subprocess.run(["make", "-s", f"CFLAGS={cflags}", "REPRODUCIBLE=", "COMMIT=000000000000", *targets],
                              cwd=self.folder, capture_output=True, text=True)

    def run(self, tests, limit_s, build="build", jitbench="jitbench"):
        """What fails of some cases of golden, or of one program: names; where it dies or hangs, BAD_END."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        self.scratch.chmod(0o1777)
        cases = [test.removeprefix("golden/") for test in tests if test.startswith("golden/")]
        program = ["tests/golden/golden.py", jitbench, *cases] if cases else [f"{build}/{tests[0]}"]
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "sh", "-c", INSIDE, "sh",
                   self.folder, self.scratch, "env", "-u", "TMPDIR", f"JITBENCH=/mnt/{jitbench}", *program]
        with open(str(self.folder) + ".log", "w+", errors="replace") as log:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=as_in_a_terminal)
            try:
                status = child.wait(limit_s)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                status = None
            log.seek(0)
            failed = {one or other.removeprefix("~") for one, other in FAILED.findall(log.read())}
        return {BAD_END} if status is None or (status and not failed) else failed


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


class Reached:
    """Of each test the seconds that it takes and the functions that it reaches, by their names: the program and the units are
    built once more with reached.c, and run. Kept in a file, as it takes minutes."""
    BASE, SIZE = 4 << 20, 4 << 20  # a program that is not position-independent begins at 4 MiB
    BUILD = "build-reached"

    def __init__(self, tree, file):
        self.tree, self.file = tree, file
        self.by = json.loads(file.read_text()) if file.exists() else {}

    def look(self, tests):
        """Runs those of which it is not known yet."""
        missing = [test for test in tests if test not in self.by]
        if not missing:
            return
        libc = ctypes.CDLL(None, use_errno=True)
        libc.shmat.restype = ctypes.c_void_p
        key = os.getpid() | 1 << 30
        shared = libc.shmget(key, self.SIZE, 0o1666)
        memory = (ctypes.c_ubyte * self.SIZE).from_address(libc.shmat(shared, None, 0))
        try:
            self.build(key, [test for test in missing if test.startswith("unit/")])
            for test in missing:
                ctypes.memset(memory, 0, self.SIZE)
                self.by[test] = self.one(test, memory)
                self.file.write_text(json.dumps(self.by))
        finally:
            libc.shmctl(shared, 0, None)
            shutil.rmtree(self.tree.folder / self.BUILD, ignore_errors=True)

    def build(self, key, units):
        build = self.tree.folder / self.BUILD
        build.mkdir(exist_ok=True)
        subprocess.run(["gcc", f"-DREACHED={key}", f"-DBASE={self.BASE}", f"-DSIZE={self.SIZE}", "-O1", "-c", "-o", build / "reached.o",
                        Path(__file__).with_name("reached.c")], check=True)
        made = self.tree.make(f"-j{os.cpu_count()}", f"BUILD={self.BUILD}", f"PROGRAM={self.BUILD}/jitbench", f"LDFLAGS={self.BUILD}/reached.o",
                              f"{self.BUILD}/jitbench", *(f"{self.BUILD}/{unit}" for unit in units), cflags="-O1 -finstrument-functions")
        if made.returncode:
            raise OSError(made.stderr)

    def one(self, test, memory):
        unit = test.startswith("unit/")
        start = time.monotonic()
        self.tree.run([test], 900, self.BUILD if unit else "build", f"{self.BUILD}/jitbench")
        seconds = time.monotonic() - start
        listed = subprocess.run(["nm", self.BUILD + "/" + (test if unit else "jitbench")], cwd=self.tree.folder, capture_output=True,
                                text=True, check=True)
        code = re.findall(r"^(\w+) [tT] (\w+)", listed.stdout, re.M)
        places = [(int(at, 16) - self.BASE, name) for at, name in code]
        return round(seconds, 2), sorted({name for place, name in places if 0 <= place < self.SIZE and memory[place]})


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
