#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hostile machines: what a run does when its disk fills, its folder goes, signals rain, memory or limits end.

    hostile.py [--jobs N] [--keep DIR] PROGRAM [CASE...]

Each case is a process of its own, in a mount namespace of its own, with a scratch directory of its own, and adopts what its
runs leave behind: a process, a scratch file or half a row that is left fails it. A case that lacks a right, a program or a
part of the kernel is skipped by name, with the reason.
"""
import argparse
import concurrent.futures
import csv
import ctypes
import fcntl
import functools
import io
import os
import pty
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
import watch  # noqa: E402 pylint: disable=wrong-import-position
from runner import Failure, Skip, expect, need, tell  # noqa: E402 pylint: disable=wrong-import-position

NOBODY = 61000 + os.getpid() % 1000
PRIME_FAST = ["prime", "-q", "-i", "1", "-n", "1000"]


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def become_nobody():
    """A user without other processes, since limits count all processes of a user."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def call(*command):
    """A tool of the system; when it fails the case cannot be set up."""
    try:
        subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except FileNotFoundError as error:
        raise Skip(f"needs the program {command[0]}") from error
    except subprocess.CalledProcessError as error:
        raise Skip(f"{' '.join(command)}: {error.stdout.strip()[:200]}") from error


# --- CSV, strictly.

def read_rows(text, where="the CSV"):
    expect(text.endswith("\r\n"), f"{where}: half a line at the end")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    for row in rows:
        expect(None not in row and None not in row.values(), f"{where}: a row has more or fewer fields than the header")
        expect(row["schema"] == "2" and row["status"], f"{where}: not a row")
        expect(row["status"] in ("ok", "unstable") or row["reason"], f"{where}: {row['status']} without a reason")
    return rows


def read_file(path):
    with open(path, newline="", encoding="utf-8") as file:
        return file.read()


def reasons(rows):
    return sorted({f"{row['test']}/{row['load']} {row['status']}: {row['reason']}" for row in rows if row["reason"]})


# --- Processes.

def tree_of(pid):
    """The process and what is below it, as far as they live, the parent first."""
    return [each.pid for each in watch.below(pid, watch.processes()) if each.state not in "ZX"]


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Run:
    """The program, started; result() waits for its end."""

    def __init__(self, case, words, cwd=None, prepare=None, env=None, limit=60, expected=0, chroot=None, unread=False):
        self.case, self.words, self.limit, self.expected = case, words, limit, expected
        self.read_on = threading.Event()
        if not unread:
            self.read_on.set()
        self.began = time.monotonic()
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "TMPDIR": case.tmp, **(env or {})}
        program = "/jitbench" if chroot else case.program

        def before():
            if chroot:
                os.chroot(chroot)
                os.chdir("/")
            if prepare:
                prepare()
        # Pipes, which no limit on files reaches.
        self.process = subprocess.Popen([program, *words], cwd="/" if chroot else cwd or case.work, env=environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        preexec_fn=before)
        self.shown = {}
        self.readers = [threading.Thread(target=self.read, args=[name], daemon=True) for name in ("stdout", "stderr")]
        for reader in self.readers:
            reader.start()

    def read(self, name):
        if name == "stdout":
            self.read_on.wait()
        with getattr(self.process, name) as pipe:
            self.shown[name] = pipe.read().decode("utf-8", "replace")

    def fill_stdout(self):
        """For a run that was started with unread: its next print waits until read_on is set."""
        writer = os.open(f"/proc/self/fd/{self.process.stdout.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
        for size in (1 << 12, 1):
            try:
                while True:
                    os.write(writer, b"\n" * size)
            except BlockingIOError:
                pass
        os.close(writer)

    def result(self):
        self.read_on.set()
        try:
            self.status = self.process.wait(max(self.limit - (time.monotonic() - self.began), 0.1))
        except subprocess.TimeoutExpired as error:
            raise Failure(f"{' '.join(self.words)}: not ended within {self.limit} s") from error
        self.seconds = time.monotonic() - self.began
        for reader in self.readers:
            reader.join(5)
        self.out, self.err = self.shown.get("stdout", ""), self.shown.get("stderr", "")
        self.case.expect_nothing_left(self)
        expect(self.status in (self.expected if isinstance(self.expected, tuple) else (self.expected,)),
               f"{' '.join(self.words)}: status {self.status}, not {self.expected}\n{self.err[-600:]}{self.out[-600:]}")
        return self

    def wait_for(self, condition, what, limit=30):
        until = time.monotonic() + limit
        while not condition():
            expect(self.process.poll() is None, f"the run ended ({self.process.returncode}) before {what}")
            expect(time.monotonic() < until, f"not {what} within {limit} s")
            time.sleep(0.005)

    def wait_line(self, path, lines):
        """Until the file has as many whole lines, the header among them."""
        def there():
            try:
                with open(path, "rb") as file:
                    return file.read().count(b"\r\n") >= lines
            except FileNotFoundError:
                return False
        self.wait_for(there, f"{lines} lines in {path}")

    def workers(self):
        return [pid for pid in tree_of(self.process.pid) if pid != self.process.pid]

    def says(self, *parts):
        for part in parts:
            expect(part in self.err, f"standard error does not say '{part}': {self.err[-600:]!r}")


class Case:
    """A case, inside of its own process."""

    def __init__(self, program, folder):
        self.program, self.folder, self.name = program, folder, os.path.basename(folder)
        for name in ("work", "tmp", "disk"):
            setattr(self, name, os.path.join(folder, name))
            os.mkdir(getattr(self, name))
        self.csv = os.path.join(self.work, "a.csv")

    def start(self, *words, **how):
        return Run(self, list(words), **how)

    def run(self, *words, **how):
        return self.start(*words, **how).result()

    def expect_nothing_left(self, run):
        left = watch.wait_none(self.left)
        for each in left:
            watch.kill(each)
        expect(not left, f"{' '.join(run.words)}: processes are left: {[str(each) for each in left]}")

    def left(self):
        """Living descendants of this process; dead ones are reaped."""
        return watch.strangers(self.helpers)

    helpers = ()
    note = ""  # behind the line that says that it went well

    def rows(self, *places):
        """The rows of all CSV files in these folders."""
        rows = []
        for place in places or [self.csv]:
            names = [name for name in os.listdir(place) if name.endswith(".csv")] if os.path.isdir(place) else [place]
            for name in sorted(names):
                path = os.path.join(place, name) if os.path.isdir(place) else place
                rows += read_rows(read_file(path), path)
        return rows

    def mount_tmpfs(self, size, place=None):
        need_root()
        call("mount", "-t", "tmpfs", "-o", f"size={size},mode=0777", "none", place or self.disk)

    def mount_ext4(self, megabytes, make=(), options="loop"):
        need_root()
        need("mkfs.ext4")
        image = os.path.join(self.folder, "image")
        with open(image, "wb") as file:
            file.truncate(megabytes << 20)
        call("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0", *make, image)
        call("mount", "-o", options, image, self.disk)
        os.chmod(self.disk, 0o777)

    def device(self):
        return subprocess.run(["findmnt", "-no", "SOURCE", self.disk], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def fill(self):
        """From now to the end of the case not a byte more goes onto the disk: what others free is taken, too."""
        def keep_full(file):
            while True:
                for size in (1 << 16, 1 << 10, 1):
                    try:
                        while file.write(b"x" * size) == size:
                            pass
                        os.fsync(file.fileno())
                    except OSError:
                        pass
                time.sleep(0.002)
        file = open(os.path.join(self.disk, "filler"), "wb", buffering=0)
        threading.Thread(target=keep_full, args=[file], daemon=True).start()


# --- Disks that fill.

def slow_prime(case, path, **how):
    """Four items, of which the first row is there when it comes back."""
    run = case.start("prime", "-q", "-i", "1", "-n", "20000", "--limit", "10:22:4", "-o", path, **how)
    run.wait_line(path, 2)
    return run


def expect_primes(rows):
    expect(len({row["run_id"] for row in rows}) == 1, "not one run")
    found = sorted(row["param"].split()[0] for row in rows if row["metric"] == "primes")
    expect(found == ["limit=10", "limit=14", "limit=18", "limit=22"], f"rows are lost or twice there: {found}")


def fill_output(case):
    """-o on a disk that fills: rows go on in the next place, which is named, and none is lost."""
    path = os.path.join(case.disk, "a.csv")
    run = slow_prime(case, path)
    case.fill()
    run.result().says(path, "No space left on device", case.tmp)
    expect_primes(case.rows(path, case.tmp))


def case_full_output_ext4(case):
    """-o on an ext4 that fills in mid-run: the rows go on in the next place."""
    case.mount_ext4(2)
    fill_output(case)


def case_full_output_tmpfs(case):
    """-o on a tmpfs that fills in mid-run: the rows go on in the next place."""
    case.mount_tmpfs("128k")
    fill_output(case)


def case_full_everywhere(case):
    """No place takes a row any more: the later rows follow the table on standard output, after a line that says so."""
    case.mount_tmpfs("128k")
    for place in ("/tmp", "/dev/shm", case.tmp):
        call("mount", "-t", "tmpfs", "-o", "ro", "none", place)
    path = os.path.join(case.disk, "a.csv")
    run = case.start("prime", "-i", "1", "-n", "20000", "--limit", "10:22:4", "-o", path)
    run.wait_line(path, 2)
    case.fill()
    run.result().says(path, "No space left on device", "printed at the end", "follow as CSV on standard output")
    table, _, printed = run.out.partition("schema,run_id,")
    expect("Prime loop" in table, "the rows do not follow the table")
    expect_primes(case.rows(path) + read_rows("schema,run_id," + printed))


def expect_measured(row):
    """Another case that has the CPU is no fault of the row."""
    expect(row["status"] in ("ok", "unstable") or row["reason"].startswith("a sample waited for a CPU"),
           f"{row['test']}: {row['status']}: {row['reason']}")


def scratch_fails(case, ruin, *says):
    """The test whose scratch disk is ruined fails and says so; one that needs no disk goes on."""
    def uses_disk(pid):
        try:
            return any(os.readlink(f"/proc/{pid}/fd/{fd}").startswith(case.disk + "/") for fd in os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            return False  # it has ended
    run = case.start("unix", "fcopy1024", "syscall", "-q", "-t", "100ms", "-i", "12", "-c", "1", "-d", case.disk,
                     "-o", case.csv, expected=1)
    run.wait_for(lambda: any(uses_disk(pid) for pid in run.workers()), "a worker with a scratch file")
    time.sleep(0.3)
    ruin()
    run.result()
    by_test = {row["test"]: row for row in case.rows()}
    row = by_test["fcopy1024"]
    expect(row["status"] == "failed" and all(text in row["reason"] for text in says) and row["value"] == "",
           f"fcopy1024: {row['status']}: {row['reason']}")
    expect_measured(by_test["syscall"])


def fill_scratch(case):
    scratch_fails(case, case.fill, case.disk, "No space left on device")
    expect(set(os.listdir(case.disk)) - {"lost+found"} == {"filler"}, f"left: {os.listdir(case.disk)}")


def case_full_scratch_ext4(case):
    """-d on an ext4 that fills in mid-run: the row says so, the other tests go on."""
    case.mount_ext4(16)
    fill_scratch(case)


def case_full_scratch_tmpfs(case):
    """-d on a tmpfs that fills in mid-run: the row says so, the other tests go on."""
    case.mount_tmpfs("8m")
    fill_scratch(case)


def case_quota(case):
    """A user's quota on an ext4: the same as a full disk."""
    case.mount_ext4(8, make=("-O", "quota"), options="loop,usrquota")
    need("setquota")
    call("setquota", "-u", str(NOBODY), "40", "40", "0", "0", case.disk)
    path = os.path.join(case.disk, "a.csv")
    run = case.run("prime", "-q", "-i", "1", "-n", "20000", "--limit", "10:22:4", "-o", path, prepare=become_nobody)
    run.says(path, "Disk quota exceeded")
    expect_primes(case.rows(path, case.tmp))


# --- Disks and folders that go.

def case_readonly_output(case):
    """-o on an ext4 that goes read-only in mid-run, as after an error of the disk."""
    case.mount_ext4(4, options="loop,errors=remount-ro")
    device = os.path.basename(case.device())
    trigger = f"/sys/fs/ext4/{device}/trigger_fs_error"
    if not os.path.exists(trigger):
        raise Skip(f"needs {trigger}")
    path = os.path.join(case.disk, "a.csv")
    run = slow_prime(case, path)
    with open(trigger, "w", encoding="ascii") as file:
        file.write("1")
    run.result().says(path, case.tmp)
    expect_primes(case.rows(path, case.tmp))


def case_dead_output(case):
    """-o on a disk that answers with EIO from one moment on, as a dead NFS server does."""
    case.mount_ext4(4)
    path = os.path.join(case.disk, "a.csv")
    run = slow_prime(case, path)
    shut_down(case.disk)
    run.result().says(path, "Input/output error", case.tmp)
    # The rows written before are on the disk, which has to be mounted again to be read.
    call("umount", "-l", case.disk)
    kept = os.path.join(case.folder, "again")
    os.mkdir(kept)
    wait_mount(os.path.join(case.folder, "image"), kept)
    # The disk died under the last line, and nothing could cut it off again: readers pass over half a line at the end
    # (export says so), and the line is in the next file.
    file = os.path.join(kept, "a.csv")
    with open(file, "rb+") as half:
        half.truncate(half.read().rfind(b"\r\n") + 2)
    expect_primes(case.rows(file, case.tmp))


def shut_down(place):
    shutdown = 0x8004587D
    fd = os.open(place, os.O_RDONLY)
    try:
        fcntl.ioctl(fd, shutdown, struct.pack("I", 1))
    except OSError as error:
        raise Skip(f"the kernel's ext4 cannot be shut down: {error}") from error
    finally:
        os.close(fd)


def wait_mount(image, place):
    """A file system that is detached ends some moments later."""
    for _ in range(50):
        if subprocess.run(["mount", "-o", "loop", image, place], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return
        time.sleep(0.1)
    raise Failure(f"{image} cannot be mounted again")


def case_dead_scratch(case):
    """-d on a disk that answers with EIO from one moment on: that row fails and says so."""
    case.mount_ext4(16)
    scratch_fails(case, lambda: shut_down(case.disk), case.disk, "Input/output error")


def case_unmounted(case):
    """-o and -d on a file system that is lazily unmounted: the file stays whole on its disk."""
    case.mount_ext4(16)
    path = os.path.join(case.disk, "a.csv")
    run = slow_prime(case, path)
    call("umount", "-l", case.disk)
    run.result()
    wait_mount(os.path.join(case.folder, "image"), case.disk)
    expect_primes(case.rows(path, case.tmp))


def case_removed_output(case):
    """The CSV and its folder are removed in mid-run: all rows, also those written before, go to the next place."""
    folder = os.path.join(case.work, "gone")
    os.mkdir(folder)
    path = os.path.join(folder, "a.csv")
    run = slow_prime(case, path)
    shutil.rmtree(folder)
    run.result().says(path, "removed", case.tmp)
    expect_primes(case.rows(case.tmp))


def case_removed_at_the_end(case):
    """The CSV is removed after its last row was written."""
    case.run(*PRIME_FAST, "-o", case.csv)
    lines = 1 + len(case.rows())
    os.unlink(case.csv)
    run = case.start("prime", "-i", "1", "-n", "500000", "-o", case.csv, unread=True)
    run.wait_for(run.workers, "a worker")
    run.fill_stdout()  # the table comes between the last row and the end
    run.wait_line(case.csv, lines)
    os.unlink(case.csv)
    run.result().says(case.csv, "was removed", case.tmp)
    expect(len(case.rows(case.tmp)) == lines - 1, "rows are lost")


def case_removed_scratch(case):
    """The scratch directory is removed in mid-run: its row fails and says so, the others go on."""
    scratch_fails(case, lambda: os.rmdir(case.disk), "No such file or directory")


def case_dev_full(case):
    """-o /dev/full is found out before anything is measured; a standard output that is full costs only the table."""
    run = case.run(*PRIME_FAST, "-o", "/dev/full", expected=2)
    run.says("-o '/dev/full': No space left on device")
    expect(run.err.count("\n") == 1 and not run.out, f"not one line: {run.err!r}")


# --- Signals that users and terminals send.

SUITES = {
    "noise": ["noise", "-t", "200ms", "-i", "2"],
    "wakeup": ["wakeup", "-D", "200ms"],
    "prime": ["prime", "-n", "20000", "-i", "2"],
    "stream": ["stream", "--sizes", "25,400", "-n", "20000", "-i", "2", "--array-size", "1M", "-k", "3"],
    "unix": ["unix", "dhry2reg", "execl", "fcopy1024", "pipe", "context1", "spawn", "shell1", "syscall", "-t", "100ms",
             "-i", "2", "-c", "2"],
    "latency": ["latency", "audio", "gaming", "-w", "none,burn,write,read,ring,memload,hack", "-t", "300ms", "-i", "1",
                "--memload-size", "16M", "--file-size", "8M", "--loops-per-ms", "100000"],
    "run": ["run", "-i", "2", "--", "sh", "-c", "sleep 0.1; true"],
}


def storm(case, suite):
    """While SIGCONT, SIGWINCH, SIGCHLD and SIGURG rain on all its processes."""
    helper = os.path.join(os.path.dirname(case.program), "storm")
    if not os.path.exists(helper):
        raise Skip("tests/hostile/storm.c is not built: make hostile does it")
    run = case.start(SUITES[suite][0], "-q", "-o", case.csv, *SUITES[suite][1:])
    with subprocess.Popen([helper, str(run.process.pid), "60"], stdout=subprocess.PIPE, text=True) as rain:
        # It ends when no process has the number any more.
        case.helpers = (rain.pid,)
        run.result()
        rounds, milliseconds = (int(word) for word in rain.communicate()[0].split())
    expect(rounds * 1000 > 100 * milliseconds, f"no storm: {rounds} times in {milliseconds} ms")
    case.note = f"{rounds * 1000 // max(milliseconds, 1)} times a second"
    expect(case.rows(), "no rows")
    for row in case.rows():
        expect(row["status"] not in ("failed", "skipped") and "nterrupted" not in row["reason"] and
               "stopped" not in row["causes"], f"{row['test']} {row['load']}: {row['status']}: {row['reason']}")


for each_suite in SUITES:
    globals()[f"case_storm_{each_suite}"] = functools.partial(storm, suite=each_suite)


# --- Stopped and continued.

def stop_tree(run, seconds):
    """As `kill -STOP` of all, a batch system, or a debugger does: the parent first, or it would see its workers stop."""
    run.wait_for(run.workers, "a worker")
    time.sleep(0.3)
    pids = tree_of(run.process.pid)
    send(pids, signal.SIGSTOP)
    time.sleep(seconds)
    send(reversed(pids), signal.SIGCONT)


def expect_taken_again(rows, samples):
    told = [row for row in rows if "stopped=1" in row["causes"].split(";")]
    expect(told, f"no row tells of the stop: {[row['causes'] for row in rows]}")
    for row in rows:
        # On a busy machine a load may get too little to do; that it was stopped is not to be a reason.
        expect(row["status"] in ("ok", "unstable", "degraded") and "stopped" not in row["reason"],
               f"{row['test']}: {row['status']}: {row['reason']}")
    for row in told:
        # With the core free there are as many samples as there were moments of that; not all clocks tell the CPU.
        expect(row["metric"].endswith("_alone") or row["metric"] == "migrated" or len(row["samples"].split(";")) == samples,
               f"{row['samples']}: not {samples} samples")
    return told


def case_stopped_counted(case):
    """All processes stopped for three seconds, in a sample of a count: it is taken again, and the row says so."""
    run = case.start("prime", "-q", "-i", "3", "-n", "3", "--limit", "20000", "--copies", "1", "-o", case.csv)
    stop_tree(run, 3)
    run.result()
    rows = case.rows()
    told = expect_taken_again(rows, 3)
    # It computes or waits for a CPU, all the time: what is neither is the stop.
    for row in told:
        idle = float(row["wall_s"]) - float(row["cpu_s"]) - float(row["run_delay_ms"]) / 1000
        expect(idle < 2, f"{idle:.1f} s of a stop are in the row")


def case_stopped_timed(case):
    """All processes stopped for three seconds, in a sample of a time, load and all: it is taken again."""
    run = case.start("latency", "audio", "-w", "burn", "-q", "-i", "2", "-t", "1s", "--loops-per-ms", "100000", "-o", case.csv)
    stop_tree(run, 3)
    run.result()
    rows = [row for row in case.rows() if row["test"] == "audio"]
    told = expect_taken_again(rows, 2)
    for row in told:
        if row["metric"] == "latency":
            expect(row["unit"] == "ns" and float(row["max"]) < 2e9, f"the stop is in the latencies: {row['max']}")


def case_stopped_worker(case):
    """A worker alone is stopped and never continued: it is killed at its deadline, and the sample taken again."""
    run = case.start("unix", "syscall", "-q", "-c", "1", "-i", "1", "-t", "2s", "-o", case.csv)
    run.wait_for(run.workers, "a worker")
    time.sleep(1)
    send(run.workers(), signal.SIGSTOP)
    run.result()
    expect_taken_again([row for row in case.rows() if row["test"] == "syscall"], 1)


def case_stopped_again_and_again(case):
    """Stopped ten times a second, as cpulimit(1) does: it ends, and the rows are degraded with the reason."""
    run = case.start("unix", "syscall", "pipe", "-q", "-c", "1", "-i", "3", "-t", "500ms", "-o", case.csv)
    while run.process.poll() is None and time.monotonic() - run.began < 50:
        pids = tree_of(run.process.pid)
        send(pids, signal.SIGSTOP)
        time.sleep(0.05)
        send(pids, signal.SIGCONT)
        time.sleep(0.05)
    run.result()
    rates = [row for row in case.rows() if row["suite"] == "unix" and row["metric"] == "rate"]
    expect([row["test"] for row in rates] == ["pipe", "syscall"], f"rows of {[row['test'] for row in rates]}")
    for row in rates:
        expect(row["status"] == "degraded" and "stopped by signals" in row["reason"],
               f"{row['test']}: {row['status']}: {row['reason']}")


def case_control_z(case):
    """Ctrl-Z on the terminal stops workers and loads too, and fg goes on with a sample anew."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp("sh", ["sh", "-mc", f"{case.program} latency audio -w burn -q -i 2 -t 1s --loops-per-ms 100000 -o {case.csv}; "
                                      "echo first $?; sleep 1; fg; echo then $?"])
    shown = b""
    typed = 0.0
    states = []
    until = time.monotonic() + 40
    while time.monotonic() < until:
        ready = select.select([terminal], [], [], 0.02)[0]
        if ready:
            try:
                data = os.read(terminal, 4096)
            except OSError:
                break
            shown += data
        living = [each for each in watch.below(pid, watch.processes()) if "@worker" in str(each)]
        if living and not typed:
            typed = time.monotonic() + 0.5
        if typed and typed != float("inf") and time.monotonic() > typed:
            os.write(terminal, b"\x1a")
            typed = float("inf")
        # A worker that waits for its CPU is seen as stopped only when it gets it.
        if b"first" in shown and b"then" not in shown and not (states and set(states[-1]) == {"T"}):
            states.append([each.state for each in living])
    os.waitpid(pid, 0)
    os.close(terminal)
    text = shown.decode("utf-8", "replace")
    expect("first 148" in text and "then 0" in text, f"not stopped and continued: {text!r}")
    expect(states and states[-1] and set(states[-1]) == {"T"}, f"workers ran on while the run was stopped: {states}")
    expect_taken_again([row for row in case.rows() if row["test"] == "audio"], 2)


# --- Memory, and other limits.

class Group:
    """A memory control group, of either version, with a limit."""

    def __init__(self, name, megabytes):
        need_root()
        self.path = None
        for top, limit, swap in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"),
                                 ("/sys/fs/cgroup", "memory.max", "memory.swap.max")):
            path = os.path.join(top, f"jitbench-hostile-{name}-{os.getpid()}")
            try:
                os.mkdir(path)
            except OSError:
                continue
            if not os.path.exists(os.path.join(path, limit)):
                os.rmdir(path)
                continue
            self.path = path
            self.put(limit, str(megabytes << 20))
            if os.path.exists(os.path.join(path, swap)):
                self.put(swap, "0" if swap == "memory.swap.max" else str(megabytes << 20))
            return
        raise Skip("no memory control group can be made here")

    def put(self, name, text):
        with open(os.path.join(self.path, name), "w", encoding="ascii") as file:
            file.write(text)

    def enter(self):
        self.put("cgroup.procs", "0")

    def fill(self, case):
        """Fills the rest of the group's memory with a file in memory, which the OOM killer cannot free."""
        writer = subprocess.Popen(["dd", "if=/dev/zero", f"of={case.disk}/memory", "bs=64k"], preexec_fn=self.enter,
                                  stderr=subprocess.DEVNULL)
        case.helpers = (writer.pid,)
        return writer

    def kills(self):
        for name in ("memory.oom_control", "memory.events"):
            path = os.path.join(self.path, name)
            if os.path.exists(path):
                return sum(int(line.split()[1]) for line in read_file(path).splitlines() if line.startswith("oom_kill "))
        return 0

    def end(self):
        """Processes that are still in it end with it."""
        for _ in range(100):
            send([int(word) for word in read_file(os.path.join(self.path, "cgroup.procs")).split()], signal.SIGKILL)
            try:
                os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.02)


def out_of_memory(case, megabytes, words, resident):
    """Runs the words in a group whose memory ends in mid-run, when a worker has so much of it; the rows.

    The file can take all but what the others need: when the worker is gone, nobody else is killed, however late this
    process is to end the writer."""
    group = Group(case.name, megabytes)
    case.mount_tmpfs(f"{megabytes - 16}m")
    try:
        run = case.start(*words, "-q", "-o", case.csv, prepare=group.enter, expected=(0, 1))
        run.wait_for(lambda: any(each.memory()[0] > resident << 10 for each in watch.below(run.process.pid, watch.processes())[1:]), "a worker of that size")
        writer = group.fill(case)
        while run.process.poll() is None and writer.poll() is None and group.kills() == 0:
            time.sleep(0.01)
        writer.kill()
        writer.wait()
        os.unlink(os.path.join(case.disk, "memory"))
        run.result()
    finally:
        group.end()
    rows = case.rows()
    expect_status(run, rows)
    return rows


def expect_killed(row):
    expect(row["status"] == "failed" and "signal 9" in row["reason"] and "out of memory" in row["reason"],
           f"{row['test']} {row['load']}: {row['status']}: {row['reason']}")


def case_oom_load(case):
    """The memory of its group ends under memload: it gives way or is killed, its row says so, the others are measured."""
    rows = out_of_memory(case, 512, ["latency", "audio", "-w", "none,memload,burn", "--memload-size", "64M", "-t", "3s",
                                     "-i", "1", "--loops-per-ms", "100000"], 50)
    for row in rows:
        if row["test"] == "audio" and row["load"] == "memload" and row["status"] == "failed":
            expect_killed(row)
            expect("memload" in row["reason"], row["reason"])
        elif row["test"] == "audio" and row["load"] != "memload":
            expect(row["status"] in ("ok", "unstable", "degraded"), f"{row['load']}: {row['status']}: {row['reason']}")
    expect({row["load"] for row in rows} >= {"none", "memload", "burn"}, "rows are missing")


def case_oom_worker(case):
    """The out-of-memory killer takes what is measured: its row fails and says so, the run goes on."""
    rows = out_of_memory(case, 192, ["stream", "bandwidth", "array", "--sizes", "25", "-n", "1000", "--array-size", "16M",
                                     "-k", "100", "-i", "1", "-c", "1"], 40)
    expect_killed([row for row in rows if row["status"] == "failed"][0])
    expect(any(row["test"] == "array" and row["status"] in ("ok", "unstable") for row in rows), f"{reasons(rows)}")


def case_endless_frame(case):
    """A frame takes a hundred times as long as its run: it is killed, its row says so, and the next task is measured."""
    run = case.start("latency", "frame", "input", "-w", "none", "-q", "-o", "-", "-t", "100ms", "--loops-per-ms", "10000000",
                     "--frame-work", "10s", expected=1)
    run.result()
    rows = read_rows(run.out)
    expect({row["reason"][:15] for row in rows if row["test"] == "frame"} == {"not done within"}, f"{reasons(rows)}")
    expect(any(row["test"] == "input" and row["status"] == "ok" for row in rows), f"{reasons(rows)}")


def limited(what, soft, hard=None):
    def prepare():
        resource.setrlimit(what, (soft, soft if hard is None else hard))
        if os.geteuid() == 0:
            become_nobody()
    return prepare


SMALL = {
    "noise": ["noise", "-t", "100ms", "-i", "1"],
    "wakeup": ["wakeup", "-D", "100ms"],
    "prime": ["prime", "-n", "1000", "-i", "1"],
    "stream": ["stream", "--sizes", "25", "-n", "1000", "-i", "1", "--array-size", "1M", "-k", "3"],
    "unix": ["unix", "execl", "fcopy1024", "pipe", "context1", "spawn", "shell8", "-t", "50ms", "-i", "1", "-c", "2"],
    "latency": ["latency", "audio", "-w", "none,burn,write,read,ring,compile,memload,hack", "-t", "200ms", "-i", "1",
                "--memload-size", "16M", "--file-size", "8M", "--loops-per-ms", "100000"],
    "tasks of today": ["latency", "requests", "frame", "launch", "input", "audio-period", "-w", "none,burn2,storm,mixed", "-t",
                       "100ms", "--loops-per-ms", "100000"],
    "run": ["run", "-i", "1", "--", "sh", "-c", "true"],
}


def expect_status(run, rows):
    """1 exactly when a row failed."""
    failed = any(row["status"] == "failed" for row in rows)
    expect(run.status == (1 if failed else 0), f"{run.words[0]}: status {run.status}, but {reasons(rows)}")


def under(case, prepare, chroot=None):
    """Every suite: each ends with rows that are whole; what went wrong is in them, and is no crash."""
    os.chmod(case.folder, 0o755)
    for folder in (case.work, case.tmp):
        os.chmod(folder, 0o777)
    told = set()
    for suite, words in SMALL.items():
        if chroot and suite == "run":
            continue  # there is nothing to run
        run = case.start(words[0], "-q", "-o", "-", *words[1:], prepare=prepare, expected=(0, 1), chroot=chroot)
        run.result()
        rows = read_rows(run.out, suite)
        expect(rows, f"{suite}: no rows: {run.err[-300:]}")
        for row in rows:
            for crash in ("signal 11", "signal 6", "signal 7", "exit status 12"):
                expect(crash not in row["reason"], f"{suite} {row['test']} {row['load']}: {row['reason']}")
        expect_status(run, rows)
        told |= {row["reason"] for row in rows}
    return told


def case_limit_files(case):
    """RLIMIT_FSIZE of 8 KiB: file tests say so, no SIGXFSZ kills."""
    told = under(case, limited(resource.RLIMIT_FSIZE, 8192))
    expect(any("File too large" in reason or "limit on file sizes" in reason for reason in told), f"not said: {told}")


def case_limit_memory(case):
    """RLIMIT_AS of 48 MiB."""
    under(case, limited(resource.RLIMIT_AS, 48 << 20))


def case_limit_memory_tight(case):
    """RLIMIT_AS of 8 MiB."""
    under(case, limited(resource.RLIMIT_AS, 8 << 20))


def case_limit_cpu(case):
    """RLIMIT_CPU of a second: what it ends says so."""
    os.chmod(case.work, 0o777)
    run = case.run("unix", "syscall", "pipe", "-q", "-i", "1", "-t", "3s", "-c", "1", "-o", case.csv,
                   prepare=limited(resource.RLIMIT_CPU, 1, 60), expected=(0, 1))
    rows = [row for row in case.rows() if row["test"] in ("syscall", "pipe")]
    expect({row["test"] for row in rows} == {"syscall", "pipe"}, "rows are missing")
    expect_status(run, rows)
    for row in rows:
        # A busy machine may leave less than a second of CPU time to a test of three: then nothing ends it.
        spared = row["status"] in ("ok", "unstable", "degraded") and 0 < float(row["cpu_s"]) < 1
        expect(spared or row["status"] == "failed" and "RLIMIT_CPU" in row["reason"],
               f"{row['test']}: {row['status']} after {row['cpu_s']} s: {row['reason']}")


def case_limit_processes(case):
    """RLIMIT_NPROC of a few, as nobody."""
    need_root()
    told = under(case, limited(resource.RLIMIT_NPROC, 4))
    expect(any("RLIMIT_NPROC" in reason for reason in told), f"not said: {told}")


def case_limit_descriptors(case):
    """RLIMIT_NOFILE of 16."""
    under(case, limited(resource.RLIMIT_NOFILE, 16))


def case_bare_root(case):
    """Only the program in a folder: no /proc, /sys, /dev, shell."""
    need_root()
    root = os.path.join(case.folder, "root")
    os.mkdir(root)
    shutil.copy(case.program, root)
    under(case, None, chroot=root)
    expect(os.listdir(root) == ["jitbench"], f"left: {os.listdir(root)}")


# --- jitbench init.

def mounted_at(pid, device):
    """Where that process sees the device mounted; None where it does not."""
    try:
        with open(f"/proc/{pid}/mountinfo", encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words[words.index("-") + 2] == device:
                    return words[4]
    except OSError:
        pass
    return None


def catch_mount(case, device, path):
    """Runs init, and stops it while it has the device mounted. The run, the place and an open descriptor; or None."""
    run = case.start("init", "--run", "prime -q -n 1000 -i 1", "--out", f"{device}:{path}")
    while run.process.poll() is None:
        place = mounted_at(run.process.pid, device)
        if place:
            run.process.send_signal(signal.SIGSTOP)
            place = mounted_at(run.process.pid, device)
            try:
                return run, os.open(f"/proc/{run.process.pid}/root{place}", os.O_RDONLY)
            except OSError:
                run.process.send_signal(signal.SIGCONT)
    run.result()
    return None


def case_init_busy_device(case):
    """The device of --out is busy: init tries again, then detaches it and says so; its mounts are invisible to others."""
    case.mount_ext4(8)
    device = case.device()
    loop = os.open(device, os.O_RDONLY)  # it would end with its mount
    call("umount", case.disk)
    # As systemd has it: what is mounted is seen everywhere.
    call("mount", "--make-rshared", "/")
    for attempt, seconds in enumerate((0.5, 60)):
        for _ in range(20):
            path = f"/{attempt}-{_}.csv"
            caught = catch_mount(case, device, path)
            if caught:
                break
        else:
            raise Skip("the moment when the device is mounted was not caught in 20 runs")
        run, held = caught
        seen = mounted_at("self", device)
        run.process.send_signal(signal.SIGCONT)
        time.sleep(min(seconds, 0.5))
        if seconds < 1:
            os.close(held)
        run.result()
        expect(seen is None, "what init mounts is seen by others")
        run.says(f"CSV written to {device}:{path}")
        if seconds > 1:
            run.says("still in use by other processes")
            os.close(held)
        else:
            expect("still in use" not in run.err, "it did not wait for those who used the device")
    os.close(loop)
    wait_mount(os.path.join(case.folder, "image"), case.disk)
    for name in os.listdir(case.disk):
        if name.endswith(".csv"):
            expect(case.rows(os.path.join(case.disk, name)), f"{name} is empty")


# --- A machine beyond all measure.

def case_hundred_thousand_cpus(case):
    """A made-up /sys and /proc/stat, interrupts and cpuinfo of 100,000 CPUs: time and memory stay small, nothing crashes."""
    need_root()
    n = 100000
    made = os.path.join(case.folder, "sys")
    os.mkdir(made)
    call("mount", "-t", "tmpfs", "-o", "nr_inodes=300k", "none", made)
    cpus = os.path.join(made, "devices/system/cpu")
    for name, text in {"shared/topology/core_cpus_list": f"0-{n - 1}", "shared/topology/physical_package_id": "0",
                       "shared/topology/core_id": "0", "shared/cpufreq/scaling_governor": "performance",
                       "shared/cpufreq/scaling_cur_freq": "1000000", "shared/cache/index0/level": "3",
                       "shared/cache/index0/type": "Unified", "shared/cache/index0/size": "1024K",
                       "shared/cache/index0/shared_cpu_list": f"0-{n - 1}", "online": f"0-{n - 1}",
                       "possible": f"0-{n - 1}", "present": f"0-{n - 1}"}.items():
        os.makedirs(os.path.dirname(os.path.join(cpus, name)), exist_ok=True)
        with open(os.path.join(cpus, name), "w", encoding="ascii") as file:
            file.write(text + "\n")
    for cpu in range(n):
        os.symlink("shared", os.path.join(cpus, f"cpu{cpu}"))
    files = {"stat": "cpu  1 2 3 4 5 6 7 8 9 10\n" + "".join(f"cpu{cpu} 1 2 3 4 5 6 7 8 9 10\n" for cpu in range(n)) +
                     "intr 1\nctxt 1\n",
             "interrupts": "".join(f" CPU{cpu}" for cpu in range(n)) + "\n" + "LOC:" + " 12345" * n + " Local timer\n",
             "softirqs": "".join(f" CPU{cpu}" for cpu in range(n)) + "\n" + "TIMER:" + " 12345" * n + "\n",
             "cpuinfo": "".join(f"processor\t: {cpu}\nmodel name\t: Made up\ncpu MHz\t: 1000\n\n" for cpu in range(n))}
    for name, text in files.items():
        path = os.path.join(case.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        call("mount", "--bind", path, f"/proc/{name}")
    call("mount", "--rbind", made, "/sys")
    told = []
    for words in (["check"], ["prime", "-q", "-n", "1000", "-i", "3", "-o", "a.csv"],
                  ["noise", "-q", "-t", "100ms", "-i", "2", "--cpus", "0", "-o", "b.csv"],
                  ["check", "--cpus", "99999"], ["prime", "--cpus", "0-99999", "--no-csv"]):
        too_many = "99999" in words[-1] or "0-99999" in words
        # Which items are noisy depends on the machine.
        run = case.run(*words, expected=2 if too_many else (0, 4) if words == ["check"] else 0)
        told.append(f"{words[0]} {run.seconds:.1f} s")
        expect(run.seconds < 20, f"{words}: took {run.seconds:.1f} s")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    expect(used < 300, f"{used} MiB")
    for row in case.rows(os.path.join(case.work, "a.csv"), os.path.join(case.work, "b.csv")):
        expect(row["status"] in ("ok", "unstable", "degraded"), f"{row['test']}: {row['status']}: {row['reason']}")
        # No Linux can be built for more, and no mask of the program holds more.
        expect(row["cpus_online"] == "8192", f"cpus_online is '{row['cpus_online']}'")
    case.note = ", ".join(told) + f", {used} MiB"


CASES = {name.removeprefix("case_"): value for name, value in list(globals().items()) if name.startswith("case_")}


# --- Running them.

def inside(name, program, folder):
    """In the process of the case. The exit status is that of the case."""
    ctypes.CDLL(None).prctl(watch.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    case = Case(program, folder)

    def run():
        CASES[name](case)
        what = getattr(CASES[name], "func", CASES[name]).__doc__.splitlines()[0]
        return what + (f" ({case.note})" if case.note else "")
    try:
        return 0 if tell(name, run) else 1
    finally:
        for each in case.left():
            watch.kill(each)


def run_case(name, program, base):
    folder = os.path.join(base, name)
    os.makedirs(folder, mode=0o755)
    command = [sys.executable, os.path.abspath(__file__), "--inside", folder, program, name]
    if os.geteuid() == 0:
        command = ["unshare", "--mount", "--propagation", "private", *command]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    crashed = ended.returncode and f"failed: {name}" not in ended.stdout
    print((f"failed: {name}: " if crashed else "") + ended.stdout, end="", flush=True)
    return ended.returncode


def main():
    parser = argparse.ArgumentParser(description="runs jitbench on hostile machines")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="keep what the cases made below this folder")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--storm", help="storm.c, built")
    parser.add_argument("program")
    parser.add_argument("case", nargs="*", help="only these")
    arguments = parser.parse_args()
    chosen = [name for name in CASES if not arguments.case or name in arguments.case]
    expect(chosen, "no such case")
    program = os.path.abspath(arguments.program)
    if arguments.inside:
        return inside(chosen[0], program, arguments.inside)
    # Not in /tmp, which some cases hide.
    with tempfile.TemporaryDirectory(prefix="jitbench-hostile.", dir="/var/tmp") as temporary:
        base = os.path.abspath(arguments.keep) if arguments.keep else temporary
        os.chmod(base, 0o755)
        program = shutil.copy(program, os.path.join(base, "jitbench"))
        if arguments.storm:
            shutil.copy(arguments.storm, os.path.join(base, "storm"))
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            return int(any(list(pool.map(lambda name: run_case(name, program, base), chosen))))


if __name__ == "__main__":
    sys.exit(main())
