#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed and memory of jitbench beside their targets: perf.py JITBENCH BANDWIDTH MUSL_JITBENCH. `make perf` calls it.

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


def main(jitbench, rival, musl):
    jitbench, rival = os.path.abspath(jitbench), os.path.abspath(rival)
    clock_cost(jitbench)
    start_time(jitbench)
    size(jitbench, "the system's C library", "1.3 MB with glibc")
    if os.path.exists(musl):
        size(musl, "musl", "250 KB")
    else:
        line("size of the stripped program with musl", "no musl-gcc")
    spread(jitbench)
    bandwidth(jitbench, rival)
    memory(jitbench)


if __name__ == "__main__":
    main(*sys.argv[1:])
