#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A fault matrix: each system call that jitbench makes fails in turn, and each run must keep its word.

    faults.py [--cells N] [--seed S] [--only TEXT] PROGRAM INJECT

The table of commands below covers every subcommand with tiny samples. Each is run once under strace, which gives the
calls, what they are about (their kind: a path, what a descriptor is, a request) and how often each is used. From that
the cells are made: command, process (main: the one that the user started; worker: all others of the program together),
call, kind, errno, and use (the first, the second, a later one drawn by the seed). What two commands call in the same way
is tried in the one that stands first in the table, the cheapest; beside that, each call of each command gets one cell with
an errno and use of the seed. Of a kind the first use is tried with all errnos, the second and the later one with two.

inject.c makes that use fail. A run must end in time, in one of two ways. Either with the exit status that it has without a
fault, and then with all of its output: rows that are worse than without the fault, or stand for others, name the failure in
their reason. Or by the status that the man page has for what failed (ENDS below), and then with one line, or failed rows, that
name it. A failure is named by the errno's own text. In both cases rows are whole, and no process, no file and no changed
setting is left. Each cell is tried once. """
import argparse
import collections
import concurrent.futures
import csv
import errno
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

# Nothing that a run waits for takes longer than the engine's longest own deadline, and these are tiny ones.
LIMIT_S = 75
PATH = "/usr/local/bin:/usr/bin:/bin"

# --- The commands. --------------------------------------------------------------------------------------------------

OUT = ["-q", "-i", "1", "-o", "out.csv"]
UNIX = ["-c", "1", "-t", "10ms"]
LATENCY = ["latency", "audio", *OUT, "-t", "60ms", "-l", "100000", "-w"]

# The cheap ones first.
# same    its output depends on nothing but its input
# files   what it may leave in the current folder
# before  a command that runs first, whole
# after   one that runs behind it, whole
# tuned   it writes settings: those of the test's own, which must be as before when all is done
# inner   its workers are another whole command, which has its own entry in the table
# each    it says a line of its own for each file that cannot be read or restored
# status  its exit status without a fault, unless that is 0; NOISY: 4 when its table says that something is noisy, else 0
# ends    which row of ENDS it has, unless that is "measures"
NOISY = -1
COMMANDS = {
    "version": {"args": ["version"], "same": True, "ends": "prints"},
    "help": {"args": ["help"], "same": True, "ends": "prints"},
    "help-unix": {"args": ["help", "unix"], "same": True, "ends": "prints"},
    "list": {"args": ["list", "--metrics"], "same": True, "ends": "prints"},
    "completion": {"args": ["completion", "bash"], "same": True, "ends": "prints"},
    "wrong": {"args": ["prime", "--limit", "x"], "same": True, "ends": "prints", "status": 2},
    "check": {"args": ["check"], "ends": "reads", "status": NOISY},
    "check-csv": {"args": ["check", "aslr", "thp", "-o", "out.csv"], "ends": "reads", "status": NOISY},
    "tune-dry-run": {"args": ["tune", "--dry-run"], "ends": "tunes"},
    "tune": {"args": ["tune", "stat_interval", "perf_rate", "watchdogs"], "tuned": True, "after": ["untune"],
             "ends": "tunes"},
    "untune": {"before": ["tune", "stat_interval", "perf_rate", "watchdogs"], "args": ["untune"], "tuned": True,
               "after": ["untune"], "ends": "tunes"},
    "compare": {"args": ["compare", "@/a.csv", "@/b.csv"], "same": True, "ends": "reads"},
    "report": {"args": ["report", "@/a.csv", "-o", "page.html"], "files": ["page.html"], "same": True, "ends": "reads"},
    "report-two": {"args": ["report", "@/a.csv", "@/b.csv"], "same": True, "ends": "reads"},
    "show": {"args": ["show", "@/a.csv", "@/b.csv"], "same": True, "ends": "reads"},
    "export-json": {"args": ["export", "-f", "json", "@/a.csv"], "same": True, "ends": "reads"},
    "export-openmetrics": {"args": ["export", "-f", "openmetrics", "@/a.csv", "-o", "out.txt"], "files": ["out.txt"],
                           "same": True, "ends": "reads"},
    "fleet": {"args": ["fleet", "@/fleet"], "same": True, "ends": "reads", "each": True},
    "project": {"args": ["project", "@/noise.csv", "@/noise.csv"], "same": True, "ends": "reads", "each": True},
    "prime": {"args": ["prime", "-q", "-i", "2", "-n", "100", "-o", "out.csv"]},
    "prime-header": {"args": ["prime", "-i", "1", "-n", "100"]},
    "prime-stdout": {"args": ["prime", "-q", "-i", "1", "-n", "100", "-o", "-"]},
    "prime-copies": {"args": ["prime", *OUT, "-n", "100", "-c", "2"]},
    "prime-placed": {"args": ["prime", *OUT, "-n", "100", "-c", "1", "--layout", "fixed", "--cpus", "0", "--nice", "-1",
                              "--fifo", "--hold-latency"]},
    "prime-quiet": {"args": ["prime", *OUT, "-n", "100", "--cpus", "quiet"]},
    "prime-series": {"args": ["prime", *OUT, "-n", "50", "--series", "series.txt"], "files": ["series.txt"]},
    "prime-tuned": {"args": ["prime", *OUT, "-n", "100", "--tuned"], "tuned": True, "after": ["untune"], "each": True},
    "array": {"args": ["stream", "array", *OUT, "-n", "100", "--sizes", "25"]},
    "bandwidth": {"args": ["stream", "bandwidth", *OUT, "-k", "2", "--array-size", "64K", "-c", "1"]},
    "fcopy": {"args": ["unix", "fcopy256", *OUT, *UNIX]},
    "pipe": {"args": ["unix", "pipe", *OUT, *UNIX]},
    "pipe-who": {"args": ["unix", "pipe", "--who", *OUT, *UNIX]},
    "context1": {"args": ["unix", "context1", *OUT, *UNIX]},
    "execl": {"args": ["unix", "execl", *OUT, *UNIX]},
    "spawn": {"args": ["unix", "spawn", *OUT, *UNIX]},
    "shell": {"args": ["unix", "shell1", *OUT, *UNIX]},
    "syscall": {"args": ["unix", "syscall", *OUT, *UNIX]},
    "dhry": {"args": ["unix", "dhry2reg", *OUT, *UNIX]},
    "noise": {"args": ["noise", *OUT, "-t", "20ms"]},
    "wakeup": {"args": ["wakeup", "-q", "-o", "out.csv", "-D", "20ms"]},
    "latency-none": {"args": [*LATENCY, "none"]},
    "latency-real-time": {"args": [*LATENCY, "none", "--real-time"]},
    "latency-burn": {"args": [*LATENCY, "burn"]},
    "latency-read": {"args": [*LATENCY, "read", "--file-size", "8M"]},
    "latency-write": {"args": [*LATENCY, "write", "--file-size", "8M"]},
    "latency-ring": {"args": [*LATENCY, "ring"]},
    "latency-compile": {"args": [*LATENCY, "compile", "--file-size", "8M"]},
    "latency-x": {"args": [*LATENCY, "x"]},
    "latency-video": {"args": [*LATENCY, "video"]},
    "latency-memload": {"args": [*LATENCY, "memload", "--memload-size", "16M"]},
    "latency-hack": {"args": [*LATENCY, "hack"]},
    "latency-burn2": {"args": [*LATENCY, "burn2"]},
    "latency-storm": {"args": [*LATENCY, "storm"]},
    "latency-mixed": {"args": [*LATENCY, "mixed"]},
    **{"latency-" + task: {"args": ["latency", task, *OUT, "-t", "60ms", "-l", "100000", "-w", "none"]}
       for task in ("requests", "frame", "launch", "input", "audio-period")},
    "latency-calibrated": {"args": ["latency", "video", *OUT, "-t", "60ms", "-w", "none"]},
    "run": {"args": ["run", "-q", "-i", "2", "-o", "out.csv", "--", "true"]},
    "run-two": {"args": ["run", *OUT, "-w", "1", "--prepare", "true", "--keep-output", "kept.txt", "--timeout", "20s",
                         "--shell", "--", "echo", "a", "--", "echo", "b"], "files": ["kept.txt"]},
    "init": {"args": ["init", "--", "prime", "-q", "-i", "1", "-n", "100"], "inner": True},
}

# Files that tune writes here: copies mounted over the real ones, which cannot be written meanwhile.
SETTINGS = ["/proc/sys/vm/stat_interval", "/proc/sys/kernel/perf_event_max_sample_rate", "/proc/sys/kernel/watchdog",
            "/proc/sys/kernel/perf_cpu_time_max_percent"]

# --- The errnos. ----------------------------------------------------------------------------------------------------

# Errors that each call can return (its manual page; ENOSYS and EPERM besides: an old kernel, a container's filter), of
# ENOSYS EPERM EACCES ENOMEM EAGAIN EINTR ENOSPC EMFILE EIO. A call without a line of its own has REFUSED.
REFUSED = "ENOSYS EPERM"
ERRNOS = {
    "open openat": "EACCES EPERM ENOMEM EINTR ENOSPC EMFILE EIO",
    "read pread64 readv": "EIO EINTR ENOMEM",
    "write pwrite64 writev": "EIO ENOSPC EINTR EAGAIN EPERM",
    "close": "EIO EINTR ENOSPC",
    "lseek": "EIO EPERM",
    "stat fstat lstat newfstatat statx access faccessat faccessat2": "EACCES ENOMEM EIO ENOSYS",
    "readlink readlinkat": "EACCES EIO ENOMEM",
    "getdents64": "EIO EACCES",
    "getcwd": "EACCES ENOMEM",
    "chdir fchdir": "EACCES EIO",
    "mkdir mkdirat rename renameat renameat2 link linkat symlink": "EACCES EPERM ENOSPC EIO ENOSYS",
    "unlink unlinkat rmdir": "EACCES EPERM EIO ENOMEM",
    "chmod fchmod fchmodat": "EPERM EIO",
    "ftruncate truncate fallocate": "EPERM EIO ENOSPC EINTR ENOSYS",
    "fsync fdatasync sync_file_range sync syncfs": "EIO ENOSPC EINTR ENOSYS",
    "mmap": "ENOMEM EAGAIN EPERM EACCES",
    "mremap mprotect mlock mlockall": "ENOMEM EAGAIN EPERM",
    "madvise": "ENOMEM EAGAIN EIO ENOSYS",
    "clone fork vfork": "EAGAIN ENOMEM EPERM ENOSYS",
    "clone3": "EAGAIN ENOMEM EPERM ENOSYS",
    "execve execveat": "EACCES EPERM ENOMEM EAGAIN EMFILE EIO",
    "pipe pipe2": "EMFILE ENOMEM ENOSYS",
    "socketpair socket memfd_create": "EMFILE ENOMEM EPERM ENOSYS",
    "dup dup2 dup3": "EMFILE EINTR",
    "poll ppoll select pselect6": "EINTR ENOMEM EAGAIN",
    "wait4 waitid": "EINTR EPERM ENOSYS",
    "futex": "EINTR EAGAIN",
    "nanosleep clock_nanosleep": "EINTR EPERM ENOSYS",
    "fcntl": "EPERM EMFILE",
    "kill tgkill": "EPERM",
    "statfs fstatfs": "EACCES EIO ENOMEM ENOSYS",
    "getrandom": "EINTR EAGAIN ENOSYS",
}

# Where these fail, output is lost; where an input cannot be read, commands that take many say so and go on.
WRITES = {"write", "writev", "pwrite64", "fsync", "fdatasync", "close", "ftruncate", "rename", "renameat2"}

# Calls, or kinds of them, that are not tried, and why.
NOT_TRIED = {
    **dict.fromkeys("exit exit_group rt_sigreturn gettid getpid getppid getuid geteuid getgid getegid umask sched_yield alarm".split(),
                    "cannot fail"),
    "restart_syscall": "of the kernel's own making",
    "munmap": "fails only for addresses that were never mapped, or when it would split a mapping",
    "brk": "fails by returning the old break, not an errno; malloc then asks mmap, which is tried",
    **dict.fromkeys(("arch_prctl", "mprotect PROT_READ"), "of the C library before main: it ends the program there"),
    **dict.fromkeys(("set_tid_address", "set_robust_list"), "of the C library, which does not look"),
    **dict.fromkeys(("rt_sigprocmask", "rt_sigaction", "futex FUTEX_WAKE"), "fails only for wrong arguments"),
    "rseq": "of the C library, which ends the program when one thread has it and the next has not; tests/cli/test_old.c "
            "refuses it to all",
}
ERRNO_OF = {call: errnos.split() for calls, errnos in ERRNOS.items() for call in calls.split()}

# The exit statuses of a command that could not do all of its work, as its man page has them, and the calls and kinds by
# whose failure each may come about.
MEMORY = r"(mmap|mremap|mprotect) .*"
OUTPUT = rf"({'|'.join(sorted(WRITES))}) .*"
ENDS = {
    "prints": {1: rf"{MEMORY}|{OUTPUT}"},
    # The folder of the output is looked at and synchronized, too.
    "reads": {1: rf"{MEMORY}|{OUTPUT}|\w+ (/work/)?\.", 2: ".*"},
    "tunes": {1: ".*"},
    "measures": {1: ".*", 2: ".*"},
}

# Where a failure is named by other words than the errno's: call, kind and errno, and the words (regular expressions).
SAYS = [
    (r".* ENOMEM", "out of memory"),
    (r"personality .*", r"\(personality\)"),
    # malloc() and pthread_create() have one errno for all that can go wrong in them.
    (r"(mmap|mremap) private .*", "out of memory"),
    (r"(clone3?|mmap|mprotect) .*", "cannot (start a|make) thread.*: resource temporarily unavailable"),
    (r"(mmap|mprotect) .*", "the c library gave up before it began"),
    # By the exit status of a worker, which has nothing else to say it with.
    (r"mmap .*", r"it cannot share memory with its parent \(mmap failed\)"),
    (r"newfstatat .*", r"it cannot share memory with its parent \(fstat failed\)"),
    (r"(openat|write) /(proc|sys)/.* EPERM", "the kernel or the firmware forbids it"),
    # The calls that the test of system calls is about.
    (r"(dup|close|getpid|umask) .*", "self-check failed: wrong bits of dup; close; getpid; umask"),
]


# --- What strace saw. -----------------------------------------------------------------------------------------------

LINE = re.compile(r"^(\d+\.\d+) \[ *(\d+)\] (\w+)\((.*)$")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
REQUEST = re.compile(r"\b([A-Z][A-Z0-9_]{3,})\b")
BY_PATH = re.compile(r"open|.*stat|.*access|.*link|.*chmod|.*mkdir|rmdir|rename|exec|chdir|truncate|mount|umount|mkn")
# Calls whose first descriptor says what they are about, and those whose request does.
BY_REQUEST = set("prctl ioctl fcntl madvise futex prlimit64 sched_setscheduler setpriority getrlimit setrlimit personality "
                 "setitimer mmap clone clone3 wait4 waitid getrusage clock_nanosleep".split())


def plain(path, scratch):
    """The path without what differs from run to run, and from CPU to CPU."""
    path = path.replace(scratch, "")
    path = re.sub(r"/slot\d+", "", path)
    path = re.sub(r"\.jitbench-[0-9a-f]{16}", ".jitbench-X", path)
    path = re.sub(r"jitbench-[^/]*-\d{8}T\d+Z?[^/]*\.csv", "jitbench-DEFAULT.csv", path)
    return re.sub(r"\d+", "N", path).replace(" ", "_")


def kind_of(call, rest, scratch):
    """The subject of a call, as one word."""
    if call == "close":
        return "-"
    if call == "futex":
        return "FUTEX_WAKE" if "FUTEX_WAKE" in rest else "FUTEX_WAIT"
    if call == "mprotect":
        return rest.split(", ")[-1].split(")")[0]
    if call in BY_REQUEST:
        if call == "mmap":
            return "shared" if "MAP_SHARED" in rest else "stack" if "MAP_STACK" in rest else "private"
        if call in ("clone", "clone3"):
            return "thread" if "CLONE_THREAD" in rest else "process"
        request = REQUEST.search(rest)
        return request.group(1) if request else "-"
    first = rest.split(",")[0]
    quoted = QUOTED.search(rest) if BY_PATH.match(call) else None
    if quoted and not re.match(r"^\d+<", first):
        return plain(quoted.group(1), scratch) + ("+" if "O_CREAT" in rest else "") or "-"
    described = re.match(r"^(?:\d+|AT_FDCWD)<([^>]*)>", first)
    if described:
        what = described.group(1)
        name = "/" + quoted.group(1) if quoted and call.endswith("at") else ""
        return plain(re.sub(r"[:\[].*", "", what) if not what.startswith("/") else what + name, scratch) or "-"
    return "-"


class Trace:
    """Uses of calls by the main process and by the workers, in the order of time, without those of other programs."""

    def __init__(self, folder, scratch):
        self.uses = collections.defaultdict(list)  # (who, call): kinds
        self.number = {}
        lines = []
        for name in os.listdir(folder):
            tid = int(name.rsplit(".", 1)[1])
            with open(os.path.join(folder, name), errors="replace") as file:
                for order, line in enumerate(file):
                    match = LINE.match(line)
                    if match:
                        time_s, number, call, rest = match.groups()
                        lines.append((float(time_s), tid, order, int(number), call, rest))
        lines.sort()
        main = lines[0][1]
        group, program = {main: main}, {main: True}
        for position, (_, tid, _, number, call, rest) in enumerate(lines):
            if position == 0:
                continue  # the execve that starts the program
            if program.get(tid, True):
                self.number[call] = number
                who = "main" if group.get(tid, tid) == main else "worker"
                self.uses[who, call].append(kind_of(call, rest, scratch))
            result = re.search(r"\) += (\d+)", rest)
            if call in ("clone", "clone3", "fork", "vfork") and result and int(result.group(1)):
                child = int(result.group(1))
                program[child] = program.get(tid, True)
                group[child] = group.get(tid, tid) if "CLONE_THREAD" in rest else child
            if call in ("execve", "execveat") and result:
                program[tid] = "jitbench" in rest.split("[")[0] or "/proc/self/exe" in rest


# --- A scratch place, one for each of the processes that work side by side. -----------------------------------------

class Slot:
    def __init__(self, scratch, number, program, inject):
        self.scratch, self.program, self.inject = scratch, program, inject
        self.root = os.path.join(scratch, f"slot{number}")
        self.private = os.geteuid() == 0

    def path(self, name):
        return os.path.join(self.root, name)

    def prepare(self):
        shutil.rmtree(self.root, ignore_errors=True)
        for name in ("work", "tmp", "systmp", "shm", "run", "settings"):
            os.makedirs(self.path(name))
        for setting in SETTINGS:
            if os.path.exists(setting):
                shutil.copyfile(setting, self.setting(setting))

    def setting(self, path):
        return self.path("settings/" + path.replace("/", "_"))

    def settings(self):
        return {name: open(self.path("settings/" + name)).read() for name in sorted(os.listdir(self.path("settings")))}

    def binds(self, tuned):
        if not self.private:
            return []
        places = [(self.path("systmp"), "/tmp"), (self.path("shm"), "/dev/shm"), (self.path("run"), "/run")]
        if tuned:
            places += [(self.setting(setting), setting) for setting in SETTINGS if os.path.exists(setting)]
        return [word for source, place in places for word in ("--bind", f"{source}={place}")]

    def run(self, args, tuned=False, fault=(), wrapper=()):
        """Returns what inject said as a dict of lists, and what the program printed. wrapper: behind inject, which makes the
        private mounts."""
        args = [word.replace("@", os.path.join(self.scratch, "fixtures")) for word in args]
        result = self.path("result")
        command = [self.inject, "--result", result, "--limit", str(LIMIT_S), *self.binds(tuned), *fault, "--", *wrapper]
        env = {"PATH": PATH, "HOME": "/", "TMPDIR": self.path("tmp")}
        with open(self.path("out"), "w+b") as out, open(self.path("err"), "w+b") as err:
            status = subprocess.call([*command, self.program, *args], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                     env=env, cwd=self.path("work"))
            printed = [file.seek(0) or file.read().decode(errors="replace") for file in (out, err)]
        if status:
            raise RuntimeError(f"inject: {printed[1]}")
        said = collections.defaultdict(list)
        with open(result) as lines:
            for line in lines:
                word, _, value = line.rstrip("\n").partition(" ")
                said[word].append(value)
        return said, printed


# --- What a run left. -----------------------------------------------------------------------------------------------

# How init hands over a CSV on a console.
FRAMED = re.compile(r"^-----BEGIN JITBENCH CSV.*\n((?:.*\n)*?)-----END JITBENCH CSV", re.MULTILINE)


class Csv:
    """Rows of all the CSV that a run left, read strictly: wrong holds what is no whole one."""

    def __init__(self, texts, header):
        self.rows, self.wrong, self.header = [], "", []
        for text in texts:
            if text:
                self.read(text, header)

    def read(self, text, header):
        if not text.endswith("\r\n"):
            self.wrong = "the last line has no end"
        try:
            records = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        except csv.Error as error:
            self.wrong = self.wrong or str(error)
            return
        if records and header and records[0] != header:
            self.wrong = self.wrong or "another header"
        if any(len(record) != len(records[0]) for record in records):
            self.wrong = self.wrong or "rows of another number of columns"
        self.header = records[0] if records else []
        self.rows += [dict(zip(self.header, record)) for record in records[1:]]


WORSE = {"ok": 0, "unstable": 1, "degraded": 2, "skipped": 3, "failed": 4}


# Of a row that is degraded by what else the machine did, which no reference run need have met: a CPU's speed that changed,
# another task that had the CPU, and a load's file that was still in the page cache.
RESTLESS = re.compile(r"varied by more than|waited for a CPU|of \d+ MiB \w+ only \d+ MiB went to or came from the disk")

# Rows of figures that are known only where the core was seen at rest.
OF_CORE = {"core_share", "core_free", "slower", "lost_alone"}


def key_of(row):
    return tuple(row.get(column, "") for column in ("suite", "test", "load", "copies", "metric", "unit"))


class Outcome:
    """All that one run of a command left behind it."""

    def __init__(self, slot, command, fault=()):
        row = COMMANDS[command]
        tuned = row.get("tuned", False)
        slot.prepare()
        before = slot.settings()
        if "before" in row:
            slot.run(row["before"], tuned)
        self.said, (self.out, self.err) = slot.run(row["args"], tuned, fault)
        if "after" in row:
            slot.run(row["after"], tuned)
        self.settings_changed = slot.settings() != before
        self.status = int(self.said["exit"][0]) if self.said["exit"] else -int(self.said["signal"][0])
        self.seconds = float(self.said["seconds"][0])
        self.files, self.csv = {}, []  # each file's text
        self.left = []
        for place in ("work", "tmp", "systmp", "shm", "run"):
            for name in sorted(os.listdir(slot.path(place))):
                self.note_file(slot, place, name, row)
        if "-o" in row["args"] and row["args"][row["args"].index("-o") + 1] == "-":
            self.csv.append(self.out)
        if row.get("inner"):
            self.csv += [text.replace("\n", "\r\n") for text in FRAMED.findall(self.out)]

    def note_file(self, slot, place, name, row):
        path = slot.path(f"{place}/{name}")
        is_csv = re.fullmatch(r"out\.csv|jitbench-[^/]*\.csv", name)
        if place == "work" and (is_csv or name in row.get("files", [])) or is_csv and place != "work":
            with open(path, errors="replace", newline="") as file:
                text = file.read()
            self.files[name] = text
            if is_csv:
                self.csv.append(text)
        else:
            self.left.append(f"{place}/{name}")


class Reference:
    """Behaviour of a command without a fault: several runs, since the machine differs each time."""

    def __init__(self, slot, command, times=2):
        self.command = command
        runs = [Outcome(slot, command) for _ in range(times)]
        first = runs[0]
        self.out, self.err = first.out, first.err
        self.files = first.files
        self.header = Csv(first.csv, None).header
        self.rows = collections.defaultdict(int)
        self.worst = {}
        for run in runs:
            for row in Csv(run.csv, None).rows:
                key = key_of(row)
                self.worst[key] = max(self.worst.get(key, 0), WORSE.get(row.get("status", ""), 0))
                if run is first:
                    self.rows[key] += 1
        self.reasons = {row.get("reason", "") for run in runs for row in Csv(run.csv, None).rows}
        wrong = [text for run in runs for text in judge(run, self, None)]
        if wrong:
            raise RuntimeError(f"{command} without a fault: {'; '.join(wrong)}: {first.err[:500]}")

    def status(self, run):
        """The exit status without a fault of a run that printed this."""
        status = COMMANDS[self.command].get("status", 0)
        if status != NOISY:
            return status
        counted = re.search(r"^(\d+) noisy, ", run.out, re.MULTILINE)
        return 4 if counted and int(counted.group(1)) else 0

    def is_worse(self, row):
        if row.get("status") == "degraded" and RESTLESS.search(row.get("reason", "")):
            return False
        return WORSE.get(row.get("status", "ok"), 9) > max(self.worst.get(key_of(row), 0), 1)

    def new_lines(self, run):
        """What it says beside what it always does; of tune and untune also what the table says that was refused."""
        known = self.err.split("\n")
        lines = [line for line in run.err.split("\n") if line.strip() and line not in known]
        if COMMANDS[self.command].get("ends") == "tunes":
            lines += [line for line in run.out.split("\n") if "  refused: " in line]
        return lines


# --- Judging. -------------------------------------------------------------------------------------------------------

def cannot_be_said(cell):
    return cell and cell.call in WRITES and cell.kind == "/err"


def names_it(text, cell):
    """Whether the text says what failed, in the kernel's words or those of SAYS."""
    low, what = text.lower(), f"{cell.call} {cell.kind} {cell.errno}"
    return os.strerror(getattr(errno, cell.errno)).lower() in low or any(
        re.fullmatch(pattern, what) and re.search(words, low) for pattern, words in SAYS)


def judge(run, reference, cell):
    """Errors of the run, as a list of texts. cell None: no call failed."""
    wrong = []
    if run.said["hang"]:
        return [f"not ended after {run.said['hang'][0]} s: {run.said['hanging']}"]
    if run.status < 0:
        return [f"ended by signal {-run.status}"]
    if run.said["left"]:
        wrong.append(f"left a process: {run.said['left']}")
    if run.left:
        wrong.append(f"left {' '.join(run.left)}")
    if run.settings_changed:
        wrong.append("settings changed")
    table = Csv(run.csv, reference.header)
    if table.wrong:
        return wrong + [f"CSV: {table.wrong}"]
    ends = ENDS[COMMANDS[reference.command].get("ends", "measures")]
    if run.status == reference.status(run):
        wrong += judge_whole(run, table, reference, cell)
    elif cell and run.status in ends and re.fullmatch(ends[run.status], f"{cell.call} {cell.kind}"):
        wrong += judge_failed(run, table, reference, cell)
    else:
        wrong.append(f"exit status {run.status}: {run.err.strip()[:200]!r}")
    return wrong


def judge_rows(table, reference, cell):
    """Errors of the rows, and the items for which a row names the failure."""
    wrong, named = [], set()
    for row in table.rows:
        reason = row.get("reason", "")
        if not reference.is_worse(row) or reason in reference.reasons:
            continue
        if not cell or not names_it(reason, cell):
            wrong.append(f"{row.get('test')} is {row.get('status')}, and the reason does not name it: {reason!r}")
        named.add(key_of(row)[:4])
    return sorted(set(wrong))[:3], named


def judge_whole(run, table, reference, cell):
    """It has done its work, whatever failed."""
    said = cell and (names_it("\n".join(reference.new_lines(run)), cell) or cannot_be_said(cell))
    wrong, named = judge_rows(table, reference, cell)
    counts = collections.Counter(key_of(row) for row in table.rows)
    # The index has no row of its own where a test of it has none.
    missing = [key for key, n in reference.rows.items()
               if counts[key] < n and key[:4] not in named and not (named and key[1] == "index")
               and key[4] not in OF_CORE]
    if missing:
        wrong.append(f"{len(missing)} rows missing, and no row of theirs says why")
    if any(row.get("status") == "failed" for row in table.rows):
        wrong.append(f"a row failed, but the exit status is {run.status}")
    if COMMANDS[reference.command].get("same"):
        if (run.out != reference.out or run.files != reference.files) and not (
                said and COMMANDS[reference.command].get("each")):
            wrong.append(f"another output, but the exit status is {run.status}: {run.err.strip()[:200]!r}")
        if not set(reference.err.split("\n")) <= set(run.err.split("\n")) and not cannot_be_said(cell):
            wrong.append(f"not the message that it has without a fault: {run.err.strip()[:200]!r}")
    elif reference.out.strip() and not run.out.strip() and not said:
        wrong.append("nothing printed, and not a word")
    return wrong


def judge_failed(run, table, reference, cell):
    """It has ended by an exit status that says that it could not do all of its work."""
    wrong, _ = judge_rows(table, reference, cell)
    lines = reference.new_lines(run)
    on_stderr = [line for line in lines if line in run.err.split("\n")]
    failed = any(row.get("status") == "failed" for row in table.rows)
    if run.status == 2 and table.rows:
        wrong.append(f"exit status 2 with {len(table.rows)} rows")
    if failed and run.status == 1 or cannot_be_said(cell):
        return wrong
    in_table = COMMANDS[reference.command].get("ends") == "tunes" and lines and not on_stderr
    if len(on_stderr) != 1 and not in_table and not COMMANDS[reference.command].get("each"):
        wrong.append(f"exit status {run.status} with {len(on_stderr)} lines: {run.err.strip()[:300]!r}")
    if not names_it("\n".join(lines), cell):
        wrong.append(f"exit status {run.status} without naming it: {run.err.strip()[:200]!r}")
    return wrong


# FUTEX_WAKE, FUTEX_WAKE_OP, FUTEX_WAKE_BITSET.
WAKES = {1, 5, 10}


def hit_wake(run, cell):
    """Whether the fault came to another use of futex than it was meant for: threads take turns as they like."""
    return cell.call == "futex" and run.said["hit"] and int(run.said["hit"][0].split()[3], 16) & 0x7f in WAKES


# --- Cells. ---------------------------------------------------------------------------------------------------------

class Cell(collections.namedtuple("Cell", "command who call kind errno use")):
    """One use (1, 2, ... of its kind) of a call, failing with the errno."""

    def __str__(self):
        return " ".join(str(field) for field in self)

    @staticmethod
    def parse(line):
        fields = line.split()
        return Cell(*fields[:5], int(fields[5]))


class Matrix:
    def __init__(self, program, inject, seed):
        self.program, self.seed = program, seed
        self.scratch = tempfile.mkdtemp(prefix="jitbench-faults-", dir="/var/tmp")
        # By a path of its own: /tmp is another folder for the runs.
        self.binary = os.path.join(self.scratch, "bin", "jitbench")
        os.makedirs(os.path.dirname(self.binary))
        shutil.copy2(program, self.binary)
        self.slots = [Slot(self.scratch, number, self.binary, inject) for number in range(2)]
        self.traces, self.references = {}, {}
        self.lock = threading.Lock()

    def lacking(self):
        """Features that this machine lacks: seccomp notifications (Linux 5.6), a mount namespace where root may make none."""
        slot = self.slots[0]
        slot.prepare()
        try:
            slot.run(["version"], True, ["--call", "0", "--nth", "1000000"])
        except RuntimeError as error:
            return str(error)
        return ""

    def make_fixtures(self):
        folder = os.path.join(self.scratch, "fixtures")
        os.makedirs(os.path.join(folder, "fleet"))
        for name in ("a", "b"):
            subprocess.run([self.binary, "prime", "-q", "-i", "5", "-n", "200", "-o", f"{folder}/{name}.csv"],
                           check=True, stdout=subprocess.DEVNULL)
        subprocess.run([self.binary, "noise", "-q", "-t", "100ms", "-o", f"{folder}/noise.csv"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(f"{folder}/a.csv", newline="") as file:
            records = list(csv.reader(file))
        host, run = records[0].index("host"), records[0].index("run_id")
        for number in range(4):
            with open(f"{folder}/fleet/{number}.csv", "w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(records[0])
                for record in records[1:]:
                    record[host], record[run] = f"node{number}", record[run][:-1] + str(number)
                    writer.writerow(record)

    def trace(self, slot, command):
        row = COMMANDS[command]
        slot.prepare()
        folder = slot.path("trace")
        os.makedirs(folder)
        if "before" in row:
            slot.run(row["before"], row.get("tuned", False))
        strace = [shutil.which("strace"), "-qq", "-ff", "-n", "-y", "-ttt", "-s", "256", "-o", os.path.join(folder, "t")]
        slot.run(row["args"], row.get("tuned", False), wrapper=strace)
        self.traces[command] = Trace(folder, self.scratch)

    def learn(self, commands):
        def one(command, slot):
            self.references[command] = Reference(slot, command)
            self.trace(slot, command)
        self.each(commands, one)

    def each(self, items, function):
        """function(item, slot) for all items, two at a time."""
        free = list(self.slots)

        def work(item):
            with self.lock:
                slot = free.pop()
            try:
                return function(item, slot)
            finally:
                with self.lock:
                    free.append(slot)
        with concurrent.futures.ThreadPoolExecutor(len(self.slots)) as pool:
            return list(pool.map(work, items))

    def uses_of(self, key, count, errnos):
        """Uses of a kind that are tried: the first use with each errno, the second and a later one with two of them."""
        call, kind = key[1:]
        if call.startswith("open") and not kind.endswith("+"):
            errnos = [name for name in errnos if name != "ENOSPC"]
        if call == "fcntl":
            errnos = ["EMFILE" if kind.startswith("F_DUPFD") else "EPERM"]
        for name in errnos:
            draw = random.Random(f"{self.seed} {key} {name}")
            yield (1, 1), name
            if count > 1 and name in random.Random(f"{self.seed} {key}").sample(errnos, min(2, len(errnos))):
                yield (2, 2), name
                if count > 2:
                    yield (3, draw.randint(3, count)), name

    def cells(self):
        """All, in a fixed order that depends only on traces and seed."""
        chosen = {}
        for command in filter(self.traces.get, COMMANDS):  # the cheapest first
            for (who, call), kinds in sorted(self.traces[command].uses.items()):
                if call in NOT_TRIED:
                    continue
                errnos = ERRNO_OF.get(call, REFUSED.split())
                counts = collections.Counter(kinds)
                counts = {kind: n for kind, n in counts.items() if f"{call} {kind}" not in NOT_TRIED}
                if not counts:
                    continue
                inner = who == "worker" and COMMANDS[command].get("inner")
                for kind in sorted(counts if not inner else []):
                    for use, name in self.uses_of((who, call, kind), counts[kind], errnos):
                        chosen.setdefault((who, call, kind, name, use[0]), Cell(command, who, call, kind, name, use[1]))
                draw = random.Random(f"{self.seed} {command} {who} {call}")
                kind = draw.choice(sorted(counts))
                extra = Cell(command, who, call, kind, draw.choice(errnos), draw.randint(1, counts[kind]))
                chosen.setdefault((command, who, call), extra)
        return list(dict.fromkeys(chosen.values()))

    def fault(self, cell):
        """The words for inject, or None where the command has no such use."""
        trace = self.traces[cell.command]
        seen = 0
        for ordinal, kind in enumerate(trace.uses.get((cell.who, cell.call), []), 1):
            seen += kind == cell.kind
            if seen == cell.use and kind == cell.kind:
                return ["--call", str(trace.number[cell.call]), "--error", str(getattr(errno, cell.errno)), "--nth",
                        str(ordinal), "--who", cell.who]
        return None

    def try_cell(self, cell, slot):
        """'gone', 'unused', 'survived', 'said', or a list of what is wrong."""
        fault = self.fault(cell)
        if not fault or cell.call in NOT_TRIED or f"{cell.call} {cell.kind}" in NOT_TRIED:
            return "gone"
        run = Outcome(slot, cell.command, fault)
        reference = self.references[cell.command]
        if hit_wake(run, cell):
            return "unused"
        wrong = judge(run, reference, cell if run.said["hit"] else None)
        if wrong:
            return wrong
        if not run.said["hit"]:
            return "unused"
        worse = run.status != reference.status(run) or reference.new_lines(run) or any(
            reference.is_worse(row) for row in Csv(run.csv, reference.header).rows)
        return "said" if worse else "survived"

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)


# --- Running. -------------------------------------------------------------------------------------------------------

def run_cells(matrix, cells):
    counts, failures = collections.Counter(), {}
    began, done = time.monotonic(), [0]

    def one(cell, slot):
        outcome = matrix.try_cell(cell, slot)
        with matrix.lock:
            done[0] += 1
            if isinstance(outcome, list):
                failures[cell] = outcome
                print(f"failed: {cell}: {'; '.join(outcome)}", flush=True)
                counts["failed"] += 1
            else:
                counts[outcome] += 1
            if done[0] % 200 == 0:
                print(f"{done[0]} of {len(cells)}, {time.monotonic() - began:.0f} s", flush=True)
    matrix.each(cells, one)
    return counts, failures


def read_regressions():
    """Cells that failed once: they are tried each time."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "regressions.txt")) as file:
        return [Cell.parse(line) for line in file if not line.startswith("#")]


def sorted_out(failures):
    """How often each kind of failure came, without its particulars."""
    kinds = collections.Counter(re.sub(r"[:'\[(].*", "", text).strip() for texts in failures.values() for text in texts)
    return [f"  {n:5} {kind}" for kind, n in kinds.most_common()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--cells", type=int, default=0, help="only so many, drawn by the seed")
    parser.add_argument("--seed", help="of what is drawn; drawn anew unless given, and printed")
    parser.add_argument("--only", action="append", default=[], help="cells whose line has this (a regular expression)")
    parser.add_argument("--command", action="append", default=[], help="cells of this command (of the table) and no others")
    parser.add_argument("--list", action="store_true", help="print the cells and run none")
    parser.add_argument("--cell", help="run this one and show what it printed")
    parser.add_argument("program")
    parser.add_argument("inject")
    options = parser.parse_args()
    options.seed = options.seed or str(random.SystemRandom().randrange(1000000))
    if not shutil.which("strace"):
        print("skipped: strace: it is not installed (package strace)")
        return 0
    began = time.monotonic()
    matrix = Matrix(options.program, os.path.abspath(options.inject), options.seed)
    try:
        lacking = matrix.lacking()
        if lacking:
            print(f"skipped: inject: {lacking}")
            return 0
        return run_matrix(matrix, options, began)
    finally:
        matrix.close()


def run_matrix(matrix, options, began):
    matrix.make_fixtures()
    if options.cell:
        return show_cell(matrix, Cell.parse(options.cell))
    matrix.learn(options.command or COMMANDS)
    everything = matrix.cells()
    cells = [cell for cell in everything if all(re.search(text, str(cell)) for text in options.only)]
    if options.cells and options.cells < len(cells):
        cells = random.Random(options.seed).sample(cells, options.cells)
    if not options.command and not options.only:
        cells = list(dict.fromkeys([*read_regressions(), *cells]))
    if options.list:
        print("\n".join(str(cell) for cell in cells))
        return 0
    print(f"seed {options.seed}: {len(COMMANDS)} commands, {len(everything)} cells, {len(cells)} to run; "
          f"learned in {time.monotonic() - began:.0f} s", flush=True)
    if not options.cells and not options.only:
        random.Random(options.seed).shuffle(cells)
    counts, failures = run_cells(matrix, cells)
    print(f"seed {options.seed}: {sum(counts.values())} runs: {counts['survived']} survived, {counts['said']} said "
          f"what failed, {counts['unused']} did not come to that use, {counts['gone']} are no more, "
          f"{counts['failed']} failed; {time.monotonic() - began:.0f} s")
    print("\n".join(sorted_out(failures)))
    for cell in failures:
        print(f"    {sys.argv[0]} --cell '{cell}' {options.program} {options.inject}")
    if failures:
        print(f"all of it again: make faults FAULTS={options.cells} FAULTS_SEED={options.seed}")
    print(f"passed {counts['survived'] + counts['said']}: survived, or said what failed")
    if counts["unused"]:
        print(f"skipped {counts['unused']}: unused: the run did not come to that use of the call")
    if counts["gone"]:
        print(f"skipped {counts['gone']}: gone: the program makes the call no longer, or the call is never tried")
    return 1 if failures else 0


def show_cell(matrix, cell):
    slot = matrix.slots[0]
    matrix.learn([cell.command])
    fault = matrix.fault(cell)
    if not fault:
        print("no such use")
        return 2
    print("inject", *fault, "--", "jitbench", *COMMANDS[cell.command]["args"])
    run = Outcome(slot, cell.command, fault)
    for word, values in run.said.items():
        for value in values:
            print(f"{word}: {value}")
    print(f"--- out\n{run.out[:3000]}\n--- err\n{run.err[:3000]}\n--- csv")
    for row in Csv(run.csv, None).rows:
        print(row.get("test"), row.get("metric"), row.get("value"), row.get("status"), row.get("reason"))
    wrong = judge(run, matrix.references[cell.command], cell if run.said["hit"] else None)
    print(f"--- {'; '.join(wrong) or 'right'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
