#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A made-up fleet from one real result file: many.py REAL.csv FLEET.csv [HOSTS]

Equal machines whose figures spread by 1 %, but for n07, which is slow at memory and at prime, and n23, which is noisy
and has another governor. Always the same numbers."""
import csv
import random
import sys

LONG = ("samples", "hist", "series")
FIGURES = ("value", "mean", "min", "median", "max", "p99", "p999", "ci95_lo", "ci95_hi")


def factor(rng, host, row):
    by = rng.gauss(1, 0.01)
    worse = 1 / 1.2 if row["better"] == "higher" else 1.2
    if host == "n07" and row["suite"] in ("prime", "stream"):
        by *= worse
    if host == "n23" and row["suite"] in ("noise", "latency"):
        by *= worse ** 4
    return by


def main():
    csv.field_size_limit(1 << 30)
    with open(sys.argv[1], newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    rng = random.Random(9)
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, rows[0].keys())
        out.writeheader()
        for number in range(1, 1 + int(sys.argv[3] if len(sys.argv) > 3 else 40)):
            host = f"n{number:02}"
            for row in rows:
                row = dict(row, host=host, run_id=f"run-{host}", node=host)
                row = {key: value for key, value in row.items() if key in rows[0]}
                by = factor(rng, host, row)
                for key in FIGURES:
                    try:
                        row[key] = repr(float(row[key]) * by)
                    except (KeyError, ValueError):
                        pass
                if row["unit"] == "%" and row["value"] and float(row["value"]) > 100:
                    row["value"] = "100"
                if host == "n23":
                    row["settings"] = row["settings"] + ";governor=powersave"
                else:
                    row["settings"] = row["settings"] + ";governor=performance"
                if row["suite"] != "noise" and number > 2:
                    row.update(dict.fromkeys(LONG, ""))
                out.writerow(row)


main()
