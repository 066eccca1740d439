#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of what the report makes of lifo."""

import unittest

import reporting
import synthetic
import synthetic_lifo
from reporting import changed, load, slower
from fwreport import aims, lifo, lifotables, summary
from fwreport.outcome import MISSED, OPEN, REACHED, UNKNOWN


def slowed(factor, **where):
    return changed(synthetic_lifo.lifo(), slower(factor), **where)


def goals(*raws):
    return reporting.goals(aims.LIFO, *raws)


def states(*raws):
    return reporting.states(aims.LIFO, *raws)


class Figures(unittest.TestCase):
    def test_speeds(self):
        one = lifo.found(load(synthetic_lifo.lifo()))
        point = lifo.points(one, 32)[0]
        self.assertEqual(lifo.series(one), [(16, False), (32, False)])
        self.assertEqual([p.threads for p in lifo.points(one, 16)],
                         list(synthetic_lifo.THREADS))
        self.assertAlmostEqual(lifo.times(one, point, "furwock", "mutex").value, 2, delta=0.05)
        self.assertAlmostEqual(lifo.times(one, point, "musl", "mutex").value, 0.5, delta=0.02)
        # The invented repetitions are up to 1.4 times slower.
        self.assertAlmostEqual(lifo.speed(one, point, "mutex").value, 1e7 / 1.2, delta=5e5)
        self.assertIsNone(lifo.speed(one, lifo.points(one, 16)[0], "spin"))

    def test_tables(self):
        one = lifo.found(load(synthetic_lifo.lifo()))
        titles = [title for title, _, _ in lifotables.figures(one)]
        self.assertEqual(len(titles), 4)
        self.assertIn("head of 16 bytes: elements per second, times the mutex's", titles)
        self.assertEqual(lifo.locks(one, 16), ["furwock", "native", "mutex"])
        self.assertLess(max(map(len, lifotables.text(one).splitlines())), 100)

    def test_pinned_threads_are_apart(self):
        both = load(synthetic_lifo.lifo(), synthetic_lifo.lifo(3, (2,), (32,), pinned=True))
        one = lifo.found(both)
        self.assertEqual(lifo.series(one), [(16, False), (32, False), (32, True)])
        self.assertEqual([lifo.describe(p) for p in lifo.points(one, 32, True)],
                         ["32 bytes, 2 pinned threads"])
        self.assertIn("head of 32 bytes, pinned threads: elements", lifotables.text(one))
        self.assertIn("2 pinned", summary.text(both))

    def test_summary(self):
        text = summary.text(load(synthetic_lifo.lifo()))
        for wanted in ("lifo: a stack whose head is one atomic object", "times the mutex's",
                       "lifo, head of 16 bytes"):
            self.assertIn(wanted, text)

    def test_compact(self):
        text = lifotables.compact(load(synthetic_lifo.lifo()), str.upper)
        self.assertIn("FURWOCK", text)
        self.assertLess(max(map(len, text.splitlines())), 100)
        self.assertEqual(lifotables.compact(load(synthetic.uncontended()), str), "")


class Goals(unittest.TestCase):
    def test_all_reached(self):
        self.assertEqual(states(synthetic_lifo.lifo()), [REACHED] * 4)

    def test_nothing_measured(self):
        self.assertEqual(states(synthetic.uncontended()), [UNKNOWN] * 4)
        self.assertEqual(states(synthetic_lifo.lifo(locks=("furwock", "mutex")))[0], UNKNOWN)

    def test_the_claim_is_for_one_and_two_threads_per_cpu(self):
        cpus = synthetic.MACHINE["cpus"]
        found = goals(slowed(1.5, lock="furwock", threads=2 * cpus, head=32))
        self.assertEqual([goal.state for goal in found], [MISSED, MISSED, REACHED, REACHED])
        self.assertIn(f"32 bytes, {2 * cpus} threads: 1.2", found[0].short[0])
        self.assertIn("of native", found[0].short[0])
        others = [n for n in synthetic_lifo.THREADS if n not in (cpus, 2 * cpus)]
        self.assertEqual(states(slowed(1.5, lock="furwock", threads=others[-1]))[:2],
                         [REACHED] * 2)

    def test_nowhere_below(self):
        found = goals(slowed(1.9, lock="furwock", threads=256, head=32))
        self.assertEqual(found[2].state, MISSED)
        self.assertEqual(len(found[2].short), 1)        # of native, not of the mutex
        self.assertEqual(found[3].state, REACHED)

    def test_pairs(self):
        self.assertEqual(states(slowed(2, lock="furwock", head=16)), [REACHED] * 3 + [MISSED])

    def test_open(self):
        raw = slowed(lambda run: 1.7 if run["round"] % 2 else 2.0, lock="furwock", head=16)
        self.assertEqual(states(raw)[3], OPEN)


if __name__ == "__main__":
    unittest.main(verbosity=1)
