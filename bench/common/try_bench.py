# SPDX-License-Identifier: MIT
"""What the tests of the benchmarks share: runs the program under test, and evaluates its result."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

COMMAND = []
INTERVAL_LEAST = 6              # repetitions


def run(*arguments, timeout=250):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True,
                          timeout=timeout, check=False)


def measured(*arguments):
    """Runs it to a result file: (its standard output, the result)."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "result.json")
        path.write_text("x" * 100000, encoding="utf-8")     # what was there has to go
        done = run("--json", str(path), *arguments)
        if done.returncode != 0:
            raise AssertionError(f"status {done.returncode}: {done.stderr}")
        return done.stdout, json.loads(path.read_text(encoding="utf-8"))


class Refusals(unittest.TestCase):
    """What every benchmark refuses, and how.  Not run by itself: see main()."""

    def refused(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def refused_in_a_line(self, *arguments):
        said = self.refused(*arguments)
        self.assertEqual(len(said.splitlines()), 1, said)
        return said

    def numbers(self, option, bad):
        for text in bad:
            with self.subTest(option=option, text=text):
                self.assertIn(option, self.refused_in_a_line(f"{option}={text}"))

    def test_unknown_lock_names_what_exists(self):
        said = self.refused_in_a_line("no-such-lock")
        self.assertIn("furwock", said)
        self.assertIn("pthread", said)

    def test_options(self):
        self.refused("--no-such-option")
        self.numbers("--repeat", ("0", "1", "-3", "x", "7x", "", "99999999999999999999"))
        self.numbers("--budget", ("0", "-1", "soon"))

    def test_cpus(self):
        self.numbers("--cpus", ("0", "-1", "all", "99999999999"))
        there = len(os.sched_getaffinity(0))
        self.assertIn(f"there are {there}", self.refused_in_a_line(f"--cpus={there + 1}"))
        self.assertIn("--pin", run("--help").stdout)

    def test_unwritable_file_is_said_before_measuring(self):
        self.assertIn("/nonexistent/file.json",
                      self.refused_in_a_line("--json", "/nonexistent/file.json"))

    def test_list(self):
        done = run("--list")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(any(line.startswith("furwock ") for line in done.stdout.splitlines()))


class Result(unittest.TestCase):
    """How a result has to look."""

    def check_made(self, made, benchmark):
        """Of which sources and beside which rivals it was made, and how the machine was."""
        self.assertIsInstance(made["clean"], (bool, type(None)))
        self.assertIn("commit", made)
        self.assertIn("furwock", made["versions"])
        self.assertGreaterEqual(made["load"], 0)
        self.assertLessEqual({"governor", "smt"}, made.keys())
        self.assertEqual((made["command"][0], made["command"][1]), (benchmark, "--json"))

    def check(self, result, benchmark, repetitions):
        self.assertEqual(result["format"], "furwock-bench-1")
        self.assertEqual(result["benchmark"], benchmark)
        self.assertEqual((result["rounds"], result["complete"]), (repetitions, True))
        self.assertGreaterEqual(result["machine"]["cpus"], 1)
        self.check_made(result["made"], benchmark)
        for cell in result["cells"]:
            self.assertIn(cell["family"], ("furwock", "classic", "rival"))
            self.assertEqual([run["round"] for run in cell["runs"]], list(range(repetitions)))
            for one in cell["runs"]:
                self.assertGreater(one["seconds"], 0)
                self.assertGreaterEqual(one["vcsw"], 0)
                self.assertGreaterEqual(one["ivcsw"], 0)
                self.assertTrue(one["syscalls"] is None or one["syscalls"] >= 0)
            summary = cell["summary"]
            for one in (summary, summary["ratio"]):
                if repetitions < INTERVAL_LEAST:
                    self.assertIsNone(one["ci95"])
                    continue
                self.assertLessEqual(one["ci95"][0], one["median"])
                self.assertGreaterEqual(one["ci95"][1], one["median"])
            self.assertGreater(summary["ratio"]["median"], 0)


class Lengths(unittest.TestCase):
    """Runs last four turns of the scheduler, unless told.  Not run by itself: see main()."""

    THREADS, EXACT = "--threads", ()    # EXACT: the option and a number of milliseconds
    FEW = ()                            # words that make it short

    def cells(self, *words):
        _, result = measured("--repeat", "2", *self.FEW, *words)
        return result["cells"], " ".join(result["notes"])

    def test_many_threads_make_long_runs(self):
        many = 50 * len(os.sched_getaffinity(0))
        cells, notes = self.cells(self.THREADS, f"2,{many}")
        turns = 4 * 4 * 50                                      # ms: each thread has a slice
        lengths = {cell["threads"]: (cell["run_ms"] >= turns, cell["short"]) for cell in cells}
        self.assertEqual(lengths, {2: (False, False), many: (True, False)})
        self.assertNotIn("too short", notes)

    def test_too_short_is_said_and_marked(self):
        many = 50 * len(os.sched_getaffinity(0))
        cells, notes = self.cells(self.THREADS, f"2,{many}", *self.EXACT)
        lengths = {cell["threads"]: (cell["run_ms"], cell["short"]) for cell in cells}
        exact = int(self.EXACT[1])
        self.assertEqual(lengths, {2: (exact, False), many: (exact, True)})
        self.assertIn("too short", notes)

    def test_what_does_not_fit_a_budget_is_left_out(self):
        many = 100 * len(os.sched_getaffinity(0))
        cells, notes = self.cells(self.THREADS, f"2,{many}", "--budget", "5")
        self.assertEqual({cell["threads"] for cell in cells}, {2})
        self.assertIn("left out, to end in 5 s: 1 of 2 points", notes)


def main(argv):
    COMMAND[:] = argv[1:]
    unittest.main("__main__", argv=argv[:1])
