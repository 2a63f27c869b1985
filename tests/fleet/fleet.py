#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A cluster on this machine: fleet.py [--short] [PART...], with the parts slurm and mpirun. `make cluster` calls it.

slurm starts a munged, a slurmctld and four slurmd on the loopback interface, has srun run jitbench on the four virtual
nodes at one moment, one rank of which is handicapped (nice 19, on the CPU of a busy loop), and expects `jitbench fleet`
to name that node first and `jitbench project` to project all four. mpirun starts four ranks that are all told one file
name. A part whose programs are not installed, or that needs root, is skipped with the reason. Nothing is left
afterwards: no process, no file.

JITBENCH names the program, FLEET_SHORT=1 is --short, FLEET_HANDICAPPED=N (0..3) the rank (otherwise it is drawn)."""
import contextlib
import csv
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
from runner import Failure, Skip, expect, tell  # noqa: E402 pylint: disable=wrong-import-position

RANKS = 4
# On a common machine the handicapped rank gets one or two hundredths of a CPU.
STEP_LIMIT_S = 1500
START_LIMIT_S = 60
SHORT_STEPS = {
    "noise": ["noise", "-t", "500ms"],
    "unix": ["unix", "-t", "50ms", "--samples", "1", "dhry2reg", "whetstone", "execl", "fcopy256", "fcopy1024", "fcopy4096",
             "pipe", "context1", "spawn", "syscall"],
}
FULL_STEPS = {"all": ["all", "--quick"]}


def say(*words):
    print("cluster:", *words, flush=True)


def run(command, limit=120, env=None, cwd=None, allowed=(0,)):
    """Its output, both streams; a failure unless it ends with an allowed status in time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=limit, env=env, cwd=cwd)
    except subprocess.TimeoutExpired as late:
        raise Failure("%s: not done within %d s" % (" ".join(command), limit)) from late
    expect(done.returncode in allowed, "%s: exit %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


# --- Processes. ---

@contextlib.contextmanager
def child(command, log, env=None):
    """A process that runs until the block ends, and is waited for."""
    with open(log, "ab") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=env)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def belonging_to(folder):
    """Processes that have the folder in their environment or command line, by their ids."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            with open("/proc/%s/environ" % pid, "rb") as environment, open("/proc/%s/cmdline" % pid, "rb") as command:
                words = command.read()
                if folder.encode() in environment.read() + words:
                    found[int(pid)] = words.replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def expect_none_left(folder):
    end = time.monotonic() + 10
    while belonging_to(folder) and time.monotonic() < end:
        time.sleep(0.1)
    left = belonging_to(folder)
    for pid in left:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    expect(not left, "left behind: %s" % ", ".join("%d %s" % each for each in left.items()))


def names_outside():
    """Files that Slurm, munge or Open MPI could leave outside of the scratch directory."""
    found = set()
    for folder in ("/run", "/run/munge", "/var/spool", "/var/spool/slurmd", "/var/lib/slurm", "/var/log", "/var/log/slurm",
                   "/dev/shm", "/sys/fs/cgroup", "/sys/fs/cgroup/system.slice"):
        with contextlib.suppress(OSError):
            found.update(os.path.join(folder, name) for name in os.listdir(folder)
                         if any(word in name for word in ("slurm", "munge", "ompi", "openmpi", "prte", "pmix", "vader")))
    return found


# --- Which CPU is whose. ---

def cpu_of(rank, handicapped):
    """The handicapped rank shares a CPU with the busy loop alone. The others share what there is besides, so that they are
    alike."""
    cpus = sorted(os.sched_getaffinity(0))
    if rank == handicapped or len(cpus) == 1:
        return cpus[-1]
    others = [other for other in range(RANKS) if other != handicapped]
    return cpus[0] if len(cpus) < RANKS else cpus[others.index(rank)]


BUSY_LOOP = "while :; do :; done"


def write_wrapper(path, variable, handicapped):
    """Wrapper between the launcher and jitbench: the CPU of each rank, and the handicap of one. The busy loop is the
    handicapped rank's sibling: where the kernel groups tasks by session (sched_autogroup), niceness counts only within."""
    lines = ["#!/bin/sh", "case $%s in" % variable]
    for rank in range(RANKS):
        pinned = "taskset -c %d" % cpu_of(rank, handicapped)
        if rank == handicapped:
            lines += ["%d)" % rank, "%s sh -c '%s' &" % (pinned, BUSY_LOOP), "busy=$!",
                      "trap 'kill $busy' EXIT", "trap 'exit 1' TERM INT HUP", 'nice -n 19 %s "$@"' % pinned, "exit ;;"]
        else:
            lines.append('%d) exec %s "$@" ;;' % (rank, pinned))
    lines.append("esac\nexit 1\n")
    with open(path, "w") as file:
        file.write("\n".join(lines))
    os.chmod(path, 0o755)


# --- What was measured. ---

def rows_of(path):
    csv.field_size_limit(1 << 30)
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def check_results(jitbench, folder, handicapped, by):
    """Output of fleet and project for the files."""
    files = sorted(name for name in os.listdir(folder) if name.endswith(".csv"))
    name = ("n%d" if by == "host" else socket.gethostname() + "/%d") % (handicapped + (by == "host"))
    table = run([jitbench, "fleet", "--by", by] + files, cwd=folder)
    print(table, flush=True)
    first = table.splitlines()[1]
    expect(first.split()[0] == name and "WORSE" in first, "%s is the handicapped one, and not the first:\n%s" % (name, table))
    found = subprocess.run([jitbench, "fleet", "--by", by, "--fail-on", "outlier"] + files, cwd=folder, stdout=subprocess.DEVNULL,
                           check=False)
    expect(found.returncode == 4, "fleet --fail-on outlier: exit %d" % found.returncode)
    table = run([jitbench, "project"] + files, cwd=folder)
    print(table, flush=True)
    hosts = ["n%d" % (rank + 1) for rank in range(RANKS)] if by == "host" else [socket.gethostname()]
    for host in hosts:
        expect(any(line.startswith(host + " ") for line in table.splitlines()), "project: no line of %s" % host)
    if by == "host":
        slowest = [line.split()[0] for line in table.splitlines() if line.startswith("n")][0]
        expect(slowest == name, "project has %s, not %s, for the slowest" % (slowest, name))


# --- Slurm. ---

def slurm_conf(folder, ports):
    host = socket.gethostname().split(".")[0]
    return """ClusterName=fleettest
SlurmctldHost=%(host)s(127.0.0.1)
SlurmctldPort=%(ctld)d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%(folder)s/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmctldParameters=enable_configless
StateSaveLocation=%(folder)s/state
SlurmdSpoolDir=%(folder)s/spool-%%n
SlurmctldPidFile=%(folder)s/slurmctld.pid
SlurmdPidFile=%(folder)s/slurmd-%%n.pid
SlurmctldLogFile=%(folder)s/slurmctld.log
SlurmdLogFile=%(folder)s/slurmd-%%n.log
KillWait=5
NodeName=n[1-%(ranks)d] NodeHostname=%(host)s NodeAddr=127.0.0.1 Port=[%(first)d-%(last)d] CPUs=1 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""" % {"folder": folder, "host": host, "ctld": ports, "first": ports + 1, "last": ports + RANKS, "ranks": RANKS}


def free_ports(n):
    """The first of n ports in a row that are free on the loopback interface."""
    for _ in range(100):
        first = random.randrange(20000, 30000)
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in range(first, first + n):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    raise Failure("no free ports")


def wait_for(what, is_so, process):
    end = time.monotonic() + START_LIMIT_S
    while not is_so():
        expect(process.poll() is None, "%s: ended with %s" % (what, process.returncode))
        expect(time.monotonic() < end, "%s: not up within %d s" % (what, START_LIMIT_S))
        time.sleep(0.2)


def answers(command, env, word):
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.returncode == 0 and word in done.stdout


@contextlib.contextmanager
def cluster(folder, env):
    """A munged and a Slurm of four nodes, in the foreground: their ends are seen."""
    log = os.path.join(folder, "log")
    with open(os.path.join(folder, "munge.key"), "wb") as file:
        file.write(os.urandom(64))
    os.chmod(file.name, 0o400)
    with open(env["SLURM_CONF"], "w") as file:
        file.write(slurm_conf(folder, free_ports(RANKS + 1)))
    with open(os.path.join(folder, "cgroup.conf"), "w") as file:
        file.write("CgroupAutomount=no\nIgnoreSystemd=yes\n")
    os.mkdir(os.path.join(folder, "state"))
    with contextlib.ExitStack() as stack:
        munged = stack.enter_context(child(
            ["munged", "--foreground", "--force"] + ["--%s=%s/munge.%s" % (option, folder, ending) for option, ending in
                                                     (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"),
                                                      ("seed-file", "seed"))] + ["--num-threads=2"], log, env))
        wait_for("munged", lambda: os.path.exists(os.path.join(folder, "munge.socket")), munged)
        control = stack.enter_context(child(["slurmctld", "-D", "-i"], log, env))
        wait_for("slurmctld", lambda: answers(["scontrol", "ping"], env, "UP"), control)
        for node in range(1, RANKS + 1):
            daemon = stack.enter_context(child(["slurmd", "-D", "-N", "n%d" % node], log, env))
        wait_for("slurmd", lambda: answers(["sinfo", "-h", "-t", "idle", "-o", "%D"], env, str(RANKS)), daemon)
        yield


def why_no_slurm():
    if os.geteuid() != 0:
        return "it needs root"
    missing = [name for name in ("munged", "slurmctld", "slurmd", "srun", "taskset") if not shutil.which(name)]
    return missing and "%s: not installed (packages slurm-wlm, munge)" % ", ".join(missing)


def srun_command(step, wrapper, jitbench):
    # A common moment far enough away that all have started.
    return (["srun", "-N%d" % RANKS, "--ntasks-per-node=1", wrapper, jitbench] + step[1] +
            ["-q", "-o", "r-%s-%%h-%%r.csv" % step[0], "--start-at", "@%d" % (time.time() + 5)])


def check_ranks(folder, step, hosts, handicapped):
    """A file for each rank, with its number, its host, and when it began. With a hundredth of a CPU some tests are not
    done in time."""
    jobs = set()
    for rank in range(RANKS):
        host = hosts[rank]
        rows = rows_of(os.path.join(folder, "r-%s-%s-%d.csv" % (step, host, rank)))
        expect(rows, "%s: no rows of rank %d" % (step, rank))
        for row in rows:
            expect(row["host"] == host and row["rank"] == str(rank) and row["job"], "rank %d has the row %s" % (rank, row))
            expect(row["start_late_us"], "rank %d does not say when it began" % rank)
            expect(rank == handicapped or row["status"] != "failed", "%s %s of rank %d failed: %s" % (row["test"], row["metric"], rank, row["reason"]))
            jobs.add(row["job"])
    expect(len(jobs) == 1, "jobs %s" % jobs)


def slurm(jitbench, folder, short, handicapped):
    env = dict(os.environ, SLURM_CONF=os.path.join(folder, "slurm.conf"), TMPDIR=os.path.join(folder, "tmp"))
    work, wrapper = os.path.join(folder, "work"), os.path.join(folder, "rank")
    os.mkdir(work)
    write_wrapper(wrapper, "SLURM_PROCID", handicapped)
    log = os.path.join(folder, "log")
    try:
        with cluster(folder, env):
            for step in (SHORT_STEPS if short else FULL_STEPS).items():
                begin = time.monotonic()
                run(srun_command(step, wrapper, jitbench), STEP_LIMIT_S, env, work, (0, 1))
                say("srun -N%d jitbench %s: %.0f s" % (RANKS, step[0], time.monotonic() - begin))
                check_ranks(work, step[0], ["n%d" % (rank + 1) for rank in range(RANKS)], handicapped)
    except Failure as failure:
        with open(log, errors="replace") as file:
            raise Failure("%s\n%s" % (failure, file.read()[-4000:])) from failure
    check_results(jitbench, work, handicapped, "host")


# --- MPI's launcher. ---

def why_no_mpirun():
    return not shutil.which("mpirun") and "mpirun: not installed (package openmpi-bin)"


def mpirun(jitbench, folder, short, handicapped):
    del short
    env = dict(os.environ, TMPDIR=os.path.join(folder, "tmp"), OMPI_MCA_btl="self")
    work, wrapper = os.path.join(folder, "work"), os.path.join(folder, "rank")
    os.mkdir(work)
    write_wrapper(wrapper, "OMPI_COMM_WORLD_RANK", handicapped)
    command = ["mpirun", "-np", str(RANKS), "--oversubscribe", "--bind-to", "none"]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    for step, words in SHORT_STEPS.items():
        begin = time.monotonic()
        # All are told one name.
        run(command + [wrapper, jitbench] + words + ["-q", "-o", "r-%s-%%h.csv" % step, "--start-at", "@%d" % (time.time() + 5)],
            STEP_LIMIT_S, env, work)
        say("mpirun -np %d jitbench %s: %.0f s" % (RANKS, step, time.monotonic() - begin))
        check_ranks(work, step, [socket.gethostname()] * RANKS, handicapped)
    check_results(jitbench, work, handicapped, "rank")


# --- Both. ---

PARTS = {"slurm": (why_no_slurm, slurm), "mpirun": (why_no_mpirun, mpirun)}


def run_part(name, jitbench, short, handicapped):
    why, part = PARTS[name]
    if why():
        raise Skip(why())
    say("%s: rank %d is the handicapped one" % (name, handicapped))
    before = names_outside()
    with tempfile.TemporaryDirectory(prefix="fleettest-") as folder:
        os.mkdir(os.path.join(folder, "tmp"))
        try:
            part(jitbench, folder, short, handicapped)
        finally:
            expect_none_left(folder)
        left = os.listdir(os.path.join(folder, "tmp")) + sorted(names_outside() - before)
        expect(not left, "left behind: %s" % ", ".join(left))


def main(*words):
    names = [word for word in words if word != "--short"]
    short = "--short" in words or os.environ.get("FLEET_SHORT", "") not in ("", "0")
    jitbench = os.path.abspath(os.environ.get("JITBENCH", "jitbench"))
    for name in names:
        if name not in PARTS:
            sys.exit("fleet.py: no part '%s'; there are %s" % (name, ", ".join(PARTS)))
    handicapped = int(os.environ.get("FLEET_HANDICAPPED", random.randrange(RANKS)))
    sys.exit(not all([tell(name, lambda name=name: run_part(name, jitbench, short, handicapped)) for name in names or PARTS]))


if __name__ == "__main__":
    main(*sys.argv[1:])
