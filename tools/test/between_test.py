#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of the report on locks between processes: goals, tables, pictures."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

try:
    import matplotlib  # noqa: F401
    import numpy  # noqa: F401
    import scipy  # noqa: F401
    import tabulate  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}; install python3-matplotlib, -numpy, -scipy and -tabulate")
    sys.exit(77)

import synthetic  # noqa: E402
import synthetic_between  # noqa: E402
from fwreport import between, betweengoals, results, summary  # noqa: E402
from fwreport.outcome import MISSED, REACHED, UNKNOWN  # noqa: E402


def load(*raws):
    loaded = results.Results()
    for at, raw in enumerate(raws):
        loaded.add(json.loads(json.dumps(raw)), f"result {at}")
    return loaded


def states(evaluate, *raws):
    return [goal.state for goal in evaluate(load(*raws))]


def alone(**ns):
    """A result of uncontended: {object: {lock: ns}}."""
    return {"format": "furwock-bench-1", "benchmark": "uncontended",
            "machine": synthetic.MACHINE, "missing": [], "cells": [
                {"lock": lock, "object": name.replace("_", "-"), "ns": {"samples": [cost] * 9},
                 "ratio": None} for name, costs in ns.items() for lock, cost in costs.items()]}


class Goals(unittest.TestCase):
    def test_grid(self):
        self.assertEqual(states(betweengoals.grid, synthetic_between.processes()), [REACHED] * 2)
        raw = synthetic_between.processes()
        for cell in raw["cells"]:
            if (cell["lock"], cell["tasks"], cell["nlht_us"]) == ("furwock-ipc", 3, 5):
                for run in cell["runs"]:
                    run["throughput"] *= 0.5
        found = betweengoals.grid(load(raw))
        self.assertEqual([goal.state for goal in found], [MISSED, REACHED])
        self.assertIn("15 of 16", found[0].got)
        self.assertIn("(5,5) 3 tasks, processes: 0.7", found[0].short[0])

    def test_alone(self):
        raw = alone(ipc_mutex={"furwock-ipc": 15, "pthread-robust": 20, "pthread": 14},
                    ipc_read={"furwock-ipc": 15, "pthread-rw": 16})
        self.assertEqual(states(betweengoals.alone, raw), [REACHED, REACHED, MISSED])

    def test_database(self):
        found = betweengoals.database(load(synthetic_between.database()))
        self.assertEqual([goal.state for goal in found], [REACHED] * 6)
        raw = synthetic_between.database(locks=("fcntl", "furwock"))
        self.assertEqual(states(betweengoals.database, raw), [REACHED, UNKNOWN] * 3)

    def test_nothing_measured(self):
        for evaluate in betweengoals.GOALS:
            self.assertEqual(set(states(evaluate, synthetic.uncontended())), {UNKNOWN})


class Shown(unittest.TestCase):
    def test_tables(self):
        both = load(synthetic_between.processes(), synthetic_between.database())
        heads, rows = between.grid_rows(both)
        self.assertEqual(heads[2:], ["furwock-ipc", "pthread", "pthread-robust", "sysv", "fcntl"])
        self.assertEqual(len(rows), 17)
        text = summary.text(both)
        self.assertIn("between processes: throughput over that of pthread-robust", text)
        self.assertIn("111.45", text)
        self.assertIn("tdbtorture, contention low", text)

    def test_page(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, raw in (("a", synthetic_between.processes()),
                              ("b", synthetic_between.database())):
                paths.append(pathlib.Path(folder, f"{name}.json"))
                paths[-1].write_text(json.dumps(raw))
            out = pathlib.Path(folder, "out")
            done = subprocess.run([str(HERE.parent / "report"), *map(str, paths), "-o", str(out)],
                                  capture_output=True, text=True, check=False, timeout=900)
            self.assertEqual(done.returncode, 0, done.stderr)
            page = (out / "index.html").read_text()
            pictures = {picture.name for picture in out.glob("*.png")}
        self.assertLessEqual({"processes.png", "tdbtorture.png"}, pictures)
        self.assertIn("Between processes", page)
        self.assertNotIn("nan", page.replace("nanoseconds", ""))


if __name__ == "__main__":
    unittest.main(verbosity=1)
