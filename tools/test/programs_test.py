# SPDX-License-Identifier: MIT
"""Tests of tools/programs: rounds, failures, hangs, ratios.  The programs are made up here."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

try:
    import tabulate  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}; install python3-tabulate")
    sys.exit(77)

from fwprograms import Absent, Failure, measure, table  # noqa: E402
from fwprograms.workdir import PLAIN, Workdir, Variant  # noqa: E402
from fwprograms.program import Figure, Program  # noqa: E402

OURS = Variant("furwock", None)


class Fake(Program):
    name, package = "fake", "fakes"
    figures = {"speed": Figure("op/s"), "time": Figure("s", more=False)}
    fails_with = ""

    def __init__(self):
        super().__init__(1)
        self.order = []

    def run(self, workdir):
        self.order.append(workdir.variant.name)
        if workdir.variant.name == self.fails_with:
            raise Failure("broke")
        faster = 2 if workdir.variant.name == "furwock" else 1
        return {"speed": 10 * faster, "time": 4 / faster}


def run(program, rounds=3):
    document = {"cells": [], "skipped": []}
    options = argparse.Namespace(rounds=rounds, reports=pathlib.Path("/nonexistent"), slower=1)
    good = measure.measure(program, [PLAIN, OURS], options, document, lambda text: None)
    return good, document


class Rounds(unittest.TestCase):
    def test_each_round_begins_with_another(self):
        program = Fake()
        good, document = run(program)
        self.assertTrue(good)
        self.assertEqual(program.order, ["glibc", "furwock", "furwock", "glibc", "glibc",
                                         "furwock"])
        for row in table.rows(document):
            self.assertTrue(row[6].startswith("2.000"), row)
            self.assertEqual(row[-1], "reached")

    def test_what_fails_with_the_library_counts(self):
        for name, expected in (("furwock", False), ("glibc", True)):
            program = Fake()
            program.fails_with = name
            good, document = run(program)
            self.assertEqual(good, expected)
            self.assertEqual(program.order.count(name), 1)
            self.assertIn(f"! fake with {name}, round 1: broke", table.text(document))

    def test_what_is_missing_is_skipped(self):
        program = Fake()
        program.needs = ("/nonexistent/fake",)
        self.assertEqual(run(program)[1]["skipped"],
                         [{"program": "fake", "why": "no /nonexistent/fake: install fakes"}])


class Points(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        self.workdir = Workdir(self.folder, self.folder / "reports", PLAIN, "here")
        self.addCleanup(self.workdir.end)

    def test_a_hang_ends_with_its_family_and_is_reported(self):
        said = ""
        for seconds in (0.5, 5, 50):  # a busy machine may not let it begin in so short a time
            with self.assertRaises(Failure) as caught:
                self.workdir.run(["sh", "-c", "echo begun; sleep 3600 & wait"], seconds=seconds)
            self.assertIn("hung", str(caught.exception))
            self.assertTrue((self.folder / "reports/here-stacks.txt").exists())
            said = (self.folder / "reports/here-said.txt").read_text()
            if said:
                break
        self.assertEqual(said, "begun\n")

    def test_a_crash_is_named(self):
        with self.assertRaisesRegex(Failure, "killed by SIGSEGV"):
            self.workdir.run(["sh", "-c", "kill -SEGV $$"])
        with self.assertRaises(Absent):
            self.workdir.run(["/nonexistent/program"])

    def test_cpu_time_is_that_of_the_lap(self):
        self.workdir.run(["sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"])
        self.workdir.lap("busy")
        self.workdir.run(["sleep", "0.2"])
        self.workdir.lap("idle")
        self.assertGreater(self.workdir.costs["busy"], self.workdir.costs["idle"])


class Command(unittest.TestCase):
    def test_bad_words_are_one_line(self):
        tool = HERE.parent / "programs"
        for words in (["fake"], ["--locks", "x"], ["--rounds", "0"], ["--build", "/nonexistent"]):
            done = subprocess.run([sys.executable, tool, *words], capture_output=True,
                                  text=True, timeout=900, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
