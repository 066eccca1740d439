#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""furwock compare: rounds, figures and refusals; no times."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
PATIENCE_S = 600  # a hang


def compare(*words, **more):
    return subprocess.run([PROGRAM, "compare", *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False, **more)


class Compare(unittest.TestCase):
    def test_figures(self):
        """One run of each that does not count, and then both in each round, in turn."""
        with tempfile.TemporaryDirectory() as room:
            log = pathlib.Path(room) / "log"
            script = f"echo $LD_PRELOAD-$FURWOCK_POLICY >>{log}; echo nothing"
            done = compare("--json", "--rounds=6", "--policy=fair", "--", "sh", "-c", script)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            lines = log.read_text().splitlines()
        sides = ["f" if line.endswith("libfurwock-pthread.so-fair") else line for line in lines]
        self.assertEqual(sides, ["-", "f"] + ["-", "f", "f", "-"] * 3)
        found = json.loads(done.stdout)
        self.assertEqual((found["format"], found["rounds"]), ("furwock-compare-1", 6))
        for kind in ("time", "cpu", "sleeps"):
            low, high = found[kind]["ci95"]
            self.assertLessEqual(low, found[kind]["ratio"])
            self.assertLessEqual(found[kind]["ratio"], high)
            says = found[kind]["conclusion"]
            self.assertEqual(says, "less with furwock's" if high < 1 else "more with furwock's"
                             if low > 1 else "no difference was found")

    def test_a_table(self):
        done = compare("--rounds=6", "--", "true")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^true: 6 rounds\n\n(?s:.*)\n  time .*\n  cpu .*\n"
                                      r"  sleeps ")

    def test_a_program_that_fails(self):
        done = compare("--rounds=6", "--", "sh", "-c", "exit 7")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^furwock compare: sh ended with status 7, with the C ")
        done = compare("--rounds=6", "--any-status", "--", "sh", "-c", "exit 7")
        self.assertEqual(done.returncode, 0)
        done = compare("--any-status", "--", "sh", "-c", "kill -TERM $$")
        self.assertEqual(done.returncode, 1)
        self.assertIn("signal 15", done.stderr)

    def test_what_cannot_be_compared(self):
        for words, status in ((("--", "/not/there"), 127), (("--rounds=5", "true"), 2), ((), 2),
                              (("--policy=quick", "true"), 2)):
            done = compare(*words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (status, 1))

    def test_a_result_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([PROGRAM, "compare", "--rounds=6", "true"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S,
                                  check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
