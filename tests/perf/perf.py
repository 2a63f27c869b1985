#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed, spread and memory of jitbench beside their targets: perf.py [SECTION...]. `make perf` calls it, and names in the
environment JITBENCH, MUSL_JITBENCH and PERF_PROGRAMS, the folder of what is built from tests/perf. PERF_ROUNDS=N has all
sections take N turns; PERF_SECONDS=N has noise look at memory for so long.

Nothing passes or fails here: figures of time depend on the machine and on what else runs. What is compared is measured
in turns in one run, and a ratio is the median of the ratios of the turns."""
import bisect
import collections
import csv
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

STARTS = 300
ROUNDS = 9
PROBED_SECONDS = 60
UNIX_ROUNDS = 16
UNIX_SECONDS = 0.25
FOOTPRINT_ROUNDS = 12
FOOTPRINT_SECONDS = 0.5
WHETSTONE_ROUNDS = 10
WHETSTONE_SECONDS = 2
# The timing thread and the parent are watched for so long, after the run has had time to settle.
WATCH_SECONDS = 10
SETTLE_SECONDS = 0.5
# Turns of the loop beside oslat's.
NOISE_ROUNDS = 8
NOISE_SECONDS = 2
# What is injected into noise; begin and end of a period may be that far from the detour's.
PERIODS_ROUNDS = 4
PERIODS_SECONDS = 4
PERIODS = 260
ALIGNED_NS = 20000
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


def median_line(what, values, target, form="%.3f"):
    line(what, form % statistics.median(values), target and ("%s (%d rounds, " + form + " to " + form + ")")
         % (target, len(values), min(values), max(values)))


def turns_of(usual):
    return range(int(os.environ.get("PERF_ROUNDS", usual)))


def in_turns(usual, ours, theirs):
    """The values of both, measured one after the other; every other round begins with theirs, so that drift affects both."""
    pairs = []
    for turn in turns_of(usual):
        first = theirs() if turn % 2 else None
        mine = ours()
        pairs.append((mine, first if turn % 2 else theirs()))
    return pairs


def output_of(*command, **how):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **how).stdout


def rows_of(*command):
    """Runs jitbench and reads its CSV from standard output."""
    csv.field_size_limit(1 << 30)
    text = output_of(*command[:2], "-q", "-o", "-", *command[2:], stderr=subprocess.DEVNULL)
    return list(csv.DictReader(text.splitlines()))


def only(rows, metric):
    return next(row for row in rows if row["metric"] == metric)


def words_of(row):
    """The words of the column param, by their names; the name of a level has spaces."""
    return dict(re.findall(r"(\S+?)=(.*?)(?= \S+=|$)", row["param"]))


def clock_cost(jitbench):
    costs = [only(rows_of(jitbench, "prime", "--quick", "--samples", "1"), "clock_cost") for _ in turns_of(ROUNDS)]
    line("two readings of the clock, median of %d runs" % len(costs),
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


def timed(command, look=None):
    """Its seconds, its peak memory in bytes, and its seconds on a CPU. look: called with a process above it meanwhile. By GNU
    time, which is small: a child of this interpreter would start out as large as it."""
    with tempfile.NamedTemporaryFile("r") as report:
        begin = time.perf_counter()
        with subprocess.Popen(["time", "-f", "%M %U %S", "-o", report.name] + command, stdout=subprocess.DEVNULL) as process:
            while look and process.poll() is None:
                look(process.pid)
                time.sleep(0.02)
        elapsed = time.perf_counter() - begin
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        peak, user, system = report.read().split()
        return elapsed, int(peak) << 10, float(user) + float(system)


def timed_lines(what, command, target, memory_target=None):
    turns = [timed(command) for _ in range(3)]
    line(what + ", median of 3", "%.2f s" % statistics.median(turn[0] for turn in turns), target)
    line("  of it time on a CPU", "%.2f s" % statistics.median(turn[2] for turn in turns))
    if memory_target is not None:
        line("  peak resident memory", "%.0f MiB" % (max(turn[1] for turn in turns) / 2**20), memory_target)


def memory(jitbench):
    """Memory of the largest process as the kernel counts it (RSS), and of all together (PSS, sampled)."""
    for experiments in ("1M", "100M"):
        command = [jitbench, "prime", "--experiments", experiments, "--samples", "1", "--no-csv", "-q"]
        together = []
        largest = timed(command, lambda pid, held=together: held.append(descendants_bytes(pid)))[1]
        line("peak resident memory of prime --experiments %s: largest process" % experiments, "%.2f MiB" % (largest / 2**20),
             "4 MiB, the same for both")
        line("  all its processes together, shared pages once", "%.2f MiB" % (max(together, default=0) / 2**20))


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
    for _ in turns_of(ROUNDS):
        ours = []
        rows = rows_of(jitbench, "stream", "bandwidth", "--samples", "1", "--repetitions", "20")
        for rate in (row for row in rows if row["metric"] == "copy_rate"):
            param = words_of(rate)
            took = next(row for row in rows if row["metric"] == "copy_time" and row["param"] == rate["param"])
            scale = float(rate["value"]) * float(took["min"])
            ours.append((float(rate["value"]), scale / float(took["median"]), param["kernel"] + " " + param["stores"]))
        report = output_of(rival, cpu_list(rate["cpus"]), param["array_bytes"], "20")
        theirs = [(float(words[1]), float(words[2]), words[0]) for words in map(str.split, report.splitlines())]
        best.append(max(ours)[0] / max(theirs)[0])
        median.append(max(one[1] for one in ours) / max(one[1] for one in theirs))
        kernels.append(ours)
        others.append(theirs)
    for runs in (kernels, others):
        for i, (_, _, name) in enumerate(runs[0]):
            line("  copy by " + name, "%.1f GB/s" % (statistics.median(run[i][0] for run in runs) / 1e3))
    median_line("copy: our best over the best of memcpy, rep movsb, loop -O3 native", best, "1")
    median_line("  the same by the median of each run's repetitions", median, "1")


def plain(*command):
    return float(output_of(*command))


def memory_chase(jitbench, chase):
    """Levels of the curve beside a plain chase over a set in the middle of each, in turns on the same CPU."""
    ratios = {}
    for _ in turns_of(ROUNDS):
        rows = rows_of(jitbench, "memory", "latency", "--quick", "--cpus", "1")
        for row in (row for row in rows if row["metric"] == "level"):
            words = words_of(row)
            size = float(words["up_to"]) / (1 if words["level"] == "memory" else 2)
            ours = next(row for row in rows if row["metric"] == "latency" and float(words_of(row)["set"]) >= size)
            theirs = plain(chase, "1", words_of(ours)["set"], "0.1")
            ratios.setdefault(words["level"], []).append(float(ours["value"]) / theirs)
    for level, values in ratios.items():
        median_line("memory latency, %s: a load over that of a plain chase" % level, values, "0.97 to 1.03")


def memory_cores(jitbench, chase):
    pairs = in_turns(ROUNDS, lambda: float(only(rows_of(jitbench, "memory", "cores", "--cpus", "0,1"), "store")["value"]),
                     lambda: plain(chase, "0", "1", "0.2", "spin"))
    median_line("memory cores: one way over that of a plain spinning loop", [a / b for a, b in pairs], "0.97 to 1.03")
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
    for _ in turns_of(STEADY_TURNS):
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
            line("%s: turns worse than at rest: %s" % (metric, name), "%d of %d" % (sum(seen[metric, name]), len(truth)),
                 "9 of 10" if command and metric.startswith("memory") else "")
            line("  over that at rest", "%.2f" % statistics.median(changes[metric, name]))
    median_line("cache_latency over that of a plain chase", truth, "0.90 to 1.10")


def cpu_list(text):
    """0-2,5 as 0,1,2,5."""
    ranges = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return ",".join(str(cpu) for ends in ranges for cpu in range(ends[0], ends[-1] + 1))


def loop_rate(loops, name, cpus, seconds):
    """Counts a second of a plain loop, on the CPUs that jitbench was on."""
    return plain("taskset", "-c", cpus, loops, name, str(seconds))


def unix_rate(jitbench, test, seconds, *options):
    """The row of the rate, with one copy."""
    return only(rows_of(jitbench, "unix", test, "--copies", "1", "--samples", "1", "-t", "%dms" % (seconds * 1e3), *options), "rate")


def middle_line(what, values, target, form="%.3f"):
    low, middle, high = statistics.quantiles(values, n=4)
    line(what, form % middle, ("%s (%d rounds, the middle half " + form + " to " + form + ")") % (target, len(values), low, high))


def unix(jitbench, loops):
    """Cost of the harness."""
    tests = {"syscall": "syscall", "pipe": "pipe", "context1-same": "context1", "context1": "context1", "spawn": "spawn",
             "execl": "execl"}
    for test, loop in tests.items():
        cpus = unix_rate(jitbench, test, UNIX_SECONDS)["cpus"]
        for program in (loops, loops + "-sized") if test in ("spawn", "execl") else (loops,):
            pairs = in_turns(UNIX_ROUNDS, lambda: float(unix_rate(jitbench, test, UNIX_SECONDS)["value"]),  # pylint: disable=cell-var-from-loop
                             lambda: loop_rate(program, loop, cpus, UNIX_SECONDS))  # pylint: disable=cell-var-from-loop
            middle_line("%s: rate over that of a plain loop%s" % (test, "" if program == loops else " in a program as large"),
                        [a / b for a, b in pairs], "0.99")


def whetstone(jitbench, original):
    """Beside a program of the same sections, built as the original is."""
    cpu = str(max(os.sched_getaffinity(0)))
    rates = in_turns(WHETSTONE_ROUNDS, lambda: float(unix_rate(jitbench, "whetstone", WHETSTONE_SECONDS, "--cpus", cpu)["value"]),
                     lambda: plain("taskset", "-c", cpu, original, str(WHETSTONE_SECONDS)))
    median_line("whetstone: rate over that of a program built as the original", [a / b for a, b in rates], "0.95 to 1.05")
    line("  ours, and that program's", "%.0f, %.0f MWIPS" % tuple(map(statistics.median, zip(*rates))))


def footprint(jitbench, musl, loops):
    """spawn and execl of both protocols, over the same loops in a small program that is linked dynamically as those of
    published scores are. The loop follows at once: a classic pass begins with a pause of 3 s."""
    builds = {"the system's C library": jitbench}
    if os.path.exists(musl):
        builds["musl"] = musl
    else:
        line("spawn and execl with musl over a dynamically linked loop", "no musl-gcc")
    forms = {"bare": (), "with the footprint": ("--classic",)}
    ratios = {(test, form, libc): [] for test in ("spawn", "execl") for form in forms for libc in builds}
    for _ in turns_of(FOOTPRINT_ROUNDS):
        for (test, form, libc), values in ratios.items():
            # Both protocols have the same binding, or placement would affect the ratio.
            row = unix_rate(builds[libc], test, FOOTPRINT_SECONDS, "--bind", "one" if test == "execl" else "range", *forms[form])
            values.append(float(row["value"]) / loop_rate(loops, test, row["cpus"], FOOTPRINT_SECONDS))
    for (test, form, libc), values in ratios.items():
        middle_line("%s %s, %s: rate over a dynamic loop" % (test, form, libc), values, "none", "%.2f")


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
        found = beside(probed, test, "probes", PROBED_SECONDS)
        if found:
            line("%s: time of slices with core probes over those without" % test, "%.4f" % found[0],
                 "within 0.5 %% (+- %.2f %%)" % (100 * found[1]))
            line("  of it the probes themselves", "%.3f %%" % found[2], "0.1 %")


def counters(probed):
    """Cost of counting events: slices in which they are counted over slices without."""
    for test in ("dhry2reg", "whetstone", "syscall"):
        found = beside(probed, test, "counters", PROBED_SECONDS)
        if found:
            line("%s: time of slices with events counted over those without" % test, "%.5f" % found[0],
                 "1.001 (+- %.3f %%)" % (100 * found[1]))


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
    text = output_of("cyclictest", "-q", "-m", "-S", "-d0", "-p80", "-i%d" % WAKEUP_US, "-D%d" % WAKEUP_SECONDS, "-h1000")
    if "/dev/cpu_dma_latency set to 0us" not in text:
        raise OSError("cyclictest could not hold /dev/cpu_dma_latency")
    counts = collections.Counter()
    for us, *of_cpus in re.findall(r"^(\d+)[ \t]+([\d\t ]+)$", text, re.MULTILINE):
        counts[int(us)] += sum(map(int, " ".join(of_cpus).split()))
    return counts


def wakeup(jitbench):
    """All CPUs, the same priority, interval and idle states."""
    what = "wakeup's median latency over cyclictest's, all CPUs"
    try:
        pairs = in_turns(WAKEUP_ROUNDS, lambda: median_us(wakeup_counts(jitbench)), lambda: median_us(cyclictest_counts()))
    except OSError as error:
        line(what, "none", "0.95 to 1.05 (%s; cyclictest is in Debian's rt-tests)" % error)
        return
    median_line(what, [a / b for a, b in pairs], "0.95 to 1.05")
    line("  wakeup's, and cyclictest's", "%.1f, %.1f us" % tuple(map(statistics.median, zip(*pairs))))


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


def latency(jitbench):
    """What watching an idle task costs."""
    what = "CPU use of parent and timing thread during audio under no load"
    command = [jitbench, "latency", "audio", "--fifo", "--load", "none", "--cpus", str(max(os.sched_getaffinity(0))), "-t",
               "%gs" % (WATCH_SECONDS + 3 * SETTLE_SECONDS), "-l", "100000", "--no-csv", "-q"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            parent, timer, whole_s = watch(process.pid)
        except OSError as error:
            line(what, "none", "0.5 %% of a CPU (%s)" % error)
            return
    line(what, "%.3f %%" % (100 * (parent + timer)), "0.5 %% of a CPU (%g s)" % WATCH_SECONDS)
    line("  the parent, and the timing thread", "%.3f, %.3f %%" % (100 * parent, 100 * timer))
    line("  all CPU time of the parent, its start and end included", "%.1f ms" % (1e3 * whole_s))


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


def noise_loop(jitbench, cpu):
    def ours():
        return float(only(rows_of(jitbench, "noise", "--cpus", str(cpu), "-t", "%ds" % NOISE_SECONDS), "loop")["value"])

    pairs = in_turns(NOISE_ROUNDS, ours, lambda: oslat_cycles(cpu))
    refused = next((why for _, (_, why) in pairs if why), "")
    if refused:
        line("turn of the loop, over oslat's", "none", "1 (%s)" % refused)
        line("  ours", "%.1f ns" % statistics.median(loop for loop, _ in pairs), "40 cycles")
        return
    cycles = [(loop * mhz / 1e3, theirs) for loop, ((theirs, mhz), _) in pairs]
    median_line("turn of the loop, over oslat's", [a / b for a, b in cycles], "1")
    line("  ours, and oslat's", "%.0f, %.0f cycles" % tuple(map(statistics.median, zip(*cycles))), "40 cycles")


def noise_memory(jitbench):
    """All processes together, shared pages once, at each second of a run on two CPUs."""
    seconds = int(os.environ.get("PERF_SECONDS", MEMORY_SECONDS))
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))[:2]))
    held = []
    timed([jitbench, "noise", "--cpus", cpus, "-t", "%ds" % seconds, "--no-csv", "-q"], lambda pid: held.append(descendants_bytes(pid)))
    line("memory of all processes of noise on CPUs %s for %d s, at most" % (cpus, seconds), "%.2f MiB" % (max(held) / 2**20),
         "8 MiB")
    line("  in the middle", "%.2f MiB" % (held[len(held) // 2] / 2**20))


def noise(jitbench):
    noise_loop(jitbench, max(os.sched_getaffinity(0)))
    noise_memory(jitbench)


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
    return max((found_in(periods, detours, shift) for shift in shifts), key=lambda found: sum(map(bool, found)), default=[None] * len(periods))


def noise_injected(jitbench, injector):
    """Busy periods of 5 us to 5 ms of another process: which are found, as long as they were. Not real-time: that would be
    throttled, and preempted by this itself."""
    cpu, ours, shares = str(max(os.sched_getaffinity(0))), [], []
    for _ in turns_of(PERIODS_ROUNDS):
        sampler = [jitbench, "noise", "--cpus", cpu, "-t", "%gs" % PERIODS_SECONDS, "--threshold", "2us", "-q", "-o", "-"]
        with subprocess.Popen(sampler, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            time.sleep(0.5)
            done = subprocess.run([injector, cpu, str(PERIODS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            rows = list(csv.DictReader(process.stdout.read().splitlines()))
        if done.stderr:
            line("busy periods of another process that were found", "none", "99.9 %% (%s)" % done.stderr.strip())
            return
        periods = [tuple(map(float, words.split())) for words in done.stdout.splitlines()]
        points = [point.split(":") for point in only(rows, "detour")["series"].split(";") if ":" in point]
        found = best_found([period[:2] for period in periods], [(float(at) * 1e3, float(ns)) for at, ns in points])
        ours += [(cpu_ns, ns) for (_, _, cpu_ns), ns in zip(periods, found)]
        causes = dict(pair.split(":") for pair in only(rows, "lost")["causes"].split(";") if ":" in pair)
        shares.append(float(causes["preempted"]) * 1e6 / sum(cpu_ns for _, _, cpu_ns in periods))
    line("busy periods of another process that were injected, 5 us to 5 ms", "%d" % len(ours))
    line("  found", "%.2f %%" % (100 * statistics.mean(bool(ns) for _, ns in ours)), "99.9 %")
    line("  length within 30 us, or 5 %, of its CPU time",
         "%.2f %%" % (100 * statistics.mean(abs(ns - took) <= max(30e3, 0.05 * took) for took, ns in ours if ns)), "100 %")
    median_line("  time preempted, over the CPU time of all", shares, "1")


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
    files = (("short rows", ("unix", "--quick", "pipe", "syscall")), ("long rows", ("prime", "--quick", "--samples", "3")))
    line("reading files that are in memory", "by time, CPU time")
    for kind, command in files:
        rows = subprocess.run([jitbench, *command, "-q", "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=True).stdout
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
    turns = in_turns(RUN_ROUNDS, lambda: run_by_jitbench(jitbench), run_by_hyperfine)
    line("run -- true beside hyperfine -N, %d turns of %d runs" % (len(turns), RUN_RUNS), "")
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


def fleet(jitbench):
    with tempfile.TemporaryDirectory() as folder:
        make_fleet(jitbench, folder)
        megabytes = sum(entry.stat().st_size for entry in os.scandir(folder)) / 1e6
        timed_lines("fleet of %d files of %d rows (%.0f MB)" % (FLEET_FILES, FLEET_ROWS, megabytes), [jitbench, "fleet", folder],
                    "10 s", "200 MiB")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "noise.csv")
        subprocess.run([jitbench, "noise", "-q", "-t", "2", "-o", file], stdout=subprocess.DEVNULL, check=True)
        timed_lines("project to a million ranks, three steps", [jitbench, "project", "--ranks", "10:1000000", file], "1 s")


def history(jitbench):
    """10,000 runs of one machine with 100 figures, of which ten change once."""
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(HISTORY_RUNS):
            with open("%s/%05d.csv" % (folder, number), "w") as file:
                file.write("schema,run_id,utc,host,cpu_model,settings,suite,test,copies,metric,unit,better,value,status\n")
                for figure in range(HISTORY_FIGURES):
                    value = rng.gauss(1000 + 20 * (figure % 10 == 0 and number >= HISTORY_RUNS * 3 // 5), 10)
                    file.write("2,r%d,%d-%02d-%02dT03:00:00Z,a,m,smt=on,unix,t%d,1,rate,lps,higher,%r,ok\n"
                               % (number, 2000 + number // 336, number // 28 % 12 + 1, number % 28 + 1, figure, value))
        timed_lines("history of %d runs of %d figures" % (HISTORY_RUNS, HISTORY_FIGURES), [jitbench, "history", folder], "10 s", "")


# Each with the words that main() fills in.
SECTIONS = {
    "clock": (clock_cost, "{jitbench}"),
    "start": (start_time, "{jitbench}"),
    "size": (sizes, "{jitbench}", "{musl}"),
    "counters": (counters, "{programs}/probed"),
    "bandwidth": (bandwidth, "{jitbench}", "{programs}/bandwidth"),
    "memory-chase": (memory_chase, "{jitbench}", "{programs}/chase"),
    "memory-cores": (memory_cores, "{jitbench}", "{programs}/chase"),
    "memory-steady": (memory_steady, "{jitbench}", "{programs}/chase"),
    "memory": (memory, "{jitbench}"),
    "unix": (unix, "{jitbench}", "{programs}/loops"),
    "whetstone": (whetstone, "{jitbench}", "{programs}/whetstone"),
    "unix-footprint": (footprint, "{jitbench}", "{musl}", "{programs}/loops-dynamic"),
    "core-probe": (core_probe, "{programs}/probed"),
    "latency": (latency, "{jitbench}"),
    "wakeup": (wakeup, "{jitbench}"),
    "noise": (noise, "{jitbench}"),
    "noise-injected": (noise_injected, "{jitbench}", "{programs}/preempt"),
    "fleet": (fleet, "{jitbench}"),
    "history": (history, "{jitbench}"),
    "reader": (reader, "{jitbench}", "{programs}/read"),
    "run": (run, "{jitbench}"),
}


def main(*names):
    paths = {"jitbench": os.path.abspath(os.environ.get("JITBENCH", "jitbench")),
             "musl": os.environ.get("MUSL_JITBENCH", "build/musl/jitbench"),
             "programs": os.path.abspath(os.environ.get("PERF_PROGRAMS", "build/perf"))}
    for name in names:
        if name not in SECTIONS:
            sys.exit("perf.py: no section '%s'; there are %s" % (name, ", ".join(SECTIONS)))
    for name in names or SECTIONS:
        function, *words = SECTIONS[name]
        try:
            function(*(word.format(**paths) for word in words))
        except FileNotFoundError as error:
            line(name, "none: %s" % error)


if __name__ == "__main__":
    main(*sys.argv[1:])
