#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of what the report makes of atomicmix."""

import unittest

import reporting
import synthetic
import synthetic_mix
from reporting import changed, load, slower
from fwreport import aims, mix, mixtables, summary
from fwreport.outcome import MISSED, REACHED, UNKNOWN

ALL = 7     # goals: six points of 32 bytes, and the pairs


def slowed(factor, **where):
    return changed(synthetic_mix.atomicmix(), slower(factor), lock="furwock", **where)


def goals(*raws):
    return reporting.goals(aims.MIX, *raws)


class Figures(unittest.TestCase):
    def test_speeds(self):
        one = mix.found(load(synthetic_mix.atomicmix()))
        point, = mix.points(one, size=32, where=mix.ALONE, mix="load")
        self.assertAlmostEqual(mix.time(one, point).value, 0.3, delta=0.02)
        self.assertAlmostEqual(mix.times(one, point).value, 1 / 0.3, delta=0.2)
        # The invented repetitions are up to 1.4 times slower.
        self.assertAlmostEqual(mix.speed(one, point, mix.BASE).value, 1 / 3.6e-8, delta=2e6)

    def test_words(self):
        one = mix.found(load(synthetic_mix.atomicmix()))
        said = {mix.describe(point) for point in one.points()}
        self.assertEqual(len(said), len(one.points()))
        for wanted in ("16 bytes (_16), load, alone", "32 bytes, load, 2 threads, the same object"):
            self.assertIn(wanted, said)

    def test_tables(self):
        text = summary.text(load(synthetic_mix.atomicmix()))
        self.assertIn("million calls per second", text)
        self.assertIn("nanoseconds of a call", text)
        self.assertRegex(text, r"16 _16 +load +[\d.]+ \[[\d.]+, [\d.]+\] +[\d.]+ \[")
        self.assertRegex(text, r"32 +95:5 +same +2 +[\d.]+ \[[\d.]+, [\d.]+\] +[\d.]+ \[")
        self.assertIn("16 _16", text)
        self.assertIn("atomic object of 32 bytes, load, alone: 0.", text)
        short = mixtables.compact(load(synthetic_mix.atomicmix()), str.upper)
        self.assertIn("FURWOCK", short)
        self.assertRegex(short, r"\nratio +3\.3\d +1\.2\d ")
        self.assertLess(max(map(len, short.splitlines())), 100)
        self.assertEqual(mixtables.compact(load(synthetic.uncontended()), str), "")

    def test_rows_are_by_object_then_by_mix(self):
        one = mix.found(load(synthetic_mix.atomicmix()))
        _, rows = mixtables.together(one)
        self.assertEqual([row[:4] for row in rows if row[1] == "95:5"],
                         [["32", "95:5", "same", 2], ["32", "95:5", "same", 4],
                          ["32", "95:5", "far", 2]])
        _, rows = mixtables.alone(one)
        self.assertEqual(list(dict.fromkeys(row[0] for row in rows)),
                         ["16", "16 _16", "24", "32", "64"])

    def test_libatomic_is_not_installed(self):
        found = load(synthetic_mix.without_libatomic())
        text = summary.text(found)
        self.assertIn("not compared: libatomic (install libatomic1)", text)
        self.assertIn("no libatomic beside it", text)
        self.assertRegex(text, r"32 +load +[\d.]+ \[[\d., ]+\] +- +-\n")
        short = mixtables.compact(found, str)
        self.assertIn("furwock", short)
        self.assertNotIn("\nlibatomic", short)
        self.assertNotIn("\nratio", short)


class Goals(unittest.TestCase):
    def test_all_reached(self):
        self.assertEqual([goal.state for goal in goals(synthetic_mix.atomicmix())],
                         [REACHED] * ALL)

    def test_nothing_measured(self):
        self.assertEqual([goal.state for goal in goals(synthetic.uncontended())], [UNKNOWN] * 2)

    def test_time(self):
        found = goals(slowed(1.3, size=32, mix="exchange", where="alone"))
        missed = [goal for goal in found if goal.state == MISSED]
        self.assertEqual([goal.name for goal in missed],
                         ["atomic object of 32 bytes, exchange, alone"])
        self.assertIn("at most 0.8", missed[0].want)

    def test_throughput(self):
        found = goals(slowed(2.5, size=32, mix="95:5", where="same"))
        missed = [goal for goal in found if goal.state == MISSED]
        self.assertEqual(len(missed), 1)
        self.assertIn("at least 5 times", missed[0].want)
        self.assertIn("4.0", missed[0].got)

    def test_pairs(self):
        found = goals(slowed(2, calls="_16"))[-1]
        self.assertEqual(found.state, MISSED)
        self.assertEqual(len(found.short), 1)
        self.assertIn("(_16), load, alone: 1.8", found.short[0])


if __name__ == "__main__":
    unittest.main(verbosity=1)
