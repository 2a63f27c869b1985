#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines and branches that the tests reach, by folder and by file, from gcovr's summary; the least covered files first."""
import json
import sys
from pathlib import Path

COUNTS = ("line_covered", "line_total", "branch_covered", "branch_total")


def percent(part, whole):
    return f"{100 * part / whole:5.1f} %" if whole else "      -"


def put(name, counts, mark=""):
    lines, all_lines, branches, all_branches = counts
    print(f"{name:44} {lines:6}/{all_lines:<6} {percent(lines, all_lines)} {branches:6}/{all_branches:<6} "
          f"{percent(branches, all_branches)}{mark}")


def main():
    files = json.loads(Path(sys.argv[1]).read_text())["files"]
    counts = {file["filename"]: [file[name] for name in COUNTS] for file in files}
    folders = {}
    for name, values in counts.items():
        folder = name.split("/")[1] if name.count("/") > 1 else "main.c"
        folders[folder] = [sum(pair) for pair in zip(folders.get(folder, [0] * 4), values)]
    print(f"{'':44} {'lines':>22} {'branches':>22}")
    for name, values in sorted(counts.items(), key=lambda item: item[1][0] / max(1, item[1][1])):
        put(name, values, "  below 80 %" if values[0] < 0.8 * values[1] else "")
    print()
    for name, values in sorted(folders.items()):
        put(name, values)
    put("all", [sum(column) for column in zip(*counts.values())])


if __name__ == "__main__":
    main()
