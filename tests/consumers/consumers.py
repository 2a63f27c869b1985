#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Gives what `jitbench export` writes to the programs that it is written for: consumers.py [ITEM...]. `make consumers` calls
it, and names the program in $JITBENCH. The results beside this file are of real runs. An item whose consumer is not
installed is skipped with the reason; the exit status is 1 when an item fails."""
import csv
import datetime
import io
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True
from runner import Skip, expect, tell  # noqa: E402 pylint: disable=wrong-import-position

JITBENCH = os.path.abspath(os.environ.get("JITBENCH", "./jitbench"))
FILES = [os.path.join(HERE, name) for name in ("unix_a.csv", "unix_b.csv", "prime.csv", "latency.csv")]
UNIX_A, UNIX_B = FILES[:2]
COMPARE = "/usr/share/benchmark/compare.py"
LISTS = ("samples", "hist", "series")
OBJECTS = ("settings", "param", "scratch_disk")
TEXTS = ("run_id utc host job rank kernel arch cpu_model build libc suite test load metric unit better status reason policy "
         "cpus bind layout scratch_fs causes timer_latency_held comment core_share counters culprits").split()
CONTROL = re.compile("[\\0-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]")
RANDOM_FILES = 300


def export(form, *files, text=None):
    done = subprocess.run([JITBENCH, "export", "--format", form, *files], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    expect(done.returncode == 0, "export", form, *files, done.stderr.decode())
    return done.stdout.decode("utf-8", errors="strict")


def rows_of(*files):
    rows = []
    for path in files:
        with open(path, newline="", encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return rows


def run(*command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    expect(done.returncode == 0, *command, "gives", done.returncode, done.stdout)
    return done.stdout


def python_with(*modules):
    """An interpreter that has the modules: this one, or the system's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import " + ", ".join(modules)], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    raise Skip("python3 has no " + " or no ".join(modules))


def program(name, package):
    found = shutil.which(name)
    if not found:
        raise Skip("no %s (package %s)" % (name, package))
    return found


class Files:
    """Texts as files of a folder that lives as long as this."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        return self

    def __exit__(self, *error):
        self.folder.cleanup()

    def put(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path


# --- What a row says, by python's own csv and float. ---


def pairs(field):
    return [[float(x) for x in pair.split(":")] for pair in field.split(";") if pair and pair[0] != "+"]


def as_read(name, field):
    """Without control characters. Files of earlier versions have commas in texts where ';' is used now, except in the
    user's own words."""
    field = CONTROL.sub(lambda found: "?" * len(found[0].encode()), field)
    if name in ("comment", "test", "load"):
        return field
    if name == "cpus":
        return field.replace(";", ",")
    if name == "param":
        own = re.search("(^| )(command|input|prepare)=", field)
        at = own.start() if own else len(field)
        return field[:at].replace(",", ";") + field[at:]
    return field.replace(",", ";")


def items(name, field):
    """What its object says, a number where a value has the form of one; the words of a command are one text."""
    found = {}
    for item in as_read(name, field).split(" " if name == "param" else ";"):
        key, _, value = item.partition("=")
        number = re.fullmatch("-?[0-9]+[.]?[0-9]*", value) and len(re.sub("[^0-9]", "", value)) <= 15
        if item:
            found[key] = float(value) if number else value
    return found


def expect_row(ours, row):
    for name, field in row.items():
        value = ours[name]
        if name == "schema":
            expect(value >= int(field), name, value, field)  # of the columns as they are now
        elif name == "samples":
            expect(value == [float(x) for x in field.split(";") if x], name, value, field)
        elif name in LISTS:
            expect(value == pairs(field), name, value, field)
        elif name in OBJECTS:
            expect(value == items(name, field), name, value, field)
        elif name in TEXTS:
            expect(value == as_read(name, field), name, repr(value), repr(field))
        else:
            expect(value == (float(field) if field else None), name, value, field)


def seconds(row, value):
    """The rule of jitbench-export(1), written down once more."""
    per_second = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}
    base = {"lps": 1, "lpm": 1 / 60, "1/s": 1, "1/ms": 1e3, "MWIPS": 1e6, "KBps": 1024, "MB/s": 1e6}
    if row["unit"] in per_second and row["better"] == "lower":
        return value / per_second[row["unit"]]
    if row["unit"] in base and row["better"] == "higher":
        return 1 / (value * base[row["unit"]])
    return None


def in_seconds(rows):
    """Rows that go out as seconds, with their samples."""
    found = []
    for row in rows:
        samples = [float(x) for x in row["samples"].split(";") if x]
        if samples and min(samples) > 0 and seconds(row, 1) is not None:
            found.append((row, [seconds(row, x) for x in samples]))
    return found


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-12)


# --- Consumers. ---


def json_python():
    rows = rows_of(*FILES)
    ours = json.loads(export("json", *FILES))["rows"]
    expect(len(ours) == len(rows), len(ours), len(rows))
    for one, row in zip(ours, rows):
        expect(set(row) | {"series_left_out"} <= set(one), sorted(set(row) - set(one)))
        expect(all(one[name] in (None, "", {}) for name in set(one) - set(row) - {"series_left_out"}), "columns that came later")
        expect_row(one, row)


def json_jq():
    jq = program("jq", "jq")
    text = export("json", *FILES)
    rows = rows_of(*FILES)
    expect(int(run(jq, ".rows | length", text=text)) == len(rows), "length")
    values = run(jq, "-r", '.rows[] | select(.metric == "rate") | .test', text=text).split()
    expect(values == [row["test"] for row in rows if row["metric"] == "rate"], values)


VALIDATE = """
import json, sys, jsonschema
schema, *documents = json.load(sys.stdin)
jsonschema.Draft202012Validator.check_schema(schema)
print(json.dumps([len(list(jsonschema.Draft202012Validator(schema).iter_errors(one))) for one in documents]))
"""


def json_schema():
    """The schema has the columns, in the words of jitbench-csv(5), and takes what is written, but nothing else."""
    def letters(text):
        return re.sub("[^a-z0-9]", "", re.sub(r"^[.]\w\w |\\.", "", text, flags=re.M).lower())

    with open(os.path.join(HERE, "rows.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    words = ""
    for page in ("jitbench-csv.5", "jitbench-export.1"):
        with open(os.path.join(HERE, "../../man", page), encoding="utf-8") as file:
            words += letters(file.read())
    columns = schema["$defs"]["row"]["properties"]
    for name, column in columns.items():
        expect(letters(column["description"]) in words, name, "is not in the words of the page:", column["description"])
    with Files() as files:
        made = files.put("made.csv", "")
        os.unlink(made)
        run(JITBENCH, "run", "-q", "--samples", "2", "-o", made, "--", "true")
        document = json.loads(export("json", *FILES, made))
        rows = rows_of(made)
    for one, row in zip(document["rows"][-len(rows):], rows):
        expect(list(one) == list(columns), set(one) ^ set(columns))
        expect_row(one, row)
        expect(one["settings"]["page_size"] and one["param"]["command"] == "true", one)
    first = document["rows"][0]
    spoilt = [{}, {"rows": [{**first, "param": "a=1"}]}, {"rows": [{**first, "value": "1"}]}, {"rows": [{**first, "hist": [[1]]}]},
              {"rows": [{name: value for name, value in first.items() if name != "n"}]}]
    errors = json.loads(run(python_with("jsonschema"), "-W", "ignore", "-c", VALIDATE, text=json.dumps([schema, document, *spoilt])))
    expect(errors[0] == 0 and all(errors[1:]), errors)


def random_text(generator):
    """No longer than any column has room for."""
    pieces = ['"', ",", "\n", "\r\n", "\t", "\x85", "\u202e", "x", "é", "€", "𝄞", " ", "''", ";", "more text"]
    return "".join(generator.choice(pieces) for _ in range(generator.randrange(6)))


def random_file(generator):
    """A valid CSV of some of our columns, in any order, with others between, and what was put in."""
    columns = ["suite", "test", "metric", "status", "value", "samples"]
    columns += generator.sample(["comment", "reason", "param", "host", "n", "load", "mean"], generator.randrange(7))
    columns += ["other%d" % i for i in range(generator.randrange(4))]
    generator.shuffle(columns)
    rows = []
    for i in range(generator.randrange(1, 6)):
        row = {name: random_text(generator) for name in columns}
        row.update(suite="s", test="t%d" % i, metric="m", status="ok", value=repr(generator.uniform(-1e9, 1e9)))
        row.update({name: str(generator.randrange(1, 1000)) for name in ("n", "mean") if name in row})
        row["samples"] = ";".join(repr(generator.expovariate(1e-3)) for _ in range(generator.randrange(4)))
        rows.append(row)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator=generator.choice(["\n", "\r\n"]),
                            quoting=generator.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]))
    writer.writeheader()
    writer.writerows(rows)
    data = generator.choice(["", "\ufeff"]) + text.getvalue()
    return data if generator.randrange(2) else data.rstrip("\r\n"), rows


def reader_csv():
    """The reader beside python's csv module, on valid files."""
    generator = random.Random(7)
    for _ in range(RANDOM_FILES):
        text, rows = random_file(generator)
        ours = json.loads(export("json", "-", text=text.encode()))["rows"]
        expect(len(ours) == len(rows), repr(text))
        by_test = {one["test"]: one for one in ours}  # rows of one run are adjacent
        for row in rows:
            one = by_test[row["test"]]
            expect_row(one, {name: field for name, field in row.items() if name in one})


def hyperfine_json():
    """And as hyperfine's own scripts read it: times and figures of each command, and of plots by a parameter its number."""
    a = in_seconds(rows_of(UNIX_A))
    lines = json.loads(export("hyperfine-json", UNIX_A))["results"]
    expect(len(lines) == len(a), len(lines), len(a))
    for line, (row, samples) in zip(lines, a):
        expect(list(line) == "command,mean,stddev,median,user,system,min,max,times,exit_codes".split(","), list(line))
        expect(row["test"] in line["command"] and row["metric"] in line["command"], line["command"])
        expect(line["times"] == samples, line, samples)
    with Files() as files:
        made = files.put("made.csv", "")
        os.unlink(made)
        run(JITBENCH, "run", "-q", "--samples", "3", "-L", "s", "0.01,0.03", "-o", made, "--", "sleep", "{s}")
        timed = json.loads(export("hyperfine-json", made))["results"]
    expect([line["command"] for line in timed] == ["sleep 0.01", "sleep 0.03"], timed)
    expect([{name: float(value) for name, value in line["parameters"].items()} for line in timed] == [{"s": 0.01}, {"s": 0.03}], timed)
    for line in lines + timed:
        times = line["times"]
        expect(near(line["mean"], statistics.mean(times)) and near(line["median"], statistics.median(times)), line)
        expect(math.isclose(line["stddev"], statistics.stdev(times), rel_tol=1e-9), line)
        expect(line["min"] == min(times) and line["max"] == max(times), line)
        expect(len(line["exit_codes"]) == len(times), line)
    for line in timed:
        expect(line["exit_codes"] == [0, 0, 0] and 0 <= line["user"] + line["system"] < line["mean"], line)


def gbench_compare():
    if not os.path.exists(COMPARE):
        raise Skip("no %s (package libbenchmark-tools)" % COMPARE)
    python = python_with("scipy", "numpy")
    a, b = (export("gbench", path) for path in (UNIX_A, UNIX_B))
    names = [benchmark["name"] for benchmark in json.loads(a)["benchmarks"]]
    with Files() as files:
        shown = run(python, COMPARE, "--no-color", "benchmarks", files.put("a.json", a), files.put("b.json", b))
    for name in names:
        expect(re.search("^" + re.escape(name) + " +[+-]", shown, re.M), name, "is missing in", shown)
    expect("U Test, Repetitions: 5 vs 5" in shown, shown)
    means = [benchmark["real_time"] for benchmark in json.loads(a)["benchmarks"] if benchmark.get("aggregate_name") == "mean"]
    samples = [taken for _, taken in in_seconds(rows_of(UNIX_A))]
    expect(len(means) == len(samples), means)
    for mean, taken in zip(means, samples):
        expect(near(mean, 1e9 * sum(taken) / len(taken)), mean, taken)


def openmetrics_promtool():
    promtool = program("promtool", "prometheus")
    for path in FILES:
        shown = run(promtool, "check", "metrics", text=export("openmetrics", path))
        expect(shown == "", path, shown)
    run(promtool, "check", "metrics", text=export("openmetrics", *FILES))


READ_OPENMETRICS = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
print(json.dumps([[f.name, f.type, f.unit, f.documentation, [[s.labels, s.value] for s in f.samples]]
                  for f in read(sys.stdin.read())]))
"""


def openmetrics_client():
    python = python_with("prometheus_client.openmetrics.parser")
    families = json.loads(run(python, "-c", READ_OPENMETRICS, text=export("openmetrics", UNIX_A)))
    expect(len({family[0] for family in families}) == len(families), "a family comes twice")
    for name, kind, unit, documentation, _ in families:
        expect(kind == "gauge" and documentation and (not unit or name.endswith("_" + unit)), name, kind, unit)
    rates = {sample[0]["test"]: sample[1] for family in families if family[0] == "jitbench_rate_per_second" for sample in family[4]}
    expect(rates == {row["test"]: float(row["value"]) for row in rows_of(UNIX_A) if row["metric"] == "rate"}, rates)
    info = next(family[4] for family in families if family[0] == "jitbench_run_info")
    expect([sample[0]["build"] for sample in info] == [rows_of(UNIX_A)[0]["build"]], info)
    expect(all(not {"status", "job_id", "rank", "run_id", "utc", "comment"} & set(sample[0]) for family in families for sample in family[4]),
           "a label that differs from run to run")
    began = next(family[4] for family in families if family[0] == "jitbench_run_timestamp_seconds")
    utc = datetime.datetime.fromisoformat(rows_of(UNIX_A)[0]["utc"].replace("Z", "+00:00"))
    expect([sample[1] for sample in began] == [utc.timestamp()], began)


def pyperf():
    python = python_with("pyperf")
    a, b = (export("pyperf", path) for path in (UNIX_A, UNIX_B))
    names = [benchmark["metadata"]["name"] for benchmark in json.loads(a)["benchmarks"]]
    with Files() as files:
        first, second = files.put("a.json", a), files.put("b.json", b)
        for command in ("show", "stats", "hist", "check"):
            shown = run(python, "-m", "pyperf", command, first)
            for name in names if command == "stats" else ():
                expect(name in shown, name, "is missing in", shown)
        shown = run(python, "-m", "pyperf", "compare_to", "-v", first, second)
    for name in names:
        expect(name in shown, name, "is missing in", shown)
    expect("ERROR" not in shown, shown)


def unixbench():
    rows = [row for row in rows_of(UNIX_A) if row["metric"] == "rate"]
    report = export("unixbench", UNIX_A)
    lines = re.findall(r"^(.{40}) +([0-9.]+) (lps|lpm|KBps|MWIPS) +\(([0-9.]+) s, (\d+) samples\)$", report, re.M)
    expect([line[1] for line in lines] == ["%.1f" % float(row["value"]) for row in rows], report)
    expect(all(line[4] == "5" for line in lines), report)
    copies = list(dict.fromkeys(row["copies"] for row in rows))
    scores = re.findall(r"^System Benchmarks Index Score \(Partial Only\) +stable protocol +([0-9.]+)$", report, re.M)
    for number, score in zip(copies, scores):
        indices = [math.log(float(row["index"])) for row in rows if row["copies"] == number]
        expect(score == "%.1f" % math.exp(sum(indices) / len(indices)), number, score)
    expect(len(scores) == len(copies), report)
    table = list(csv.reader(io.StringIO(export("unixbench-csv", UNIX_A, UNIX_B))))
    expect(table[0][0] == "Concurrency" and [line[0] for line in table[1:]] == 2 * copies, table)
    for number, line in zip(copies, table[1:]):
        expect(line[1:] == ["%.1f" % float(row["value"]) for row in rows if row["copies"] == number], table)


def github_job():
    """The steps of the job, as they stand, in a repository with one commit before and one in which prog is slower, or not."""
    read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
    job = json.loads(run(python_with("yaml"), "-c", read, os.path.join(HERE, "github-job.yml")))["jobs"]["speed"]
    checkout = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
    expect(checkout and checkout[0]["with"] == {"fetch-depth": 0}, "checkout", checkout)
    expect(job["env"]["BASE_COMMIT"] == "${{ github.event.pull_request.base.sha }}", job["env"])
    for slower, status in ((True, 4), (False, 0)):
        with tempfile.TemporaryDirectory() as folder:
            def git(*words):
                return run("git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words)

            def commit(seconds):
                with open(os.path.join(folder, "Makefile"), "w", encoding="utf-8") as file:
                    file.write("prog:\n\tprintf '#!/bin/sh\\nexec sleep %s\\n' >prog && chmod +x prog\n" % seconds)
                git("add", "Makefile")
                git("commit", "-q", "--allow-empty", "-m", "x")
                return git("rev-parse", "HEAD").strip()

            git("init", "-q")
            base = commit("0.1")
            commit("0.3" if slower else "0.05")
            summary = os.path.join(folder, "summary")
            env = {**os.environ, "BASE_COMMIT": base, "JITBENCH": JITBENCH, "GITHUB_STEP_SUMMARY": summary}
            for step in (step["run"] for step in job["steps"] if "run" in step):
                done = subprocess.run(["bash", "-e", "-c", step], cwd=folder, env=env, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, check=False)
                last = step == job["steps"][-1]["run"]
                expect(done.returncode == (status if last else 0), step, done.returncode, done.stdout)
            with open(summary, encoding="utf-8") as file:
                text = file.read()
            expect(re.search(r"^\| Command \|.*\n\| --- \|.*\n\| base \|.*\n\| head \|.*\n\n", text, re.M), text)
            expect(bool(re.search("head (takes|is slower)", text)) == slower, text)


ITEMS = {
    "json by python's json and csv": json_python,
    "json by jq": json_jq,
    "json by its schema (python3-jsonschema)": json_schema,
    "reader by python's csv": reader_csv,
    "hyperfine by python's json": hyperfine_json,
    "gbench by compare.py": gbench_compare,
    "openmetrics by promtool": openmetrics_promtool,
    "openmetrics by prometheus_client": openmetrics_client,
    "pyperf by pyperf": pyperf,
    "unixbench report and CSV": unixbench,
    "GitHub job by python3-yaml": github_job,
}


def main(*wanted):
    csv.field_size_limit(1 << 30)
    results = [tell(name, item) for name, item in ITEMS.items() if not wanted or any(word in name for word in wanted)]
    sys.exit(not all(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
