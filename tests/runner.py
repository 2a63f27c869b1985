#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs test programs, and counts what passed, failed and was skipped.

    runner.py [--limit SECONDS] [--beside 'COMMAND...' --jobs N] COMMAND...
    runner.py [--limit SECONDS] --one COMMAND WORD...
    runner.py --total FILE

A COMMAND is one argument, split at blanks; with --one all that follows is one command. Those that --beside names as well run
first, in its order, N at a time; the others one after the other. Their output is printed as it comes, and at the end the ten slowest programs
and tests, each skip and failure with its reason, and 'N passed, N failed, N skipped'. The exit status is 1 when anything failed.

A program tells its results by cmocka's lines, where the line 'skipped: REASON' stands before '[  SKIPPED ]'; or by lines
'passed: NAME...', 'failed: NAME: WHY', 'skipped: NAME: REASON', where a number after the first word ('passed 20: ...') says that
it is so many tests. A program that tells nothing is one test, which passes if its exit status is 0.

A program that runs longer than --limit (half an hour; with --one there is no limit unless it is given) is killed with all
processes that it started, and fails with what it printed so far.

A skip without a reason fails. With REQUIRE=1 a skip fails unless tests/skips.txt lists it: lines of 'PROGRAM/TEST | REASON, a
regular expression | why that is accepted'. With RECORD=FILE the results are appended to that file, and --total prints the sum
of all of them."""
import argparse
import concurrent.futures
import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "skips.txt")
LIMIT = 1800  # seconds: eight times what the longest takes
SLOWEST = 10
SHOWN = 200  # characters of a command
CMOCKA = re.compile(r"\[ (RUN     | {6}OK| SKIPPED| FAILED | ERROR  ) \] (\w+)$")
PLANNED = re.compile(r"\[={10}\].* Running (\d+) test")
TOLD = re.compile(r"(passed|failed|skipped)(?: (\d+))?: ([^:]+)(?:: *(.*))?$")


class Skip(Exception):
    """A case of a script cannot be run here, and why."""


class Failure(Exception):
    """A case failed: its text says how."""


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(map(str, what)))


def need(*programs):
    """Skips the case unless these are installed, in /sbin too."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    for name in programs:
        if not shutil.which(name, path=path):
            raise Skip(f"there is no {name}")
    os.environ["PATH"] = path


def tell(name, case):
    """Runs a case and prints its result in a line that is counted: what it returns, or why not. False when it failed."""
    began = time.monotonic()
    try:
        word, what = "passed", case() or ""
    except Skip as reason:
        word, what = "skipped", reason
    except Failure as error:
        word, what = "failed", error
    except subprocess.CalledProcessError as error:
        word, what = "failed", f"{error}: {(error.stderr or '').strip()[:500]}"
    what = " ".join(str(what).split()) if word == "skipped" else what
    took = "" if word == "skipped" else f" ({time.monotonic() - began:.1f} s)"
    print(f"{word}: {name}: {what}{took}", flush=True)
    return word != "failed"


def label_of(words):
    """The folder's name for tests/FOLDER/FILE, the name of the program for others."""
    program = next(word for word in words if word not in ("env", "setarch", "-R") and "=" not in word)
    path = os.path.normpath(program).split(os.sep)
    return path[-2] if len(path) > 2 and path[-3] == "tests" else re.sub(r"\.(py|sh)$", "", path[-1])


class Results:
    """The results that one program printed. add() takes its lines, end() its exit status."""

    def __init__(self, label):
        self.label, self.seconds = label, 0.0
        self.passed = 0
        self.failed, self.skipped = [], []  # of (name, why, number of tests)
        self.running, self.reason = None, ""  # of cmocka
        self.planned, self.reported = 0, 0
        self.began, self.times = 0.0, []  # of each test: seconds, name

    def add(self, line):
        found = CMOCKA.search(line)
        if found:
            self.add_cmocka(found[1].strip(), found[2])
        elif PLANNED.search(line):
            self.planned += int(PLANNED.search(line)[1])
        elif self.running:
            if line.startswith("skipped:"):
                self.reason = line.removeprefix("skipped:").strip()
        elif not self.planned and TOLD.match(line):
            word, number, name, why = TOLD.match(line).groups()
            self.count(word, name.strip(), why or "", int(number or 1))

    def add_cmocka(self, word, name):
        if word == "RUN":
            self.running, self.reason, self.began = name, "", time.monotonic()
        elif name == self.running:  # it names failed and skipped tests once more at its end
            self.running = None
            self.reported += 1
            self.times.append((time.monotonic() - self.began, f"{self.label}/{name}"))
            self.count({"OK": "passed", "SKIPPED": "skipped"}.get(word, "failed"), name, self.reason if word == "SKIPPED" else "", 1)

    def count(self, word, name, why, number):
        name = f"{self.label}/{name}"
        if word == "passed":
            self.passed += number
        elif word == "failed":
            self.failed.append((name, why, number))
        elif why:
            self.skipped.append((name, why, number))
        else:
            self.failed.append((name, "skipped without a reason", number))

    def end(self, status, limit=None):
        """status: as subprocess has it, negative for a signal. limit: the seconds after which it was killed."""
        how = f"ended by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        how = f"killed after {limit:g} s" if limit else how
        if self.running:
            self.count("failed", self.running, how, 1)
            self.reported += 1
        if self.planned > self.reported:
            self.failed.append((self.label, f"{how}: tests did not run", self.planned - self.reported))
        if not self.planned and not self.passed and not self.failed and not self.skipped and status == 0:
            self.passed = 1
        if status != 0 and not self.failed:
            self.failed.append((self.label, how, 1))

    def refuse(self, accepted):
        """Makes failures of the skips that are not accepted."""
        for each in self.skipped[:]:
            name, why, number = each
            if not any(name == test and re.search(reason, why) for test, reason in accepted):
                self.skipped.remove(each)
                self.failed.append((name, f"skipped: {why}", number))

    def counts(self):
        return self.passed, sum(each[2] for each in self.failed), sum(each[2] for each in self.skipped)


def read_accepted(path):
    """(test, regular expression of the reason) of each line."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    entries = [[field.strip() for field in line.split(" | ")] for line in lines if line and not line.startswith("#")]
    for entry in entries:
        if len(entry) != 3 or not all(entry):
            sys.exit(f"{path}: not 'PROGRAM/TEST | REASON | WHY': {' | '.join(entry)}")
    return [(test, reason) for test, reason, _ in entries]


def family_of(leader):
    """The processes of its session and all their descendants."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(") ")[2].split()
        except OSError:
            continue  # it has ended
        if fields[0] != "Z":
            parents[int(entry)] = leader if int(fields[3]) == leader else int(fields[1])
    family = {leader}
    while len(family) < len(family := family | {pid for pid, parent in parents.items() if parent in family}):
        pass
    return family & set(parents)


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def kill_family(leader):
    """Stops them first, so that none starts another one meanwhile."""
    stopped = set()
    while new := family_of(leader) - stopped:
        send(new, signal.SIGSTOP)
        stopped |= new
    send(stopped, signal.SIGKILL)


def lines_of(process, deadline):
    """The lines of a process's standard output until it has ended; not of others that it left, which may keep the pipe open.
    Kills it and its family at the deadline."""
    pipe, ended = process.stdout.fileno(), os.pidfd_open(process.pid)
    rest = b""
    try:
        while True:
            ready = select.select([pipe, ended], [], [], max(0, deadline - time.monotonic()) if deadline else None)[0]
            if deadline and time.monotonic() >= deadline:
                kill_family(process.pid)
                deadline = None
                continue
            data = os.read(pipe, 65536) if pipe in ready else b""
            if not data:  # the end of the output, or of the process with nothing left to read
                break
            *lines, rest = (rest + data).split(b"\n")
            yield from (line.decode(errors="replace") + "\n" for line in lines)
        if rest:
            yield rest.decode(errors="replace")
    finally:
        os.close(ended)


RUNNING = set()  # ids of the processes that run() started


def end_by(number, _):
    """Passes a signal on, which a terminal sends to its own session only."""
    for leader in list(RUNNING):
        kill_family(leader)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def run(words, show, limit, **how):
    """Runs a command in a session of its own, gives its lines to show() and returns its results."""
    results = Results(label_of(words))
    began = time.monotonic()
    show(f"== {' '.join(words)[:SHOWN]}\n")
    try:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **how)
    except OSError as error:
        results.failed.append((results.label, str(error), 1))
        return results
    RUNNING.add(process.pid)
    with process:
        for line in lines_of(process, began + limit if limit else None):
            show(line)
            results.add(line.rstrip("\r\n"))
        process.stdout.close()
        status = process.wait()
    RUNNING.remove(process.pid)
    results.seconds = time.monotonic() - began
    results.end(status, limit if limit and results.seconds >= limit else None)
    show("-- {}, {:.1f} s\n".format(sentence(results.counts()), results.seconds))
    return results


def show_now(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def run_beside(commands, jobs, limit):
    """Runs them jobs at a time; each one's output is printed whole."""
    lock = threading.Lock()

    def one(words):
        text = []
        results = run(words, text.append, limit, stdin=subprocess.DEVNULL)
        with lock:
            show_now("".join(text))
        return results

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, commands))


def sentence(counts):
    return "{} passed, {} failed, {} skipped".format(*counts)


def print_summary(everything):
    """Returns the exit status."""
    times = [time for results in everything for time in results.times]
    for what, slow in ("programs", [(each.seconds, each.label) for each in everything]), ("tests", times):
        if len(slow) > SLOWEST:
            print(f"\nThe slowest {what}:")
            for seconds, name in sorted(slow, reverse=True)[:SLOWEST]:
                print(f"{seconds:8.1f} s  {name}")
    for word in ("skipped", "failed"):
        for name, why, number in (each for results in everything for each in getattr(results, word)):
            print(f"{word}: {name}{f' ({number})' if number > 1 else ''}{': ' + why if why else ''}")
    counts = [sum(column) for column in zip(*(results.counts() for results in everything))] or [0, 0, 0]
    print(sentence(counts), flush=True)
    return 1 if counts[1] or not sum(counts) else 0


def record(path, everything):
    with open(path, "a", encoding="utf-8") as file:
        for results in everything:
            json.dump({name: getattr(results, name) for name in ("label", "seconds", "passed", "failed", "skipped")}, file)
            file.write("\n")


def read_record(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = json.loads(line)
            results = Results(fields["label"])
            vars(results).update(fields)
            yield results


def main():
    parser = argparse.ArgumentParser(description="runs test programs and counts what passed, failed and was skipped")
    parser.add_argument("--beside", default="", help="commands that run beside each other, first")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many of them at a time")
    parser.add_argument("--limit", type=float, help="seconds after which a program is killed; 0: no limit")
    parser.add_argument("--total", help="print the sum of this record of results")
    parser.add_argument("--one", nargs=argparse.REMAINDER, help="one command, as it stands")
    parser.add_argument("command", nargs="*")
    arguments = parser.parse_args()
    if arguments.total:
        return print_summary(list(read_record(arguments.total)))
    accepted = read_accepted(LIST)
    required, kept = os.environ.get("REQUIRE", "") not in ("", "0"), os.environ.pop("RECORD", None)
    os.environ["PYTHONUNBUFFERED"] = "1"  # so that output comes when it is written
    # python3 in tests is this one: where a script chooses among several, that takes half a second each time.
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", os.defpath)
    commands = [arguments.one] if arguments.one else [shlex.split(command) for command in arguments.command]
    order = arguments.beside.split()
    beside = sorted((words for words in commands if words[0] in order), key=lambda words: order.index(words[0]))
    limit = (0 if arguments.one else LIMIT) if arguments.limit is None else arguments.limit
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, end_by)
    everything = run_beside(beside, arguments.jobs, limit)
    everything += [run(words, show_now, limit) for words in commands if words not in beside]
    if required:
        for results in everything:
            results.refuse(accepted)
    if kept:
        record(kept, everything)
    return print_summary(everything)


if __name__ == "__main__":
    sys.exit(main())
