#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are the verdicts right on this machine? decide.py PROGRAM INTERVAL FOLDER [PART...]

    aa        runs of `all --quick`: single runs in disjoint pairs, and ten a side: no change may be seen
    found     the same files, where five rows are 10 % higher on one side: these must be found
    run0 run2 run5   two commands that differ by 0, 2 and 5 % of work, with `jitbench run` and hyperfine in turns
    coverage  of the interval of `run`: resamplings of the real blocks of run0

Without parts: all. What was measured is kept in the folder, so an interrupted call goes on where it ended; it takes over
an hour on a machine where nothing else runs. DECIDE_SHORT=1: a minute, with few and short runs, which shows only that the
parts work: nothing is then judged. Ends with lines 'passed: NAME' and 'failed: NAME: WHY'."""
import csv
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys

SHORT = bool(os.environ.get("DECIDE_SHORT"))
SEED = 20261123
RUNS = 6 if SHORT else 20
MEASURE = ["prime", "-i", "2", "-n", "100", "--limit", "10:18:4"] if SHORT else ["all", "--quick"]
DRAWS, SCALED, FACTOR = (1, 1, 1.1) if SHORT else (10, 5, 1.1)
TRIALS = 1 if SHORT else 20
SIDE_SECONDS = 1 if SHORT else 25  # of each of two commands, so that a trial takes less than 60 s
LOOPS = 30000  # of a shell: some 20 ms
RESAMPLINGS, DRAWN = (200 if SHORT else 2000), 24
CHANGED = ("slower", "faster", "lower", "higher")
LONG = ("value", "mean", "samples", "median", "min", "max")


class Decide:
    def __init__(self, program, interval, folder):
        self.program, self.interval, self.folder = os.path.abspath(program), os.path.abspath(interval), folder
        self.failed = False
        os.makedirs(folder, exist_ok=True)

    def path(self, *words):
        return os.path.join(self.folder, ("short-" if SHORT else "") + "-".join(str(word) for word in words))

    def call(self, *words, statuses=(0,)):
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode not in statuses:
            sys.exit(f"{' '.join(str(word) for word in words)}: status {done.returncode}\n{done.stderr}")
        return done.stdout

    def judge(self, name, right, figures):
        print(f"{name}: {figures}", flush=True)
        if right or SHORT:
            print(f"passed: {name}", flush=True)
        else:
            print(f"failed: {name}: {figures}", flush=True)
            self.failed = True

    # --- compare ---

    def runs(self):
        """The files of the runs, measured one after the other."""
        files = [self.path("all", f"{i:02}.csv") for i in range(RUNS)]
        for i, file in enumerate(files):
            if not os.path.exists(file):
                print(f"run {i + 1} of {RUNS}", flush=True)
                part = file + ".part"
                if os.path.exists(part):
                    os.remove(part)
                self.call(self.program, *MEASURE, "-q", "-o", part)
                os.rename(part, file)
        return files

    def compare(self, base, new):
        text = self.call(self.program, "compare", "--format", "csv", *base, "--", *new)
        return list(csv.DictReader(text.splitlines()))

    @staticmethod
    def changes(table):
        return [f"{row['suite']} {row['test']} {row['metric']}" for row in table if row["verdict"] in CHANGED]

    def aa(self):
        files, claims = self.runs(), []
        tables = [(f"runs {i + 1} and {i + 2}", files[i:i + 1], files[i + 1:i + 2]) for i in range(0, RUNS, 2)]
        half = RUNS // 2
        abba = [i for i in range(RUNS) if i % 4 in (0, 3)]
        tables += [("A B B A", [files[i] for i in abba], [files[i] for i in range(RUNS) if i not in abba]),
                   ("the first half and the second", files[:half], files[half:])]
        for name, base, new in tables:
            changed = self.changes(self.compare(base, new))
            if changed:
                claims.append(name)
                print(f"  {name}: {', '.join(changed)}")
        self.judge("aa", len(claims) <= 1, f"{len(claims)} of {len(tables)} tables see a change (at most 1)")

    def scale(self, file, chosen, to):
        """Copies a file; of the chosen rows, and of the same with the core free, all values are higher."""
        with open(file, newline="", encoding="utf-8") as source, open(to, "w", newline="", encoding="utf-8") as target:
            reader = csv.DictReader(source)
            writer = csv.DictWriter(target, reader.fieldnames)
            writer.writeheader()
            for row in reader:
                if self.key(row) in chosen:
                    for name in LONG:
                        row[name] = ";".join(repr(float(x) * FACTOR) for x in row[name].split(";")) if row[name] else ""
                writer.writerow(row)

    @staticmethod
    def key(row):
        metric = row["metric"].removesuffix("_alone")
        # Outcomes in param differ between runs.
        words = [word for word in row["param"].split() if re.match(r"(limit|elements|copies|context1|size|buffer)=", word)]
        return row["suite"], row["test"], row["load"], row["copies"], metric, " ".join(words)

    def found(self):
        files, found, drawn = self.runs(), 0, 0
        csv.field_size_limit(1 << 30)
        base, new = files[0::2], files[1::2]
        rows = [row for row in self.compare(base, new) if row["ratio"] and row["metric"] != "geometric_mean"]
        keys = sorted({self.key(row) for row in rows})
        generator = random.Random(SEED)
        for _ in range(DRAWS):
            chosen = set(generator.sample(keys, min(SCALED, len(keys))))
            scaled = []
            for i, file in enumerate(new):
                scaled.append(self.path("scaled", f"{i:02}.csv"))
                self.scale(file, chosen, scaled[-1])
            for row in self.compare(base, scaled):
                if self.key(row) in chosen and row["verdict"] != "not comparable":
                    drawn += 1
                    found += row["verdict"] in CHANGED
                    if row["verdict"] not in CHANGED:
                        print(f"  not found: {' '.join(self.key(row))}: ratio {row['ratio'][:6]}, {row['reason']}")
        self.judge("found", drawn and found >= 0.8 * drawn,
                   f"{found} of {drawn} rows that are 10 % higher are found (at least 80 %)")

    # --- run ---

    def trial(self, more, i):
        """A trial of run and of hyperfine, which are in turns the first: what each claims, in %, or None."""
        result = self.path("run", more, f"{i:02}.json")
        if os.path.exists(result):
            with open(result, encoding="utf-8") as file:
                return json.load(file)
        loop = "i=0; while [ $i -lt {} ]; do i=$((i+1)); done"
        a, b = loop.format(LOOPS), loop.format(round(LOOPS * (1 + more / 100)))
        rows, out, claims = self.path("run", more, f"{i:02}.csv"), self.path("hyperfine.json"), {}

        def ours():
            text = self.call(self.program, "run", "-q", "--force", "-o", rows, "--name", "a,b", "--max-time",
                             f"{SIDE_SECONDS}s", "--", "sh", "-c", a, "--", "sh", "-c", b)
            said = re.search(r"^b.*(?:slower|faster|times as long|difference|decided).*$", text, re.M)
            words = said.group(0) if said else ""
            size = re.search(r"(slower|faster) by ([\d.]+) %", words)
            claims["run"] = (float(size.group(2)) * (1 if size.group(1) == "slower" else -1) if size else None)
            claims["words"] = words

        def theirs():
            if not shutil.which("hyperfine"):
                claims["hyperfine"] = None
                return
            seconds = LOOPS * 0.7e-6
            runs = max(10, round(SIDE_SECONDS / seconds / 2))
            self.call("hyperfine", "-N", "-r", runs, "--export-json", out, f"sh -c '{a}'", f"sh -c '{b}'")
            with open(out, encoding="utf-8") as file:
                one, two = json.load(file)["results"]
            ratio = two["mean"] / one["mean"]
            # As it prints it: the ratio of the means +- this.
            error = ratio * math.hypot(one["stddev"] / one["mean"], two["stddev"] / two["mean"])
            claims["hyperfine"] = 100 * (ratio - 1) if abs(ratio - 1) > error else None

        for each in (ours, theirs) if i % 2 == 0 else (theirs, ours):
            each()
        with open(result, "w", encoding="utf-8") as file:
            json.dump(claims, file)
        print(f"  {more} %, trial {i + 1} of {TRIALS}: {claims['words']}", flush=True)
        return claims

    def run(self, more):
        trials = [self.trial(more, i) for i in range(TRIALS)]

        def count(name):
            return sum(t[name] is not None and (t[name] > 0 or not more) for t in trials)
        figures = f"{count('run')} of {TRIALS} claim a difference, hyperfine {count('hyperfine')}"
        need = {0: "at most 3", 2: "at least 14", 5: "at least 14"}.get(more, "reported only")
        right = {0: count("run") <= 3, 2: count("run") >= 14, 5: count("run") >= 14}.get(more, True)
        self.judge(f"run{more}", right, f"{figures} ({need})")

    # --- The interval. --- #

    def intervals(self, lists):
        text = "".join(" ".join(map(repr, values)) + "\n" for values in lists)
        done = subprocess.run([self.interval], input=text, stdout=subprocess.PIPE, text=True, check=True)
        return [[float(x) for x in line.split()] for line in done.stdout.splitlines()]

    def coverage(self):
        pool = []
        csv.field_size_limit(1 << 30)
        for i in range(TRIALS):
            self.trial(0, i)
            with open(self.path("run", 0, f"{i:02}.csv"), newline="", encoding="utf-8") as file:
                walls = [[float(x) for x in row["samples"].split(";")] for row in csv.DictReader(file)
                         if row["metric"] == "wall"]
            a, b = walls[0], walls[1]
            pool += [math.log((b[k] + b[k + 1]) / (a[k] + a[k + 1])) for k in range(0, min(len(a), len(b)) - 1, 2)]
        generator = random.Random(SEED)
        truth = self.intervals([pool])[0][0]
        held = sum(low <= truth <= high for _, low, high, _ in
                   self.intervals([generator.choices(pool, k=DRAWN) for _ in range(RESAMPLINGS)]))
        pct = 100 * held / RESAMPLINGS
        self.judge("coverage", 93 <= pct <= 97,
                   f"{pct:.1f} % of {RESAMPLINGS} intervals of {DRAWN} of {len(pool)} blocks hold the truth (93 to 97)")


def main():
    decide = Decide(*sys.argv[1:4])
    parts = sys.argv[4:] or ["aa", "found", "run0", "run1", "run2", "run5", "coverage"]
    for part in parts:
        if re.fullmatch(r"run\d+", part):
            decide.run(int(part[3:]))
        else:
            {"aa": decide.aa, "found": decide.found, "coverage": decide.coverage}[part]()
    sys.exit(decide.failed)


if __name__ == "__main__":
    main()
