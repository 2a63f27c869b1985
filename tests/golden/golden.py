#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares whole outputs of the program with the files of tests/golden/out; --update writes these anew.

    golden.py [--update] PROGRAM [NAME...]

A line of tests/golden/cases is the name of a file in out/, blanks, and the command line that prints it, run in tests/golden/in.
Standard error and an exit status other than 0 stand at the end of the file, below lines of their own.

@TREE before the words runs `check` in a root made up from tests/trees/TREE.tree. 'COLUMNS=N' before them sets a width.
The name of a case that measures begins with '~': the figures of its file are wildcards. There
  #     stands for a whole number, #.## for one with two decimals,
  ~     for the same or a "-", where a value may be not known,
  *     for any text,
two blanks or more for two or more, blanks at the beginning of a line for any number of them, and a line that begins with
"? " may be missing. --update replaces the numbers of such a file only if it no longer matches; the other marks are put by
hand."""
import concurrent.futures
import difflib
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREES = os.path.join(os.path.dirname(HERE), "trees")
SHOWN = 60  # lines of a difference
TIMEOUT_S = 60
CHROOT = ["chroot"] if os.geteuid() == 0 else ["unshare", "-r", "chroot"]
WILD = re.compile(r"  +|[*]|[#~](?:\.#+)?|[^ *#~]+| ")
# What the program says of itself and of the kernel that it runs on, whatever root it sees.
OF_MACHINE = "hypervisor,steal,scheduler,preempt,hz,page_size,caches"  # caches: by the affinity of the caller
OWN = [(r"^(Where|Cores) .*\n", ""), (r"(?s)\nhost  .*?(?=\n\[|\Z)", ""), (r',\n\{"about": "host".*?\}', ""),
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


def why_no_root(program):
    """Why the program cannot run in a root of its own, or nothing."""
    with open(program, "rb") as file:
        if b"/ld-" in file.read(4096):
            return "the program is linked dynamically"
    done = subprocess.run(CHROOT + ["/", "true"], capture_output=True, check=False)
    return f"no root of its own: {done.stderr.decode().strip()}" if done.returncode else ""


def run(program, words, where):
    """The text of a case: standard output, then what else there is."""
    env = {"PATH": os.environ["PATH"], "TZ": "UTC", "LC_ALL": "C.UTF-8", "COLUMNS": "80", "TERM": "dumb"}
    while "=" in words[0]:
        name, value = words.pop(0).split("=")
        env[name] = value
    command = [program]
    if words[0].startswith("@"):
        root = os.path.join(where, "root")
        os.mkdir(root)
        unpack(words.pop(0)[1:], root)
        # By another process: a copy that this one writes is busy while a thread of it starts a program.
        subprocess.run(["cp", program, root + "/jitbench"], check=True)
        command = CHROOT + [root, "/jitbench"]
        words += ["--ignore", OF_MACHINE] if words[0] == "check" else []
    done = subprocess.run(command + [word.replace("@DIR", where) for word in words], cwd=os.path.join(HERE, "in"), env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)
    text = done.stdout.decode(errors="backslashreplace")
    if done.stderr:
        text += "[standard error]\n" + done.stderr.decode(errors="backslashreplace")
    if done.returncode:
        text += f"[exit status {done.returncode}]\n"
    if command[0] != program:
        for pattern, instead in OWN:
            text = re.sub(pattern, instead, text, flags=re.M)
    return text.replace(where, "DIR")


def pattern_of(line):
    def one(part):
        if part[0] in "#~":
            decimals = len(part) - 2
            number = r"\d+" + (rf"\.\d{{{decimals}}}" if decimals > 0 else "")
            return f"(?:{number}|-)" if part[0] == "~" else number
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


def number_marks(text):
    return re.sub(r"\d+(?:\.(\d+))?", lambda m: "#" + ("." + "#" * len(m[1]) if m[1] else ""), text)


def check(program, name, words, update):
    """What differs, or nothing."""
    measures = name.startswith("~")
    path = os.path.join(HERE, "out", name.removeprefix("~"))
    with tempfile.TemporaryDirectory(prefix="jitbench-golden-") as where:
        text = run(program, words[:], where)
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
            file.write(number_marks(text) if measures else text)
        return ""
    difference = difflib.unified_diff(against.split("\n"), text.split("\n"), path, "jitbench " + " ".join(words), lineterm="")
    return "\n".join(line[:400] for line in list(difference)[:SHOWN])


def read_cases():
    with open(os.path.join(HERE, "cases"), encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and line[0] != "#"]
    return {words[0]: words[1:] for words in lines}


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    program, *names = arguments[update:]
    program = os.path.abspath(program)
    everything = read_cases()
    cases = {name: words for name, words in everything.items() if not names or name.removeprefix("~") in names}
    no_root = why_no_root(program)
    for name in [name for name, words in cases.items() if no_root and any(word[0] == "@" for word in words)]:
        print(f"skipped: {name}: {no_root}")
        del cases[name]
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        found = dict(zip(cases, pool.map(lambda case: check(program, *case, update), cases.items())))
    wrong = {name: difference for name, difference in found.items() if difference}
    stale = sorted(set(os.listdir(os.path.join(HERE, "out"))) - {name.removeprefix("~") for name in everything})
    for difference in wrong.values():
        print(difference)
    for name in stale:
        print(f"failed: {name}: no case makes it")
    for name in wrong:
        print(f"failed: {name}: differs; if it should, `make golden` writes it anew")
    print(f"passed {len(cases) - len(wrong)}: golden")
    return 1 if wrong or stale else 0


if __name__ == "__main__":
    sys.exit(main())
