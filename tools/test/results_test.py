#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of make results: its commands are ones that the programs take, and what it leaves."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import reporting
import synthetic_wakes

TREE = reporting.TOOLS.parent
RESULTS = reporting.TOOLS / "results"
BUILD = pathlib.Path.cwd().parent       # a test runs in its directory of the build

PRETENDER = """#!/bin/sh
echo "its own table"
while [ $# != 0 ] && [ "$1" != --json ]; do shift; done
[ $# = 0 ] || cp "$0.json" "$2"
"""


def results(*words):
    return subprocess.run([RESULTS, *words], cwd=TREE, capture_output=True, text=True,
                          timeout=900, check=False)


class Results(unittest.TestCase):
    def test_commands(self):
        """Each program takes the words that the list has for it."""
        if not (BUILD / "CMakeCache.txt").exists():
            self.skipTest("not in a directory of the build")
        done = results("--list", "--build", str(BUILD))
        self.assertEqual(done.returncode, 0, done.stderr)
        commands = re.findall(r"^    \S+ +(?:\[assist o\w+\] )?(.*)$", done.stdout, re.M)
        self.assertGreater(len(commands), 30)
        for command in commands:
            words = shlex.split(command)
            if (TREE / words[0]).exists() and "--" in command:
                with self.subTest(command=command):
                    asked = subprocess.run([*words, "--help"], cwd=TREE, capture_output=True,
                                           text=True, timeout=900, check=False)
                    self.assertEqual(asked.returncode, 0, asked.stderr)
                    self.assertRegex(asked.stdout, "(?i)usage")

    def test_documents(self):
        """Each part is named by its document."""
        done = results("--list")
        for part, document in re.findall(r"^(\S+): .*\((\S+); \d", done.stdout, re.M):
            with self.subTest(part=part):
                text = " ".join((TREE / document).read_text(encoding="utf-8").split())
                self.assertTrue(f"make results RESULTS_ARGS={part}`" in text, document)

    def test_part(self):
        with tempfile.TemporaryDirectory() as name:
            point = pathlib.Path(name)
            bench = point / "build" / "bench" / "condperf"
            bench.mkdir(parents=True)
            (bench / "condperf").write_text(PRETENDER)
            (bench / "condperf").chmod(0o755)
            (bench / "condperf.json").write_text(json.dumps(
                synthetic_wakes.condperf(2, (100,), (0,))))
            done = results("threads", "--build", str(point / "build"), "-o", str(point / "out"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("not built here", done.stderr)
            made = point / "out" / "threads"
            self.assertEqual((made / "condperf.txt").read_text(), "its own table\n")
            self.assertTrue((made / "condperf.png").exists())
            self.assertTrue((made / "summary.txt").exists())
            self.assertRegex((made / "commit.txt").read_text(), r"\S")

    def test_mistakes(self):
        done = results("thread")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no part 'thread'; there are: mutex, threads", done.stderr)
        with tempfile.NamedTemporaryFile() as file:
            done = results("threads", "-o", file.name)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("Not a directory", done.stderr)

    def test_root_is_needed(self):
        if os.geteuid() != 0:
            self.skipTest("to be seen by root, who becomes nobody")
        with tempfile.TemporaryDirectory() as name:
            os.chmod(name, 0o777)
            done = subprocess.run([sys.executable, "-B", RESULTS, "rt", "-o", name + "/out"],
                                  cwd=TREE, user=65534, capture_output=True, text=True,
                                  timeout=900, check=False)
            if "Permission denied" in done.stderr:
                self.skipTest("the tree is not readable for others")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("rt: needs root, left out", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
