#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are the verdicts right on this machine? decide.py PROGRAM INTERVAL FOLDER [PART...]; --help: this text

    aa        runs of `all --quick`: single runs in disjoint pairs, and ten a side: no change may be seen
    found     the same files, where five rows are 10 % higher on one side: these must be found
    run0 run1 run2 run5   two commands that differ by 0, 1, 2 and 5 % of work: what `jitbench run` says
    coverage  of the interval of `run`: resamplings of the real blocks of run0

Without parts: all. What was measured is kept in the folder, each run and trial
when it ends, so an interrupted call goes on where it ended; a part that cannot go on is failed, and the next one begins.
Nothing else may run on the machine. DECIDE_SHORT=1: a minute, with few and short runs, which
shows only that the parts work: nothing is then judged. Prints lines 'passed: NAME' and 'failed: NAME: WHY', and at the
end a table of the aims and what was seen, which is in summary.txt of the folder as well."""
import csv
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import time

SHORT = bool(os.environ.get("DECIDE_SHORT"))
SEED = 20261123
RUNS = 6 if SHORT else 20
MEASURE = ["prime", "-i", "2", "-n", "100", "--limit", "10:18:4"] if SHORT else ["all", "--quick"]
SPLITS = 2 if SHORT else 10
DRAWS, SCALED, FACTOR = (1, 1, 1.1) if SHORT else (10, 5, 1.1)
TRIALS = 1 if SHORT else 20
SIDE_SECONDS = 1 if SHORT else 25  # of each of two commands
TRIAL_SECONDS = 60  # a trial may take no longer
LOOPS = 30000  # of a shell: some 20 ms
RESAMPLINGS, DRAWN = (200 if SHORT else 2000), 24
CHANGED = ("slower", "faster", "lower", "higher")
LONG = ("value", "mean", "samples", "median", "min", "max")
PARTS = ["aa", "found", "run0", "run1", "run2", "run5", "coverage"]
# Words of param that say how it came out, and differ between runs of the same work.
OUTCOMES = {"pages", "planned", "periods", "loops_per_ms", "up_to", "control", "timer", "load"}
LIMIT_SECONDS = 1200  # of any one call, which hangs


class CannotGoOn(Exception):
    """A program that a part needs failed."""


class Decide:
    def __init__(self, program, interval, folder):
        self.program, self.interval, self.folder = os.path.abspath(program), os.path.abspath(interval), folder
        self.summary = []
        os.makedirs(folder, exist_ok=True)

    def path(self, *words):
        return os.path.join(self.folder, ("short-" if SHORT else "") + "-".join(str(word) for word in words))

    @staticmethod
    def call(*words, statuses=(0,), **more):
        words = [str(word) for word in words]
        name = " ".join(words)[:200]
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=LIMIT_SECONDS, **more)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CannotGoOn(f"{name}: {error}"[:400]) from error
        if done.returncode not in statuses:
            raise CannotGoOn(f"{name}: status {done.returncode}: {done.stderr[-400:].strip()}")
        if done.returncode:
            print(f"  {name}: status {done.returncode}: {done.stderr[-400:].strip()}", flush=True)
        return done.stdout

    @staticmethod
    def write(path, text):
        """All of a file or nothing of it."""
        with open(path + ".part", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".part", path)

    def judge(self, name, right, aim, seen):
        """aim None: reported only."""
        verdict = "reported" if aim is None else "not judged" if SHORT else "passed" if right else "failed"
        self.summary.append((name, aim or "", seen, verdict))
        self.write(self.path("summary.txt"), self.table())
        print(f"{name}: {seen}" + (f"; aim: {aim}" if aim else ""), flush=True)
        if aim:
            print(f"failed: {name}: {seen}; aim: {aim}" if verdict == "failed" else f"passed: {name}", flush=True)

    def table(self):
        table = [("Part", "Aim", "Seen", "Verdict")] + self.summary
        widths = [max(len(row[i]) for row in table) for i in range(4)]
        return "".join("  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() + "\n" for row in table)

    def part(self, name):
        try:
            if name.startswith("run"):
                self.run(int(name[3:]))
            else:
                {"aa": self.aa, "found": self.found, "coverage": self.coverage}[name]()
        except (CannotGoOn, ArithmeticError, LookupError, OSError, ValueError) as error:
            why = f"{type(error).__name__}: {error}".replace("\n", " ")
            self.summary.append((name, "goes to its end", why[:100], "failed"))
            self.write(self.path("summary.txt"), self.table())
            print(f"failed: {name}: {why}", flush=True)

    # --- compare ---

    def files(self):
        return [self.path("all", f"{i:02}.csv") for i in range(RUNS)]

    def runs(self):
        """The files of the runs, measured one after the other."""
        for i, file in enumerate(self.files()):
            if not os.path.exists(file):
                print(f"run {i + 1} of {RUNS}", flush=True)
                part = file + ".part"
                if os.path.exists(part):
                    os.remove(part)
                self.call(self.program, *MEASURE, "-q", "-o", part, statuses=(0, 1))  # 1: a row failed
                os.rename(part, file)
        return self.files()

    def compare(self, base, new):
        text = self.call(self.program, "compare", "--format", "csv", *base, "--", *new)
        return list(csv.DictReader(text.splitlines()))

    @staticmethod
    def changes(table):
        return [f"{row['suite']} {row['test']} {row['metric']}" for row in table if row["verdict"] in CHANGED]

    def claims(self, tables):
        """How many of the tables see a change, which are named."""
        claims = 0
        for name, base, new in tables:
            changed = self.changes(self.compare(base, new))
            claims += bool(changed)
            if changed:
                print(f"  {name}: {', '.join(changed)}", flush=True)
        return claims

    def aa(self):
        files, half = self.runs(), RUNS // 2
        tables = [(f"runs {i + 1} and {i + 2}", files[i:i + 1], files[i + 1:i + 2]) for i in range(0, RUNS, 2)]
        abba = [i for i in range(RUNS) if i % 4 in (0, 3)]
        tables += [("A B B A", [files[i] for i in abba], [files[i] for i in range(RUNS) if i not in abba]),
                   ("the first half and the second", files[:half], files[half:])]
        claims = self.claims(tables)
        self.judge("aa", claims <= 1, "at most 1 table with a change", f"{claims} of {len(tables)}")
        generator, splits = random.Random(SEED), []
        for i in range(SPLITS):
            base = set(generator.sample(files, half))
            splits.append((f"random half {i + 1}", [f for f in files if f in base], [f for f in files if f not in base]))
        self.judge("aa, random halves", True, None, f"{self.claims(splits)} of {SPLITS} tables with a change")

    @staticmethod
    def key(row, cpus):
        words = [word for word in row["param"].split() if word.split("=")[0] not in OUTCOMES]
        return (row["suite"], row["test"], row["load"], row["copies"], row["metric"].removesuffix("_alone"), cpus,
                " ".join(words))

    @classmethod
    def keys_of(cls, row):
        """A row of a file is one CPU's where the CPUs are told apart."""
        return cls.key(row, ""), cls.key(row, row["cpus"])

    @staticmethod
    def read(file):
        with open(file, newline="", encoding="utf-8") as source:
            reader = csv.DictReader(source)
            return reader.fieldnames, list(reader)

    def scale(self, content, chosen, to):
        """Writes a file in which all values of the chosen rows, and of the same with the core free, are higher."""
        names, rows = content
        with open(to, "w", newline="", encoding="utf-8") as target:
            writer = csv.DictWriter(target, names)
            writer.writeheader()
            for row in rows:
                if chosen.intersection(self.keys_of(row)):
                    row = dict(row)
                    for name in LONG:
                        row[name] = ";".join(repr(float(x) * FACTOR) for x in row[name].split(";")) if row[name] else ""
                writer.writerow(row)

    def found(self):
        files, found, drawn = self.runs(), 0, 0
        csv.field_size_limit(1 << 30)
        base, new = files[0::2], files[1::2]
        contents = [self.read(file) for file in new]
        everywhere = set.intersection(*({key for row in rows for key in self.keys_of(row)} for _, rows in contents))
        table = [row for row in self.compare(base, new) if row["ratio"] and row["metric"] != "geometric_mean"]
        compared = {self.key(row, row["cpus"]) for row in table}
        # What compare itself says that it would find in 80 %, before anything is changed.
        sure = {self.key(row, row["cpus"]) for row in table if float(row["least_change_pct"] or "inf") <= 100 * (FACTOR - 1)}
        drawn_sure, found_sure = 0, 0
        keys, generator = sorted(compared & everywhere), random.Random(SEED)
        for key in sorted(compared - everywhere):
            print(f"  not in all files, so never drawn: {' '.join(key)}")
        for _ in range(DRAWS):
            chosen = set(generator.sample(keys, min(SCALED, len(keys))))
            scaled = [self.path("scaled", f"{i:02}.csv") for i in range(len(new))]
            for content, to in zip(contents, scaled):
                self.scale(content, chosen, to)
            for row in self.compare(base, scaled):
                if self.key(row, row["cpus"]) in chosen:
                    drawn += 1
                    found += row["verdict"] in CHANGED
                    drawn_sure += self.key(row, row["cpus"]) in sure
                    found_sure += self.key(row, row["cpus"]) in sure and row["verdict"] in CHANGED
                    if row["verdict"] not in CHANGED:
                        print(f"  not found: {' '.join(self.key(row, row['cpus']))}: ratio {row['ratio'][:6]}, "
                              f"{row['verdict']}, {row['reason']}", flush=True)
        self.judge("found", drawn and found >= 0.8 * drawn, "at least 80 % of the rows that are 10 % higher",
                   f"{found} of {drawn}, from {len(keys)} rows")
        self.judge("found, where compare says so", drawn_sure and found_sure >= 0.8 * drawn_sure,
                   "at least 80 % of those with a least change of at most 10 %",
                   f"{found_sure} of {drawn_sure}, from {len(sure.intersection(keys))} rows")

    # --- run ---

    def ours(self, more, i, a, b):
        """What `run` says: the difference that it claims in % (None: none), its words, its runs and seconds."""
        rows, since = self.path("run", more, f"{i:02}.csv"), time.monotonic()
        text = self.call(self.program, "run", "-q", "--force", "-o", rows, "--name", "a,b", "--max-time",
                         f"{SIDE_SECONDS}s", "--", "sh", "-c", a, "--", "sh", "-c", b)
        seconds = time.monotonic() - since
        said = re.search(r"^b(?: is (slower|faster) by ([\d.]+) %| takes ([\d.e+-]+) times as long|: ).*$", text, re.M)
        if not said:
            raise CannotGoOn(f"run says no verdict: {text}")
        claim = (None if not (said[1] or said[3]) else 100 * (float(said[3]) - 1) if said[3] else
                 float(said[2]) if said[1] == "slower" else -float(said[2]))
        return {"run": claim, "words": said[0], "seconds": seconds, "runs": len(self.walls(more, i)[0])}

    def walls(self, more, i):
        csv.field_size_limit(1 << 30)
        _, rows = self.read(self.path("run", more, f"{i:02}.csv"))
        return [[float(x) for x in row["samples"].split(";")] for row in rows if row["metric"] == "wall"]

    def trial(self, more, i):
        result = self.path("run", more, f"{i:02}.json")
        if os.path.exists(result):
            with open(result, encoding="utf-8") as file:
                return json.load(file)
        loop = "i=0; while [ $i -lt {} ]; do i=$((i+1)); done"
        a, b = loop.format(LOOPS), loop.format(round(LOOPS * (1 + more / 100)))
        claims = self.ours(more, i, a, b)
        self.write(result, json.dumps(claims))
        print(f"  {more} %, trial {i + 1} of {TRIALS}: {claims['words']}", flush=True)
        return claims

    def run(self, more):
        trials = [self.trial(more, i) for i in range(TRIALS)]
        claims = [t["run"] for t in trials if t["run"] is not None]
        right = [claim for claim in claims if claim > 0] if more else claims
        aims = {0: ("at most 3 false claims", len(claims) <= 3),
                2: ("at least 14 found", len(right) >= 14), 5: ("at least 14 found", len(right) >= 14)}
        aim, passed = aims.get(more, (None, True))
        seen = f"{len(right)} of {TRIALS}"
        if more and len(claims) > len(right):
            seen += f", and {len(claims) - len(right)} in the wrong direction"
        if right and more:
            seen += f", median {statistics.median(right):.1f} % ({min(right):.1f} to {max(right):.1f})"
        self.judge(f"run{more}", passed, aim, seen)
        longest = max(t["seconds"] for t in trials)
        self.judge(f"run{more}, time", longest <= TRIAL_SECONDS, f"a trial within {TRIAL_SECONDS} s",
                   f"{longest:.0f} s, mean {statistics.mean(t['seconds'] for t in trials):.0f} s")
    # --- The interval. --- #

    def intervals(self, lists):
        text = "".join(" ".join(map(repr, values)) + "\n" for values in lists)
        return [[float(x) for x in line.split()] for line in self.call(self.interval, input=text).splitlines()]

    def coverage(self):
        pool = []
        for i in range(TRIALS):
            self.trial(0, i)
            a, b = self.walls(0, i)[:2]
            pool += [math.log((b[k] + b[k + 1]) / (a[k] + a[k + 1])) for k in range(0, min(len(a), len(b)) - 1, 2)]
        generator = random.Random(SEED)
        truth = self.intervals([pool])[0][0]
        held = sum(low <= truth <= high for _, low, high, _ in
                   self.intervals([generator.choices(pool, k=DRAWN) for _ in range(RESAMPLINGS)]))
        pct = 100 * held / RESAMPLINGS
        self.judge("coverage", 93 <= pct <= 97, "93 to 97 % of the intervals hold the truth",
                   f"{pct:.1f} % of {RESAMPLINGS}, of {DRAWN} of {len(pool)} blocks")


def main():
    if len(sys.argv) < 4 or "--help" in sys.argv:
        print(__doc__)
        sys.exit("--help" not in sys.argv)
    decide = Decide(*sys.argv[1:4])
    parts = sys.argv[4:] or PARTS
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        sys.exit(f"no part {unknown[0]}: {' '.join(PARTS)}")
    for part in parts:
        decide.part(part)
    print("\n" + decide.table(), end="", flush=True)
    sys.exit(any(verdict == "failed" for *_, verdict in decide.summary))


if __name__ == "__main__":
    main()
