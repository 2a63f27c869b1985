#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a malformed result file from a real one: hostile.py REAL.csv HOSTILE.csv"""
import csv
import sys

EVIL = "<script>alert(1)</script>\"'&\x01<img src=x onerror=alert(2)>"


def spoil(row, kind):
    row = dict(row, host=EVIL, comment=EVIL, cpu_model=EVIL)
    if kind == 0:
        row.update(dict.fromkeys(("value", "mean", "min", "median", "max", "p99"), "1e308"))
    elif kind == 1:
        row.update(dict.fromkeys(("value", "mean", "min", "median", "max", "p99", "ci95_lo", "ci95_hi"), "-1e308"))
    elif kind == 2 and row["hist"]:
        row["hist"] = ";".join(f"{i}:1" for i in range(100000))
    elif kind == 3:
        row["series"] = "5:7"
    elif kind == 4 and row["series"]:
        row["series"] = ";".join(f"{i}:{i * 7919 % 1000003}" for i in range(50000))
    elif kind == 5:
        row.update(series="nan:inf;1e308:1e308;0:0", hist="nan:1;0:0;-5:3;1e308:1e308", samples="1e308;-1e308;;x")
    elif kind == 6:
        row.update(test=EVIL, load=EVIL, param=EVIL, reason=EVIL, status="failed", unit=EVIL[:20], metric=EVIL)
    return row


def main():
    csv.field_size_limit(1 << 30)
    with open(sys.argv[1], newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, rows[0].keys())
        out.writeheader()
        for i, row in enumerate(rows):
            out.writerow(spoil(row, i % 7))
        for i in range(300):
            out.writerow(dict(rows[i % len(rows)], suite=f"suite {i % 12}", run_id=str(i % 30), hist="", series=""))


main()
