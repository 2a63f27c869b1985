#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A corpus is one file: before each input a line with its length in bytes, behind it a newline. libFuzzer wants a directory.

pack.py pack FOLDER FILE     all files of a directory into one, the short ones first
pack.py unpack FILE FOLDER   each input into a file of its own, named by its number; what is not there is no corpus"""
import os
import sys


def pack(folder, path):
    inputs = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as f:
            inputs.append(f.read())
    with open(path, "wb") as f:
        for data in sorted(inputs, key=lambda data: (len(data), data)):
            f.write(b"%d\n%s\n" % (len(data), data))


def unpack(path, folder):
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(path):
        return
    with open(path, "rb") as f:
        for number, line in enumerate(f):
            data = f.read(int(line))
            if len(data) != int(line) or f.read(1) != b"\n":
                sys.exit(f"{path}: input {number} is cut off")
            with open(os.path.join(folder, f"{number:05}"), "wb") as out:
                out.write(data)


if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
    sys.exit(__doc__)
(pack if sys.argv[1] == "pack" else unpack)(*sys.argv[2:])
