#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tests of the build in other places than this machine as it is: with one CPU, not as root, on other file systems.

    elsewhere.py [PLACE...]    after `make built`; PROGRAMS="unit/test_t* cli/test_tune": only these; --list: names the places

Each place is set up, the test programs that it can affect run there, and it is taken down. Mounts are made in a mount
namespace of our own and control groups are removed, so that nothing is left on the machine. Made-up machines of other
numbers of CPUs are in tests/unit/test_machine_sizes.c. At the end: 'N passed, N failed, N skipped', and each skip with
its reason; a place that cannot be set up here counts as one skipped."""
import contextlib
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
LIMIT_S = 900
NOBODY = 65534
# Tests that read or write the machine's settings.
SETTINGS = ("unit/test_tuned", "unit/test_settings*", "unit/test_machine", "cli/test_tune", "cli/test_check")
# Tests that make, sync and remove files.
FILES = ("unit/test_scratch", "unit/test_storage", "unit/test_disk", "unit/test_read", "unit/test_write", "unit/test_directory",
         "unit/test_device_*", "unit/test_csv", "unit/test_rows", "unit/test_reader", "unit/test_snapshot", "unit/test_machine",
         "unit/test_unix_kernel", "cli/test_unix", "cli/test_places", "cli/test_run", "cli/test_layout", "cli/test_export")


class NotHere(Exception):
    """Why a place cannot be set up on this machine."""


class Place:
    """Where programs run: a folder with the checkout, the words before each command, and what runs."""
    def __init__(self, programs, folder=TOP, before=()):
        self.programs, self.folder, self.before = programs, folder, list(before)


def call(*words, **more):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        raise NotHere(f"{' '.join(str(word) for word in words)}: {(done.stdout.strip().splitlines() or ['failed'])[-1]}")
    return done.stdout


def need_root():
    if os.geteuid():
        raise NotHere("needs root")


def need_program(name, package):
    if not shutil.which(name):
        raise NotHere(f"needs {name} (package {package})")


def in_namespace(script):
    """Runs the lines of shell in a mount namespace that the command then has to itself."""
    return ["unshare", "--mount", "--", "sh", "-ec", script + '\nexec "$@"', "sh"]


def copy_checkout(folder):
    """The checkout with what is built, to the folder, which is to be made."""
    shutil.copytree(TOP, folder, symlinks=True, ignore=shutil.ignore_patterns(".git", "build-*", "dist", "__pycache__"))
    return folder


@contextlib.contextmanager
def scratch():
    """Not in /tmp, over which other folders are mounted."""
    folder = Path(tempfile.mkdtemp(prefix="jitbench-elsewhere-", dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- The places. ---

@contextlib.contextmanager
def first_cpu():
    yield Place(("*",), before=["taskset", "-c", min(os.sched_getaffinity(0))])


@contextlib.contextmanager
def last_cpu():
    cpus = os.sched_getaffinity(0)
    if len(cpus) < 2:
        raise NotHere("needs two CPUs")
    yield Place(("*",), before=["taskset", "-c", max(cpus)])


@contextlib.contextmanager
def cpuset_without_cpu_0():
    """As a container that was given the last CPUs: no explicit --cpus can leave them."""
    need_root()
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2 or cpus[0]:
        raise NotHere("needs CPU 0 and another")
    group = Path("/sys/fs/cgroup/cpuset/jitbench-elsewhere")
    prefix = "cpuset."
    if not group.parent.is_dir():
        group = Path("/sys/fs/cgroup/jitbench-elsewhere")
        if not (group.parent / "cgroup.subtree_control").exists():
            raise NotHere("no cpuset control group is mounted")
    try:
        group.mkdir(exist_ok=True)
        (group / (prefix + "cpus")).write_text(",".join(map(str, cpus[1:])))
        (group / (prefix + "mems")).write_text((group.parent / (prefix + "mems")).read_text().strip() or "0")
    except OSError as error:
        if group.is_dir():
            group.rmdir()
        raise NotHere(f"no control group with a cpuset of its own: {error}") from error
    try:
        yield Place(("*",), before=["sh", "-ec", f'echo $$ >{group}/cgroup.procs; exec "$@"', "sh"])
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.05)


@contextlib.contextmanager
def nobody():
    need_root()
    need_program("setpriv", "util-linux")
    with scratch() as folder:
        copy = copy_checkout(folder / "checkout")
        call("chown", "-R", f"{NOBODY}:{NOBODY}", copy)
        yield Place(("*",), copy, ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all"])


@contextlib.contextmanager
def stat_interval():
    """The only place that changes something of the machine, for some seconds."""
    need_root()
    path = Path("/proc/sys/vm/stat_interval")
    before = path.read_text()
    try:
        path.write_text("10\n")
    except OSError as error:
        raise NotHere(f"{path}: {error.strerror}") from error
    try:
        yield Place(SETTINGS)
    finally:
        path.write_text(before)


@contextlib.contextmanager
def irqbalance():
    """A process of that name which moves interrupts all the time, of a made-up /proc/irq."""
    need_root()
    with scratch() as folder:
        shutil.copy("/bin/sh", folder / "irqbalance")
        yield Place(SETTINGS, before=["unshare", "--mount", "--", "sh", "-ec", f"""
            mount -t tmpfs tmpfs /proc/irq
            echo 3 >/proc/irq/default_smp_affinity
            for irq in 24 25 26; do
                mkdir /proc/irq/$irq; echo 1 >/proc/irq/$irq/smp_affinity; echo 0 >/proc/irq/$irq/smp_affinity_list
            done
            {folder}/irqbalance -c 'while :; do
                for cpu in 0 1; do
                    echo $((1 << cpu)) >/proc/irq/24/smp_affinity; echo $cpu >/proc/irq/24/smp_affinity_list; sleep 0.003
                done
            done' &
            daemon=$!
            status=0; "$@" || status=$?
            kill $daemon
            exit $status""", "sh"])


@contextlib.contextmanager
def sys_read_only():
    need_root()
    yield Place(SETTINGS, before=in_namespace("mount -o remount,bind,ro /sys"))


@contextlib.contextmanager
def on_file_system(make_script):
    """The checkout and /tmp are on it. The script mounts it at $fs."""
    need_root()
    with scratch() as folder:
        fs = folder / "fs"
        fs.mkdir()
        call("sh", "-ec", make_script.replace("$fs", str(fs)).replace("$scratch", str(folder)))
        try:
            copy_checkout(fs / "checkout")
            (fs / "tmp").mkdir()
            (fs / "tmp").chmod(0o1777)
            yield Place(FILES, fs / "checkout", in_namespace(f"mount --bind {fs}/tmp /tmp"))
        finally:
            call("umount", fs)


def on_tmpfs():
    return on_file_system("mount -t tmpfs -o size=2g tmpfs $fs")


def on_btrfs():
    need_program("mkfs.btrfs", "btrfs-progs")
    return on_file_system("truncate -s 2G $scratch/image; mkfs.btrfs -q $scratch/image; mount -o loop $scratch/image $fs")


def on_overlay():
    return on_file_system("mkdir $scratch/lower $scratch/upper $scratch/work; mount -t overlay "
                          "-o lowerdir=$scratch/lower,upperdir=$scratch/upper,workdir=$scratch/work overlay $fs")


@contextlib.contextmanager
def path_with_blanks():
    """Built there anew, by make."""
    with scratch() as folder:
        copy = folder / "a path with  blanks"
        shutil.copytree(TOP, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", "build*", "dist", "jitbench", "__pycache__"))
        for words in (("-j", str(os.cpu_count()), "built"), ("installcheck",), ("unit", "UNIT=test_text"), ("cli", "CLI=test_options")):
            done = subprocess.run(["make", "-s", *words], cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                raise AssertionError(f"make {' '.join(words)}: {done.stdout[-2000:]}")
        yield Place(("unit/test_process", "unit/test_program", "unit/test_trial", "unit/test_scratch", "cli/*"), copy)


@contextlib.contextmanager
def nice():
    yield Place(("unit/test_task", "unit/test_place", "unit/test_trial", "unit/test_load*", "unit/test_plan", "unit/test_process",
                 "unit/test_noise", "unit/test_calibrate", "cli/*"), before=["nice", "-n", "5"])


@contextlib.contextmanager
def other_load():
    """A busy loop on each CPU, as a compiler or a virus scanner."""
    busy = [subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]) for cpu in os.sched_getaffinity(0)]
    try:
        yield Place(("*",))
    finally:
        for process in busy:
            process.kill()
            process.wait()


PLACES = {
    "first-cpu": first_cpu, "last-cpu": last_cpu, "cpuset": cpuset_without_cpu_0, "nobody": nobody, "stat-interval": stat_interval,
    "irqbalance": irqbalance, "sys-read-only": sys_read_only, "tmpfs": on_tmpfs, "btrfs": on_btrfs, "overlay": on_overlay,
    "blanks": path_with_blanks, "nice": nice, "load": other_load,
}


# --- Running. ---

class Count:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []

    def run(self, place, name, program):
        """One test program; what it printed is shown when something fails."""
        words = [str(word) for word in (*place.before, f"build/{program}")]
        start = time.monotonic()
        try:
            done = subprocess.run(words, cwd=place.folder, env={**os.environ, "JITBENCH": "jitbench"}, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LIMIT_S)
            output, status = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            output, status = (late.stdout or b"").decode(errors="replace"), None
        passed = len(re.findall(r"^\[       OK \] ", output, re.M))
        failed = sorted(set(re.findall(r"^\[  (?:FAILED|ERROR)\s+\] (test_\w+)$", output, re.M)))
        if status and not failed or status is None:
            failed.append(f"no end within {LIMIT_S} s" if status is None else f"exit status {status}")
        reason, skipped = "no reason given", []
        for line in output.splitlines():
            if line.startswith("skipped: "):
                reason = line.removeprefix("skipped: ")
            elif line.startswith("[  SKIPPED ] test_") and line.split()[-1] not in [test for test, _ in skipped]:
                skipped.append((line.split()[-1], reason))
                reason = "no reason given"
        self.passed += passed
        self.failed += [f"{name}: {program}: {test}" for test in failed]
        self.skipped += [f"{name}: {program}: {test}: {why}" for test, why in skipped]
        if failed:
            print(output)
        print(f"{name}: {program}: {passed} passed, {len(failed)} failed, {len(skipped)} skipped "
              f"({time.monotonic() - start:.0f} s)", flush=True)

    def visit(self, name, programs):
        try:
            with PLACES[name]() as place:
                for program in programs:
                    if any(fnmatch.fnmatch(program, pattern) for pattern in place.programs):
                        self.run(place, name, program)
        except NotHere as why:
            self.skipped.append(f"{name}: {why}")
        except AssertionError as wrong:
            self.failed.append(f"{name}: {wrong}")


def main():
    if "--list" in sys.argv:
        print("\n".join(PLACES))
        return 0
    names = sys.argv[1:] or list(PLACES)
    for name in names:
        if name not in PLACES:
            print(f"elsewhere.py: no place '{name}': one of {' '.join(PLACES)}", file=sys.stderr)
            return 2
    if os.geteuid() == 0 and "JITBENCH_ELSEWHERE" not in os.environ:
        os.environ["JITBENCH_ELSEWHERE"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", "--", sys.executable, __file__, *sys.argv[1:]])
    os.environ.pop("JITBENCH_ELSEWHERE", None)
    # An interrupt takes the place down; a shell has what it starts in the background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chosen = os.environ.pop("PROGRAMS", "").split() or ["*"]
    programs = sorted(f"{kind}/{path.stem}" for kind in ("unit", "cli") for path in (TOP / f"tests/{kind}").glob("test_*.c"))
    programs = [program for program in programs if any(fnmatch.fnmatch(program, pattern) for pattern in chosen)]
    count = Count()
    for name in names:
        count.visit(name, programs)
    for line in count.skipped:
        print(f"skipped: {line}")
    for line in count.failed:
        print(f"failed: {line}")
    print(f"test-elsewhere: {count.passed} passed, {len(count.failed)} failed, {len(count.skipped)} skipped")
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
