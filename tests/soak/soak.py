#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs `jitbench all --quick`, and between them the other suites, for an hour, and looks whether anything grows.

    soak.py PROGRAM [FOLDER]        SOAK_MINUTES=60; results go to FOLDER (a new one unless given)

Every few seconds it looks at the whole process tree: resident memory of the parent and of the largest worker, open
descriptors, processes, and bytes of scratch (names in the scratch directory, and files without a name that somebody holds
open); after each run at what is left. Beside the loop run two long processes of ten minutes each (all of the time when
it is shorter), one with tens of thousands of samples, one with runs of 100 million experiments, and within these
resident memory is looked at over time. Exit status 1 when something grew, failed or was left."""
import os
import signal
import stat
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
import watch  # noqa: E402 pylint: disable=wrong-import-position

EVERY_S = 2.0
LONG_S = 600
# Growth that is no growth: what one more page table, and the odd retry in an allocator make.
SLACK_PART = 0.05
SLACK_KIB = 256
BETWEEN = [
    ["latency", "--quick", "-t", "300ms", "--samples", "2", "--all-pairs", "-w",
     "none,video,x,burn,write,read,ring,compile,hack,custom", "--file-size", "16M", "-C", "20", "-I", "10000"],
    ["latency", "--quick", "-t", "300ms", "--samples", "2", "-w", "none,burn2,storm,mixed", "requests", "frame", "launch", "input", "audio-period"],
    ["noise", "-t", "1s", "--samples", "5"],
    ["wakeup", "-D", "1s", "--samples", "5"],
    ["run", "--samples", "100", "--", "/bin/true", "--", "/bin/sh", "-c", ":"],
    ["unix", "--all-tests", "-t", "20ms", "--samples", "3", "-c", "1,4"],
    ["latency", "--quick", "-t", "500ms", "--samples", "2", "-w", "memload", "--memload-size", "64M", "audio"],
    ["stream", "--quick", "--series", "series.txt"],
    ["prime", "--quick", "--samples", "20"],
]
LONG = [
    ["unix", "-t", "10ms", "--precision", "0.01", "--max-time", "{}s", "-c", "1", "syscall"],
    ["prime", "-n", "1M", "--precision", "0.01", "--max-time", "{}s", "-c", "1"],
]


class Sampler:
    """The most that was seen of one process tree since it was made."""

    def __init__(self, root, scratch):
        self.root, self.scratch = root, scratch
        self.most = dict.fromkeys(("parent", "worker", "descriptors", "processes", "scratch"), 0)
        self.over_time = []

    def look(self):
        everybody = watch.processes()
        tree = watch.below(self.root, everybody)
        if not tree:
            return
        resident, high = tree[0].memory()
        self.keep("parent", high)
        self.keep("worker", max((process.memory()[0] for process in tree[1:]), default=0))
        self.keep("descriptors", len(tree[0].descriptors()))
        self.keep("processes", len(tree))
        self.keep("scratch", named_bytes(self.scratch) + nameless_bytes(tree))
        if resident:
            self.over_time.append((time.monotonic(), resident, len(tree[0].descriptors())))

    def keep(self, what, value):
        self.most[what] = max(self.most[what], value)


def named_bytes(folder):
    total = 0
    for name in watch.names(folder):
        try:
            status = os.lstat(name)
        except OSError:
            continue
        total += status.st_blocks * 512 if stat.S_ISREG(status.st_mode) else 0
    return total


def nameless_bytes(tree):
    """Files without a name, those in memory too; each once, however many hold it open."""
    found = {}
    for process in tree:
        for name in process.descriptors():
            path = "/proc/%d/fd/%s" % (process.pid, name)
            try:
                status = os.stat(path)
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                found[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(found.values())


class Soak:
    def __init__(self, program, folder, minutes):
        self.program, self.folder = program, folder
        self.end = time.monotonic() + minutes * 60
        self.long_s = int(min(LONG_S, minutes * 60 * 0.8))
        self.long, self.waiting, self.failures = [], [list(words) for words in LONG], []
        self.current = None
        self.all, self.others, self.count = [], [], 0

    # --- The long ones beside the loop, one after the other.

    def start_long(self):
        words = [word.format(self.long_s) for word in self.waiting.pop(0)]
        self.long.append(Run(self, words, "long-%d" % len(self.long)))
        say("beside: jitbench " + " ".join(words))

    def step_long(self):
        if self.long and self.long[-1].running():
            self.long[-1].sampler.look()
            return
        if self.long and not self.long[-1].closed:
            self.long[-1].close(self.others_of(self.long[-1]))
        if self.waiting and time.monotonic() + self.long_s < self.end:
            self.start_long()

    def roots(self):
        return [run.process.pid for run in self.long if run.running()]

    def others_of(self, run):
        """The roots of all that still run beside it."""
        return [each.process.pid for each in self.long + [self.current] if each and each is not run and each.running()]

    # --- The loop.

    def one(self, words):
        self.count += 1
        run = self.current = Run(self, words, "%04d" % self.count)
        while run.running():
            run.sampler.look()
            self.step_long()
            run.wait(EVERY_S)
        run.close(self.others_of(run))
        return run

    def loop(self):
        self.step_long()
        while time.monotonic() < self.end:
            self.all.append(self.one(["all", "--quick"]))
            if time.monotonic() < self.end:
                self.others.append(self.one(BETWEEN[(self.count // 2) % len(BETWEEN)]))
        while self.roots():
            self.step_long()
            time.sleep(EVERY_S)
        self.step_long()

    # --- The verdict.

    def flat(self, name, values, slack):
        """Neither the fitted line nor the last quarter is above the first by more than slack."""
        if len(values) < 4:
            say("%-34s too few runs to judge: %d" % (name, len(values)))
            return
        quarter = max(1, len(values) // 4)
        first, last = statistics.median(values[:quarter]), statistics.median(values[-quarter:])
        slope, _ = statistics.linear_regression(range(len(values)), values)
        grown = slope * (len(values) - 1)
        allowed = slack if slack == 0 else SLACK_PART * first + slack
        wrong = last - first > allowed and grown > allowed
        say("%-34s %s: first quarter %.0f, last quarter %.0f, fitted line %+.1f over %d" %
            (name, "GROWS" if wrong else "flat", first, last, grown, len(values)))
        if wrong:
            self.failures.append(name + " grows")

    def verdict(self):
        say("jitbench all --quick, %d times; the most that was seen in each:" % len(self.all))
        for what, name, slack in (("parent", "memory of the parent, KiB", SLACK_KIB),
                                  ("worker", "memory of the largest worker, KiB", 4 * SLACK_KIB),
                                  ("descriptors", "descriptors of the parent", 1)):
            self.flat(name, [run.sampler.most[what] for run in self.all], slack)
        # How much is written while a run lasts goes with the speed of the disk just then, and whether a look meets the
        # moments of twenty processes is chance; what a run leaves is looked at after each.
        for what, name, unit in (("processes", "processes while it ran", 1), ("scratch", "scratch while it ran, KiB", 1024)):
            most = [run.sampler.most[what] for run in self.all] or [0]
            say("%-34s from %d to %d" % (name, min(most) // unit, max(most) // unit))
        for run in self.long:
            say("%s, %.0f s, %d looks:" % (" ".join(run.words), run.seconds, len(run.sampler.over_time)))
            # The cost of starting is not growth.
            later = [each for each in run.sampler.over_time if each[0] > run.started + 0.1 * run.seconds]
            self.flat("resident memory, KiB", [each[1] for each in later], SLACK_KIB)
            self.flat("descriptors", [each[2] for each in later], 1)
        for each in self.failures:
            say("FAILED: " + each)
        say("verdict: %s" % ("%d failures" % len(self.failures) if self.failures else "flat, nothing left"))
        return 1 if self.failures else 0


class Run:
    """One process with a scratch directory of its own, from its start to what is left of it."""

    def __init__(self, soak, words, name):
        self.soak, self.words, self.name, self.closed = soak, words, name, False
        self.scratch = os.path.join(soak.folder, "scratch-" + name)
        self.results = os.path.join(soak.folder, name)
        os.mkdir(self.scratch)
        os.mkdir(self.results)
        self.started, self.seconds = time.monotonic(), 0
        environment = dict(os.environ, TMPDIR=self.scratch)
        with open(os.path.join(self.results, "output"), "wb") as output:
            # pylint: disable-next=consider-using-with
            self.process = subprocess.Popen([soak.program] + words + ["-o", "result.csv"] if words[0] != "run" else
                                            [soak.program, "run", "-o", "result.csv"] + words[1:], cwd=self.results,
                                            env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.sampler = Sampler(self.process.pid, self.scratch)

    def running(self):
        return self.process.poll() is None

    def wait(self, seconds):
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass

    def close(self, keep):
        """Files that it has left are a failure; the results of earlier runs are not kept."""
        self.closed = True
        self.seconds = time.monotonic() - self.started
        left = watch.wait_none(lambda: watch.strangers(keep))
        found = ["process %s" % each for each in left] + sorted(watch.shared_memory())
        found += sorted(watch.names(self.scratch))
        found += sorted(name for name in watch.names("/dev/shm", "/tmp") if ".jitbench" in name)
        found += sorted(set(os.listdir(self.results)) - {"output", "result.csv", "series.txt"})
        most = self.sampler.most
        say("%s %6.1f s  exit %d  parent %d KiB  worker %d KiB  descriptors %d  processes %d  scratch %d KiB  left %d  %s" %
            (self.name, self.seconds, self.process.returncode, most["parent"], most["worker"], most["descriptors"],
             most["processes"], most["scratch"] // 1024, len(found), " ".join(self.words)[:60]))
        for each in found:
            self.soak.failures.append("%s (%s) left %s" % (self.name, " ".join(self.words), each))
            say("  left: " + each)
        for each in left:
            watch.kill(each)
        if self.process.returncode not in (0, 1):
            self.soak.failures.append("%s (%s): exit %d" % (self.name, " ".join(self.words), self.process.returncode))
        subprocess.run(["rm", "-rf", self.scratch] + ([self.results] if self.process.returncode == 0 and not found else []),
                       check=True)


def say(text):
    print("soak: " + text, flush=True)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: soak.py PROGRAM [FOLDER]")
    minutes = float(os.environ.get("SOAK_MINUTES") or 60)
    program = os.path.abspath(sys.argv[1])
    if len(sys.argv) == 2:
        sys.argv.append(tempfile.mkdtemp(prefix="jitbench-soak-", dir="/var/tmp"))
    folder = os.path.abspath(sys.argv[2])
    why = watch.enter(folder, program)
    if why:
        say("no namespaces (%s): what is left is looked for among everybody's" % why)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    soak = Soak(os.path.join(folder, "jitbench"), folder, minutes)
    say("%g minutes in %s" % (minutes, folder))
    soak.loop()
    sys.exit(soak.verdict())


if __name__ == "__main__":
    main()
