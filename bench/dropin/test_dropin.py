#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs dropin as a user would, briefly.  Argument: the benchmark's build directory."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))

import affinity  # noqa: E402
import resumed  # noqa: E402
from infull import in_full  # noqa: E402

COMMAND = []
CASES = ["mutex", "sem", "sem-shared", "read", "signal", "broadcast", "contended", "pass"]


def run(*arguments):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=900,
                          check=False)


class DropIn(unittest.TestCase):
    def test_cases_are_named(self):
        done = run("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = [line.split()[0] for line in done.stdout.splitlines()]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual(set(CASES), set(names))

    def test_what_is_not_understood_is_one_line(self):
        for words in (("no-such",), ("--repeat", "0"), ("--library", "/nonexistent"),
                      ("--json", "/nonexistent/file.json"), ("--no-such",)):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertEqual(len(done.stderr.splitlines()), 1, words)

    def test_measures_with_and_without(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            done = run("--repeat", "2", "--milliseconds", "3", "--json", str(path), *CASES)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            result = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual((result["format"], result["benchmark"]), ("furwock-bench-1", "dropin"))
        self.assertTrue(result["complete"])
        cells = {(cell["case"], cell["lock"]): cell for cell in result["cells"]}
        self.assertEqual(set(cells), {(c, lock) for c in CASES for lock in ("pthread", "furwock")})
        for cell in cells.values():
            self.assertEqual(len(cell["runs"]), 2)
            self.assertTrue(all(r["seconds"] > 0 for r in cell["runs"]))
        for name in CASES:
            self.assertIn(f"\n{name} ", done.stdout)

    @in_full
    def test_pinned_threads_have_a_cpu_each(self):
        there = os.sched_getaffinity(0)
        if len(there) < 2:
            self.skipTest("one CPU only")
        for case in ("contended", "broadcast"):
            words = (*COMMAND, "--repeat", "1", "--milliseconds", "100", case)
            pinned = affinity.seen_on_single_cpus((*words, "--pin"), there)
            self.assertEqual(pinned, there, case)
            self.assertEqual(affinity.of_single_cpus(words), set(), case)

    def test_interrupted_and_gone_on_with(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            words = ("--milliseconds", "5", "--json", str(path), "--resume", "mutex", "sem")
            first = resumed.interrupted(self, (*COMMAND, "--repeat", "100000", *words), path)
            done = max(len(cell["runs"]) for cell in first["cells"])
            again = run("--repeat", str(done + 2), *words)
            self.assertEqual(again.returncode, 0, again.stderr)
            resumed.check(self, path, first, done + 2)
            other = run("--repeat", "3", "--milliseconds", "6", *words[2:])
            self.assertEqual(other.returncode, 2)
            self.assertIn("other options", other.stderr)

    def test_it_says_that_they_were_pinned(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            for words, pinned in (((), False), (("--pin",), True)):
                done = run("--repeat", "1", "--milliseconds", "1", "--json", str(path), *words,
                           "mutex")
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(path.read_text(encoding="utf-8"))
                self.assertIs(result["settings"]["pinned"], pinned)

    def test_another_library_that_cannot_be_loaded_fails(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as empty:
            done = run("--repeat", "1", "--milliseconds", "1", "--library", empty.name, "mutex")
        self.assertEqual(done.returncode, 1)
        self.assertIn("mutex with furwock: ", done.stdout)


if __name__ == "__main__":
    COMMAND[:] = [str(pathlib.Path(sys.argv[1], "dropin"))]
    unittest.main(argv=sys.argv[:1])
