#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What layout of code makes of a verdict, with builds of a real program (bzip2, 5,000 lines of C, from Debian's source).

    layout.py PROGRAM INTERVAL FOLDER

The builds differ by the recipe of BUILDS in man/jitbench-run.1, which is taken from the page. Ten pairs of sides of three
builds each do the same: how often does `run` claim a difference, and how often would one build of each side have? Then
ten pairs of five builds, where one side compresses 21 files and the other 20. Half an hour at most; each trial is kept in
the folder, so an interrupted call goes on where it ended. DECIDE_SHORT=1: a minute, nothing is judged."""
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

from decide import SHORT, CannotGoOn, Decide

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man", "jitbench-run.1")
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "jitbench", "layout")
TRIALS, SIDE_SECONDS = (1, 2) if SHORT else (10, 25)
FILES = 20  # as many words with the file: some 50 ms
KINDS = {"same": (3, FILES), "more": (5, FILES + 1)}  # builds a side, files of the second side
SINGLE = 0.05


class Skip(Exception):
    """It cannot be tried here."""


def page_recipe():
    with open(PAGE, encoding="utf-8") as file:
        blocks = re.findall(r"\.Bd -literal[^\n]*\n(.*?)\.Ed", file.read(), re.S)
    found = [block for block in blocks if "objcopy" in block]
    if len(found) != 1:
        raise CannotGoOn(f"the page has {len(found)} recipes")
    return found[0].replace("\\(dq", '"').replace("\\-", "-").replace("\\e", "\\")


def fetch():
    """The upstream files of Debian's source package, by an apt configuration of our own."""
    if not shutil.which("apt-get"):
        raise Skip("there is no apt-get")
    base = os.path.join(CACHE, "apt")
    for folder in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(base, folder), exist_ok=True)
    targets = Decide.call("apt-get", "indextargets", "--format", "deb-src $(SITE) $(RELEASE) $(COMPONENT) $(ORIGIN)",
                          "Created-By: Packages")
    lines = sorted({line.removesuffix(" Debian") for line in targets.splitlines() if line.endswith(" main Debian")})
    Decide.write(base + "/list", "".join(line + "\n" for line in lines))
    options = ["-o", "APT::Sandbox::User=root"]
    for name in ("State::Lists=lists", "Cache=cache", "Etc::SourceList=list", "Etc::SourceParts=none"):
        options += ["-o", "Dir::" + name.replace("=", f"={base}/")]
    try:
        Decide.call("apt-get", *options, "-q", "update")
        Decide.call("apt-get", *options, "-q", "source", "--download-only", "bzip2", cwd=base)
        Decide.call("sh", "-ec", "mkdir -p ../new && tar xf *.orig.tar.?z* -C ../new --strip-components=1", cwd=base)
    except CannotGoOn as error:
        raise Skip(f"no source of bzip2: {error}") from error
    os.rename(os.path.join(CACHE, "new"), os.path.join(CACHE, "bzip2"))


class Layout(Decide):
    def builds(self, n, name):
        """Builds of the program, by the page's recipe."""
        if not os.path.exists(os.path.join(CACHE, "bzip2")):
            fetch()
        work, made = self.path("work"), self.path(name)
        if not os.path.exists(work):
            shutil.copytree(os.path.join(CACHE, "bzip2"), work + ".part")
            os.rename(work + ".part", work)
        recipe = page_recipe().replace("prog", "bzip2").replace("1 2 3", " ".join(map(str, range(1, n + 1))))
        self.call("bash", "-ec", recipe, cwd=work)
        shutil.rmtree(made, ignore_errors=True)
        os.makedirs(made)
        for i in range(1, n + 1):
            os.rename(f"{work}/base{i}", f"{made}/base{i}")
        return [os.path.abspath(f"{made}/base{i}") for i in range(1, n + 1)]

    def singles(self, rows):
        """What one build of each side shows: the difference in %, and p of the signed ranks."""
        walls = {(row["test"], row["param"].split()[0]): [float(x) for x in row["samples"].split(";")]
                 for row in self.read(rows)[1] if row["metric"] == "wall"}
        lists = []
        for (side, build), base in walls.items():
            if side == "a":
                new = walls["b", build]
                lists.append([math.log((new[k] + new[k + 1]) / (base[k] + base[k + 1])) for k in range(0, len(base) - 1, 2)])
        return [(100 * math.expm1(centre), p) for centre, _, _, p in self.intervals(lists)]

    def trial(self, kind, i):
        result, since = self.path(kind, f"{i:02}.json"), time.monotonic()
        if os.path.exists(result):
            with open(result, encoding="utf-8") as file:
                return json.load(file)
        each, files = KINDS[kind]
        rows, text = self.path(kind, f"{i:02}.csv"), os.path.join(CACHE, "bzip2", "blocksort.c")
        builds = self.builds(2 * each, f"{kind}-{i:02}")
        words = [word for k, build in enumerate(builds)
                 for word in ["--", build, "-kc"] + [text] * (FILES if k < each else files)]
        names = ",".join(["a"] * each + ["b"] * each)
        out = self.call(self.program, "run", "-q", "--force", "-o", rows, "--name", names, "--max-time",
                        f"{SIDE_SECONDS}s", *words)
        said = re.search(r"^b(?: is (slower|faster) by ([\d.]+) %|: ).*builds of one side differ by ([\d.]+) %.*$", out, re.M)
        if not said:
            raise CannotGoOn(f"run says no verdict: {out}")
        trial = {"words": said[0], "claim": float(said[2]) * (1 if said[1] == "slower" else -1) if said[1] else None,
                 "layout": float(said[3]), "singles": self.singles(rows)}
        self.write(result, json.dumps(trial))
        shutil.rmtree(self.path(f"{kind}-{i:02}"))
        print(f"  {kind}, {i + 1} of {TRIALS}, {time.monotonic() - since:.0f} s: {said[0]}", flush=True)
        return trial

    def kind(self, kind):
        trials = [self.trial(kind, i) for i in range(TRIALS)]
        claims = [t["claim"] for t in trials if t["claim"] is not None]
        layouts = [t["layout"] for t in trials]
        seen = f"{len(claims)} of {TRIALS}; builds of one side differ by {min(layouts)} to {max(layouts)} %"
        if kind == "same":
            singles = [single for t in trials for single in t["singles"]]
            sure = [abs(pct) for pct, p in singles if p < SINGLE]
            self.judge("same", len(claims) <= 2, "at most 2 false claims", seen)
            self.judge("same, one build a side", True, None, f"{len(sure)} of {len(singles)} claims, "
                       f"of up to {max(sure, default=0):.1f} %")
        else:
            right = [claim for claim in claims if claim > 0]
            self.judge("more", len(right) >= 9, "at least 9 found", f"{len(right)} right of " + seen + (
                f"; claims of {min(right)} to {max(right)} %, median {statistics.median(right):.1f} %" if right else ""))


def main():
    if len(sys.argv) != 4:
        print(__doc__)
        sys.exit(1)
    layout = Layout(*sys.argv[1:])
    for kind in KINDS:
        try:
            layout.kind(kind)
        except Skip as reason:
            print(f"skipped: {kind}: {reason}")
        except (CannotGoOn, LookupError, OSError, ValueError, subprocess.SubprocessError) as error:
            print(f"failed: {kind}: {type(error).__name__}: {error}".replace("\n", " "))
            layout.summary.append((kind, "", "", "failed"))
    print("\n" + layout.table(), end="", flush=True)
    sys.exit(any(verdict == "failed" for *_, verdict in layout.summary))


if __name__ == "__main__":
    main()
