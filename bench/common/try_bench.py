# SPDX-License-Identifier: MIT
"""What the tests of the benchmarks share: runs the program under test, and evaluates its result."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from infull import in_full

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
                for name in ("syscalls", "fences_per_s"):
                    self.assertTrue(one[name] is None or one[name] >= 0)
            summary = cell["summary"]
            for one in (summary, summary["ratio"]):
                if repetitions < INTERVAL_LEAST:
                    self.assertIsNone(one["ci95"])
                    continue
                self.assertLessEqual(one["ci95"][0], one["median"])
                self.assertGreaterEqual(one["ci95"][1], one["median"])
            self.assertGreater(summary["ratio"]["median"], 0)


class Resumed(unittest.TestCase):
    """Ctrl-C, and the same command goes on.  Not run by itself: see main()."""

    WORDS = ()                          # that make a repetition short
    MANY = 10000

    def interrupted(self, path):
        """The result of a run that was interrupted after one repetition at least."""
        patience = 0.5
        while patience < 120:
            path.unlink(missing_ok=True)
            with subprocess.Popen([*COMMAND, *self.WORDS, "--repeat", str(self.MANY), "--json",
                                   str(path), "--resume"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True) as running:
                try:
                    said = running.communicate(timeout=patience)[1]
                    if running.returncode == 77:
                        self.skipTest(said)
                    self.fail(f"status {running.returncode}: {said}")
                except subprocess.TimeoutExpired:
                    running.send_signal(signal.SIGINT)
                said = running.communicate(timeout=250)[1]
            self.assertEqual(running.returncode, 1, said)
            self.assertIn("interrupted after", said)
            result = json.loads(path.read_text(encoding="utf-8"))
            self.assertIs(result["complete"], False)
            if result["rounds"] > 0:
                return result
            patience *= 2
        return self.fail("not one repetition in two minutes")

    def check_runs(self, result, rounds):
        self.assertEqual(result["rounds"], rounds)
        for cell in result["cells"]:
            self.assertEqual([run["round"] for run in cell["runs"]], list(range(rounds)))
            self.assertEqual(cell["summary"]["n"], rounds)
            seconds = sorted(run["seconds"] for run in cell["runs"])
            self.assertLessEqual(seconds[0], cell["summary"]["median"])
            self.assertGreaterEqual(seconds[-1], cell["summary"]["median"])

    def test_interrupted_and_gone_on_with(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            first = self.interrupted(path)
            rounds = first["rounds"] + 2
            words = (*self.WORDS, "--json", str(path), "--resume")
            done = run(*words, "--repeat", str(rounds))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{first['rounds']} repetitions were made before", done.stderr)
            result = json.loads(path.read_text(encoding="utf-8"))
            self.assertIs(result["complete"], True)
            self.check_runs(result, rounds)
            self.assertGreater(result["seconds"], first["seconds"])
            runs = {(cell["lock"], str(cell.get("threads"))): cell["runs"]
                    for cell in first["cells"][:1]}
            for cell in result["cells"][:1]:
                before = runs[cell["lock"], str(cell.get("threads"))]
                self.assertEqual(cell["runs"][:len(before)], before)
            # Nothing is left to do: nothing is run, and the result stays.
            done = run(*words, "--repeat", str(rounds))
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            self.check_runs(json.loads(path.read_text(encoding="utf-8")), rounds)

    def test_only_its_own_is_gone_on_with(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            words = (*self.WORDS, "--json", str(path))
            self.assertEqual(run(*words, "--repeat", "2").returncode, 0)
            result = json.loads(path.read_text(encoding="utf-8"))
            for change, said in (({"benchmark": "other"}, "no result of"),
                                 ({"machine": {**result["machine"], "cpus": 999}}, "cpus"),
                                 ({"cells": result["cells"][1:]}, "other options"),
                                 ({"cells": [*result["cells"], result["cells"][0]]}, "more than")):
                path.write_text(json.dumps({**result, **change}), encoding="utf-8")
                done = run(*words, "--resume", "--repeat", "3")
                self.assertEqual(done.returncode, 2)
                self.assertIn(said, done.stderr)
                self.assertIn(str(path), done.stderr)
            path.write_text("{", encoding="utf-8")
            self.assertEqual(run(*words, "--resume").returncode, 2)
        self.assertEqual(run(*self.WORDS, "--resume").returncode, 2)


class Lengths(unittest.TestCase):
    """Runs last four turns of the scheduler, unless told.  Not run by itself: see main()."""

    THREADS, EXACT = "--threads", ()    # EXACT: the option and a number of milliseconds
    FEW = ()                            # words that make it short

    def cells(self, *words):
        _, result = measured("--repeat", "2", *self.FEW, *words)
        return result["cells"], " ".join(result["notes"])

    @in_full
    def test_many_threads_make_long_runs(self):
        each = 20                                               # on a CPU
        many = each * len(os.sched_getaffinity(0))
        cells, notes = self.cells(self.THREADS, f"2,{many}")
        turns = 4 * 4 * each                                    # ms: each thread has a slice
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

    @in_full
    def test_what_does_not_fit_a_budget_is_left_out(self):
        many = 100 * len(os.sched_getaffinity(0))
        cells, notes = self.cells(self.THREADS, f"2,{many}", "--budget", "5")
        self.assertEqual({cell["threads"] for cell in cells}, {2})
        self.assertIn("left out, to end in 5 s: 1 of 2 points", notes)
        done = run("--repeat", "2", *self.FEW, self.THREADS, f"2,{many}", "--budget", "5",
                   "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"1 points; \d+ runs in a repetition, .* about [\d.]+ s for")
        self.assertIn("left out, to end in 5 s: 1 of 2 points", done.stdout)


def main(argv):
    COMMAND[:] = argv[1:]
    unittest.main("__main__", argv=argv[:1])
