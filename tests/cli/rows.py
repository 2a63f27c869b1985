#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks of the values in jitbench's CSV, worked out again by another program: rows.py CHECK ARGUMENT...

Prints what is wrong and exits 1; prints nothing and exits 0 when nothing is. Each check is a function below."""
import collections
import csv
import math
import statistics
import sys

COLUMNS = """schema run_id utc host job rank kernel arch cpu_model cpus_online build libc settings suite test load param copies
metric unit better n value mean sd rsd_pct ci95_lo ci95_hi min median mad p90 p99 p999 max index status reason policy
rt_priority nice cpus bind layout scratch_fs wall_s cpu_s ctx_voluntary ctx_involuntary migrations faults_minor
faults_major run_delay_ms irqs softirqs steal_ms causes freq_khz timer_latency_held start_late_us comment samples hist
series scratch_disk item core_share core_mhz explained_pct counters culprits uptime_s temp_begin_c temp_end_c""".split()
NUMBERS = """schema cpus_online copies n value mean sd rsd_pct ci95_lo ci95_hi min median mad p90 p99 p999 max index
rt_priority nice wall_s cpu_s ctx_voluntary ctx_involuntary migrations faults_minor faults_major run_delay_ms irqs
softirqs steal_ms freq_khz start_late_us item core_mhz explained_pct uptime_s temp_begin_c temp_end_c""".split()
FILLED = "schema run_id utc build libc suite test param copies metric unit status".split()
STATUSES = ("ok", "unstable", "degraded", "skipped", "failed")
# Below this the histogram has a bin for each cycle, whatever its base.
ONE_CYCLE = 65536
SERIES_FIRST, SERIES_LARGEST = 500, 2000
# The delay classes and the divisions of prime-stream's published table.
CLASSES = {"a": (150, 400), "b": (400, 2000), "c": (2000, 6000), "d": (6000, math.inf)}
DIVISIONS = {10: 18, 14: 42, 18: 62, 22: 84, 26: 112, 30: 144, 34: 178, 38: 220, 42: 264, 46: 310}
PRIMES = {10: 4, 14: 6, 18: 7, 22: 8, 26: 9, 30: 10, 34: 11, 38: 12, 42: 13, 46: 14}


class Wrong(Exception):
    pass


def is_measured(row):
    """The spread, and other tests that have the CPU, are the machine's."""
    return row["status"] in ("ok", "unstable") or row["reason"].startswith("a sample waited for a CPU")


def expect(true, *words):
    if not true:
        raise Wrong(" ".join(str(word) for word in words))


def expect_near(what, got, wanted, tolerance=1e-9):
    if wanted is None:
        expect(got == "", what, "is", got, "and not empty")
    else:
        expect(got != "" and abs(float(got) - wanted) <= tolerance * max(1, abs(wanted)), what, "is", got, "not", wanted)


def read(name):
    csv.field_size_limit(1 << 30)
    with open(name, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    expect(rows, name, "has no row")
    return rows


def param(row, key):
    return dict(word.split("=", 1) for word in row["param"].split() if "=" in word).get(key)


def of(rows, metric, test=None):
    """The rows of a metric (and test): there are some, and all of them ran."""
    found = [row for row in rows if row["metric"] == metric and test in (None, row["test"])]
    expect(found, "no row of", metric)
    for row in found:
        expect(is_measured(row), metric, row["param"], "is", row["status"], row["reason"])
    return found


def one(rows, metric):
    found = of(rows, metric)
    expect(len(found) == 1, len(found), "rows of", metric)
    return found[0]


def pairs(text):
    return [tuple(int(part) for part in pair.split(":")) for pair in text.split(";") if not pair.startswith("+")]


def quantile(values, p):
    """Percentile of sorted values, by linear interpolation between the two around (n - 1) p."""
    position = (len(values) - 1) * p
    low = int(position)
    high = min(low + 1, len(values) - 1)
    return values[low] + (position - low) * (values[high] - values[low])


def check_columns(name):
    """The header is design.md's; every row has all columns; numbers are numbers."""
    csv.field_size_limit(1 << 30)
    with open(name, "rb") as file:
        data = file.read()
    expect(data.startswith(b"schema,"), "the file does not begin with its header")
    expect(data.endswith(b"\n"), "the last row has no end")
    with open(name, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, strict=True)
    expect(header == COLUMNS, "columns:", header)
    expect(rows, "no row")
    for number, row in enumerate(rows, 2):
        expect(len(row) == len(COLUMNS), "row", number, "has", len(row), "columns")
        fields = dict(zip(header, row))
        for column in NUMBERS:
            expect(fields[column] == "" or math.isfinite(float(fields[column])), "row", number, column, fields[column])
        for column in FILLED:
            # The calibration is of the machine: nothing else identifies it.
            expect(fields[column] != "" or (column, fields["test"]) == ("param", "calibrate"),
                   "row", number, "has no", column)
        expect(fields["status"] in STATUSES, "row", number, "has status", fields["status"])
        # A run without a delay has no mean delay, and the core may not have been free: that is all that a row which ran
        # may leave open.
        expect(fields["value"] != "" or fields["status"] in ("failed", "skipped") or
               (fields["metric"].endswith("_alone") and fields["reason"] != "") or
               # Without a PMU nothing counts instructions; the column counters says so.
               (fields["metric"] == "instructions" and "instructions" in fields["counters"]) or
               # Only RDTSCP tells the CPU with the time.
               (fields["metric"] == "migrated" and "clock=rdtscp" not in fields["param"]) or
               (fields["metric"].endswith("_size") and fields["n"] in ("", "0")), "row", number, "has no value")


def exact_values(row):
    """value: count of every experiment. What lies above the one-cycle bins is among the largest of the series."""
    values = collections.Counter()
    above = 0
    for low, count in pairs(row["hist"]):
        if low < ONE_CYCLE:
            values[low] += count
        else:
            above += count
    largest = [value for _, value in pairs(row["series"]) if value >= ONE_CYCLE]
    expect(above == len(largest), above, "values above", ONE_CYCLE, "in the histogram,", len(largest), "in the series")
    values.update(largest)
    return values


def check_summary(rows, row, values):
    """Columns and metrics of one run against its sorted values."""
    n = len(values)
    mean = math.fsum(values) / n
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    median = quantile(values, 0.5)
    deviations = sorted(abs(value - median) for value in values)
    wanted = {"n": n, "value": median, "mean": mean, "sd": sd, "rsd_pct": 100 * sd / mean, "min": values[0],
              "median": median, "mad": quantile(deviations, 0.5), "max": values[-1], "samples": mean}
    # A percentile takes as many events as it takes for one to be above it.
    for column, p, least in (("p90", 0.9, 10), ("p99", 0.99, 100), ("p999", 0.999, 1000)):
        wanted[column] = quantile(values, p) if n >= least else None
    for column, value in wanted.items():
        # In a bin of many cycles a percentile is as good as include/stats/stats.h promises.
        wide = column[0] == "p" and value is not None and value >= ONE_CYCLE
        expect_near(column, row[column], value, 1 / 64 if wide else 1e-9)
    expect_near("cycles_sd", one(rows, "cycles_sd")["value"], sd)
    expect_near("cycles_ci90", one(rows, "cycles_ci90")["value"], 1.6448536269514722 * sd / math.sqrt(n))
    expect(one(rows, "buckets_exact")["value"] == "1", "buckets_exact")
    check_delays(rows, values, {"": mean, "_median": median})
    hz = float(one(rows, "clock_hz")["value"])
    expect_near("time", one(rows, "time")["value"], median / hz * 1e9, 1e-4)


def check_delays(rows, values, levels):
    total = math.fsum(values)
    for name, (low, high) in CLASSES.items():
        delays = [value - levels[""] for value in values if low < value - levels[""] <= high]
        expect_near("delays_" + name, one(rows, "delays_" + name)["value"], len(delays))
        expect_near("size of delays_" + name, one(rows, "delays_%s_size" % name)["value"],
                    math.fsum(delays) / len(delays) if delays else None)
    for suffix, level in levels.items():
        for limit in (400, 2000):
            delayed = math.fsum(value - level for value in values if value - level > limit)
            metric = "delayed_%d%s" % (limit, suffix)
            expect_near(metric, one(rows, metric)["value"], 100 * delayed / total)


def check_series(row, n):
    """The first 500 and the largest, each once, in order; +N is the rest. Returns position: value."""
    points = pairs(row["series"])
    positions = [position for position, _ in points]
    expect(positions == sorted(set(positions)), "positions are not in order")
    expect(positions[:SERIES_FIRST] == list(range(min(n, SERIES_FIRST))), "the first ones are not 0, 1, ...")
    tail = row["series"].rsplit(";", 1)[-1]
    left_out = int(tail[1:]) if tail.startswith("+") else 0
    expect(len(points) + left_out == n, len(points), "points and", left_out, "left out are not", n)
    expect(len(points) <= SERIES_FIRST + SERIES_LARGEST, len(points), "points")
    expect(len(points) >= min(n, SERIES_LARGEST), len(points), "points only")
    expect(max(value for _, value in points) == float(row["max"]), "the largest is not in the series")
    return dict(points)


def check_blocks(rows, values):
    """Minimum and median, of the run and of each whole block: of the latter that of 64 of its experiments."""
    n, apart = len(values), 1
    while n // apart > 64 * 128:
        apart *= 2
    for metric, of_run, of_block in (("cycles_floor", min(values), min),
                                     ("cycles_level", quantile(sorted(values), 0.5),
                                      lambda block: sorted(block[apart - 1::apart])[32])):
        row = one(rows, metric)
        expect_near(metric, row["value"], of_run)
        size = 64 * apart
        wanted = [(at, of_block(values[at:at + size])) for at in range(0, n - size + 1, size)]
        expect(wanted and pairs(row["series"]) == wanted, "series of", metric, "is", row["series"][:200])


def check_window(name, start):
    """All 500 experiments from `start` on, near the end of the first run: otherwise only the longest of them are there."""
    row, start = one(read(name), "cycles"), int(start)
    positions = {position for position, _ in pairs(row["series"])}
    expect(param(row, "window") == str(start), "param is", row["param"])
    expect(positions >= set(range(start, start + SERIES_FIRST)), "experiments of the window are missing")


def check_prime(name, n):
    """One run of limit 22: the work's size, and everything that follows from the histogram."""
    rows, n = read(name), int(n)
    row = one(rows, "cycles")
    expect(param(row, "limit") == "22" and param(row, "experiments") == str(n), "param is", row["param"])
    expect_near("divisions", one(rows, "divisions")["value"], 84)
    expect_near("primes", one(rows, "primes")["value"], 8)
    values = exact_values(row)
    expect(sum(values.values()) == n == int(row["n"]), "the histogram has", sum(values.values()), "events")
    check_series(row, n)
    check_summary(rows, row, sorted(values.elements()))


def check_every(name, series_name):
    """The file of --series has every experiment: the histogram and all figures come out of it."""
    rows = read(name)
    row = one(rows, "cycles")
    with open(series_name, newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    expect(header == ["limit", "run", "copy", "experiment", "ticks"], "header", header)
    n = int(param(row, "experiments"))
    expect(len(lines) == n == int(row["n"]), len(lines), "lines for", n, "experiments")
    values = []
    for number, line in enumerate(lines):
        expect(line[:4] == [param(row, "limit"), "0", "0", str(number)], "line", number + 2, "is", line)
        values.append(int(line[4]))
    series = check_series(row, n)
    for position, value in series.items():
        expect(values[position] == value, "experiment", position, "is", value, "in the series")
    ordered = sorted(values)
    if n > SERIES_LARGEST:
        for number, value in enumerate(values):
            expect(value <= ordered[-SERIES_LARGEST] or number in series, "experiment", number, "of", value, "is missing")
    check_blocks(rows, values)
    counts = collections.Counter(values)
    for low, count in pairs(row["hist"]):
        if low < ONE_CYCLE:
            expect(counts.pop(low, 0) == count, "bin", low, "has not", count)
    expect(all(value >= ONE_CYCLE for value in counts), "values without a bin")
    check_summary(rows, row, ordered)


def check_same(first, second):
    """Two runs on the same CPU: what shares its core, and a core's frequency, make no more than a factor of two."""
    a, b = (one(read(name), "cycles") for name in (first, second))
    expect(a["cpus"] == b["cpus"] and a["run_id"] != b["run_id"], "ran on CPU", a["cpus"], "and", b["cpus"])
    grain = float(one(read(first), "clock_grain")["value"])
    low, high = sorted(float(row["median"]) for row in (a, b))
    expect(0 < high <= 2 * low + grain, "medians", low, high, "with a grain of", grain)


def check_sweep(name):
    """10:46:4 has the published divisions, and the medians go with them."""
    rows = read(name)
    divisions = {int(param(row, "limit")): float(row["value"]) for row in of(rows, "divisions")}
    primes = {int(param(row, "limit")): float(row["value"]) for row in of(rows, "primes")}
    medians = {int(param(row, "limit")): float(row["median"]) for row in of(rows, "cycles")}
    expect(divisions == DIVISIONS, "divisions", divisions)
    expect(primes == PRIMES, "primes", primes)
    expect(sorted(medians) == sorted(DIVISIONS), "limits", sorted(medians))
    # What shares the core, and its frequency, make a limit at most about twice as slow as another: each division takes
    # about as long, and a limit with over three times the divisions takes longer.
    each = {limit: medians[limit] / DIVISIONS[limit] for limit in medians}
    expect(max(each.values()) <= 2.5 * min(each.values()), "cycles a division:", each)
    for limit, median in medians.items():
        for other in medians:
            expect(DIVISIONS[limit] <= 3 * DIVISIONS[other] or median > medians[other], "limit", limit, "took", median,
                   "limit", other, medians[other])


def check_stream(name, kinds_of_stores, *sizes):
    """Sizes of the small arrays; four kernels of one or two kinds, with the rate that the least time gives."""
    rows = read(name)
    if kinds_of_stores == "1":
        rows = [row for row in rows if row["reason"] != "no non-temporal stores on this architecture"]
    found = [(param(row, "elements"), float(row["value"])) for row in of(rows, "array_bytes")]
    expect(sorted(found) == sorted((size, 8.0 * int(size)) for size in sizes), "sizes:", found)
    for row in of(rows, "cycles", "array"):
        expect(sum(count for _, count in pairs(row["hist"])) == int(row["n"]), "histogram of", row["param"])
        # Nothing copies faster than three accesses a cycle.
        expect(float(row["median"]) > int(param(row, "elements")) / 4, "median of", row["param"], row["median"])
    kinds = set()
    wanted = 4 * int(kinds_of_stores)
    for kernel, each in (("copy", 16), ("scale", 16), ("add", 24), ("triad", 24)):
        times = {param(row, "stores"): row for row in of(rows, kernel + "_time")}
        for row in of(rows, kernel + "_rate"):
            stores, copies = param(row, "stores"), int(row["copies"])
            share = int(param(row, "array_bytes")) // 8 // copies // 64 * 64
            time = times[stores]
            expect_near(kernel + "_rate " + stores, row["value"], each * share * copies / float(time["min"]) * 1e3)
            expect(int(time["n"]) == int(param(row, "repetitions")) - 1, "repetitions of", kernel)
            expect(row["unit"] == "MB/s", "unit", row["unit"])
            kinds.add((kernel, stores))
    expect(len(kinds) == wanted, "kernels:", sorted(kinds))


def check_suites(name, *suites):
    found = {row["suite"] for row in read(name)}
    expect(found >= set(suites), "suites:", sorted(found))
    expect(not [row for row in read(name) if row["status"] == "failed"], "a row failed")
    expect(len({row["run_id"] for row in read(name)}) == 1, "more than one run_id")


def check_failed(name, test, words, count=None):
    """Rows of this test (so many) failed for this reason, without a value; there is no other row."""
    rows = read(name)
    expect(count is None or len(rows) == int(count), len(rows), "rows")
    for row in rows:
        expect(row["test"] == test and row["status"] == "failed", row["test"], "is", row["status"])
        expect(words in row["reason"], "reason:", row["reason"])
        expect(row["value"] == row["mean"] == row["n"] == "" or row["n"] == "0", "value", row["value"], "n", row["n"])


def check_measured(name, test, metric):
    of(read(name), metric, test)


def check_passed(name, test):
    for row in read(name):
        expect(row["test"] == test and is_measured(row), row["test"], "is", row["status"])


def check_doubled(key, column, *names):
    """Time without the clock's cost over work, of the two sizes in each file: the median of the ratios is 1 +-5 % and what
    one grain of the clock is of the shorter time."""
    ratios, grain = [], 0
    for name in names:
        rows = read(name)
        work = {param(row, key): float(row["value"]) for row in of(rows, "divisions" if key == "limit" else "array_bytes")}
        cost = {param(row, key): float(row["value"]) for row in of(rows, "clock_cost")}
        time = {param(row, key): float(row[column]) for row in of(rows, "cycles")}
        small, large = sorted(work, key=work.get)
        expect(1.98 < work[large] / work[small] < 2.02, "the work is not doubled:", work)
        grain = max(grain, max(float(row["value"]) for row in of(rows, "clock_grain")) / (time[small] - cost[small]))
        ratios.append((time[large] - cost[large]) / (time[small] - cost[small]) / (work[large] / work[small]))
    expect(abs(statistics.median(ratios) - 1) <= 0.05 + grain, "time over work:", *("%.4f" % ratio for ratio in ratios))


def main(arguments):
    checks = {name[6:]: check for name, check in globals().items() if name.startswith("check_")}
    try:
        checks[arguments[0]](*arguments[1:])
    except Wrong as wrong:
        print("rows.py %s: %s" % (" ".join(arguments), wrong), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
