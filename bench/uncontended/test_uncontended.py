#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs uncontended as a user would, briefly.  Arguments: the command."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMAND = []


def run(*arguments):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=50,
                          check=False)


class Uncontended(unittest.TestCase):
    def test_unknown_lock_names_what_exists(self):
        done = run("no-such-lock")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("furwock", done.stderr)
        self.assertIn("pthread", done.stderr)

    def test_unknown_option_and_bad_rounds(self):
        self.assertEqual(run("--no-such-option").returncode, 2)
        for bad in ("0", "1", "-3", "x", "7x", ""):
            with self.subTest(bad=bad):
                done = run("--rounds", bad)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_unwritable_file_is_said_before_measuring(self):
        done = run("--json", "/nonexistent/file.json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("/nonexistent/file.json", done.stderr)

    def test_list(self):
        done = run("--list")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(any(line.startswith("furwock ") for line in done.stdout.splitlines()))

    def test_measures_and_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            path.write_text("x" * 100000, encoding="utf-8")
            done = run("--rounds", "3", "--json", str(path), "furwock")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(result["format"], "furwock-bench-1")
        self.assertEqual(result["benchmark"], "uncontended")
        cells = {cell["lock"]: cell for cell in result["cells"]}
        self.assertEqual(set(cells), {"furwock", "pthread", "(cas+exchange)", "(empty loop)"})
        self.assertEqual(cells["pthread"]["ratio_to_pthread"]["median"], 1)
        for cell in cells.values():
            self.assertEqual(len(cell["ns"]["samples"]), 3)
            self.assertGreater(cell["ns"]["median"], 0)
        self.assertIn("furwock", done.stdout)


if __name__ == "__main__":
    COMMAND[:] = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
