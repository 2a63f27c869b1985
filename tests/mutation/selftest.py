#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the search for faults: what is drawn from a made-up file, how an interrupted run goes on, what counts as noticed."""
import contextlib
import math
import subprocess
import sys
import tempfile
import unittest
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
import faults as faulty  # noqa: E402
import mutation  # noqa: E402
import trees  # noqa: E402

SOURCE = """\
#include "a + b"
static const int table[] = {1, 2};
/* if (a < b) */
static double rate(const struct slice *slice, double gate_ns)
{
    double sum = slice->count * 1e9;

    if (slice->end_ns < gate_ns || strcmp(slice->name, "a - b") == 0)
        return NAN;
    add(sum, gate_ns);
    slice->rate = sum / (slice->end_ns - gate_ns);
    total += slice->times[0].user_ns;
    last = slice->times[1].system_ns;
    return interpolate(slice->low, gate_ns + 1);
}
"""

EXPECTED = {
    "sign": ["total -= slice->times[0].user_ns;", "slice->rate = sum / (slice->end_ns + gate_ns);", "return interpolate(slice->low, gate_ns - 1);"],
    "off_by_one": ['if (slice->end_ns < gate_ns - 1 || strcmp(slice->name, "a - b") == 0)',
                   "return interpolate(slice->low, gate_ns);"],
    "relation": ['if (slice->end_ns <= gate_ns || strcmp(slice->name, "a - b") == 0)',
                 'if (slice->end_ns < gate_ns || strcmp(slice->name, "a - b") != 0)'],
    "logic": ['if (slice->end_ns < gate_ns && strcmp(slice->name, "a - b") == 0)'],
    "swapped_arguments": ["add(gate_ns, sum);", "return interpolate(gate_ns + 1, slice->low);"],
    "swapped_names": ["slice->rate = sum / (slice->start_ns - gate_ns);", "return interpolate(slice->high, gate_ns + 1);"],
    "swapped_fields": ["total += slice->times[0].system_ns;", "last = slice->times[1].user_ns;",
                       "return interpolate(slice->end_ns, gate_ns + 1);", "double sum = slice->end_ns * 1e9;"],
    "dropped_operand": ["double sum = slice->count;", "slice->rate = sum / (slice->end_ns);",
                        "return interpolate(slice->low, gate_ns);"],
    "dropped_call": ["(void)0;"],
    "dropped_assignment": ["(void)0;", "(void)0;"],
    "dropped_check": ['if ((slice->end_ns < gate_ns || strcmp(slice->name, "a - b") == 0) && 0)'],
    "negated_condition": ['if (!(slice->end_ns < gate_ns || strcmp(slice->name, "a - b") == 0))'],
    "wrong_unit": ["double sum = slice->count * 1e6;"],
    "wrong_constant": ["total += slice->times[1].user_ns;", "last = slice->times[2].system_ns;",
                       "return interpolate(slice->low, gate_ns + 2);",
                       'if (slice->end_ns < gate_ns || strcmp(slice->name, "a - b") == 1)'],
}


@contextlib.contextmanager
def quiet():
    with contextlib.redirect_stdout(StringIO()) as said:
        yield said


class Faults(unittest.TestCase):
    def faults(self, kind):
        lines = list(faulty.lines_of("src/engine/a.c", SOURCE))
        return [fault for line in lines for fault in faulty.faults_of(kind, line)]

    def test_each_kind_puts_its_faults_in_code_alone(self):
        self.assertEqual(sorted(EXPECTED), sorted(kind.__name__ for kind in faulty.KINDS))
        for kind in faulty.KINDS:
            found = [fault.after for fault in self.faults(kind)]
            expected = EXPECTED[kind.__name__]
            if kind in (faulty.swapped_fields, faulty.swapped_names):
                self.assertLessEqual(set(expected), set(found), kind.__name__)
            else:
                self.assertEqual(sorted(expected), sorted(found), kind.__name__)

    def test_a_fault_is_put_on_its_line_or_the_nearest_equal_one(self):
        fault = faulty.Fault("a.c", 3, "sign", "x += 1;", "x -= 1;")
        self.assertEqual(faulty.put_in(fault, "x += 1;\n\n  x += 1;\nx += 1;"), "x += 1;\n\n  x -= 1;\nx += 1;")
        self.assertEqual(faulty.put_in(fault, "\n\n\n\n\tx += 1;\nx += 1;"), "\n\n\n\n\tx -= 1;\nx += 1;")
        self.assertIsNone(faulty.put_in(fault, "x += 2;"))

    def test_a_seed_has_one_draw_without_what_cannot_be_tried(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("sys/clock.c", "report/svg.c"):
                (Path(folder) / "src" / name).parent.mkdir(parents=True)
                (Path(folder) / "src" / name).write_text(SOURCE)

            def unfit(fault):
                return "none" if fault.kind == "sign" else None
            first, replaced = faulty.draw(folder, "a seed", 12, unfit)
            self.assertEqual((first, replaced), faulty.draw(folder, "a seed", 12, unfit))
            self.assertNotEqual(first, faulty.draw(folder, "another", 12, unfit)[0])
            self.assertEqual(12, len({fault[:3] for fault in first}))
            self.assertEqual({"src/sys/clock.c"}, {fault.path for fault in first})
            self.assertEqual({"none": 3}, replaced)
            self.assertEqual(12, len({fault.kind for fault in first}))
            every = faulty.draw(folder, "a seed", 1000, unfit)[0]
            self.assertEqual(len(every), len({fault[:3] for fault in every}))

    def test_patterns_name_files(self):
        for pattern in faulty.SOURCES:
            self.assertTrue(list(mutation.TOP.glob(pattern)), pattern)


class Results(unittest.TestCase):
    def test_an_interrupted_run_goes_on_with_what_has_no_outcome(self):
        fault = faulty.Fault("src/engine/a.c", 3, "sign", 'x = "=>" + y;', 'x = "=>" - y;')
        with tempfile.TemporaryDirectory() as folder, quiet():
            path = Path(folder) / "0123456789ab.txt"
            mutation.Draw(path, [fault._replace(line=line) for line in range(1, 7)], "drawn: six").write()
            tried = []

            def attempt(one):
                if one.line > 3:
                    raise InterruptedError
                return "test_a: test_b" if one.line != 2 else None
            draw = mutation.Draw(path).read()
            with self.assertRaises(InterruptedError):
                mutation.go_on(draw, draw.numbers("-"), attempt, draw.enter)
            draw = mutation.Draw(path).read()
            self.assertEqual("2 noticed and 1 survived of 6; 3 not tried yet", draw.figure())
            self.assertEqual(([1, 3], [2], [4, 5, 6]), tuple(draw.numbers(outcome) for outcome in mutation.OUTCOMES))
            self.assertEqual(("noticed", "test_a: test_b"), draw.outcomes[3])
            self.assertEqual((fault, "drawn: six"), (draw.faults[3], draw.note))
            mutation.go_on(draw, draw.numbers("-"), attempt, draw.enter, -math.inf)
            self.assertEqual([4, 5, 6], draw.numbers("-"))
            mutation.go_on(draw, draw.numbers("-"), lambda one: tried.append(one.line), draw.enter)
            draw = mutation.Draw(path).read()
            self.assertEqual(([4, 5, 6], [2, 4, 5, 6]), (sorted(tried), draw.numbers("survived")))
            self.assertEqual("2 noticed of 6 that count: 33 %, 95 % interval 10 to 70 %", draw.figure())

    def test_a_file_that_is_no_draw_is_refused(self):
        good = "1\tsrc/a.c:3\tsign\ta + b\t=>\ta - b\tnoticed\ttest_a: test_b"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "0123456789ab.txt"
            for text in (good.replace("1", "2", 1), good.replace("noticed", "seen"), good.replace("sign", "sigh"), "a line"):
                path.write_text(text + "\n")
                self.assertRaises(ValueError, mutation.Draw(path).read)

    def test_interval(self):
        # Published example of Wilson's interval: 81 of 263.
        self.assertEqual(["0.2553", "0.3662"], [f"{end:.4f}" for end in mutation.interval(81, 263)])
        self.assertEqual((0, 1), tuple(round(end) for end in (mutation.interval(0, 5)[0], mutation.interval(5, 5)[1])))


class Copies(unittest.TestCase):
    def test_the_working_tree_is_copied_and_what_is_gone_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            top, copy = Path(folder) / "top", Path(folder) / "copy"
            for name in ("src/a.c", "src/b.c", "tests/c.c", "build/d.o", ".gitignore"):
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                (top / name).write_text("build/\n")
            subprocess.run(["git", "init", "-q"], cwd=top, check=True)
            copy.mkdir()
            trees.copy_sources(top, copy)
            before = (copy / "src/a.c").stat().st_mtime_ns
            (top / "src/b.c").unlink()
            (top / "tests/c.c").write_text("changed")
            (copy / "build").mkdir()
            (copy / "build/a.o").touch()
            trees.copy_sources(top, copy)
            self.assertEqual([".gitignore", "build/a.o", "src/a.c", "tests/c.c"],
                             sorted(str(file.relative_to(copy)) for file in copy.rglob("*") if file.is_file()))
            self.assertEqual(("changed", before), ((copy / "tests/c.c").read_text(), (copy / "src/a.c").stat().st_mtime_ns))


class Noticing(unittest.TestCase):
    def bench(self):
        bench = object.__new__(mutation.Bench)
        bench.without = "sound"
        bench.permits, bench.door = mutation.threading.Semaphore(mutation.AT_ONCE), mutation.threading.Lock()
        return bench

    def noticed(self, *outcomes):
        """By the outcomes of the runs in turn: two with the fault, one without."""
        bench = self.bench()
        runs, places = iter(outcomes), []

        def failures(tree, _):
            places.append(tree)
            return set(next(runs).split())
        bench.failures = failures
        with quiet():
            found = bench.noticed_by("tree", ["unit/test_a"])
        self.assertEqual(places, ["tree", "tree", "sound"][:len(outcomes)])
        back = [bench.permits.acquire(blocking=False) for _ in range(mutation.AT_ONCE + 1)]
        self.assertEqual([True] * mutation.AT_ONCE + [False], back)
        return found

    def test_a_failure_counts_when_it_fails_twice_and_passes_without(self):
        self.assertIsNone(self.noticed(""))
        self.assertIsNone(self.noticed("x y", ""))
        self.assertIsNone(self.noticed("x", "y"))
        self.assertIsNone(self.noticed("x", "x", "x"))
        self.assertEqual("unit/test_a: y", self.noticed("x y", "x y", "x"))

    def test_the_tests_that_reach_a_function_run_the_near_ones_first(self):
        bench = self.bench()
        bench.reached = SimpleNamespace(by={"unit/test_a": (1, ["f", "g"]), "unit/test_b": (1, ["f", "g", "h"]), "unit/test_c": (1, ["f"]),
                                            "unit/test_d": (1, ["f", "g", "h", "i"]), "cli/test_a": (9, ["f"]), "cli/test_e": (9, ["g"]),
                                            "golden/slow": (3, ["f"]), "golden/quick": (1, ["f"])})
        bench.tests = list(bench.reached.by)
        bench.known = {"f", "g", "h", "i"}
        self.assertEqual([["unit/test_c"], ["unit/test_a"], ["unit/test_b"], ["golden/quick", "golden/slow"], ["unit/test_d"],
                          ["cli/test_a"]], list(filter(None, bench.rounds("src/sys/x.c", "f"))))
        self.assertEqual([["unit/test_a"], ["golden/quick", "golden/slow"], ["cli/test_a"]],
                         list(filter(None, bench.rounds("src/sys/a.c", "new"))))


if __name__ == "__main__":
    unittest.main()
