#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the man pages say of each other and of exit statuses, that the options they mention exist, and that tests, metrics,
samples and columns are those of the program's tables: man_pages.py PROGRAM TABLES, which is man_tables.c."""
import math
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


def same(where, program, page):
    """Both ways and in order."""
    if program != page:
        wrong.append(f"{where}: the program has {[each for each in program if each not in page] or program}, "
                     f"the page has {[each for each in page if each not in program] or page}")


def items(text, macro="Cm"):
    """Of each item of a list the words behind the macro, and the text below."""
    return re.findall(rf"^\.It {macro} (.*)\n((?:(?!\.It|\.El).*\n)*)", text, re.M)


def check_tests(suite, operands):
    """TESTS has name, old names, unit and baseline of each test, and its title; GROUPS the tests of a group."""
    text, page = PAGES[f"jitbench-{suite}.1"], f"jitbench-{suite}.1"
    if not section(text, "TESTS"):
        return same(page, list(operands), re.findall(r"^\.Ss (.*)", section(text, "DESCRIPTION"), re.M))
    listed, old = [], []
    for line, body in items(section(text, "TESTS")):
        names, _, brackets = line.partition(" Pq ")
        first, *others = names.split(" , ")
        title, unit, members = operands[first]
        if brackets != unit or not body.startswith(title) or any(operands[each][2] != members for each in others):
            wrong.append(f"{page}: {line}: the program has {unit}, {title}, {[operands[each] for each in others]}")
        listed.append(first)
        old += others
    for line, body in items(section(text, "GROUPS")):
        listed += line.split(" , ")
        same(f"{page}: {line}", [operands[each][2].rstrip(", ") for each in line.split(" , ")],
             [body.replace("\n", " ").rstrip(". ")] * len(line.split(" , ")))
    return same(page, list(operands), listed + old)


def check_sampling(suite, benches):
    """benches: of each its name, when it stops by default, and the cells of each preset. Those sampled alike have one table."""
    page = f"jitbench-{suite}.1"
    text = section(PAGES[page], "SAMPLING")
    alike = {}
    for name, _, *presets in benches:
        alike.setdefault(tuple(presets), []).append(name)
    wanted = [f"{names[0]} Ta {preset} Ta {cells}" for presets, names in alike.items()
              for preset, cells in zip(("default", "Fl -quick", "Fl -classic"), presets)]
    same(page, wanted, [line for line in re.findall(r"^\.It (\S+ Ta .*)", text, re.M) if line[:3] != "Em "])
    same(page, [(names[0], ", ".join(names[1:])) for names in alike.values() if names[1:]],
         [(first, body.replace("\n", " ").rstrip(". ")) for first, body in items(text, "like Cm")])
    for said in re.findall(r"^\.Fl -max-time\n\(default (.*?)\)", PAGES[page], re.M):
        same(f"{page}: --max-time", sorted({limit for _, limit, *_ in benches if limit}), [said])


def check_metrics(tables):
    """A heading of METRICS names tests, or a suite whose name is no test's."""
    suites = {suite for suite, in tables["suite"]}
    under = [(re.findall(r"[^ ,]+", heading), [line for line, _ in items(text)]) for heading, text in re.findall(
        r"^\.Ss Metrics of (.*)\n((?:(?!\.Ss ).*\n)*)", section(PAGES["jitbench-csv.5"], "METRICS"), re.M)]
    tests = {}
    for suite, test, metric, unit, rest in tables["metric"]:
        tests.setdefault((suite, test), []).append((metric, unit, rest))
    names = {test for _, test in tests}
    for (suite, test), metrics in tests.items():
        others = {(metric, unit) for (other, _), each in tests.items() for metric, unit, _ in each if other == suite and unit != "ticks"}
        program = [f"{metric} Pq " + ("the test's unit" if unit != "ticks" and {each for name, each in others if name == metric} - {unit} else unit)
                   + f", {rest}" for metric, unit, rest in metrics]
        wanted = {test} | ({suite} - names)
        same(f"jitbench-csv.5: {test}", program, [line for words, lines in under if wanted & set(words) for line in lines])
    made = {test for _, test, *_ in tables["made"]}
    for test in made:
        same(f"jitbench-csv.5: {test}", [f"{metric} Pq {unit}, {better}" for _, name, metric, unit, better in tables["made"] if name == test],
             [line for words, lines in under if test in words for line in lines])
    same("jitbench-csv.5: METRICS", [], [word for words, _ in under for word in words if word not in names | made | suites | {"and"}])


def check_scores():
    """The index that follows from the scores and the baselines is the one below them."""
    page = PAGES["jitbench-unix.1"]
    baselines = {line.split()[0].replace("-same", ""): float(line.split()[-1])
                 for line, _ in items(section(page, "TESTS")) if re.search(r", [\d.]+$", line)}
    scores = {test: [float(server), float(virtual)] for test, server, virtual in re.findall(
        r"^\.It (\w+) Ta ([\d.]+) Ta ([\d.]+)", section(page, "PUBLISHED SCORES"), re.M)}
    index = scores.pop("index")
    same("jitbench-unix.1: PUBLISHED SCORES", sorted(baselines), sorted(scores))
    for column in range(2):
        value = math.exp(sum(math.log(10 * each[column] / baselines[test]) for test, each in scores.items()) / len(scores))
        if abs(value - index[column]) >= 0.1:
            wrong.append(f"jitbench-unix.1: PUBLISHED SCORES: the index is {value}")


def check_tables(program):
    tables = {}
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, *fields = line.split("\t")
        tables.setdefault(kind, []).append(fields)
    csv = PAGES["jitbench-csv.5"]
    same("jitbench-csv.5: COLUMNS", [each for each, in tables["column"]],
         [line.partition(",")[0] for line, _ in items(section(csv, "COLUMNS"), "Va")])
    status = re.search(r"^\.Ss Status\n(.*?)^\.S", PAGES["jitbench.1"], re.M | re.S)[1]
    for text in (status, section(csv, "STATUS")):
        same("statuses", [each for each, in tables["status"]], [line for line, _ in items(text)])
    for suite, in tables["suite"]:
        check_tests(suite, {name: rest for command, name, *rest in tables["operand"] if command == suite})
        check_sampling(suite, [rest for of, *rest in tables["sampling"] if of == suite])
    check_metrics(tables)
    check_scores()


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
    check_tables(sys.argv[2] if sys.argv[2:] else "build/man_tables")
    everything = OF_MAIN.union(*commands.values())
    for name in PAGES:
        command = name.removeprefix("jitbench-").removesuffix(".1")
        check_mentions(name, commands[command] or everything if command in commands else everything)
    print("\n".join(wrong) or "passed: man_pages")
    return bool(wrong)


sys.exit(main())
