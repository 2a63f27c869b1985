#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed, spread and memory of jitbench beside their targets: perf.py [SECTION...]. `make perf` calls it, and names in the
environment JITBENCH, MUSL_JITBENCH and PERF_PROGRAMS, the folder of what is built from tests/perf. PERF_ROUNDS=N has the
sections unix-footprint, latency, wakeup, noise and run take N turns; PERF_SECONDS=N has noise look at memory for so long.

Nothing passes or fails here: figures of time depend on the machine and on what else runs. What is compared is measured
in turns in one run, and a ratio is the median of the ratios of the turns."""
import bisect
import collections
import contextlib
import csv
import json
import math
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

STARTS = 300
ROUNDS = 9
COUNTER_SECONDS = 60
SPREAD_RUNS = 15
UNIX_ROUNDS = 16
UNIX_SECONDS = 0.25
UNIX_SPREAD_RUNS = 8
CORE_PROBE_SECONDS = 60
FOOTPRINT_ROUNDS = 12
FOOTPRINT_SECONDS = 0.5
UNIX_SPREAD_SAMPLES = 4
WHETSTONE_ROUNDS = 10
WHETSTONE_SECONDS = 2
COPIES = (1, 8, 64, 512)
LATENCY_ROUNDS = 8
LATENCY_SECONDS = 4
# The finest histogram that cyclictest has: steps of 1 ns up to here.
HISTOGRAM_NS = 1000000
# The timing thread and the parent are watched for so long, after the run has had time to settle.
WATCH_SECONDS = 10
SETTLE_SECONDS = 0.5
# Turns of the loop beside oslat's, and busy periods put in the sampler's way: in a run of so long, a moment after it began.
NOISE_ROUNDS = 8
NOISE_SECONDS = 2
PERIODS = 130
PERIODS_SECONDS = 2.5
PERIODS_AFTER_S = 0.6
# Gaps shorter than the shortest period are left out, so that the record has room for all.
PERIODS_THRESHOLD_NS = 5000
# Two clocks that are compared by a few long periods agree no better.
ALIGNED_NS = 20e3
WAKEUP_ROUNDS = 24
WAKEUP_SECONDS = 4
WAKEUP_US = 1000
MEMORY_SECONDS = 60
STEADY_TURNS = 10
PAIR_SAMPLES = 200
FLEET_FILES = 10000
HISTORY_RUNS, HISTORY_FIGURES = 10000, 100
FLEET_ROWS = 100
READER_BYTES = 100 * 10**6
READER_ROUNDS = 3
# Turns of `true` beside hyperfine, of so many runs each.
RUN_ROUNDS = 15
RUN_RUNS = 100


def line(what, figure, target=""):
    print("%-66s %14s   %s" % (what, figure, target and "target " + target), flush=True)


def rows_of(*command, prepare=None):
    """Runs jitbench and reads its CSV from standard output."""
    csv.field_size_limit(1 << 30)
    command = command[:2] + ("-q", "-o", "-") + command[2:]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True,
                          preexec_fn=prepare)
    return list(csv.DictReader(done.stdout.splitlines()))


def only(rows, metric):
    return next(row for row in rows if row["metric"] == metric)


def words_of(row):
    """The words of the column param, by their names; the name of a level has spaces."""
    return dict(re.findall(r"(\S+?)=(.*?)(?= \S+=|$)", row["param"]))


def clock_cost(jitbench):
    costs = [only(rows_of(jitbench, "prime", "--quick", "--samples", "1"), "clock_cost") for _ in range(ROUNDS)]
    line("two readings of the clock, median of %d runs" % ROUNDS,
         "%.0f %s" % (statistics.median(float(row["value"]) for row in costs), costs[0]["unit"]), "60 cycles on x86-64")


def pss_bytes(pid):
    with open("/proc/%d/smaps_rollup" % pid) as file:
        return sum(int(words.split()[1]) << 10 for words in file if words.startswith("Pss:"))


def children_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return [int(child) for child in file.read().split()]


def descendants_bytes(pid):
    """Memory of all processes below this one, shared pages counted once (PSS)."""
    try:
        return sum(pss_bytes(child) + descendants_bytes(child) for child in children_of(pid))
    except OSError:
        return 0  # one has just ended


def peak_memory(jitbench, experiments):
    """Memory of the largest process as the kernel counts it (RSS), and of all together (PSS, sampled), in bytes."""
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
            param = words_of(rate)
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


def plain(*command):
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def memory_chase(jitbench, chase):
    """Levels of the curve beside a plain chase over a set in the middle of each, in turns on the same CPU."""
    ratios = {}
    for _ in range(ROUNDS):
        rows = rows_of(jitbench, "memory", "latency", "--quick", "--cpus", "1")
        for row in (row for row in rows if row["metric"] == "level"):
            words = words_of(row)
            size = float(words["up_to"]) / (1 if words["level"] == "memory" else 2)
            ours = next(row for row in rows if row["metric"] == "latency" and float(words_of(row)["set"]) >= size)
            theirs = plain(chase, "1", words_of(ours)["set"], "0.1")
            ratios.setdefault(words["level"], []).append(float(ours["value"]) / theirs)
    for level, values in ratios.items():
        line("memory latency, %s: a load over that of a plain chase" % level, "%.3f" % statistics.median(values),
             "0.97 to 1.03 (%d rounds, %.3f to %.3f)" % (len(values), min(values), max(values)))


def memory_cores(jitbench, chase):
    ratios, futex = [], []
    for _ in range(ROUNDS):
        ours = float(only(rows_of(jitbench, "memory", "cores", "--cpus", "0,1"), "store")["value"])
        ratios.append(ours / plain(chase, "spin", "0", "1", "0.2"))
        futex.append(plain(chase, "futex", "0", "1", "0.2"))
    line("memory cores: one way over that of a plain spinning loop", "%.3f" % statistics.median(ratios),
         "0.97 to 1.03 (%.3f to %.3f)" % (min(ratios), max(ratios)))
    line("  one way with futexes, which sleep", "%.0f ns" % statistics.median(futex))
    took = {}
    for samples in (1, PAIR_SAMPLES + 1):
        start = time.monotonic()
        rows_of(jitbench, "memory", "cores", "--cpus", "0,1", "--samples", str(samples))
        took[samples] = time.monotonic() - start
    # Each pair is followed by a pause of a quarter of its time.
    pair_s = 1.25 * (took[PAIR_SAMPLES + 1] - took[1]) / PAIR_SAMPLES
    line("  a pair, with the pause after it", "%.1f ms" % (1e3 * pair_s))
    line("  so the 2,016 pairs of 64 CPUs", "%.0f s" % (2016 * pair_s), "60 s")


def memory_steady(jitbench, chase):
    """How often a hog on the other CPU is seen: the figure beside it is worse than the 95 % interval of the run at rest
    just before. Another run at rest shows how often neighbours on the host do the same. And the cache's latency beside a
    plain chase over the same set."""
    worse = {"memory_latency": 1, "memory_bandwidth": -1, "cache_latency": 1, "cache_reload": 1}
    hogs = {"rest": None, "rest again": None, "stress-ng --stream 1": ["stress-ng", "--quiet", "--stream", "1", "--taskset", "0"]}
    seen, changes, truth = {}, {}, []
    for _ in range(STEADY_TURNS):
        rest = {}
        for name, command in hogs.items():
            hog = subprocess.Popen(command) if command else None
            rows = rows_of(jitbench, "memory", "steady", "--cpus", "1")
            if hog:
                hog.terminate()
                hog.wait()
            for metric, sign in worse.items():
                row = only(rows, metric)
                before = rest.setdefault(metric, row)
                beyond = sign * float(row["median"]) > sign * float(before["ci95_hi" if sign > 0 else "ci95_lo"])
                seen.setdefault((metric, name), []).append(beyond)
                changes.setdefault((metric, name), []).append(float(row["median"]) / float(before["median"]))
        row = rest["cache_latency"]
        truth.append(float(row["median"]) / plain(chase, "1", words_of(row)["cache_set"], "0.1"))
    for metric in worse:
        for name, command in list(hogs.items())[1:]:
            line("%s: turns worse than at rest: %s" % (metric, name), "%d of %d" % (sum(seen[metric, name]), STEADY_TURNS),
                 "9 of 10" if command and metric.startswith("memory") else "")
            line("  over that at rest", "%.2f" % statistics.median(changes[metric, name]))
    line("cache_latency over that of a plain chase", "%.3f" % statistics.median(truth),
         "0.90 to 1.10 (%d turns, %.3f to %.3f)" % (STEADY_TURNS, min(truth), max(truth)))


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
    """The rows of the rate and of the rate with the core free, with one copy."""
    rows = rows_of(jitbench, "unix", test, "--copies", "1", "--samples", str(samples), "-t", "%dms" % (UNIX_SECONDS * 1e3))
    return only(rows, "rate"), only(rows, "rate_alone")


def unix(jitbench, loops):
    """Cost of the harness. Every other round begins with the loop, so that drift affects both equally."""
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


def whetstone(jitbench, original):
    """Beside a program of the same sections, built as the original is. Every other round begins with it."""
    cpu = str(max(os.sched_getaffinity(0)))

    def ours():
        rows = rows_of(jitbench, "unix", "whetstone", "--cpus", cpu, "--copies", "1", "--samples", "1", "-t",
                       "%ds" % WHETSTONE_SECONDS)
        return float(only(rows, "rate")["value"])

    def theirs():
        done = subprocess.run(["taskset", "-c", cpu, original, str(WHETSTONE_SECONDS)], stdout=subprocess.PIPE, text=True,
                              check=True)
        return float(re.search(r"^MWIPS (\S+)$", done.stdout, re.MULTILINE)[1])

    rates = []
    for turn in range(WHETSTONE_ROUNDS):
        before = theirs() if turn % 2 else 0
        rate = ours()
        rates.append((rate, before or theirs()))
    ratios = [a / b for a, b in rates]
    line("whetstone: rate over that of a program built as the original", "%.3f" % statistics.median(ratios),
         "0.95 to 1.05 (%d rounds, %.3f to %.3f)" % (WHETSTONE_ROUNDS, min(ratios), max(ratios)))
    line("  ours, and that program's", "%.0f, %.0f MWIPS" % tuple(map(statistics.median, zip(*rates))))


def footprint_rate(jitbench, test, *options):
    """The row of a rate. Both protocols have the same binding, or placement would affect the ratio."""
    bind = "one" if test == "execl" else "range"
    return only(rows_of(jitbench, "unix", test, "--copies", "1", "--samples", "1", "--bind", bind, "-t",
                        "%dms" % (FOOTPRINT_SECONDS * 1e3), *options), "rate")


def footprint(jitbench, musl, loops):
    """spawn and execl of both protocols, over the same loops in a small program that is linked dynamically as those of
    published scores are. The loop follows at once: a classic pass begins with a pause of 3 s."""
    rounds = int(os.environ.get("PERF_ROUNDS", FOOTPRINT_ROUNDS))
    builds = {"the system's C library": jitbench}
    if os.path.exists(musl):
        builds["musl"] = musl
    else:
        line("spawn and execl with musl over a dynamically linked loop", "no musl-gcc")
    forms = {"bare": (), "with the footprint": ("--classic",)}
    ratios = {(test, form, libc): [] for test in ("spawn", "execl") for form in forms for libc in builds}
    for _ in range(rounds):
        for (test, form, libc), values in ratios.items():
            row = footprint_rate(builds[libc], test, *forms[form])
            values.append(float(row["value"]) / loop_rate(loops, test, row["cpus"], FOOTPRINT_SECONDS))
    for (test, form, libc), values in ratios.items():
        low, middle, high = statistics.quantiles(values, n=4)
        line("%s %s, %s: rate over a dynamic loop" % (test, form, libc), "%.2f" % middle,
             "none (%d rounds, the middle half %.2f to %.2f)" % (rounds, low, high))


def rsd_pct(values):
    return 100 * statistics.stdev(values) / statistics.mean(values)


def halves_apart_pct(runs):
    """How far the mean of the runs with more of the core is above that of the others."""
    runs = sorted(runs)
    low, high = runs[:len(runs) // 2], runs[-(len(runs) // 2):]
    means = [statistics.mean(value for _, value in half) for half in (low, high)]
    return 100 * (means[1] / means[0] - 1)


def put_spread(test, loop, runs):
    rates, alone, shares, plain = zip(*runs)
    known = [value for value in alone if value]
    raw = rsd_pct(rates)
    line("%s from run to run: spread of the rate (RSD of %d runs)" % (test, len(runs)), "%.2f %%" % raw,
         "no more than the loop")
    line("  of a plain loop (%s) in turn with it" % loop, "%.2f %%" % rsd_pct(plain))
    if len(known) < 3:
        line("  with the core free", "known in %d runs" % len(known))
        return
    line("  of the rate with the core free (%d runs)" % len(known), "%.2f %%" % rsd_pct(known),
         "0.45 of that of the rate; it is %.2f" % (rsd_pct(known) / raw))
    if len(known) >= 6 and all(shares):
        line("  runs halved by core_share, rate and rate with the core free", "%.1f, %.1f %%" % (
            halves_apart_pct(list(zip(shares, rates))),
            halves_apart_pct([(share, value) for share, value in zip(shares, alone) if value])), "2 % for the latter")


def unix_spread(jitbench, loops):
    """From run to run, beside loops that run as long in turn with them."""
    tests = (("dhry2reg", "dhry2reg"), ("whetstone", "whetstone"), ("syscall", "syscall"), ("pipe", "pipe"))
    runs = {test: [] for test, _ in tests}
    for _ in range(int(os.environ.get("PERF_ROUNDS", UNIX_SPREAD_RUNS))):
        for test, loop in tests:
            rate, alone = unix_rates(jitbench, test, UNIX_SPREAD_SAMPLES)
            plain = loop_rate(loops, loop, rate["cpus"], UNIX_SPREAD_SAMPLES * UNIX_SECONDS)
            runs[test].append((float(rate["value"]), float(alone["value"] or 0), float(rate["core_share"] or 0), plain))
    for test, loop in tests:
        put_spread(test, loop, runs[test])


def beside(probed, test, what, seconds):
    """Time of slices of a test with probes or counters over that without, half its interval, and the share of the probes."""
    done = subprocess.run(["taskset", "-c", str(max(os.sched_getaffinity(0))), probed, test, str(seconds), what],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        line("%s beside %s" % (what, test), "none", done.stderr.strip() or "ended by signal %d" % -done.returncode)
        return None
    return tuple(map(float, done.stdout.split()))


def core_probe(probed):
    """Cost of the core probe: slices with it over slices without, and the share of the time that it takes itself."""
    for test in ("dhry2reg", "whetstone", "syscall", "pipe", "fcopy1024", "spawn"):
        found = beside(probed, test, "probes", CORE_PROBE_SECONDS)
        if found:
            line("%s: time of slices with core probes over those without" % test, "%.4f" % found[0],
                 "within 0.5 %% (+- %.2f %%)" % (100 * found[1]))
            line("  of it the probes themselves", "%.3f %%" % found[2], "0.1 %")


def counters(probed):
    """Cost of counting events: slices in which they are counted over slices without."""
    for test in ("dhry2reg", "whetstone", "syscall"):
        found = beside(probed, test, "counters", COUNTER_SECONDS)
        if found:
            line("%s: time of slices with events counted over those without" % test, "%.5f" % found[0],
                 "1.001 (+- %.3f %%)" % (100 * found[1]))


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


def audio_command(jitbench, cpu, seconds, *more):
    return (jitbench, "latency", "audio", "--fifo", "--load", "none", "--cpus", str(cpu), "-t", "%gs" % seconds) + more


def cyclictest_ns(cpu, param, held):
    """Its median, at the timing thread's priority and interval, or why there is none."""
    policy, _, priority = param["timer"].partition(":")
    if policy != "fifo":
        return None, "jitbench was refused SCHED_FIFO"
    if not shutil.which("cyclictest"):
        return None, "no cyclictest (Debian: rt-tests)"
    wakeups = round(LATENCY_SECONDS * 1e6 / int(param["interval_us"]))
    done = subprocess.run(["cyclictest", "-q", "-t1", "-a%d" % cpu, "-p" + priority, "-m", "-i" + param["interval_us"],
                           "-l%d" % wakeups, "-N", "-h%d" % HISTOGRAM_NS] + ([] if held else ["--laptop"]),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return None, "cyclictest: " + (done.stderr.strip() or "ended with %d" % done.returncode).splitlines()[-1]
    if ("/dev/cpu_dma_latency set to 0us" in done.stdout) != held:
        return None, "cyclictest could not hold /dev/cpu_dma_latency"
    counts = re.findall(r"^(\d+)[ \t]+(\d*[1-9]\d*)[ \t]*$", done.stdout, re.MULTILINE)
    values = [int(ns) for ns, count in counts for _ in range(int(count))]
    # Values beyond the histogram are above any median.
    return statistics.median(values + [float("inf")] * (wakeups - len(values))), ""


class Company:
    """Wakes up a CPU a hundred times a second. cyclictest's own main thread does so to some CPU, which keeps it, and in a
    virtual machine the host's, from going to sleep for as long as it would alone: beside both it is the same for both."""

    def __init__(self, cpu):
        self.cpu, self.ended = cpu, threading.Event()

    def wake(self):
        os.sched_setaffinity(0, {self.cpu})
        while not self.ended.wait(0.01):
            pass

    def __enter__(self):
        threading.Thread(target=self.wake, daemon=True).start()

    def __exit__(self, *_):
        self.ended.set()


def timer_turn(jitbench, cpu, loops, param, held, rival_first):
    """The medians in ns: the timing thread's latency, cyclictest's, the handoff; and why one of them is not to be had."""
    before = cyclictest_ns(cpu, param, held) if rival_first else None
    hold = ("--hold-latency",) if held else ()
    rows = rows_of(*audio_command(jitbench, cpu, LATENCY_SECONDS, "-l", loops, *hold))
    theirs, refused = before or cyclictest_ns(cpu, param, held)
    timer, handoff = only(rows, "timer_latency"), only(rows, "latency")
    if held and timer["timer_latency_held"] != "yes":
        refused = "jitbench could not hold /dev/cpu_dma_latency"
    return float(timer["median"]), theirs, float(handoff["median"]), refused


def timer_latency(jitbench, cpu, loops, param):
    """Every other round begins with cyclictest, so that drift affects both equally."""
    rounds = int(os.environ.get("PERF_ROUNDS", LATENCY_ROUNDS))
    turns = {(held, beside): [] for held in (True, False) for beside in (True, False)}
    for turn in range(rounds):
        for held, beside in turns:
            with Company(cpu) if beside else contextlib.nullcontext():
                turns[held, beside].append(timer_turn(jitbench, cpu, loops, param, held, turn % 2 == 1))
    for (held, beside), values in turns.items():
        what = "timer's median latency over cyclictest's, idle CPUs %s%s" % (
            "held awake" if held else "let sleep", ", both beside a 100 Hz waker" if beside else "")
        ours, theirs, handoff, refused = zip(*values)
        if any(refused):
            line(what, "none", "1.1 (%s)" % next(filter(None, refused)))
        else:
            ratios = [a / b for a, b in zip(ours, theirs)]
            line(what, "%.3f" % statistics.median(ratios), "1.1 (%d rounds, %.3f to %.3f)" % (rounds, min(ratios), max(ratios)))
            line("  cyclictest's", "%.1f us" % (statistics.median(theirs) / 1e3))
        line("  the timing thread's", "%.1f us" % (statistics.median(ours) / 1e3))
        line("  handoff from it to the task", "%.1f us" % (statistics.median(handoff) / 1e3))


def median_us(counts):
    """The median of a histogram of whole microseconds, its wake-ups evenly spread over each."""
    half, below = sum(counts.values()) / 2, 0
    for us, count in sorted(counts.items()):
        if below + count >= half:
            return us + (half - below) / count
        below += count
    raise ValueError("no wake-ups")


def wakeup_counts(jitbench):
    counts = collections.Counter()
    for row in rows_of(jitbench, "wakeup", "-D", str(WAKEUP_SECONDS), "-i", str(WAKEUP_US)):
        if row["metric"] == "latency":
            if (row["rt_priority"], row["timer_latency_held"]) != ("80", "yes"):
                raise OSError("jitbench wakeup: %s" % row["reason"])
            for low, count in (pair.split(":") for pair in row["hist"].split(";")):
                counts[int(low) // 1000] += int(count)
    return counts


def cyclictest_counts():
    done = subprocess.run(["cyclictest", "-q", "-m", "-S", "-d0", "-p80", "-i%d" % WAKEUP_US, "-D%d" % WAKEUP_SECONDS, "-h1000"],
                          stdout=subprocess.PIPE, text=True, check=True)
    if "/dev/cpu_dma_latency set to 0us" not in done.stdout:
        raise OSError("cyclictest could not hold /dev/cpu_dma_latency")
    counts = collections.Counter()
    for us, *of_cpus in re.findall(r"^(\d+)[ \t]+([\d\t ]+)$", done.stdout, re.MULTILINE):
        counts[int(us)] += sum(map(int, " ".join(of_cpus).split()))
    return counts


def wakeup(jitbench):
    """All CPUs, the same priority, interval and idle states; every other round begins with cyclictest."""
    what = "wakeup's median latency over cyclictest's, all CPUs"
    if not shutil.which("cyclictest"):
        line(what, "none", "0.95 to 1.05 (no cyclictest, Debian: rt-tests)")
        return
    rounds, ours, theirs = int(os.environ.get("PERF_ROUNDS", WAKEUP_ROUNDS)), [], []
    try:
        for turn in range(rounds):
            sides = [(theirs, cyclictest_counts), (ours, lambda: wakeup_counts(jitbench))]
            for medians, measure in sides if turn % 2 else sides[::-1]:
                medians.append(median_us(measure()))
    except OSError as error:
        line(what, "none", "0.95 to 1.05 (%s)" % error)
        return
    ratios = [a / b for a, b in zip(ours, theirs)]
    line(what, "%.3f" % statistics.median(ratios), "0.95 to 1.05 (%d rounds, %.3f to %.3f)" % (rounds, min(ratios), max(ratios)))
    line("  wakeup's", "%.1f us" % statistics.median(ours))
    line("  cyclictest's", "%.1f us" % statistics.median(theirs))


def cpu_ns(pid, thread):
    with open("/proc/%d/task/%d/schedstat" % (pid, thread)) as file:
        return int(file.read().split()[0])


def timing_thread(parent):
    """Its process and its number: the one thread that the simulated task has beside its own."""
    for process in children_of(parent):
        for thread in map(int, os.listdir("/proc/%d/task" % process)):
            if thread != process:
                return process, thread
    raise ProcessLookupError("no timing thread")


def watch(parent):
    """The shares of a CPU that the parent and the timing thread use, and once the parent has ended all its CPU time in s."""
    time.sleep(SETTLE_SECONDS)
    threads = ((parent, parent), timing_thread(parent))
    before, begin = [cpu_ns(*thread) for thread in threads], time.monotonic_ns()
    time.sleep(WATCH_SECONDS)
    after, end = [cpu_ns(*thread) for thread in threads], time.monotonic_ns()
    os.waitid(os.P_PID, parent, os.WEXITED | os.WNOWAIT)
    return [(b - a) / (end - begin) for a, b in zip(before, after)] + [cpu_ns(parent, parent) / 1e9]


def control_cpu(jitbench, cpu, loops):
    command = audio_command(jitbench, cpu, WATCH_SECONDS + 3 * SETTLE_SECONDS, "-l", loops, "--no-csv", "-q")
    what = "CPU use of parent and timing thread during audio under no load"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            parent, timer, whole_s = watch(process.pid)
        except OSError as error:
            line(what, "none", "0.5 %% of a CPU (%s)" % error)
            return
    line(what, "%.3f %%" % (100 * (parent + timer)), "0.5 %% of a CPU (%g s)" % WATCH_SECONDS)
    line("  the parent, and the timing thread", "%.3f, %.3f %%" % (100 * parent, 100 * timer))
    line("  all CPU time of the parent, its start and end included", "%.1f ms" % (1e3 * whole_s))


def latency(jitbench):
    """The timing thread beside cyclictest, and what watching an idle task costs."""
    cpu = max(os.sched_getaffinity(0))
    rows = rows_of(*audio_command(jitbench, cpu, 0.1))
    loops = "%.0f" % float(only(rows, "loops_per_ms")["value"])
    timer_latency(jitbench, cpu, loops, words_of(only(rows, "timer_latency")))
    control_cpu(jitbench, cpu, loops)


def oslat_cycles(cpu):
    """Cycles of a turn of its loop, and the counter's MHz; None with the reason why there is none."""
    if not shutil.which("oslat"):
        return None, "no oslat (Debian: rt-tests)"
    done = subprocess.run(["oslat", "-c", str(cpu), "-D", str(NOISE_SECONDS)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    counts = [(int(us), int(n)) for us, n in re.findall(r"^ *(\d+) \(us\):\t ?(\d+)", done.stdout, re.MULTILINE)]
    mhz, seconds = (re.search(what, done.stdout) for what in (r"Counter Freq:\s*(\d+)", r"Duration:\s*([\d.]+)"))
    if done.returncode or not (counts and mhz and seconds):
        return None, "oslat: " + (done.stdout.strip() or "ended with %d" % done.returncode).splitlines()[-1]
    # A gap longer than a microsecond was more than a turn of the loop.
    turns, lost_us = counts[0][1], sum(us * n for us, n in counts[1:])
    return ((float(seconds[1]) * 1e6 - lost_us) * float(mhz[1]) / turns, float(mhz[1])), ""


def noise_loop(jitbench, cpu, rounds):
    ours, theirs = [], []
    for _ in range(rounds):
        oslat, refused = oslat_cycles(cpu)
        loop = only(rows_of(jitbench, "noise", "--cpus", str(cpu), "-t", "%ds" % NOISE_SECONDS), "loop")
        if refused:
            line("turn of the loop, over oslat's", "none", "1 (%s)" % refused)
            line("  ours", "%.1f ns" % float(loop["value"]), "40 cycles")
            return
        theirs.append(oslat[0])
        ours.append(float(loop["value"]) * oslat[1] / 1e3)
    ratios = [a / b for a, b in zip(ours, theirs)]
    line("turn of the loop, over oslat's", "%.3f" % statistics.median(ratios),
         "1 (%d rounds, %.3f to %.3f)" % (rounds, min(ratios), max(ratios)))
    line("  ours, and oslat's", "%.0f, %.0f cycles" % (statistics.median(ours), statistics.median(theirs)), "40 cycles")


def points_of(row):
    """Start and length in ns of the detours in a row's series, and how many were left out."""
    pairs = [point for point in row["series"].split(";") if point]
    left_out = int(pairs.pop()) if pairs and pairs[-1][0] == "+" else 0
    return [(float(at) * 1e3, float(ns)) for at, ns in (pair.split(":") for pair in pairs)], left_out


def found_in(periods, detours, shift):
    """For each period, shifted into the sampler's time, the length of the detour that covers it, or None."""
    starts, covering = [at for at, _ in detours], []
    for start, length in periods:
        begin = start + shift
        at, ns = detours[max(bisect.bisect(starts, begin + ALIGNED_NS) - 1, 0)]
        covered = at <= begin + ALIGNED_NS and at + ns >= begin + length - ALIGNED_NS and ns >= length - 1000
        covering.append(ns if covered else None)
    return covering


def best_found(periods, detours):
    """The clocks begin at different times: the shift is that by which most of the periods are found."""
    long = [(start, length) for start, length in periods if length >= 1e6]
    shifts = [at + ns / 2 - start - length / 2 for start, length in long for at, ns in detours if length <= ns < 1.05 * length]
    return max((found_in(periods, detours, shift) for shift in shifts), key=lambda found: sum(map(bool, found)), default=None)


def disturbed(sampler, injector, cpu):
    """Output of the sampler while the injector took its CPU; the periods (start, length, CPU time in ns); and why there
    are none."""
    with subprocess.Popen(sampler, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        time.sleep(PERIODS_AFTER_S)
        done = subprocess.run([injector, str(cpu), str(PERIODS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = process.stdout.read().splitlines()
    return lines, [tuple(map(float, words.split())) for words in done.stdout.splitlines()], done.stderr.strip()


def matched(periods, detours):
    """For each period its CPU time and the length of the detour found for it. CPU time has the ways into sleep and out of it,
    which the sampler lost as well."""
    found = best_found([period[:2] for period in periods], detours) or [None] * len(periods)
    return [(cpu_ns, ns) for (_, _, cpu_ns), ns in zip(periods, found)]


def by_jitbench(jitbench, injector, cpu):
    """The periods of a run as matched() gives them; all time preempted over the sum of theirs; how many detours had no room
    in the record; and why there are none. Not real-time: that would be throttled, and preempted by this itself."""
    lines, periods, refused = disturbed([jitbench, "noise", "--cpus", str(cpu), "-t", "%gs" % PERIODS_SECONDS, "--threshold",
                                         "%dns" % PERIODS_THRESHOLD_NS, "-q", "-o", "-"], injector, cpu)
    if refused:
        return [], 0, 0, refused
    rows = list(csv.DictReader(lines))
    detours, left_out = points_of(only(rows, "detour"))
    causes = dict(pair.split(":") for pair in only(rows, "lost")["causes"].split(";") if ":" in pair)
    return (matched(periods, detours), float(causes["preempted"]) * 1e6 / sum(period[2] for period in periods), left_out, "")


def by_plain_loop(injector, cpu):
    """The same of a loop that only reads the clock: both include what the machine itself adds to the periods."""
    lines, periods, refused = disturbed([injector, str(cpu), str(PERIODS_SECONDS), str(PERIODS_THRESHOLD_NS)], injector, cpu)
    return [] if refused else matched(periods, [tuple(map(float, words.split())) for words in lines])


def noise_injected(jitbench, injector, cpu, rounds):
    ours, plain, shares, without_room = [], [], [], 0
    for _ in range(rounds):
        found, share, left_out, refused = by_jitbench(jitbench, injector, cpu)
        if refused:
            line("busy periods of another process that were found", "none", "99.9 %% (%s)" % refused)
            return
        ours += found
        shares.append(share)
        without_room += left_out
        plain += by_plain_loop(injector, cpu)

    def show(what, target, share):
        line(what, "%.2f %%" % share(ours), "%s (%.2f %% by a loop that only reads the clock)" % (target, share(plain)))

    def within(periods, chosen, near):
        return 100 * statistics.mean(near(took, ns) for took, ns in periods if ns and chosen(took))

    line("busy periods of another process that were injected", "%d" % len(ours),
         "5 us to 5 ms; %d detours had no room in the record" % without_room)
    show("  found", "99.9 %", lambda periods: 100 * statistics.mean(bool(ns) for _, ns in periods))
    show("  length within 30 us of its CPU time, of those below 1 ms", "100 %",
         lambda periods: within(periods, lambda took: took < 1e6, lambda took, ns: abs(ns - took) <= 30e3))
    show("  length within 5 %, of those from 1 ms on", "100 %",
         lambda periods: within(periods, lambda took: took >= 1e6, lambda took, ns: abs(ns / took - 1) <= 0.05))
    longer = [statistics.median(ns - took for took, ns in found if ns) / 1e3 for found in (ours, plain)]
    line("  longer than its CPU time by, median; by that loop", "%.1f, %.1f us" % tuple(longer))
    line("  time preempted, over the CPU time of all", "%.3f" % statistics.median(shares),
         "1 (%d rounds, %.3f to %.3f)" % (rounds, min(shares), max(shares)))


def noise_memory(jitbench):
    """All processes together, shared pages once, at each second of a run on two CPUs."""
    seconds = int(os.environ.get("PERF_SECONDS", MEMORY_SECONDS))
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))[:2]))
    held = []
    with subprocess.Popen([jitbench, "noise", "--cpus", cpus, "-t", "%ds" % seconds, "--no-csv", "-q"],
                          stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            try:
                held.append(pss_bytes(process.pid) + descendants_bytes(process.pid))
            except OSError:
                pass  # it has just ended
            time.sleep(0.5)
    line("memory of all processes of noise on CPUs %s for %d s, at most" % (cpus, seconds), "%.2f MiB" % (max(held) / 2**20),
         "8 MiB")
    line("  in the middle", "%.2f MiB" % (held[len(held) // 2] / 2**20))


def noise(jitbench, injector):
    cpu = max(os.sched_getaffinity(0))
    rounds = int(os.environ.get("PERF_ROUNDS", NOISE_ROUNDS))
    noise_loop(jitbench, cpu, rounds)
    noise_injected(jitbench, injector, cpu, rounds)
    noise_memory(jitbench)


def large_file(path, rows):
    """The rows of a run as CSV, repeated until the file has READER_BYTES."""
    header, _, body = rows.partition(b"\r\n")
    with open(path, "wb") as file:
        file.write(header + b"\r\n")
        while file.tell() < READER_BYTES:
            file.write(body)


def best_rates(path, command):
    """The best of READER_ROUNDS runs in MB/s, by time and by CPU time; `read` prints its seconds itself."""
    taken, cpu = [], []
    for _ in range(READER_ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        whole = time.perf_counter() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(float(done.stdout.split()[0]) if command[0].endswith("/read") else whole)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    megabytes = os.path.getsize(path) / 1e6
    return megabytes / min(taken), megabytes / max(min(cpu), 1e-3)


PYTHON_READ = """
import csv, sys
csv.field_size_limit(1 << 30)
for row in csv.reader(open(sys.argv[1], newline="", encoding="utf-8")): pass
"""


def reader(jitbench, read):
    def csv_of(*command):
        return subprocess.run([jitbench, *command, "-q", "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=True).stdout

    files = (("short rows", csv_of("unix", "--quick", "pipe", "syscall")),
             ("long rows", csv_of("prime", "--quick", "--samples", "3")))
    line("reading files that are in memory", "by time, CPU time")
    for kind, rows in files:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            path = os.path.join(folder, "large.csv")
            large_file(path, rows)
            for what, command, target in (
                    ("by records", [read, "fields", path], "200 MB/s"),
                    ("by rows", [read, "rows", path], "200 MB/s"),
                    ("by rows with samples, histograms and series", [read, "all", path], ""),
                    ("wc -l", ["wc", "-l", path], ""),
                    ("python's csv", [sys.executable, "-c", PYTHON_READ, path], ""),
                    ("jitbench export --format json", [jitbench, "export", "-f", "json", path, "-o", "/dev/null"], "")):
                rate, by_cpu = best_rates(path, command)
                line("100 MB of %s: %s" % (kind, what), "%.0f, %.0f MB/s" % (rate, by_cpu), target)
def quartile_range(values):
    low, _, high = statistics.quantiles(values, n=4)
    return high - low


def run_by_jitbench(jitbench):
    rows = rows_of(jitbench, "run", "--samples", str(RUN_RUNS), "--", "true")
    return [float(value) for value in only(rows, "wall")["samples"].split(";")]


def run_by_hyperfine():
    with tempfile.NamedTemporaryFile("r") as report:
        subprocess.run(["hyperfine", "-N", "--warmup", "3", "--runs", str(RUN_RUNS), "--export-json", report.name, "true"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return json.load(report)["results"][0]["times"]


def run(jitbench):
    if not shutil.which("hyperfine"):
        line("run -- true beside hyperfine", "no hyperfine")
        return
    rounds = int(os.environ.get("PERF_ROUNDS", RUN_ROUNDS))
    turns = []
    for turn in range(rounds):
        if turn % 2:  # each of them first in turn
            theirs = run_by_hyperfine()
            turns.append((run_by_jitbench(jitbench), theirs))
        else:
            turns.append((run_by_jitbench(jitbench), run_by_hyperfine()))
    line("run -- true beside hyperfine -N, %d turns of %d runs" % (rounds, RUN_RUNS), "")
    for what, of, target in (("median", statistics.median, "at most 1: it adds no more"),
                             ("minimum", min, "at most 1"),
                             ("spread: range of the middle half", quartile_range, "at most 1: no wider"),
                             ("spread: standard deviation", statistics.stdev, "at most 1: no wider")):
        ours, theirs = (statistics.median(of(turn[i]) for turn in turns) * 1e6 for i in (0, 1))
        ratio = statistics.median(of(a) / of(b) for a, b in turns)
        line("  %s: %.0f us, hyperfine %.0f us, ratio" % (what, ours, theirs), "%.3f" % ratio, target)


def make_fleet(jitbench, folder):
    """As many result files, of hosts of their own, each with as many rows, made from those of one run of prime."""
    rows = rows_of(jitbench, "prime", "--quick", "--samples", "3", "--experiments", "10000")
    cycles = only(rows, "cycles")
    columns = list(cycles)
    # Few rows have long fields: a file of `all --quick` has 2 KB for each row.
    for row in rows:
        row.update(hist="", series="")
    for host in range(FLEET_FILES):
        with open("%s/%05d.csv" % (folder, host), "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            for number in range(FLEET_ROWS):
                # A third of the rows of `all` are figures that machines are judged by.
                row = dict(cycles if number % 3 == 0 else rows[number % len(rows)], run_id="%032x" % host,
                           host="n%d" % host, test="test%d" % number)
                if number % 3 == 0:
                    row["value"] = repr(1000 * (1 + (hash((host, number)) % 1000 - 500) / 1e5))
                writer.writerow([row[column] for column in columns])


def timed(command):
    """Its seconds, its peak memory in bytes, and its seconds on a CPU."""
    with tempfile.NamedTemporaryFile("r") as report:
        begin = time.perf_counter()
        subprocess.run(["time", "-f", "%M %U %S", "-o", report.name] + command, stdout=subprocess.DEVNULL, check=True)
        elapsed = time.perf_counter() - begin
        peak, user, system = report.read().split()
        return elapsed, int(peak) << 10, float(user) + float(system)


def fleet(jitbench):
    if not shutil.which("time"):
        line("fleet", "no GNU time")
        return
    with tempfile.TemporaryDirectory() as folder:
        make_fleet(jitbench, folder)
        bytes_of_all = sum(entry.stat().st_size for entry in os.scandir(folder))
        turns = [timed([jitbench, "fleet", folder]) for _ in range(3)]
    what = "fleet of %d files of %d rows" % (FLEET_FILES, FLEET_ROWS)
    line("%s (%.0f MB), median of 3" % (what, bytes_of_all / 1e6), "%.2f s" % statistics.median(turn[0] for turn in turns), "10 s")
    line("  of it time on a CPU", "%.2f s" % statistics.median(turn[2] for turn in turns))
    line("  peak resident memory", "%.0f MiB" % (max(turn[1] for turn in turns) / 2**20), "200 MiB")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "noise.csv")
        subprocess.run([jitbench, "noise", "-q", "-t", "2", "-o", file], stdout=subprocess.DEVNULL, check=True)
        turns = [timed([jitbench, "project", "--ranks", "10:1000000", file]) for _ in range(3)]
    line("project to a million ranks, three steps, median of 3", "%.2f s" % statistics.median(turn[0] for turn in turns), "1 s")
    line("  of it time on a CPU", "%.2f s" % statistics.median(turn[2] for turn in turns))


def history(jitbench):
    """10,000 runs of one machine with 100 figures, of which ten change once."""
    if not shutil.which("time"):
        line("history", "no GNU time")
        return
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for run in range(HISTORY_RUNS):
            with open("%s/%05d.csv" % (folder, run), "w") as file:
                file.write("schema,run_id,utc,host,cpu_model,settings,suite,test,copies,metric,unit,better,value,status\n")
                for figure in range(HISTORY_FIGURES):
                    value = rng.gauss(1000 + 20 * (figure % 10 == 0 and run >= HISTORY_RUNS * 3 // 5), 10)
                    file.write("2,r%d,%d-%02d-%02dT03:00:00Z,a,m,smt=on,unix,t%d,1,rate,lps,higher,%r,ok\n"
                               % (run, 2000 + run // 336, run // 28 % 12 + 1, run % 28 + 1, figure, value))
        turns = [timed([jitbench, "history", folder]) for _ in range(3)]
    line("history of %d runs of %d figures, median of 3" % (HISTORY_RUNS, HISTORY_FIGURES), "%.2f s" % statistics.median(turn[0] for turn in turns), "10 s")
    line("  of it time on a CPU", "%.2f s" % statistics.median(turn[2] for turn in turns))
    line("  peak resident memory", "%.0f MiB" % (max(turn[1] for turn in turns) / 2**20))


SECTIONS = {
    "clock": lambda jitbench, musl, programs: clock_cost(jitbench),
    "start": lambda jitbench, musl, programs: start_time(jitbench),
    "size": lambda jitbench, musl, programs: sizes(jitbench, musl),
    "prime": lambda jitbench, musl, programs: spread(jitbench),
    "counters": lambda jitbench, musl, programs: counters(programs + "/probed"),
    "bandwidth": lambda jitbench, musl, programs: bandwidth(jitbench, programs + "/bandwidth"),
    "memory-chase": lambda jitbench, musl, programs: memory_chase(jitbench, programs + "/chase"),
    "memory-cores": lambda jitbench, musl, programs: memory_cores(jitbench, programs + "/chase"),
    "memory-steady": lambda jitbench, musl, programs: memory_steady(jitbench, programs + "/chase"),
    "memory": lambda jitbench, musl, programs: memory(jitbench),
    "unix": lambda jitbench, musl, programs: unix(jitbench, programs + "/loops"),
    "whetstone": lambda jitbench, musl, programs: whetstone(jitbench, programs + "/whetstone"),


    "unix-footprint": lambda jitbench, musl, programs: footprint(jitbench, musl, programs + "/loops-dynamic"),
    "unix-spread": lambda jitbench, musl, programs: unix_spread(jitbench, programs + "/loops-sized"),
    "core-probe": lambda jitbench, musl, programs: core_probe(programs + "/probed"),
    "unix-copies": lambda jitbench, musl, programs: unix_copies(jitbench),
    "latency": lambda jitbench, musl, programs: latency(jitbench),
    "wakeup": lambda jitbench, musl, programs: wakeup(jitbench),
    "noise": lambda jitbench, musl, programs: noise(jitbench, programs + "/preempt"),
    "fleet": lambda jitbench, musl, programs: fleet(jitbench),
    "history": lambda jitbench, musl, programs: history(jitbench),
    "reader": lambda jitbench, musl, programs: reader(jitbench, programs + "/read"),
    "run": lambda jitbench, musl, programs: run(jitbench),
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
