#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SIGKILL to random processes at random moments, over all suites: is anything left, is any finished row lost?

    kill.py PROGRAM        KILLS=200 KILL_SEED=... (printed; repeats the draws), KILL_ONLY=N (only that one),
                           KILL_CASE=... (only cases with that in their name)

Each kill has a case (a command line of CASES), a moment and a victim: the parent, a worker, a load, a process with
threads of its own (the timing threads among them), a helper (scripts, the keeper of a scratch directory, the guard of a
command, what these started), all processes at once, or all but one. Afterwards:

- When the parent was killed, nothing of it is left 2 s later. When it was not, it goes on, ends by itself with the
  right exit status, tells in a row what happened to whom, and then nothing is left 2 s later. Nothing: no process
  whatever its group and session, no scratch file, no temporary file, no shared memory. (Processes within namespaces of
  our own cannot hide; a device is held by a process.)
- Rows that were finished before the kill, as a reader saw them, are still there; each has all its columns.
- A report, a comparison, an export is in its file whole, or there is no file.
- What `tune` or `--tuned` changed is restored by `untune`, in a folder with a made-up /proc and /sys to chroot into:
  settings of this machine are not touched.

Exceptions, since somebody must be left to clean up: when the parent and all keepers of scratch directories are killed at
the same moment, the folder of the shell tests and the load's control group stay; and when the parent and the guard of a
command are, what the command itself has started. All but one therefore spares one of these, and not a worker, which dies with the parent."""
import csv
import glob
import io
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "golden")]
sys.dont_write_bytecode = True
import golden  # noqa: E402 pylint: disable=wrong-import-position
import watch  # noqa: E402 pylint: disable=wrong-import-position
from runner import Failure, expect  # noqa: E402 pylint: disable=wrong-import-position

LEFT_S = 2.0
END_S = 90
DISK = ["-d", "{scratch}", "--file-size", "8M"]
OUT = ["-o", "out.csv"]
# Kinds of processes that are killed, and how often, where they exist.
VICTIMS = {"parent": 3, "worker": 4, "load": 6, "threads": 4, "helper": 6, "all": 1, "all but one": 3}
WORKERS = ("parent", "worker", "all", "all but one")
HELPERS = WORKERS + ("helper",)
LOADS = WORKERS + ("load", "threads")
ALONE = ("parent",)
# So long a victim of that kind is waited for; then it is given so long to get on.
WAIT_S, MORE_S = 10, 0.2
csv.field_size_limit(1 << 30)


class Case:
    """A command line. seconds: about how long it runs. files: what it may leave in its folder. whole: the file
    is there whole or not at all. root: runs in the made-up root, after the command first. weight: of the draw."""

    def __init__(self, name, words, seconds, victims=WORKERS, *, files=("out.csv",), whole=False, root=False, first=None, weight=1.0):
        self.name, self.words, self.seconds, self.victims = name, words, seconds, victims
        self.files, self.whole, self.root, self.first, self.weight = files, whole, root, first, weight


def latency(load, extra=(), victims=LOADS):
    return Case("latency " + load, ["latency", *OUT, "-t", "300ms", "--samples", "1", "-w", load, *DISK, *extra, "audio", "gaming"],
                2.0, victims, weight=0.7)


CASES = [
    Case("prime", ["prime", *OUT, "-n", "200K", "--samples", "12"], 1.2),
    Case("prime, copies", ["prime", *OUT, "-n", "200K", "--samples", "6", "-c", "1,4", "--series", "series"], 1.4,
         files=("out.csv", "series")),
    Case("stream", ["stream", *OUT, "--sizes", "25,1600", "-n", "50K", "--samples", "3", "--array-size", "16M", "-k", "5"], 1.5),
    Case("unix, processor", ["unix", *OUT, "-t", "100ms", "--samples", "2", "dhry2reg", "whetstone", "execl", "syscall"], 2.5),
    Case("unix, processes", ["unix", *OUT, "-t", "100ms", "--samples", "2", "-c", "1,3", "spawn", "context1", "pipe", "sysexec"],
         2.5, HELPERS),
    Case("unix, files", ["unix", *OUT, "-t", "100ms", "--samples", "2", "-c", "1,2", "-d", "{scratch}", "fcopy256", "fcopy1024",
                         "fwrite4096", "fread1024"], 2.5),
    Case("unix, shell", ["unix", *OUT, "-t", "300ms", "--samples", "2", "-c", "1,2", "-d", "{scratch}", "shell1", "shell8"], 4,
         HELPERS, weight=2),
    latency("none", victims=tuple(kind for kind in LOADS if kind != "load")),
    *[latency(load) for load in ("video", "x", "burn", "write", "read", "ring", "compile", "hack", "burn2", "storm", "mixed")],
    latency("compile", ("--load-weight", "10")),
    latency("memload", ("--memload-size", "64M")),
    latency("cmd:/bin/sh -c 'setsid sleep 100 & while :; do /bin/true; done'", victims=("parent", "worker", "helper")),
    latency("custom", ("-C", "30", "-I", "5000")),
    Case("latency, tasks", ["latency", *OUT, "-t", "200ms", "--samples", "1", "-w", "none,burn", "-r", "audio", "video", "x"], 2,
         LOADS),
    Case("latency, tasks of today", ["latency", *OUT, "-t", "200ms", "--samples", "1", "-w", "none,burn2,storm,mixed", "requests",
                                     "frame", "launch", "input", "audio-period"], 9, LOADS + ("helper",), weight=2),
    Case("noise", ["noise", *OUT, "-t", "300ms", "--samples", "4"], 1.5),
    Case("wakeup", ["wakeup", *OUT, "-D", "300ms", "--samples", "4"], 1.5),
    Case("run", ["run", *OUT, "--samples", "4", "--", "/bin/sh", "-c", "sleep 0.3 & wait", "--", "/bin/true"], 2, HELPERS),
    Case("run, copies", ["run", *OUT, "--samples", "3", "-c", "3", "--prepare", "/bin/sleep 0.05", "--keep-output", "kept", "--",
                         "/bin/sh", "-c", "setsid sleep 0.3 & echo; wait"], 2, HELPERS, files=("out.csv", "kept")),
    Case("run, left behind", ["run", *OUT, "--samples", "4", "--", "/bin/sh", "-c", "sleep 100 & sleep 100 & sleep 0.2"], 1.5,
         HELPERS),
    # Only its subreapers, the worker and the parent, can reach a process in a session of its own.
    Case("run, own session", ["run", *OUT, "--samples", "4", "--", "/bin/sh", "-c", "setsid sleep 100 & sleep 0.2"], 1.5,
         ("parent", "worker", "helper")),
    Case("all", ["all", *OUT, "--quick", "--samples", "1"], 30, ("parent", "all"), weight=0.3),
    Case("tune", ["tune", "--cpus", "1-3"], 0.02, ALONE, files=(), root=True, weight=2),
    Case("untune", ["untune"], 0.02, ALONE, files=(), root=True, first=["tune", "--cpus", "1-3"], weight=1.5),
    Case("--tuned", ["prime", "-o", "/out.csv", "--cpus", "0", "-c", "1", "-n", "100K", "--samples", "4", "--tuned"], 1.0,
         root=True, weight=2),
    *[Case(words[0], [*words, "-o", "result"], 1.0, ALONE, files=("result",), whole=True) for words in (
        ["report", "{input}"], ["compare", "{input}", "--", "{input}"], ["fleet", "{input}"], ["export", "-f", "json", "{input}"])],
]


def say(text):
    print("kill: " + text, flush=True)


# --- A made-up root. ---

def make_tree(tree):
    golden.unpack("laptop", tree)
    golden.put(tree + "/proc/sys/kernel/random/boot_id", "00000000-1111-2222-3333-444444444444")
    for folder in ("/run", "/dev/shm", "/tmp"):
        os.makedirs(tree + folder, exist_ok=True)


def settings(root):
    """Contents of the files of /proc/sys and /sys; of a list of choices the one in brackets. A made-up file cannot keep
    the other choices, as the kernel does."""
    found = {}
    for name in sorted(watch.names(root + "/proc", root + "/sys")):
        if os.path.isfile(name):
            with open(name, encoding="latin-1") as file:
                text = file.read()
            chosen = re.search(r"\[(\w\S*)\]", text)
            found[name[len(root):]] = chosen[1] if chosen else text.strip()
    return found


# --- Results. ---

def whole_rows(text):
    """The header and the rows of a CSV up to its last line end, and what follows that."""
    end = text.rfind("\r\n") + 2 if "\r\n" in text else 0
    rows = list(csv.reader(io.StringIO(text[:end], newline=""), strict=True))
    return rows, text[end:]


def check_rows(before, after, killed):
    """before and after are the texts of the file; killed: the writer itself was."""
    rows, rest = whole_rows(after)
    seen, _ = whole_rows(before)
    expect(rows[:len(seen)] == seen, "rows that a reader saw are gone: %d of %d" % (len(rows), len(seen)))
    expect(killed or not rest, "half a row at the end")
    for number, row in enumerate(rows):
        expect(len(row) == len(rows[0]), "row %d has %d columns, not %d" % (number, len(row), len(rows[0])))
    results = [dict(zip(rows[0], row)) for row in rows[1:]] if rows else []
    for row in results[:max(0, len(seen) - 1)]:
        expect(row["status"] != "failed", "failed before the kill: %s %s: %s" % (row["suite"], row["test"], row["reason"]))
    return results


def read_text(name):
    if not os.path.exists(name):
        return ""
    with open(name, encoding="utf-8", newline="") as file:
        return file.read()


def file_size(name):
    return os.stat(name).st_size if os.path.exists(name) else None


# --- A kill. ---

def of_jitbench(process):
    """The program itself, and not what it started."""
    try:
        return os.path.basename(os.readlink("/proc/%d/exe" % process.pid)).split(" ")[0] in ("jitbench", "memfd:jitbench")
    except OSError:
        return False


def oom_score(process):
    try:
        with open("/proc/%d/oom_score_adj" % process.pid, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


def victims_of(root, kind, rng):
    """Processes to kill, in that order; none when there is no such process now, or the parent has ended."""
    everybody = watch.processes()
    tree = [each for each in watch.below(os.getpid(), everybody) if each.pid != os.getpid() and each.state != "Z"]
    if root not in [each.pid for each in tree]:
        return []
    tree.sort(key=lambda each: (each.start, each.pid))
    parent = everybody[root]
    ours = [each for each in tree if of_jitbench(each)]
    lasting = [each for each in ours if each is parent or each.group != everybody[each.parent].group and each.parent != root]
    workers = [each for each in ours if each.parent == root]
    loads = [each for each in workers if oom_score(each) > oom_score(parent)]
    kinds = {"parent": [parent], "load": loads, "worker": [each for each in workers if each not in loads],
             "threads": [each for each in workers if each.threads > 1],
             "helper": [each for each in tree if each.pid != root and each not in workers],
             "all": tree, "all but one": lasting if len(tree) > 1 else []}
    if not kinds[kind]:
        return []
    one = rng.choice(kinds[kind])
    if kind in ("all", "all but one"):
        rng.shuffle(tree)
        return [each for each in tree if kind == "all" or each.pid != one.pid]
    return [one]


class Kill:
    def __init__(self, test, number):
        self.test, self.number = test, number
        self.rng = random.Random("%s:%d" % (test.seed, number))
        cases = [case for case in CASES if (os.geteuid() == 0 or not case.root) and os.environ.get("KILL_CASE", "") in case.name]
        self.case = self.rng.choices(cases, [case.weight for case in cases])[0]
        self.part = self.rng.random()
        self.kind = self.rng.choices(self.case.victims, [VICTIMS[kind] for kind in self.case.victims])[0]
        self.at, self.tries = 0, 0
        self.folder = os.path.join(test.folder, "kill-%d" % number)
        self.cwd, self.scratch = self.folder + "/cwd", self.folder + "/scratch"
        self.root = self.folder + "/root"
        self.victims, self.process, self.before, self.status, self.survived = [], None, "", None, False
        self.settings_before = {}

    def describe(self):
        return "%3d %-18s %-12s at %6.0f ms" % (self.number, self.case.name, self.kind, self.at * 1000)

    def file(self, name):
        return os.path.join(self.root if self.case.root else self.cwd, name)

    def command(self, words):
        program = "/jitbench" if self.case.root else self.test.program
        return [program] + [word.format(scratch=self.scratch, input=self.test.input) for word in words]

    def start(self, words, output):
        def enter():
            if self.case.root:
                os.chroot(self.root)
                os.chdir("/")

        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "TMPDIR": "/tmp" if self.case.root else self.scratch}
        # pylint: disable-next=consider-using-with,subprocess-popen-preexec-fn
        return subprocess.Popen(self.command(words), cwd=self.cwd, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                stderr=output, preexec_fn=enter)

    def run(self, words, limit=60):
        with open(self.folder + "/output", "ab") as output:
            process = self.start(words, output)
            return process.wait(limit)

    def prepare(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for folder in (self.cwd, self.scratch):
            os.makedirs(folder)
        if self.case.root:
            shutil.copytree(self.test.tree, self.root)
            os.link(self.test.program, self.root + "/jitbench")
            self.settings_before = settings(self.root)
            if self.case.first:
                expect(self.run(self.case.first) in (0, 1), "jitbench %s failed" % " ".join(self.case.first))

    def strike(self):
        """Starts it and kills at the moment. False when it had ended before: then the moment is drawn too late."""
        self.prepare()
        with open(self.folder + "/output", "ab") as output:
            started = time.monotonic()
            self.process = self.start(self.case.words, output)
        self.wait_until(started + self.at)
        more = self.rng.random() * MORE_S
        self.victims = victims_of(self.process.pid, self.kind, self.rng)
        while not self.victims and self.process.poll() is None:
            if time.monotonic() > started + self.at + WAIT_S:
                self.kind = "parent"
            if victims_of(self.process.pid, self.kind, self.rng):
                time.sleep(more)
                more /= 4
                self.victims = victims_of(self.process.pid, self.kind, self.rng)
        if self.process.poll() is not None:
            self.process.wait(END_S)
            watch.wait_none(watch.strangers)
            return False
        if "out.csv" in self.case.files:
            self.before = read_text(self.file("out.csv"))
        for victim in self.victims:
            watch.kill(victim)
        self.survived = all(victim.pid != self.process.pid for victim in self.victims)
        return True

    def wait_until(self, moment):
        """Every other one that writes a result is killed right when that is being written."""
        if self.case.whole and self.number % 2 and self.tries == 1:
            while self.process.poll() is None and not file_size(self.file("result")):
                pass
        else:
            time.sleep(max(0, moment - time.monotonic()))

    # --- Afterwards.

    def left(self):
        found = ["process %s" % each for each in watch.strangers()]
        found += sorted(watch.shared_memory() - self.test.shared)
        if self.kind != "all" or "shell1" not in self.case.words:
            found += sorted(watch.names(self.scratch, self.root + "/tmp", self.root + "/dev/shm"))
        found += sorted(name for name in watch.names(*watch.PRIVATE) - self.test.names
                        if ".jitbench" in name and not name.startswith(self.test.folder))
        found += sorted(set(os.listdir(self.cwd)) - set(self.case.files))
        if self.kind != "all" and "--load-weight" in self.case.words:
            found += glob.glob("/sys/fs/cgroup/**/.jitbench-*/", recursive=True)
        return found

    def await_end(self):
        try:
            self.status = self.process.wait(END_S if self.survived else LEFT_S)
        except subprocess.TimeoutExpired as late:
            raise Failure("the parent still runs after %g s" % late.timeout) from late
        left = watch.wait_none(self.left, LEFT_S)
        expect(not left, "left: " + "; ".join(left))

    def check_results(self):
        rows = []
        if "out.csv" in self.case.files:
            rows = check_rows(self.before, read_text(self.file("out.csv")), not self.survived)
        if self.survived:
            failed = [row for row in rows if row["status"] == "failed"]
            expect(self.status == (1 if failed else 0),
                   "exit status %d with %d failed rows" % (self.status, len(failed)))
            for row in failed:
                expect(row["reason"], "a failed row without a reason")
            items = {(row["test"], row["load"], row["copies"]) for row in failed if " before it failed" not in row["reason"]}
            expect(len(items) <= len(self.victims), "%d kills made these tests fail: %s" % (len(self.victims), sorted(items)))
            self.test.noticed[self.kind] = self.test.noticed.get(self.kind, 0) + (len(failed) > 0)
        if self.case.whole:
            size = file_size(self.file("result"))
            expect(size in (None, self.test.size[self.case.name]),
                   "the result has %s bytes, not %d" % (size, self.test.size[self.case.name]))
            self.test.results += size is not None

    def check_settings(self):
        if not self.case.root:
            return
        changed = settings(self.root) != self.settings_before
        there = os.path.exists(self.root + "/run/jitbench.snapshot")
        expect(there or not changed, "settings are changed, and there is no snapshot")
        if there:
            expect(self.run(["untune"]) == 0, "untune failed")
        now = settings(self.root)
        wrong = [name for name in self.settings_before if now.get(name) != self.settings_before[name]]
        expect(not wrong, "untune left " + ", ".join("%s=%r, not %r" % (name, now.get(name), self.settings_before[name])
                                                    for name in wrong))
        expect(not watch.names(self.root + "/run"), "untune left " + " ".join(watch.names(self.root + "/run")))
        self.test.restored += changed

    def clean(self):
        for each in watch.strangers():
            watch.kill(each)
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        watch.wait_none(watch.strangers)
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in watch.names(*watch.PRIVATE) - self.test.names:
            if ".jitbench" in os.path.basename(name) and not name.startswith(self.test.folder):
                shutil.rmtree(name) if os.path.isdir(name) else os.unlink(name)

    def whole(self):
        """None, or what is wrong."""
        self.at = self.part * self.case.seconds
        try:
            for self.tries in range(1, 12):
                if self.strike():
                    break
                self.at /= 2
            else:
                return "it never ran long enough to be killed"
            self.await_end()
            self.check_results()
            self.check_settings()
            return None
        except (Failure, csv.Error, UnicodeDecodeError) as failure:
            output = read_text(self.folder + "/output").strip().splitlines()[-4:]
            return "%s%s" % (failure, "".join("\n        | " + line[:200] for line in output))
        finally:
            self.clean()


class Test:
    def __init__(self, folder, kills, seed):
        self.program, self.tree = os.path.join(folder, "jitbench"), os.path.join(folder, "tree")
        self.folder, self.kills, self.seed = folder, kills, seed
        self.shared, self.names = watch.shared_memory(), watch.names(*watch.PRIVATE)
        self.input = os.path.join(folder, "input.csv")
        self.size, self.results = {}, 0
        self.by_victim, self.by_case, self.noticed, self.failures, self.restored = {}, {}, {}, [], 0

    def make_input(self):
        """Results of many made-up hosts, so that it takes a while to write of them."""
        first = os.path.join(self.folder, "first.csv")
        subprocess.run([self.program, "prime", "-n", "20K", "--samples", "6", "-o", first], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        with open(first, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        host = rows[0].index("host")
        with open(self.input, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\r\n")
            writer.writerow(rows[0])
            for number, row in itertools.product(range(40), rows[1:]):
                writer.writerow(row[:host] + ["node%d" % number] + row[host + 1:])
        for case in CASES:
            if case.whole:
                result = os.path.join(self.folder, "whole")
                subprocess.run([self.program] + [word.format(input=self.input) for word in case.words[:-1]] + [result], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.size[case.name] = file_size(result)
                os.unlink(result)

    def run(self, only):
        self.make_input()
        for number in range(self.kills) if only is None else [only]:
            kill = Kill(self, number)
            wrong = kill.whole()
            self.by_victim[kill.kind] = self.by_victim.get(kill.kind, 0) + 1
            self.by_case[kill.case.name] = self.by_case.get(kill.case.name, 0) + 1
            if wrong:
                self.failures.append(number)
                print("failed: %s: %s" % (kill.describe().strip(), wrong), flush=True)
                say("    repeat: KILL_SEED=%s KILL_ONLY=%d make kill-test" % (self.seed, number))
            elif os.environ.get("KILL_VERBOSE"):
                say(kill.describe())

    def report(self, seconds):
        done = sum(self.by_victim.values())
        say("%d kills in %.0f s, seed %s" % (done, seconds, self.seed))
        for kind, n in sorted(self.by_victim.items()):
            say("  %-12s %4d%s" % (kind, n, ", the parent told of %d in its rows" % self.noticed[kind] if kind in self.noticed else ""))
        say("  cases: " + ", ".join("%s %d" % item for item in sorted(self.by_case.items())))
        say("  changed settings that untune restored: %d" % self.restored)
        say("  results of report, compare, fleet and export that were whole, and not yet there otherwise: %d" % self.results)
        print("passed %d: kills" % (done - len(self.failures)), flush=True)
        return 1 if self.failures else 0


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: kill.py PROGRAM")
    os.environ.setdefault("KILL_SEED", str(random.SystemRandom().randrange(10**6)))
    if "KILL_FOLDER" not in os.environ:
        os.environ["KILL_FOLDER"] = tempfile.mkdtemp(prefix="jitbench-kill-", dir="/var/tmp")
    folder, seed = os.environ["KILL_FOLDER"], os.environ["KILL_SEED"]
    only = os.environ.get("KILL_ONLY")
    if not os.path.exists(os.path.join(folder, "tree")):
        make_tree(os.path.join(folder, "tree"))  # before the folder of the tests may be hidden
    why = watch.enter(folder, os.path.abspath(sys.argv[1]))
    kills = int(os.environ.get("KILLS") or 200)
    say("seed %s, %d kills" % (seed, kills))
    if why:
        print("skipped: namespaces: %s" % why, flush=True)
    if os.geteuid() != 0:
        print("skipped: tune, untune and --tuned: only root may chroot", flush=True)
    started = time.monotonic()
    test = Test(folder, kills, seed)
    test.run(int(only) if only else None)
    status = test.report(time.monotonic() - started)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(status)


if __name__ == "__main__":
    main()
