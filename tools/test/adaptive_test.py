#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the report on the plan `adaptive`: goals, tables, pictures, the state of the assist."""

import json
import unittest

import reporting
import synthetic
import synthetic_adaptive
from reporting import load, times
from fwreport import adaptive, crowdaims, summary, tables
from fwreport.outcome import MISSED, REACHED, UNKNOWN


def changed(raw, lock, tasks, **factors):
    """The result with metrics of one lock multiplied where there are that many tasks."""
    for metric, factor in factors.items():
        reporting.changed(raw, times(factor, metric), lock=lock, tasks=tasks)
    return raw


IDEAL, MEAN, CPU = range(3)     # in the table of goals


class Goals(unittest.TestCase):
    def evaluate(self, at, raw):
        return reporting.goals(crowdaims.ADAPTIVE, raw)[at]

    def test_all_reached(self):
        for goal in reporting.goals(crowdaims.ADAPTIVE, synthetic_adaptive.adaptive()):
            self.assertEqual(goal.state, REACHED, goal.got)
            self.assertIn("(assist on)", goal.name)

    def test_a_cell_far_from_the_ideal_lock_is_named(self):
        raw = changed(synthetic_adaptive.adaptive(), "furwock", 6, throughput=0.5)
        goal = self.evaluate(IDEAL, raw)
        self.assertEqual((goal.state, len(goal.short)), (MISSED, 3))
        self.assertIn("6 of 9 cells", goal.got)
        self.assertRegex(goal.short[0], r"6 tasks, assist on: 0\.4\d .*, nsync 0\.9\d")

    def test_the_mean_over_pthread(self):
        raw = synthetic_adaptive.adaptive()
        for tasks in (4, 6, 8):
            changed(raw, "pthread", tasks, throughput=1.5)
        self.assertEqual(self.evaluate(MEAN, raw).state, MISSED)

    def test_processor_time_is_evaluated_where_throughput_is_no_less(self):
        raw = changed(synthetic_adaptive.adaptive(), "furwock", 4, cpu_ns=1.5)
        goal = self.evaluate(CPU, raw)
        self.assertEqual((goal.state, len(goal.short)), (MISSED, 3))
        changed(raw, "furwock", 4, throughput=0.9)
        goal = self.evaluate(CPU, raw)
        self.assertEqual(goal.state, REACHED)
        self.assertIn("6 of 6 cells", goal.got)
        self.assertIn("3 more with less throughput", goal.got)

    def test_without_the_assist_that_is_said(self):
        goal = self.evaluate(IDEAL, synthetic_adaptive.adaptive(states=("off",)))
        self.assertEqual(goal.state, MISSED)
        self.assertIn("(assist off)", goal.name)

    def test_nothing_measured(self):
        raw = synthetic.uncontended()
        self.assertEqual(reporting.states(crowdaims.ADAPTIVE, raw), [UNKNOWN] * 3)
        raw = synthetic_adaptive.adaptive(locks=("furwock", "pthread"))
        self.assertEqual(self.evaluate(CPU, raw).state, UNKNOWN)


class Reference(unittest.TestCase):
    """The ideal lock is as fast as a loop without a lock in the same round."""

    def shares(self, raw):
        loaded = load(raw)
        return [adaptive.share(loaded, spot, "furwock") for spot in adaptive.spots(loaded, "on")]

    def slow_in_every_other(self, at):
        return 0.5 if at % 2 else 1.0

    def test_a_machine_that_slows_down_does_not_show(self):
        before = self.shares(synthetic_adaptive.adaptive())
        raw = synthetic_adaptive.adaptive()
        for cell in raw["cells"]:
            for run in cell["runs"]:
                run["throughput"] *= self.slow_in_every_other(run["round"])
        for one, scaled, plain in zip(before, self.shares(synthetic_adaptive.reference(
                json.loads(json.dumps(raw)), self.slow_in_every_other)), self.shares(raw)):
            self.assertAlmostEqual(scaled.value, one.value)
            self.assertAlmostEqual(scaled.low, one.low)
            self.assertAlmostEqual(plain.value / one.value, 0.75, 2)

    def test_the_page_says_which(self):
        raw = synthetic_adaptive.adaptive()
        self.assertIn("at the speed of the calibration.", tables.method(load(raw)))
        found = tables.method(load(synthetic_adaptive.reference(raw, lambda _: 1.0)))
        self.assertIn("at the speed of a loop without a lock in the same rounds.", found)
        self.assertNotIn("same random times", found)


class States(unittest.TestCase):
    def test_off_and_on_are_two_points(self):
        loaded = load(synthetic_adaptive.adaptive())
        self.assertEqual(adaptive.states(loaded), [None, "on"])
        self.assertEqual(len(adaptive.spots(loaded)), 18)
        spot = adaptive.spots(loaded, "on")[0]
        gain = adaptive.on_over_off(loaded, spot, "furwock", "throughput")
        self.assertAlmostEqual(gain.value, 1 / synthetic_adaptive.WITHOUT, 1)

    def test_the_header_tells_where_cells_do_not(self):
        raw = synthetic_adaptive.adaptive(states=(None,))
        self.assertEqual(adaptive.states(load(raw)), [None])
        raw["machine"] = {**synthetic.MACHINE, "assist": "on"}
        loaded = load(raw)
        self.assertEqual(adaptive.states(loaded), ["on"])
        self.assertIn("; assist: on\n", summary.text(loaded))
        self.assertIn("324 runs found the assist in another state",
                      summary.text(loaded))

    def test_results_with_it_and_without(self):
        other = {**synthetic.uncontended(), "machine": {**synthetic.MACHINE, "assist": "off"}}
        raw = synthetic_adaptive.adaptive(states=(None,))
        raw["machine"] = {**synthetic.MACHINE, "assist": "on"}
        self.assertEqual(load(other, raw).machine["assist"], "not the same in all results")

    def test_how_to_measure_it_again(self):
        self.assertIn("ulockflex adaptive --kind threads --assist both --json",
                      load(synthetic_adaptive.adaptive()).commands[0])


class Shown(unittest.TestCase):
    def test_text(self):
        text = summary.text(load(synthetic_adaptive.adaptive()))
        for part in ("assist on: throughput as a share of an ideal lock's",
                     "assist off: CPU time burnt for an acquisition",
                     "with the assist over without", "0.20 + 0.01", "nsync"):
            self.assertIn(part, text)
        self.assertNotIn("found the assist in another state", text)


if __name__ == "__main__":
    unittest.main(verbosity=1)
