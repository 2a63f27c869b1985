#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The runner's counts of made-up outputs."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import runner  # noqa: E402 pylint: disable=wrong-import-position

RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "runner.py")
CMOCKA = """[==========] tests: Running 4 test(s).
[ RUN      ] test_a
some text[       OK ] test_a
[ RUN      ] test_b
skipped: needs root
[  SKIPPED ] test_b
[ RUN      ] test_c
skipped: of a child
0x1 != 0x2
[  FAILED  ] test_c
[ RUN      ] test_d
[       OK ] test_d
[==========] tests: 4 test(s) run.
[  PASSED  ] 2 test(s).
[  SKIPPED ] tests: 1 test(s), listed below:
[  SKIPPED ] test_b

 1 SKIPPED TEST(S)
[  FAILED  ] tests: 1 test(s), listed below:
[  FAILED  ] test_c
"""


def told(text, status=0):
    results = runner.Results("x")
    for line in text.splitlines():
        results.add(line)
    results.end(status)
    return results


class Told(unittest.TestCase):
    def expect(self, results, counts, skipped=(), failed=()):
        self.assertEqual(results.counts(), counts)
        self.assertEqual([each[:2] for each in results.skipped], list(skipped))
        self.assertEqual([each[:2] for each in results.failed], list(failed))

    def test_cmocka_tests_count_once_though_listed_again(self):
        self.expect(told(CMOCKA, 1), (2, 1, 1), [("x/test_b", "needs root")], [("x/test_c", "")])

    def test_skip_without_a_reason_fails(self):
        text = "[==========] Running 1 test(s).\n[ RUN      ] test_a\n[  SKIPPED ] test_a\n"
        self.expect(told(text), (0, 1, 0), failed=[("x/test_a", "skipped without a reason")])
        self.expect(told("skipped: a\n"), (0, 1, 0), failed=[("x/a", "skipped without a reason")])

    def test_reason_of_another_test_does_not_count(self):
        text = ("[==========] Running 2 test(s).\n[ RUN      ] test_a\nskipped: why\n[       OK ] test_a\n"
                "[ RUN      ] test_b\n[  SKIPPED ] test_b\n")
        self.expect(told(text), (1, 1, 0), failed=[("x/test_b", "skipped without a reason")])

    def test_crash_fails_the_test_and_those_after_it(self):
        self.expect(told("[==========] Running 3 test(s).\n[ RUN      ] test_a\n", -11), (0, 3, 0),
                    failed=[("x/test_a", "ended by SIGSEGV"), ("x", "ended by SIGSEGV: tests did not run")])

    def test_end_before_all_tests_fails_whatever_the_status(self):
        text = "[==========] Running 2 test(s).\n[ RUN      ] test_a\n[       OK ] test_a\n"
        self.expect(told(text), (1, 1, 0), failed=[("x", "exit status 0: tests did not run")])

    def test_status_without_a_failed_test_fails(self):
        self.expect(told(CMOCKA.replace("FAILED  ]", "     OK ]"), 255), (3, 1, 1), [("x/test_b", "needs root")],
                    [("x", "exit status 255")])

    def test_lines_of_scripts(self):
        text = "passed: a: in 3 s\npassed 20: kills\nskipped: b c: no swap: none\nfailed: d\nother: e\n"
        self.expect(told(text, 1), (21, 1, 1), [("x/b c", "no swap: none")], [("x/d", "")])
        self.expect(told("skipped 7: unused: why\n"), (0, 0, 7), [("x/unused", "why")])

    def test_script_that_tells_nothing_is_one_test(self):
        self.expect(told("all is well\n"), (1, 0, 0))
        self.expect(told("", 2), (0, 1, 0), failed=[("x", "exit status 2")])

    def test_required_skips_fail_unless_listed(self):
        accepted = [("x/a", "^no (swap|KVM)$"), ("x/b", "other")]
        results = told("skipped: a: no swap\nskipped: b: no swap\nskipped: c: no swap\n")
        results.refuse(accepted)
        self.expect(results, (0, 2, 1), [("x/a", "no swap")], [("x/b", "skipped: no swap"), ("x/c", "skipped: no swap")])

    def test_labels(self):
        for words, label in ((["build/unit/test_a"], "test_a"), (["tests/boot/boot.py", "p"], "boot"), (["./tests/one.sh"], "one"),
                             (["/a/tests/fleet/fleet.py"], "fleet"), (["env", "A=tests/b/c", "tests/install.sh"], "install")):
            self.assertEqual(runner.label_of(words), label)

    def test_committed_list_can_be_read(self):
        runner.read_accepted(runner.LIST)


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def script(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def run_it(self, *words, **env):
        env = dict({name: value for name, value in os.environ.items() if name not in ("REQUIRE", "RECORD")}, **env)
        done = subprocess.run([RUNNER, *words], stdout=subprocess.PIPE, text=True, env=env, timeout=60, check=False)
        return done.returncode, done.stdout

    def test_all_run_though_one_fails(self):
        first, second = self.script("a", "echo failed: x: why; exit 1"), self.script("b", "echo passed: y")
        status, out = self.run_it("--beside", first, first, second)
        self.assertEqual(status, 1)
        self.assertTrue(out.endswith("failed: a/x: why\n1 passed, 1 failed, 0 skipped\n"), out)

    def test_those_beside_each_other_begin_in_the_order_of_beside(self):
        first, second = self.script("a", "echo passed: x"), self.script("b", "echo passed: y")
        status, out = self.run_it("--jobs", "1", "--beside", f"{second} {first}", first, second)
        self.assertEqual(status, 0)
        self.assertLess(out.index("passed: y"), out.index("passed: x"))

    def test_require_and_total(self):
        path, record = self.script("a", "echo skipped: x: no such thing; echo passed: $1,$2"), os.path.join(self.folder.name, "r")
        status, out = self.run_it("--one", path, "b c", "--d", RECORD=record)
        self.assertEqual(status, 0)
        self.assertIn("passed: b c,--d\n", out)
        self.assertTrue(out.endswith("skipped: a/x: no such thing\n1 passed, 0 failed, 1 skipped\n"), out)
        status, out = self.run_it(path, REQUIRE="1", RECORD=record)
        self.assertEqual(status, 1)
        self.assertTrue(out.endswith("failed: a/x: skipped: no such thing\n1 passed, 1 failed, 0 skipped\n"), out)
        status, out = self.run_it("--total", record)
        self.assertEqual((status, out.splitlines()[-1]), (1, "2 passed, 1 failed, 1 skipped"))

    def test_process_left_with_the_output_is_not_waited_for(self):
        status, out = self.run_it(self.script("a", "sleep 100 & echo $!; printf 'passed: x'"))
        os.kill(int(out.splitlines()[1]), 15)
        self.assertEqual((status, out.splitlines()[-1]), (0, "1 passed, 0 failed, 0 skipped"))

    def test_hanging_program_is_killed_with_all_that_it_started(self):
        """One child in the same session, one in a session of its own that ignores signals, and a test that is cut."""
        path = self.script("a", "sleep 90 & echo one $!\nsetsid sh -c 'trap \"\" TERM INT HUP; sleep 91; sleep 92' &\necho two $!\n"
                           "echo '[==========] Running 3 test(s).'\necho '[ RUN      ] test_a'\nprintf 'half a line'\nwait\n")
        after = self.script("b", "echo passed: y")
        for words in (["--limit", "1", path, after], ["--limit", "1", "--beside", path, path, after]):
            status, out = self.run_it(*words)
            self.assertEqual(status, 1)
            self.assertIn("half a line", out)
            self.assertTrue(out.endswith("failed: a/test_a: killed after 1 s\nfailed: a (2): killed after 1 s: tests did not run\n"
                                         "1 passed, 3 failed, 0 skipped\n"), out)
            for pid in (line.split()[1] for line in out.splitlines() if line.startswith(("one ", "two "))):
                self.assertFalse(self.runs(pid), f"process {pid} still runs")

    @staticmethod
    def runs(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                return file.read().rpartition(") ")[2][0] != "Z"
        except OSError:
            return False

    def test_signal_ends_the_runner_and_its_program(self):
        path = self.script("a", "echo $$; sleep 90")
        with subprocess.Popen([RUNNER, "--one", path], stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            pid = process.stdout.readline().strip()
            process.terminate()
            self.assertEqual(process.wait(30), -15)
            process.stdout.close()
        self.assertFalse(self.runs(pid))

    def test_program_that_is_not_there_fails(self):
        status, out = self.run_it(os.path.join(self.folder.name, "none"))
        self.assertEqual((status, out.splitlines()[-1]), (1, "0 passed, 1 failed, 0 skipped"))


if __name__ == "__main__":
    unittest.main()
