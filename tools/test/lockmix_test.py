#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of what the report makes of lockmix."""

import unittest

import reporting
import synthetic
import synthetic_lockmix
from reporting import load, times
from fwreport import crowdaims, lockmix, lockmixtables, summary
from fwreport.outcome import MISSED, OPEN, REACHED, UNKNOWN

CPUS = synthetic.MACHINE["cpus"]


def changed(change, **where):
    return reporting.changed(synthetic_lockmix.lockmix(), change, **where)


def slower(factor):
    def change(run):
        by = factor(run) if callable(factor) else factor
        run["seconds"] *= by
        run["throughput"] /= by
    return change


def goals(*raws):
    return reporting.goals(crowdaims.LOCKMIX, *raws)


def states(*raws):
    return reporting.states(crowdaims.LOCKMIX, *raws)


class Figures(unittest.TestCase):
    def test_figures(self):
        loaded = load(synthetic_lockmix.lockmix())
        one = lockmix.found(loaded)
        self.assertEqual([lockmix.title(group) for group in lockmix.groups(one)][:3],
                         ["one lock, no antagonists", f"one lock, {CPUS} antagonists",
                          "hash table, a lock for each bucket, Zipf 0.99, no antagonists"])
        point = lockmix.crowded(loaded)[0]
        self.assertEqual((point.mode, point.threads, point.antagonists), ("one", 4 * CPUS, CPUS))
        self.assertAlmostEqual(lockmix.times(one, point, "furwock", "pthread").value, 1.3,
                               delta=0.05)
        ratio, who = lockmix.of_best_rival(one, point, "furwock")
        self.assertEqual(who, "parking_lot")
        self.assertAlmostEqual(ratio.value, 1.04, delta=0.03)
        self.assertAlmostEqual(lockmix.waiting(one, point, "furwock"), 40, delta=2)
        self.assertAlmostEqual(lockmix.of_peak(one, point, "furwock").value, 1, delta=0.05)

    def test_tables(self):
        loaded = load(synthetic_lockmix.lockmix())
        text = summary.text(loaded)
        for wanted in ("lockmix: many locks, one or two for each operation, Zipf 0.99, no",
                       "FlexGuard's published ratios", "10.1145/3731569.3764852",
                       "oversubscribed 4 and 16 times beside antagonists"):
            self.assertIn(wanted, text)
        self.assertIn("FURWOCK", lockmixtables.compact(loaded, str.upper))
        self.assertEqual(lockmixtables.compact(load(synthetic.uncontended()), str), "")

    def test_a_lock_that_was_not_run_everywhere(self):
        raw = synthetic_lockmix.lockmix()
        raw["cells"] = [cell for cell in raw["cells"]
                        if cell["lock"] != "ck-mcs" or cell["threads"] <= 4 * CPUS]
        self.assertEqual(states(raw), [REACHED] * 4)
        summary.text(load(raw))


class Goals(unittest.TestCase):
    def test_all_reached(self):
        self.assertEqual(states(synthetic_lockmix.lockmix()), [REACHED] * 4)

    def test_nothing_measured(self):
        self.assertEqual(states(synthetic.uncontended()), [UNKNOWN] * 4)
        self.assertEqual(states(synthetic_lockmix.lockmix(antagonists=(0,)))[:3], [UNKNOWN] * 3)
        self.assertEqual(states(synthetic_lockmix.lockmix(locks=("furwock", "pthread")))[3],
                         UNKNOWN)

    def test_own_peak(self):
        found = goals(changed(slower(1.2), lock="furwock", threads=16 * CPUS, antagonists=CPUS,
                              mode="hash"))
        self.assertEqual([goal.state for goal in found], [MISSED, REACHED, MISSED, REACHED])
        self.assertIn(f"hash, {16 * CPUS} threads, {CPUS} antagonists: 0.8", found[0].short[0])
        self.assertIn("1 more with less throughput", found[3].got)

    def test_few_threads_are_not_evaluate(self):
        raw = changed(slower(3), lock="furwock", threads=2 * CPUS)
        self.assertEqual(states(raw), [REACHED] * 4)

    def test_pthread(self):
        found = goals(changed(slower(1.5), lock="furwock", mode="many"))
        self.assertEqual(found[1].state, MISSED)
        self.assertEqual(len(found[1].short), 2)
        self.assertIn("of pthread", found[1].short[0])

    def test_cpu_time(self):
        found = goals(changed(times(1.5, "cpu_ns"), lock="furwock", mode="one", antagonists=0))
        self.assertEqual([goal.state for goal in found], [REACHED] * 3 + [MISSED])

    def test_with_the_assist_and_without(self):
        found = goals(changed(slower(1.5), lock="furwock", mode="many"),
                      synthetic_lockmix.lockmix(assist="on"))
        self.assertEqual([goal.state for goal in found],
                         [REACHED, REACHED, MISSED, REACHED, MISSED, REACHED, REACHED, REACHED])
        self.assertEqual([goal.name.endswith(", assist on") for goal in found], [False, True] * 4)

    def test_open(self):
        raw = changed(slower(lambda run: 1.0 if run["round"] % 2 else 1.15), lock="furwock")
        self.assertEqual(states(raw)[2], OPEN)


if __name__ == "__main__":
    unittest.main(verbosity=1)
