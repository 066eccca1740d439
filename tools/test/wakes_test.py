#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of what the report makes of condperf, pingpong and latency."""

import unittest

import reporting
import synthetic
import synthetic_wakes
from reporting import changed, load, slower
from fwreport import aims, experiment, results, summary, wakecompact, waketables
from fwreport.outcome import MISSED, OPEN, REACHED, UNKNOWN


class Contests(unittest.TestCase):
    def test_points_ascend(self):
        found = load(synthetic_wakes.condperf(waiters=(1000, 100))).experiments["condperf"]
        self.assertEqual([(p.waiters, p.section_us) for p in found.points()],
                         [(n, us) for n in (100, 1000) for us in (0, 2, 10)])

    def test_a_ratio_cancels_what_slows_a_repetition(self):
        found = load(synthetic_wakes.pingpong()).experiments["pingpong"]
        point = found.points()[0]
        ratio = experiment.ratio(found.cell(point, "nsync"), found.cell(point, "pthread"))
        self.assertAlmostEqual(ratio.value, 1.08, delta=0.02)
        self.assertLess(ratio.high - ratio.low, 0.06)
        spread = found.cell(point, "nsync").median()
        self.assertGreater(spread.high / spread.low, 1.1)

    def test_two_files_are_one_experiment(self):
        raw = synthetic_wakes.condperf(repetitions=3, waiters=(100,), sections=(0,))
        found = load(raw, raw).experiments["condperf"]
        self.assertEqual(len(found.cell(found.points()[0], "furwock").by_round()), 6)

    def test_the_best_rival_is_a_rival(self):
        raw = changed(synthetic_wakes.condperf(), slower(0.01), lock="wake-all")
        found = load(raw).experiments["condperf"]
        self.assertEqual({found.best_rival(point).lock for point in found.points()},
                         {"parking_lot"})

    def test_a_mean_takes_whole_repetitions(self):
        raw = synthetic_wakes.pingpong(games=(1, 16))
        raw["cells"][0]["runs"] = raw["cells"][0]["runs"][:6]       # one game, furwock
        found = load(raw).experiments["pingpong"]
        pairs = [(found.cell(p, "furwock"), found.cell(p, "pthread")) for p in found.points()]
        mean = experiment.overall(pairs)
        self.assertAlmostEqual(mean.value, 0.9, delta=0.02)
        self.assertEqual(mean.n, 2)

    def test_baselines(self):
        found = load(synthetic_wakes.latency()).experiments["latency"]
        self.assertEqual({found.baseline(point).lock for point in found.points()},
                         {"posix", "pthread", "pthread-auto"})

    def test_bad_cells(self):
        for cells in (None, [{"lock": "furwock"}], [3], [{"lock": "furwock", "family": "furwock",
                                                           "runs": 5, "games": 1}]):
            raw = {**synthetic_wakes.pingpong(), "cells": cells}
            with self.subTest(cells=cells), self.assertRaises(results.BadInput):
                load(raw)


EACH, MEAN, SWITCHES = range(3)         # in the table of goals
GAMES = slice(3, None)


class Goals(unittest.TestCase):
    def states(self, *raws):
        return reporting.states(aims.WAKES, *raws)

    def test_all_reached(self):
        found = self.states(synthetic_wakes.condperf(), synthetic_wakes.pingpong())
        self.assertEqual(found, [REACHED] * 5)

    def test_nothing_measured(self):
        self.assertEqual(self.states(synthetic.uncontended()), [UNKNOWN] * 5)
        self.assertEqual(self.states(synthetic_wakes.condperf(locks=("furwock",)))[:2],
                         [UNKNOWN] * 2)

    def test_one_slow_point_is_named(self):
        raw = changed(synthetic_wakes.condperf(), slower(1.5), lock="furwock", waiters=256,
                      section_us=2)
        goal = reporting.goals(aims.WAKES, raw)[EACH]
        self.assertEqual(goal.state, MISSED)
        self.assertEqual(len(goal.short), 1)
        self.assertIn("256 waiters, 2 us", goal.short[0])
        self.assertIn("parking_lot", goal.short[0])

    def test_open(self):
        raw = changed(synthetic_wakes.condperf(), slower(1.06), lock="furwock", waiters=256,
                      section_us=0)
        changed(raw, lambda run: slower(0.8 if run["round"] % 2 else 1.2)(run), lock="furwock",
                waiters=256, section_us=0)
        self.assertEqual(reporting.goals(aims.WAKES, raw)[EACH].state, OPEN)

    def test_mean_of_the_grid(self):
        raw = changed(synthetic_wakes.condperf(), slower(1.1), lock="furwock")
        self.assertEqual(reporting.goals(aims.WAKES, raw)[MEAN].state, MISSED)
        raw = synthetic_wakes.condperf()
        raw["machine"] = {**synthetic.MACHINE, "cpus": 8}
        goal = reporting.goals(aims.WAKES, raw)[MEAN]
        self.assertEqual(goal.state, MISSED)
        self.assertIn("0.6", goal.want)

    def test_other_ways_to_wake_are_not_evaluated(self):
        raw = synthetic_wakes.condperf()
        for cell in raw["cells"]:
            cell["wake"] = "signals"
        self.assertEqual(self.states(raw)[:3], [UNKNOWN] * 3)

    def test_switches(self):
        raw = synthetic_wakes.condperf()
        changed(raw, lambda run: run.update(ivcsw=0.2), lock="furwock", waiters=100, section_us=10)
        goal = reporting.goals(aims.WAKES, raw)[SWITCHES]
        self.assertEqual(goal.state, MISSED)
        self.assertIn("pthread's 2.0", goal.short[0])

    def test_games(self):
        slow = changed(synthetic_wakes.pingpong(), slower(1.3), lock="furwock", games=1024)
        self.assertEqual(reporting.states(aims.WAKES[GAMES], slow), [REACHED, MISSED])
        slow = changed(synthetic_wakes.pingpong(), slower(1.3), lock="furwock", games=2)
        self.assertEqual(reporting.states(aims.WAKES[GAMES], slow), [MISSED, REACHED])


class Shown(unittest.TestCase):
    def test_times(self):
        self.assertEqual([waketables.time(x) for x in (2.5, 0.0123, 4.56e-6, 78.9e-9)],
                         ["2.5 s", "12.3 ms", "4.56 us", "78.9 ns"])

    def test_summary(self):
        raw = synthetic_wakes.condperf(repetitions=2, waiters=(100,))
        raw["cells"][0]["failures"] = [{"what": "lost wake-ups", "times": 2}]
        raw["notes"] = ["left out: 90000 waiters"]
        text = summary.text(load(raw, synthetic_wakes.latency()))
        for wanted in ("condperf: left out: 90000", "lost wake-ups (2)", "to and fro",
                       "geometric means", "not compared: abseil"):
            self.assertIn(wanted, text)

    def test_compact(self):
        text = "\n".join(wakecompact.texts(load(
            synthetic_wakes.condperf(), synthetic_wakes.pingpong(), synthetic_wakes.latency()),
            str.upper))
        self.assertIn("FURWOCK", text)
        self.assertIn("barrier, 8 parties", text)
        self.assertLess(max(map(len, text.splitlines())), 100)
        self.assertEqual(wakecompact.texts(load(synthetic.uncontended()), str), ["", ""])

    def test_counts_that_were_not_taken(self):
        raw = changed(synthetic_wakes.pingpong(repetitions=2), lambda run: run.update(
            syscalls=None))
        found = load(raw).experiments["pingpong"]
        self.assertEqual({row[-1] for row in waketables.rows(found)}, {"-"})


if __name__ == "__main__":
    unittest.main(verbosity=1)
