#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of tdbtorture's planning, arithmetic and errors; TDB is a program made up here.

Argument: the build directory of the benchmark.
"""

import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "common"), str(HERE.parent / "ulockflex")]

import affinity  # noqa: E402
import resumed  # noqa: E402
from front import Trouble, rounds  # noqa: E402
from torture import Absent, engine, source, table  # noqa: E402

COMMAND = []
LOW = engine.LEVELS[1]


def document(seconds):
    """A result from {(lock, level): [seconds of each round]}."""
    return {"settings": {"rounds": 3, "loops": 1000}, "source": "made up", "notes": [],
            "cells": [{"lock": lock, "level": level, "failures": [],
                       "runs": [{"round": i + 1, "seconds": s} for i, s in enumerate(found)]}
                      for (lock, level), found in seconds.items()]}


class FakeRunner:
    def __init__(self, fails=()):
        self.calls, self.fails = [], fails

    def seconds(self, kind, level, loops, seed, _timeout):
        self.calls.append((kind, level.name, seed))
        if kind in self.fails:
            raise Trouble("broken")
        return loops * (1e-3 if kind == "fcntl" else 1e-4)


class Measuring(unittest.TestCase):
    def measure(self, runner, count=3, deadline=float("inf")):
        points = engine.points(["fcntl", "furwock", "spin"], [LOW])
        doc = {**document({}), "cells": points[0]}
        self.assertEqual(rounds.conduct(doc, points, rounds=count, deadline=deadline,
                                        run=engine.one_run(runner, [LOW], 100, 0, 0.1)),
                         int(bool(runner.fails)))
        return doc["complete"], doc

    def test_rounds_begin_with_another_and_share_a_seed(self):
        runner = FakeRunner()
        whole, doc = self.measure(runner)
        self.assertTrue(whole)
        self.assertEqual([c[0] for c in runner.calls[::3]], ["fcntl", "furwock", "spin"])
        self.assertEqual([c[2] for c in runner.calls], [1, 1, 1, 2, 2, 2, 3, 3, 3])
        self.assertEqual([len(cell["runs"]) for cell in doc["cells"]], [3, 3, 3])

    def test_what_fails_is_left_out_from_then_on(self):
        runner = FakeRunner(fails=("spin",))
        _, doc = self.measure(runner)
        self.assertEqual(sum(c[0] == "spin" for c in runner.calls), 1)
        self.assertIn("! spin, low: broken", table.text(doc))

    def test_one_round_at_least(self):
        runner = FakeRunner()
        whole, _ = self.measure(runner, deadline=time.monotonic() - 1)
        self.assertFalse(whole)
        self.assertEqual(len(runner.calls), 3)

    def test_fitting(self):
        loops, expected, whole = engine.fit(FakeRunner(), ["fcntl", "furwock"],
                                            engine.LEVELS, 5, 100)
        self.assertLess(loops * 1e-3 * 3 * 2 * 5, 100)
        self.assertGreater(loops * 1e-3 * 3 * 2 * 5, 30)
        self.assertAlmostEqual(expected, loops * 1e-3)
        self.assertLess(whole, 100)
        told, longest, whole = engine.fit(FakeRunner(), ["fcntl"], [LOW], 2, 1, loops=200000)
        self.assertEqual((told, longest), (200000, 200.0))
        self.assertAlmostEqual(whole, 2 * 200 * engine.GROWTH)
        self.assertEqual(engine.fit(FakeRunner(), ["furwock"], [LOW], 1, 1e6)[0],
                         engine.LOOPS_MOST)


class Tables(unittest.TestCase):
    def test_ratios_are_taken_within_rounds(self):
        doc = document({("furwock", "high"): [1, 2, 4] * 2,
                        ("fcntl", "high"): [2, 4, 8] * 2})
        value, low, high = table.ratio(doc, "furwock", "fcntl", "high")
        for number in (value, low, high):
            self.assertAlmostEqual(number, 0.5)
        self.assertIsNone(table.ratio(doc, "furwock", "spin", "high"))

    def test_goals(self):
        doc = document({("furwock", "low"): [1, 1], ("fcntl", "low"): [5, 5],
                        ("tdb-mutex", "low"): [0.9, 0.9], ("furwock-mutex", "low"): [1, 1]})
        self.assertEqual([(name, good) for name, _, _, good in table.goals(doc)],
                         [("low: furwock of fcntl", True),
                          ("low: furwock-mutex of tdb-mutex", False)])
        text = table.text(doc)
        self.assertIn("wanted at most 0.3: reached", text)
        self.assertIn("wanted at most 1: missed", text)
        self.assertIn("111.5", text)

    def test_like_for_like(self):
        """TDB's mutex mode leaves records and walks to fcntl: only what does so is beside it."""
        doc = document({("furwock", "low"): [1, 1], ("tdb-mutex", "low"): [2, 2],
                        ("furwock-mutex", "low"): [1.8, 1.8]})
        row = next(line for line in table.like_for_like(doc).splitlines()
                   if line.startswith("low"))
        self.assertIn("0.90", row)
        self.assertIn("like for like", table.text(doc))
        self.assertIsNone(table.like_for_like(document({("furwock", "low"): [1]})))

    def test_the_paper(self):
        """Table 3's rows: the 2002 futex is a kind of its own."""
        self.assertEqual([table.then(lock, "high") for lock in ("fcntl", "spin", "futex")],
                         [1003.69, 751.18, 593.00])
        self.assertIn("futex", engine.KINDS)
        self.assertIsNone(table.then("furwock-mutex", "high"))
        self.assertAlmostEqual(table.PAPER["futex"]["low"] / table.PAPER["fcntl"]["low"], 0.0752,
                               places=4)


class Sources(unittest.TestCase):
    def test_lib_tdb_is_taken_out_of_an_archive(self):
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder, "samba_1.orig.tar.xz")
            with tarfile.open(archive, "w:xz") as tar:
                for name in ("samba-1/lib/tdb/common/tdb.c", "samba-1/lib/talloc/talloc.c",
                             "samba-1/lib/tdb/../../../../escape.c"):
                    entry = tarfile.TarInfo(name)
                    entry.size = 2
                    tar.addfile(entry, io.BytesIO(b"x\n"))
            source.unpack(archive, "lib/tdb/", pathlib.Path(folder, "out"))
            found = [p for p in pathlib.Path(folder, "out").rglob("*") if p.is_file()]
            self.assertEqual(found, [pathlib.Path(folder, "out/common/tdb.c")])

    def test_none_given(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(Absent):
            source.find(pathlib.Path(folder), None)


class Command(unittest.TestCase):
    def run_it(self, *words, **more):
        return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=900,
                              check=False, env={**os.environ, **more})

    def test_bad_words_are_one_line(self):
        for words in (("futx",), ("--level", "hihg"), ("--rounds", "0"), ("--budget", "x"),
                      ("--nothing",), ("--json", "/nonexistent/x.json")):
            done = self.run_it(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(len(done.stderr.splitlines()), 1, words)

    def test_the_papers_count(self):
        """200000 operations of each process, however long it takes: said beforehand."""
        self.assertEqual(self.run_it("--paper", "--loops", "5").returncode, 2)
        if not (source.cache() / "tdb" / source.MARK).is_file():
            self.skipTest("TDB's sources are not in the cache")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "r.json")
            done = self.run_it("--paper", "--rounds", "1", "--level", "none", "--quiet",
                               "--json", str(path), "--budget", "0.1", "futex")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            result = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(result["settings"]["loops"], 200000)
        self.assertRegex(done.stderr, r"\d+ minutes for all rounds at least")

    def test_interrupted_and_gone_on_with(self):
        if not (source.cache() / "tdb" / source.MARK).is_file():
            self.skipTest("TDB's sources are not in the cache")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "r.json")
            words = ("--quiet", "--level", "none", "--json", str(path), "--resume", "furwock",
                     "fcntl")
            first = resumed.interrupted(
                self, (*COMMAND, "--rounds", "100000", "--loops", "200", *words), path)
            done = max(len(cell["runs"]) for cell in first["cells"])
            again = self.run_it("--rounds", str(done + 2), *words)     # without --loops
            self.assertEqual(again.returncode, 0, again.stderr)
            result = resumed.check(self, path, first, done + 2)
            self.assertEqual(result["settings"]["loops"], 200)
            other = self.run_it("--rounds", "3", "--pin", *words)
            self.assertEqual(other.returncode, 2)
            self.assertIn("other options", other.stderr)

    def test_pinned_processes_have_a_cpu_each(self):
        if not (source.cache() / "tdb" / source.MARK).is_file():
            self.skipTest("TDB's sources are not in the cache")
        there = os.sched_getaffinity(0)
        words = (*COMMAND, "--rounds", "1", "--quiet", "--loops", "2000", "furwock")
        for level, cpus in (("high", there), ("none", {min(there)})):
            found = affinity.seen_on_single_cpus((*words, "--level", level, "--pin"), cpus)
            self.assertEqual(found, cpus, level)
        if len(there) > 1:
            self.assertEqual(affinity.of_single_cpus((*words, "--level", "low")), set())

    def test_without_sources_it_is_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_it("--source", folder)
            self.assertEqual(done.returncode, 77)
            self.assertIn("no sources of TDB", done.stderr)
            done = self.run_it(XDG_CACHE_HOME=folder, PATH="/nonexistent")
            self.assertEqual(done.returncode, 77, done.stderr)

    def test_the_real_one_if_it_is_here(self):
        if not (source.cache() / "tdb" / source.MARK).is_file():
            self.skipTest("TDB's sources are not in the cache")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "r.json")
            done = self.run_it("--loops", "200", "--rounds", "1", "--quiet", "--json", str(path))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        self.assertEqual(len(cells), len(engine.present()) * len(engine.LEVELS))
        self.assertTrue(all(cell["runs"] for cell in cells))


if __name__ == "__main__":
    COMMAND = [sys.executable, "-B", os.path.join(sys.argv.pop(1), "tdbtorture")]
    unittest.main()
