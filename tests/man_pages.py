#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the man pages say of each other and of exit statuses, and that the options they mention exist: man_pages.py PROGRAM."""
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
PAGES = {path.name: path.read_text() for path in sorted(TOP.glob("man/jitbench*"))}
OF_MAIN = {"h", "V", "-help", "-version"}
wrong = []


def section(text, heading):
    found = re.search(rf"^\.Sh {heading}\n(.*?)(?=^\.Sh |\Z)", text, re.M | re.S)
    return found[1] if found else ""


def options_of(program, command):
    """Its letters, and its names with one dash as mdoc has them."""
    text = subprocess.run([program, "help", command], capture_output=True, text=True, check=True).stdout
    common = "" if command == "options" or "help options" not in text else subprocess.run(
        [program, "help", "options"], capture_output=True, text=True, check=True).stdout
    return {word[1:] for word in re.findall(r"(?<![\w-])(?:--[\w-]+|-\w(?![\w-]))", text + common)}


def references(text):
    """The pages that it refers to, as file names."""
    return {f"{name}.{number}" for name, number in re.findall(r"^\..*?\bXr (jitbench\S*) (\d)", text, re.M)}


def check_references():
    for name, text in PAGES.items():
        see = section(text, "SEE ALSO")
        wanted = set(PAGES) if name == "jitbench.1" else references(text.replace(see, "")) | {"jitbench.1"}
        wrong.extend(f"{name}: there is no page {each}" for each in references(text) - set(PAGES))
        wrong.extend(f"{name}: SEE ALSO does not name {each}" for each in wanted - references(see) - {name})


def check_statuses(commands):
    header = re.search(r"enum exit_status \{(.*?)\}", (TOP / "include/cmd/cmd.h").read_text(), re.S)[1]
    listed = re.findall(r"^\.It (\S+)", section(PAGES["jitbench.1"], "EXIT STATUS"), re.M)
    if listed != re.findall(r" = (\d+)", header) + ["128+N"]:
        wrong.append(f"jitbench.1: EXIT STATUS has {listed}")
    for command, options in commands.items():
        says = section(PAGES[f"jitbench-{command}.1"], "EXIT STATUS")
        strict, judges = "-strict" in options, options & {"-fail-on", "-require"} or command == "check"
        for status in ["0"] * (command != "init") + ["1", "2"] + ["3", "128+N"] * strict + ["4"] * bool(judges):
            if not re.search(rf"(?:^| ){re.escape(status)}(?=[ ,;:.]|$)", says, re.M):
                wrong.append(f"jitbench-{command}.1: EXIT STATUS does not say {status}")


def check_mentions(name, known):
    """A section LETTERS OF ... also names options of other programs, which are in the table of these."""
    letters = section(PAGES[name], "LETTERS OF [A-Z]+")
    lines = [(line, known) for line in re.findall(r"^\..*", PAGES[name].replace(letters, ""), re.M)]
    words = re.findall(r'^    \{"([^"]*)"', (TOP / "src/cmd/options.c").read_text(), re.M)
    foreign = known | {"-" * (len(word) > 1) + word for line in words for word in line.split()}
    for line, known in lines + [(line, foreign) for line in re.findall(r"^\..*", letters, re.M)]:
        wrong.extend(f"{name}: no such option: {line}" for word in re.findall(r"\bFl (\S+)", line) if word not in known)


def main():
    program = sys.argv[1] if "/" in sys.argv[1] else "./" + sys.argv[1]
    names = re.findall(r"^\.It Cm (\S+)", section(PAGES["jitbench.1"], "COMMANDS"), re.M)
    overview = subprocess.run([program, "help"], capture_output=True, text=True, check=True).stdout
    shown = ", ".join(re.findall(r"^(?:\w{3,8} +| {9})(\w+(?:, \w+)*)(?=  |$)", overview, re.M)).split(", ")
    commands = {name: options_of(program, name) for name in names if name in shown}
    if set(names) != set(shown):
        wrong.append(f"jitbench.1: COMMANDS differ from help: {sorted(set(names) ^ set(shown))}")
    if {f"jitbench-{name}.1" for name in names} | {"jitbench.1", "jitbench-csv.5", "jitbench-options.7", "jitbench-recipes.7"} != set(PAGES):
        wrong.append(f"man/ has other pages than the commands: {sorted(PAGES)}")
    check_references()
    check_statuses(commands)
    everything = OF_MAIN.union(*commands.values())
    for name in PAGES:
        command = name.removeprefix("jitbench-").removesuffix(".1")
        check_mentions(name, commands[command] or everything if command in commands else everything)
    print("\n".join(wrong) or "passed: man_pages")
    return bool(wrong)


sys.exit(main())
