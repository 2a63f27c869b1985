#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares whole outputs of the program with the files of tests/golden/out; --update writes these anew.

    golden.py [--update] PROGRAM [NAME...]

A line of tests/golden/cases is the name of a file in out/, blanks, and the command line that prints it, run in tests/golden/in.
Standard error and an exit status other than 0 stand at the end of the file, below lines of their own.

@TREE before the words runs `check` in a root made up from tests/trees/TREE.tree. 'COLUMNS=N' before them sets a width.
'then' between them: one command line after the other, there.
'lines<=N' among them: at most so many lines, none wider than COLUMNS (80 unless set).
'each FILE': the command lines of in/each/FILE, one after the other in a copy of in/each/files, and the files that are there then.
The name of a case that measures begins with '~': the figures of its file are wildcards. There
  #     stands for a whole number, #.## for one with two decimals,
  ~     for the same or a "-", where a value may be not known; its decimals may be more or fewer, as of a busy machine,
  *     for any text,
  -     alone for itself or any number,
two blanks or more for two or more, blanks at the beginning of a line for any number of them, and a line that begins with
"? " may be missing. --update runs a case that no longer matches some times to see where they belong. A CSV is replaced by
what each of its rows is, which lists it has, and its status; the figures are worked out again from others of the row.
@CPU is a CPU that may be used, @CPUS are two. A case with the word "fifo" needs the right to SCHED_FIFO."""
import concurrent.futures
import csv
import difflib
import io
import itertools
import math
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
IN = os.path.join(HERE, "in")
TREES = os.path.join(os.path.dirname(HERE), "trees")
SHOWN = 60  # lines of a difference
TIMEOUT_S = 120
UPDATES = 3  # further runs of a case that measures, by which --update learns what differs
CHROOT = ["chroot"] if os.geteuid() == 0 else ["unshare", "-r", "chroot"]
CPUS = sorted(os.sched_getaffinity(0))
WILD = re.compile(r"  +|[*]|[#~](?:\.#+)?|[^ *#~]+| ")
# What the program says of itself and of the kernel that it runs on, whatever root it sees.
OF_MACHINE = "hypervisor,steal,scheduler,preempt,hz,page_size,caches"  # caches: by the affinity of the caller
OWN = [(r"^(Where|Cores) .*\n(?: .*\n)*", ""), (r"(?s)\nhost  .*?(?=\n\n|\n\[|\Z)", ""), (r',\n\{"about": "host".*?\}', ""),
       ("isolcpus=managed_irq,domain,", "isolcpus=")]


def unpack(tree, root):
    """Writes the files of a tree, see tests/unit/tree_fixture.h."""
    with open(os.path.join(TREES, tree + ".tree"), encoding="latin1") as file:
        lines = [line.rstrip("\n").split("\t", 1) for line in file if line.strip() and line[0] != "#"]
    for path, content in lines:
        numbers = re.search(r"\{(\d+)-(\d+)\}", path)
        for number in range(int(numbers[1]), int(numbers[2]) + 1) if numbers else [0]:
            path_, text = (re.sub(r"\{(?:\d+-\d+|([+-]\d+)?)\}", lambda m: str(number + int(m[1] or 0)), each) for each in (path, content))
            # The program looks for the configuration of the kernel that runs.
            put(root + re.sub(r"^/boot/config-.*", "/boot/config-" + os.uname().release, path_), text)


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if text == "folder":
        os.makedirs(path, exist_ok=True)
    elif text.startswith("-> "):
        os.symlink(text[3:], path)
    else:
        text = re.sub(r"\\(?:x(..)|(.))", lambda m: chr(int(m[1], 16)) if m[1] else {"n": "\n", "t": "\t"}.get(m[2], m[2]), text)
        with open(path, "wb") as file:
            file.write((text[1:] if text.startswith("=") else text and text + "\n").encode("latin1"))


def no_fifo(_):
    try:
        before = os.sched_getscheduler(0), os.sched_getparam(0)
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, *before)
        return ""
    except OSError as error:
        return f"no SCHED_FIFO: {error}"


def no_root(program):
    """Why the program cannot run in a root of its own, or nothing."""
    with open(program, "rb") as file:
        if b"/ld-" in file.read(4096):
            return "the program is linked dynamically"
    done = subprocess.run(CHROOT + ["/", "true"], capture_output=True, check=False)
    return f"no root of its own: {done.stderr.decode().strip()}" if done.returncode else ""


def run_each(program, name, where):
    place = shutil.copytree(os.path.join(IN, "each/files"), os.path.join(where, "files"))
    text = ""
    with open(os.path.join(IN, "each", name), encoding="utf-8") as file:
        for line in file:
            text += "$ jitbench " + line + run(program, shlex.split(line), where, False, place)
    return f"{text}[files]\n{' '.join(sorted(os.listdir(place)))}\n"


def run(program, words, where, measures, place=IN):
    """The text of a case: standard output, then what else there is."""
    if words[0] == "each":
        return run_each(program, words[1], where)
    words = [word for word in words if not word.startswith("lines<=")]
    env = {"PATH": os.environ["PATH"], "TZ": "UTC", "LC_ALL": "C.UTF-8", "COLUMNS": "80", "TERM": "dumb"}
    while "=" in words[0]:
        name, value = words.pop(0).split("=")
        env[name] = value
    command = [program]
    if words[0].startswith("@") and place == IN:
        root = os.path.join(where, "root")
        os.mkdir(root)
        unpack(words.pop(0)[1:], root)
        # By another process: a copy that this one writes is busy while a thread of it starts a program.
        subprocess.run(["cp", program, root + "/jitbench"], check=True)
        command = CHROOT + [root, "/jitbench"]
    if "then" not in words:
        return run_one(command, words, where, measures, place, env)
    lines = [[*line] for is_then, line in itertools.groupby(words, "then".__eq__) if not is_then]
    return "".join(f"$ jitbench {shlex.join(line)}\n" + run_one(command, line, where, measures, place, env) for line in lines)


def run_one(command, words, where, measures, place, env):
    if command[0] == CHROOT[0] and words[0] == "check" and "--ignore" not in words:
        words = words + ["--ignore", OF_MACHINE]
    marks = {"@DIR": where, "@CPUS": f"{CPUS[0]},{CPUS[1 % len(CPUS)]}", "@CPU": str(CPUS[0])}
    words = [re.sub("@(DIR|CPUS?)", lambda m: marks[m[0]], word) for word in words]
    done = subprocess.run(command + words, cwd=place, env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)
    text = done.stdout.decode(errors="backslashreplace")
    if measures and text.startswith("schema,"):
        text = summary_of(text)
    if done.stderr:
        text += "[standard error]\n" + done.stderr.decode(errors="backslashreplace")
    if done.returncode:
        text += f"[exit status {done.returncode}]\n"
    if command[0] == CHROOT[0]:
        for pattern, instead in OWN:
            text = re.sub(pattern, instead, text, flags=re.M)
    for pattern in OF_NOISE if measures else []:
        text = re.sub(pattern, "", text, flags=re.M)
    if measures:
        text = text.rstrip("\n") + "\n"
    return text.replace(where, "DIR")


def too_large(text, words):
    """What is wrong with the number of lines or their width, or nothing."""
    lines = text.removesuffix("\n").split("\n")
    most = next((int(word[7:]) for word in words if word.startswith("lines<=")), None)
    columns = next((int(word[8:] or 80) for word in words if word.startswith("COLUMNS=")), 80)
    if most is None:
        return ""
    wide = [f"wider than {columns} columns: {line}" for line in lines if len(line) > columns]
    return "\n".join(wide + [f"{len(lines)} lines, at most {most} are wanted"] * (len(lines) > most))


# Of measured tables, what depends on how quiet the machine is.
OF_NOISE = [r"  (unstable|degraded)$", r" +$", r"^(unstable|degraded): .*\n", r"\n*^(Warning|Stall): .*$"]
STATISTICS = "n value mean sd rsd_pct ci95_lo ci95_hi min median mad p90 p99 p999 max".split()
NUMBERS = STATISTICS + """cpus_online copies index rt_priority nice wall_s cpu_s ctx_voluntary ctx_involuntary migrations
    faults_minor faults_major run_delay_ms irqs softirqs steal_ms freq_khz start_late_us core_mhz explained_pct uptime_s
    temp_begin_c temp_end_c""".split()
RISING = [["min", "median", "max"], ["min", "mean", "max"], ["ci95_lo", "mean", "ci95_hi"], ["median", "p90", "p99", "p999", "max"]]
LEAST = {"p90": 10, "p99": 100, "p999": 1000}  # a percentile takes as many events as it takes for one to be above it,
TEN_ABOVE = ("requests", "frame", "launch", "input", "audio-period")  # or, of these tests, ten
LISTS = {"samples": r"[^:;]*", "hist": r"[^:;]+:\d+", "series": r"[^:;]+:[^:;]+|\+\d+"}
NAMES = ["suite", "test", "load", "param", "copies", "metric", "unit", "better"]
PLACED = ["policy", "rt_priority", "nice", "bind", "layout", "item", "comment"]
# Keys of param whose value is the machine's or the build's.
OF_BUILD = re.compile(r"\b(clock|libc|resident|flags|linkage|kernel|pages|up_to|worst_cpu)=\S+")
OF_RUN = re.compile(r" load_\w+=\S+")


def near(one, other):
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other), 1e-9)


def wrong_of(row):
    """The columns of a row that are no numbers, or contradict others."""
    known = {column: float(row[column]) if row[column] else None for column in NUMBERS}
    yield from (column for column, value in known.items() if value is not None and not math.isfinite(value))
    for columns in RISING:
        each = [known[column] for column in columns if known[column] is not None]
        # A percentile of a histogram is as good as the bin is narrow.
        if any(low > high + abs(high) / 64 + 1e-9 for low, high in zip(each, each[1:])):
            yield "<=".join(columns)
    yield from (column for column, pattern in LISTS.items()
                if row[column] and not all(re.fullmatch(pattern, each) for each in row[column].split(";")))
    if row["hist"]:
        if known["n"] != sum(int(each.split(":")[1]) for each in row["hist"].split(";")):
            yield "hist"
        above = 10 if row["test"] in TEN_ABOVE else 1
        yield from (column for column, least in LEAST.items() if bool(row[column]) != (known["n"] >= above * least))
    elif known["n"] == len(samples := [float(each) for each in row["samples"].split(";") if each]):
        wanted = {"min": min(samples), "max": max(samples), "median": statistics.median(samples),
                  "mean": math.fsum(samples) / len(samples), "sd": statistics.stdev(samples) if len(samples) > 1 else None}
        yield from (column for column, value in wanted.items()
                    if (value is None) != (known[column] is None) or value is not None and not near(known[column], value))
    if known["sd"] is not None and known["mean"] and not near(known["rsd_pct"], 100 * known["sd"] / abs(known["mean"])):
        yield "rsd_pct"


def summary_of(text):
    """A CSV with what does not change from run to run. A row that is unstable ran; the core may not have been free, and there may be no delay."""
    header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines = [",".join(header)]
    for row in (dict(zip(header, row)) for row in rows):
        names = OF_BUILD.sub(r"\1=*", OF_RUN.sub("", " ".join(row[column] or "-" for column in NAMES)))
        has = " ".join(column for column in ("value", "index", *LISTS) if row[column])
        if row["suite"] in ("prime", "stream") and row["unit"] in ("cycles", "ns"):
            row["unit"] = "ticks"
        status = "ok" if row["status"] == "unstable" or row["reason"].startswith("a sample waited for a CPU") else row["status"] + (": " + row["reason"] if row["reason"] else "")
        placed = " ".join(row[column] or "-" for column in PLACED)
        lines.append(names if row["metric"].endswith(("_alone", "_size", "stable_after", "same_cpu")) else f"{names} | {has} | {status} | {placed}")
        lines += [f"wrong: {each}: {row}" for each in wrong_of(row)]
    return re.sub(r"  +", " ", "\n".join(lines)) + "\n"


def pattern_of(line):
    def one(part):
        if part[0] in "#~":
            number = r"\d+" + (rf"\.\d{{{len(part) - 2}}}" if len(part) > 1 else "")
            return r"(?:\d+(?:\.\d+)?|-)" if part[0] == "~" else number
        if part == "-":
            return r"(?:-|\d+(?:\.\d+)?)"
        return ".+" if part == "*" else " {2,}" if part.startswith("  ") else re.escape(part)
    blanks = len(line) - len(line.lstrip(" "))
    return re.compile(" *" + "".join(map(one, WILD.findall(line[blanks:]))) + r"\Z")


def match(expected, text):
    """The expected text, with the lines that match replaced by those that were printed."""
    lines, out = text.split("\n"), []
    for line in expected.split("\n"):
        optional = line.startswith("? ")
        if lines and pattern_of(line[2 if optional else 0:]).match(lines[0]):
            out.append(lines.pop(0))
        elif not optional:
            out.append(line)
            if lines:  # goes on behind the line that is wrong
                after = next((i for i, each in enumerate(lines[:8]) if pattern_of(line).match(each)), None)
                if after is not None:
                    out[-1] = lines[after]
                    del lines[:after + 1]
    return "\n".join(out)


NUMBER = re.compile(r"\d+(?:\.(\d+))?|[#~](?:\.(#+))?")


def key_of(line):
    """A line without its figures, to tell which lines of two runs are the same one."""
    line = line.removeprefix("? ").strip()
    return line if " | " in line else re.sub(r" +", " ", re.sub(r"(?<= )-(?= |$)", "#", NUMBER.sub("#", line)))


def merged_cell(one, other, first):
    """A cell of two runs, with wildcards where it may differ."""
    if one == other and (first or re.search("[^-0-9.#~]", one)) and not one.startswith("Unit: "):
        return one
    if NUMBER.sub("#", one) == NUMBER.sub("#", other) and re.search("[^-0-9.#~]", one):
        return NUMBER.sub(lambda m: "#" + ("." + "#" * len(m[1] or m[2]) if m[1] or m[2] else ""), one)
    numbers = [each for each in (one, other) if NUMBER.fullmatch(each)]
    if all(each == "-" or NUMBER.fullmatch(each) for each in (one, other)):
        return "~" + re.sub(r"^[^.]+|[^.]", lambda m: "" if m.start() == 0 else "#", numbers[0]) if numbers else "-"
    return "*"


def merged_line(one, other):
    cells, others = (re.split(r"(\s{2,})", line.removeprefix("? ").strip()) for line in (one, other))
    if len(cells) != len(others):
        return one
    first = next((i for i, cell in enumerate(cells) if cell.strip()), 0)
    line = "".join(cell if i % 2 else merged_cell(cell, others[i], i == first) for i, cell in enumerate(cells))
    return "? " + line if one.startswith("? ") or other.startswith("? ") else line


def merged(one, other):
    """What the texts of two runs have in common, with wildcards for the rest, and '? ' before lines of one only."""
    one, other = one.split("\n"), other.split("\n")
    out = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, [*map(key_of, one)], [*map(key_of, other)], autojunk=False).get_opcodes():
        if tag == "equal":
            out += map(merged_line, one[i:j], other[k:m])
        else:
            out += ["? " + line.removeprefix("? ") for line in one[i:j] + other[k:m]]
    return "\n".join(out)


def check(program, name, words, update):
    """What differs, or nothing."""
    measures = name.startswith("~")
    path = os.path.join(HERE, "out", name.removeprefix("~"))
    with tempfile.TemporaryDirectory(prefix="jitbench-golden-") as where:
        text = run(program, words, where, measures)
    large = too_large(text, words)
    if large:
        return f"{path}\n{large}"
    try:
        with open(path, encoding="utf-8", newline="") as file:
            expected = file.read()
    except FileNotFoundError:
        expected = ""
    against = match(expected, text) if measures else expected
    if against == text:
        return ""
    if update:
        with open(path, "w", encoding="utf-8", newline="") as file:
            for _ in range(UPDATES if measures else 0):
                with tempfile.TemporaryDirectory(prefix="jitbench-golden-") as where:
                    text = merged(text, run(program, words, where, measures))
            file.write(text)
        return ""
    difference = difflib.unified_diff(against.split("\n"), text.split("\n"), path, "jitbench " + " ".join(words), lineterm="")
    return "\n".join(line[:400] for line in list(difference)[:SHOWN])


# What a case may need: by a word of its command line, why it is not here.
NEEDS = {"fifo": no_fifo, "@": no_root, "@CPUS": lambda _: "" if len(CPUS) > 1 else "only one CPU",
         "x86": lambda _: "" if os.uname().machine in ("x86_64", "i686") else "not x86"}


def read_cases():
    with open(os.path.join(HERE, "cases"), encoding="utf-8") as file:
        lines = [shlex.split(line) for line in file if line.strip() and line[0] != "#"]
    return {words[0]: words[1:] for words in lines}


def need_of(word):
    return "@" if word[0] == "@" and word[1:2].islower() else word


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    program, *names = arguments[update:]
    program = os.path.abspath(program)
    everything = read_cases()
    cases = {name: words for name, words in everything.items() if not names or name.removeprefix("~") in names}
    unknown = sorted(set(names) - {name.removeprefix("~") for name in everything})
    missing = {need: why for need, why in ((need, why(program)) for need, why in NEEDS.items()) if why}
    for name, words in list(cases.items()):
        for why in {missing[need_of(word)] for word in words if need_of(word) in missing}:
            print(f"skipped: {name}: {why}")
            cases.pop(name, None)
    cases = {name: [word for word in words if word not in ("fifo", "x86")] for name, words in cases.items()}
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        found = dict(zip(cases, pool.map(lambda case: check(program, *case, update), cases.items())))
    wrong = {name: difference for name, difference in found.items() if difference}
    stale = sorted(set(os.listdir(os.path.join(HERE, "out"))) - {name.removeprefix("~") for name in everything})
    for difference in wrong.values():
        print(difference)
    for name in stale:
        print(f"failed: {name}: no case makes it")
    for name in unknown:
        print(f"failed: {name}: no such case")
    for name in wrong:
        print(f"failed: {name}: differs; if it should, `make golden` writes it anew")
    print(f"passed {len(cases) - len(wrong)}: golden")
    return 1 if wrong or stale or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
