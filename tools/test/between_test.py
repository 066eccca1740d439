#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the report on locks between processes: goals, tables, pictures."""

import unittest

import reporting
from reporting import changed, load, times
import synthetic
import synthetic_between
from fwreport import aims, between, summary
from fwreport.outcome import MISSED, REACHED, UNKNOWN


def alone(**ns):
    """A result of uncontended: {object: {lock: ns}}."""
    return {"format": "furwock-bench-1", "benchmark": "uncontended",
            "machine": synthetic.MACHINE, "missing": [], "cells": [
                {"lock": lock, "object": name.replace("_", "-"), "ns": {"samples": [cost] * 9},
                 "ratio": None} for name, costs in ns.items() for lock, cost in costs.items()]}


GRID, ALONE, DATABASE = slice(2), slice(2, 5), slice(5, 11)     # in the table of goals


def goals(which, *raws):
    return reporting.goals(aims.BETWEEN[which], *raws)


def states(which, *raws):
    return [goal.state for goal in goals(which, *raws)]


class Goals(unittest.TestCase):
    def test_grid(self):
        self.assertEqual(states(GRID, synthetic_between.processes()), [REACHED] * 2)
        raw = synthetic_between.processes()
        changed(raw, times(0.5, "throughput"), lock="furwock-ipc", tasks=3, nlht_us=5)
        found = goals(GRID, raw)
        self.assertEqual([goal.state for goal in found], [MISSED, REACHED])
        self.assertIn("15 of 16", found[0].got)
        self.assertIn("(5,5) 3 tasks, processes: 0.7", found[0].short[0])

    def test_alone(self):
        raw = alone(ipc_mutex={"furwock-ipc": 15, "pthread-robust": 20, "pthread": 14},
                    ipc_read={"furwock-ipc": 15, "pthread-rw": 16})
        self.assertEqual(states(ALONE, raw), [REACHED, REACHED, MISSED])

    def test_database(self):
        found = goals(DATABASE, synthetic_between.database())
        self.assertEqual([goal.state for goal in found], [REACHED] * 6)
        raw = synthetic_between.database(locks=("fcntl", "furwock"))
        self.assertEqual(states(DATABASE, raw), [REACHED, UNKNOWN] * 3)

    def test_nothing_measured(self):
        self.assertEqual(states(slice(None), synthetic.uncontended()), [UNKNOWN] * 10)


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


if __name__ == "__main__":
    unittest.main(verbosity=1)
