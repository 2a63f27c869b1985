#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the size of each layer in KB of code (without comments and leading blanks) and of comments, its budget from
src/README.md, and the layers whose headers it includes. Fails if a layer includes a header of a layer that is not below it, or
is larger than its budget."""
import collections
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def layers():
    """The layers that each layer may include, as the Makefile has them; main may include all."""
    below = dict(re.findall(r"^below_(\w+) *:= (.*)$", (TOP / "Makefile").read_text(), re.M))
    return {"main": below["cmd"]} | below


def budgets():
    """KB of each layer, and of all comments, from the table of src/README.md."""
    return {name: float(kb) for name, kb in re.findall(r"^\| (\w+) \| (\d+) \|", (TOP / "src/README.md").read_text(), re.M)}


def main():
    below, budget = layers(), budgets()
    code, comments, includes, wrong = collections.Counter(), collections.Counter(), collections.Counter(), []
    for path in sorted([*TOP.glob("src/**/*.[ch]"), *TOP.glob("include/**/*.h")]):
        name, text = path.relative_to(TOP), path.read_text()
        layer = name.parts[1].removesuffix(".c")
        if layer not in below:
            wrong.append(f"{name}: is in no layer")
            continue
        code[layer] += sum(len(line.strip()) + 1 for line in COMMENT.sub("", text).split("\n") if line.strip())
        comments[layer] += sum(map(len, COMMENT.findall(text)))
        for to in re.findall(r'^#include "(\w+)/', text, re.M):
            if to in below and to != layer:
                includes[layer, to] += 1
                if to not in below[layer].split():
                    wrong.append(f"{name}: {layer} may include only {below[layer]}, not {to}")
    print("layer    code KB budget comments KB  includes")
    for layer in ["main"] + below["cmd"].split():
        used = [f"{to} {includes[layer, to]}" for to in below if includes[layer, to]]
        print(f"{layer:8} {code[layer] / 1000:7.1f} {budget.get(layer, 0):6.0f} {comments[layer] / 1000:11.1f}  {', '.join(used)}")
        if code[layer] / 1000 > budget.get(layer, 0):
            wrong.append(f"{layer}: {code[layer] / 1000:.1f} KB of code, its budget in src/README.md is {budget.get(layer, 0):.0f}")
    print(f"all      {sum(code.values()) / 1000:7.1f} {sum(budget[layer] for layer in below):6.0f} {sum(comments.values()) / 1000:11.1f}")
    if sum(comments.values()) / 1000 > budget["comments"]:
        wrong.append(f"comments: {sum(comments.values()) / 1000:.1f} KB, their budget in src/README.md is {budget['comments']:.0f}")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return bool(wrong)


sys.exit(main())
