#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_manytasks.py BUILD_DIRECTORY

The front end, with furwock's program; the peers too, where their programs were built before.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
BENCH = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(BENCH, "common"), os.path.join(BENCH, "ulockflex")]

import affinity  # noqa: E402
import resumed  # noqa: E402
from infull import in_full  # noqa: E402
from many import bars, ratio, table  # noqa: E402
from many.peers import PEERS, cache  # noqa: E402

COMMAND = []


def run_it(*words, **environment):
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=900,
                          check=False, env={**os.environ, **environment})


def built():
    """The peers that can be run without fetching and building anything."""
    there = {path.name.rpartition("-")[0] for path in (cache() / "bin").glob("*")}
    with tempfile.TemporaryDirectory() as folder:
        listed = run_it("--list", "furwock", XDG_CACHE_HOME=folder)
    def has_sources(name):
        git = PEERS[name].git
        return git is None or (cache() / f"{name}-{git.commit[:12]}" / git.mark).is_file()

    return [name for name in PEERS if name in there and has_sources(name)] + (
        ["furwock"] if listed.returncode == 0 and "missing" not in listed.stdout else [])


def a_cell(lock, *runs):
    return {"lock": lock, "shape": "many", "tasks": 10, "locks": 2, "passes": 3, "threads": 2,
            "shared": 0,
            "failures": [], "runs": [{"round": i, "locks": 30, "seconds": 1.0, "cpu_seconds": cpu,
                                      "bytes": 100.0, "operation_bytes": 0,
                                      "wait_ns": [1, 2, 3]} for i, cpu in enumerate(runs, 1)]}


class Table(unittest.TestCase):
    def test_ratios_are_taken_within_rounds(self):
        base, other = a_cell("furwock", 1.0, 10.0), a_cell("tokio", 2.0, 20.0)
        found = ratio.of(other, base, table.per_cpu_second)
        self.assertAlmostEqual(found[0], 0.5)
        self.assertEqual(found[1:], (None, None))       # of two rounds: no interval
        value, low, high = ratio.of(a_cell("tokio", *[2.0] * 7), a_cell("furwock", *[1.0] * 7),
                                    table.per_cpu_second)
        self.assertAlmostEqual(value, 0.5)
        self.assertLessEqual(low, high)

    def test_what_failed_is_said(self):
        failed = a_cell("tokio")
        failed["failures"] = [{"round": 1, "what": "no exclusion"}]
        text = table.text({"cells": [a_cell("furwock", 1.0), failed], "notes": ["a note"],
                           "missing": [("go", "there is no go")]})
        for said in ("tokio, many: no exclusion", "go: left out: there is no go", "a note", "30"):
            self.assertIn(said, text)


    def test_bars_say_whether_they_are_reached(self):
        cells = [cell for point in bars.points() for cell in point]
        for cell in cells:
            ns = {"task": 200.0, "many": 900.0}.get(cell["side"], 100.0)
            cell["runs"] = [{"round": 1, "ns": ns, "cpu_ns": ns, "by": 7}]
        text = bars.text(cells)
        for said in ("at most 1.1: missed", "at most 1.5: missed", "1us: reached", "7, 7", "2.00"):
            self.assertIn(said, text)


class Options(unittest.TestCase):
    def refused(self, *words):
        done = run_it(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def test_refusals(self):
        self.assertIn("tokio", self.refused("no-such-peer"))
        self.assertIn("many", self.refused("--shape", "no-such-shape"))
        self.assertIn("--tasks", self.refused("--tasks", "0"))
        self.assertIn("--resume", self.refused("--resume"))
        self.assertIn("libcoro", self.refused("--source", "tokio=/"))
        self.assertIn("/nonexistent", self.refused("--json", "/nonexistent/r.json"))
        self.assertIn("there are", self.refused("--cpus", "100000"))

    def test_without_sources_a_peer_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run_it("--list", "--source", f"libcoro={folder}", "libcoro",
                          XDG_CACHE_HOME=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("no sources of libcoro", done.stdout)
            done = run_it("tokio", "go", XDG_CACHE_HOME=folder, PATH="/nonexistent")
            self.assertEqual(done.returncode, 77, done.stderr)
            self.assertIn("there is no cargo", done.stderr)


class Runs(unittest.TestCase):
    def setUp(self):
        self.there = built()
        if not self.there:
            self.skipTest("no peer's program is built")
        self.one = "furwock" if "furwock" in self.there else self.there[0]

    def test_each_that_is_built(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "r.json")
            done = run_it("--short", "--rounds", "1", "--quiet", "--json", str(path), *self.there)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            result = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual([cell["lock"] for cell in result["cells"]], self.there)
        for cell in result["cells"]:
            self.assertEqual(cell["runs"][0]["locks"], cell["tasks"] * cell["passes"])
            self.assertGreater(cell["runs"][0]["bytes"], 0)
        self.assertTrue(result["complete"])

    def test_locks_that_another_process_has_too(self):
        if "furwock" not in self.there:
            self.skipTest("manytasks-furwock is not built")
        done = run_it("--shape", "shared", "--tasks", "500", "--locks", "200", "--rounds", "2",
                      "--quiet", "furwock")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("a second process", done.stdout)
        self.assertNotIn("!", done.stdout)

    def test_interrupted_and_gone_on_with(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "r.json")
            words = ("--short", "--quiet", "--json", str(path), "--resume", self.one)
            first = resumed.interrupted(self, (*COMMAND, "--rounds", "100000", *words), path)
            done = max(len(cell["runs"]) for cell in first["cells"])
            again = run_it("--rounds", str(done + 2), *words)
            self.assertEqual(again.returncode, 0, again.stderr)
            resumed.check(self, path, first, done + 2)
            other = run_it("--rounds", "3", "--pin", *words)
            self.assertEqual(other.returncode, 2)
            self.assertIn("other options", other.stderr)

    @in_full
    def test_pinned_threads_have_a_cpu_each(self):
        there = os.sched_getaffinity(0)
        found = affinity.seen_on_single_cpus(
            (*COMMAND, "--short", "--passes", "200", "--rounds", "1", "--quiet", "--pin", self.one),
            there)
        self.assertEqual(found, there)


if __name__ == "__main__":
    COMMAND = [sys.executable, "-B", os.path.join(sys.argv.pop(1), "manytasks")]
    unittest.main()
