#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed, spread and memory of jitbench beside their targets: perf.py [SECTION...]. `make perf` calls it, and names in the
environment JITBENCH, MUSL_JITBENCH and PERF_PROGRAMS, the folder of what is built from tests/perf.

Nothing passes or fails here: figures of time depend on the machine and on what else runs. What is compared is measured
in turns in one run, and a ratio is the median of the ratios of the turns."""
import csv
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

STARTS = 300
ROUNDS = 9
SPREAD_RUNS = 15
UNIX_ROUNDS = 16
UNIX_SECONDS = 0.25
UNIX_SPREAD_RUNS = 8
UNIX_SPREAD_SAMPLES = 4
COPIES = (1, 8, 64, 512)


def line(what, figure, target=""):
    print("%-66s %14s   %s" % (what, figure, target and "target " + target), flush=True)


def rows_of(*command):
    """Runs jitbench and reads its CSV from standard output."""
    csv.field_size_limit(1 << 30)
    done = subprocess.run(command + ("-q", "-o", "-"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return list(csv.DictReader(done.stdout.splitlines()))


def only(rows, metric):
    return next(row for row in rows if row["metric"] == metric)


def clock_cost(jitbench):
    costs = [only(rows_of(jitbench, "prime", "--quick", "--samples", "1"), "clock_cost") for _ in range(ROUNDS)]
    line("two readings of the clock, median of %d runs" % ROUNDS,
         "%.0f %s" % (statistics.median(float(row["value"]) for row in costs), costs[0]["unit"]), "60 cycles on x86-64")


def pss_bytes(pid):
    with open("/proc/%d/smaps_rollup" % pid) as file:
        return sum(int(words.split()[1]) << 10 for words in file if words.startswith("Pss:"))


def descendants_bytes(pid):
    """What all processes below this one hold, shared pages counted once (PSS)."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            children = [int(child) for child in file.read().split()]
        return sum(pss_bytes(child) + descendants_bytes(child) for child in children)
    except OSError:
        return 0  # one has just ended


def peak_memory(jitbench, experiments):
    """Of the largest process as the kernel counts it (RSS), and of all together (PSS, sampled), in bytes."""
    command = [jitbench, "prime", "--experiments", experiments, "--samples", "1", "--no-csv", "-q"]
    # GNU time is small: a child of this interpreter would start out as large as it.
    with tempfile.NamedTemporaryFile("r") as report:
        process = subprocess.Popen(["time", "-f", "%M", "-o", report.name] + command, stdout=subprocess.DEVNULL)
        together = 0
        while process.poll() is None:
            together = max(together, descendants_bytes(process.pid))
            time.sleep(0.02)
        return int(report.read()) << 10, together


def memory(jitbench):
    if not shutil.which("time"):
        line("peak resident memory", "no GNU time")
        return
    for experiments in ("1M", "100M"):
        largest, together = peak_memory(jitbench, experiments)
        line("peak resident memory of prime --experiments %s: largest process" % experiments, "%.2f MiB" % (largest / 2**20),
             "4 MiB, the same for both")
        line("  all its processes together, shared pages once", "%.2f MiB" % (together / 2**20))


def start_ms(command, silent):
    begin = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, silent, 1)])
    os.waitpid(pid, 0)
    return (time.perf_counter() - begin) * 1e3


def start_time(jitbench):
    silent = os.open("/dev/null", os.O_WRONLY)
    turns = [(start_ms([jitbench, "version"], silent), start_ms(["/bin/true"], silent)) for _ in range(STARTS)]
    version, true = zip(*turns)
    line("version, start to end, median of %d" % STARTS, "%.2f ms" % statistics.median(version), "2 ms")
    line("  /bin/true (dynamic) in turn with it", "%.2f ms" % statistics.median(true))


def size(program, libc, target):
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped")
        subprocess.run(["strip", "-o", stripped, program], check=True)
        line("size of the stripped program with %s" % libc, "%.0f KB" % (os.path.getsize(stripped) / 1e3), target)


def sizes(jitbench, musl):
    size(jitbench, "the system's C library", "1.3 MB with glibc")
    if os.path.exists(musl):
        size(musl, "musl", "250 KB")
    else:
        line("size of the stripped program with musl", "no musl-gcc")


def bandwidth(jitbench, rival):
    """Best copy of ours over best copy of the others, and the same for the medians, round by round."""
    best, median, kernels, others = [], [], [], []
    for _ in range(ROUNDS):
        ours = []
        rows = rows_of(jitbench, "stream", "bandwidth", "--samples", "1", "--repetitions", "20")
        for rate in (row for row in rows if row["metric"] == "copy_rate"):
            param = dict(word.split("=", 1) for word in rate["param"].split())
            took = next(row for row in rows if row["metric"] == "copy_time" and row["param"] == rate["param"])
            scale = float(rate["value"]) * float(took["min"])
            ours.append((float(rate["value"]), scale / float(took["median"]), param["kernel"] + " " + param["stores"]))
        report = subprocess.run([rival, cpu_list(rate["cpus"]), param["array_bytes"], "20"], stdout=subprocess.PIPE, text=True,
                                check=True).stdout
        theirs = [(float(words[1]), float(words[2]), words[0]) for words in map(str.split, report.splitlines())]
        best.append(max(ours)[0] / max(theirs)[0])
        median.append(max(one[1] for one in ours) / max(one[1] for one in theirs))
        kernels.append(ours)
        others.append(theirs)
    for runs in (kernels, others):
        for i, (_, _, name) in enumerate(runs[0]):
            line("  copy by " + name, "%.1f GB/s" % (statistics.median(run[i][0] for run in runs) / 1e3))
    line("copy: our best over the best of memcpy, rep movsb, loop -O3 native", "%.3f" % statistics.median(best),
         "1 (%d rounds, %.3f to %.3f)" % (ROUNDS, min(best), max(best)))
    line("  the same by the median of each run's repetitions", "%.3f" % statistics.median(median),
         "1 (%d rounds, %.3f to %.3f)" % (ROUNDS, min(median), max(median)))


def cpu_list(text):
    """0-2,5 as 0,1,2,5."""
    ranges = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return ",".join(str(cpu) for ends in ranges for cpu in range(ends[0], ends[-1] + 1))


def spread(jitbench):
    runs = [only(rows_of(jitbench, "prime", "--experiments", "1M", "--samples", "1"), "cycles") for _ in range(SPREAD_RUNS)]
    for column in ("median", "mean"):
        values = [float(row[column]) for row in runs]
        line("prime from run to run: spread of the %s (RSD of %d runs)" % (column, SPREAD_RUNS),
             "%.2f %%" % (100 * statistics.stdev(values) / statistics.mean(values)))


def loop_rate(loops, name, cpus, seconds):
    """Counts a second of a plain loop, on the CPUs that jitbench was on."""
    return float(subprocess.run(["taskset", "-c", cpus, loops, name, str(seconds)], stdout=subprocess.PIPE, text=True,
                                check=True).stdout)


def unix_rates(jitbench, test, samples=1):
    """The rows of the rate and of the undisturbed rate, with one copy."""
    rows = rows_of(jitbench, "unix", test, "--copies", "1", "--samples", str(samples), "-t", "%dms" % (UNIX_SECONDS * 1e3))
    return only(rows, "rate"), only(rows, "rate_undisturbed")


def unix(jitbench, loops):
    """What the harness costs. Every other round begins with the loop, so that a drift meets both alike."""
    small, sized = loops, loops + "-sized"
    pairs = (("syscall", "syscall", small), ("pipe", "pipe", small), ("context1-same", "context1", small),
             ("context1", "context1", small), ("spawn", "spawn", small), ("spawn", "spawn", sized),
             ("execl", "execl", small), ("execl", "execl", sized))
    # A first run says which CPUs each test is on.
    cpus = {test: unix_rates(jitbench, test)[0]["cpus"] for test in {pair[0] for pair in pairs}}
    ratios = {pair: [] for pair in pairs}
    for turn in range(UNIX_ROUNDS):
        for pair in pairs:
            test, loop, program = pair
            before = loop_rate(program, loop, cpus[test], UNIX_SECONDS) if turn % 2 else 0
            rate = float(unix_rates(jitbench, test)[0]["value"])
            ratios[pair].append(rate / (before or loop_rate(program, loop, cpus[test], UNIX_SECONDS)))
    for (test, _, program), values in ratios.items():
        middle = statistics.quantiles(values, n=4)
        line("%s: rate over that of a plain loop%s" % (test, " in a program as large" if program == sized else ""),
             "%.3f" % middle[1], "0.99 (%d rounds, the middle half %.3f to %.3f)" % (UNIX_ROUNDS, middle[0], middle[2]))


def rsd_pct(values):
    return 100 * statistics.stdev(values) / statistics.mean(values)


def unix_spread(jitbench, loops):
    """From run to run, beside loops that run as long in turn with them."""
    tests = (("dhry2reg", "dhry2reg"), ("whetstone", "whetstone"), ("syscall", "syscall"), ("pipe", "pipe"))
    runs = {test: [] for test, _ in tests}
    for _ in range(UNIX_SPREAD_RUNS):
        for test, loop in tests:
            rate, undisturbed = unix_rates(jitbench, test, UNIX_SPREAD_SAMPLES)
            plain = loop_rate(loops, loop, rate["cpus"], UNIX_SPREAD_SAMPLES * UNIX_SECONDS)
            runs[test].append((float(rate["value"]), float(undisturbed["value"]), plain))
    for test, loop in tests:
        rate, undisturbed, plain = map(rsd_pct, zip(*runs[test]))
        line("%s from run to run: spread of the rate (RSD of %d runs)" % (test, UNIX_SPREAD_RUNS), "%.2f %%" % rate,
             "no more than the loop")
        line("  of the undisturbed rate", "%.2f %%" % undisturbed)
        line("  of a plain loop (%s) in turn with it" % loop, "%.2f %%" % plain)


def unix_copies(jitbench):
    """How long one sample of many copies takes beyond the time it measures: to start, warm up, gather and report."""
    for copies in COPIES:
        begin = time.perf_counter()
        rows = rows_of(jitbench, "unix", "syscall", "--copies", str(copies), "--samples", "1", "-t",
                       "%dms" % (UNIX_SECONDS * 1e3))
        took = time.perf_counter() - begin - UNIX_SECONDS
        rate, started, ended = (only(rows, metric) for metric in ("rate", "start_spread", "end_spread"))
        if rate["value"]:
            line("syscall, %d copies: time beside the sample's own" % copies, "%.2f s" % took)
            line("  first to last copy's start, and end", "%.0f, %.0f ms" % (float(started["value"]), float(ended["value"])))
        else:
            line("syscall, %d copies" % copies, rate["status"], rate["reason"])


SECTIONS = {
    "clock": lambda jitbench, musl, programs: clock_cost(jitbench),
    "start": lambda jitbench, musl, programs: start_time(jitbench),
    "size": lambda jitbench, musl, programs: sizes(jitbench, musl),
    "prime": lambda jitbench, musl, programs: spread(jitbench),
    "bandwidth": lambda jitbench, musl, programs: bandwidth(jitbench, programs + "/bandwidth"),
    "memory": lambda jitbench, musl, programs: memory(jitbench),
    "unix": lambda jitbench, musl, programs: unix(jitbench, programs + "/loops"),
    "unix-spread": lambda jitbench, musl, programs: unix_spread(jitbench, programs + "/loops-sized"),
    "unix-copies": lambda jitbench, musl, programs: unix_copies(jitbench),
}


def main(*names):
    jitbench = os.path.abspath(os.environ.get("JITBENCH", "jitbench"))
    musl = os.environ.get("MUSL_JITBENCH", "build/musl/jitbench")
    programs = os.path.abspath(os.environ.get("PERF_PROGRAMS", "build/perf"))
    for name in names:
        if name not in SECTIONS:
            sys.exit("perf.py: no section '%s'; there are %s" % (name, ", ".join(SECTIONS)))
    for name in names or SECTIONS:
        SECTIONS[name](jitbench, musl, programs)


if __name__ == "__main__":
    main(*sys.argv[1:])
