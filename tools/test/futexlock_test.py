#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of what the report makes of futexlock."""

import unittest

import reporting
import synthetic
import synthetic_futexlock
from reporting import load, slower, times
from fwreport import crowdaims, futexlock, summary
from fwreport.outcome import MISSED, OPEN, REACHED, UNKNOWN

INVENTED = synthetic_futexlock.futexlock


def changed(change, **where):
    return reporting.changed(INVENTED(), change, **where)


def goals(*raws):
    return reporting.goals(crowdaims.FUTEXLOCK, *raws)


def states(*raws):
    return reporting.states(crowdaims.FUTEXLOCK, *raws)


class Figures(unittest.TestCase):
    def test_figures(self):
        one = futexlock.found(load(INVENTED()))
        self.assertEqual(futexlock.series(one), [(1000, 10, "off"), (1000, 50, "off")])
        points = futexlock.points(one, 1000, 10, "off")
        self.assertEqual([point.threads for point in points], list(synthetic_futexlock.THREADS))
        self.assertAlmostEqual(
            futexlock.times(one, points[0], "furwock", "furwock-block").value, 1.4, delta=0.03)
        # The invented repetitions are up to 1.4 times slower.
        self.assertAlmostEqual(futexlock.speed(one, points[0], "furwock-block").value,
                               1e6 / 1.1 / 1.2, delta=3e4)
        self.assertAlmostEqual(futexlock.burnt(one, points[0], "furwock").value, 300e-9,
                               delta=10e-9)
        self.assertIsNone(futexlock.speed(one, points[-1], "ck-mcs"))

    def test_ideal(self):
        one = futexlock.found(load(INVENTED()))
        first, second, *_ = futexlock.points(one, 1000, 10, "off")
        self.assertAlmostEqual(futexlock.ideal(one, first, 4), 5e6, delta=1)
        self.assertAlmostEqual(futexlock.ideal(one, second, 4), 1e7, delta=1)
        half = futexlock.points(one, 1000, 50, "off")[-1]
        self.assertAlmostEqual(futexlock.ideal(one, half, 4), 1e7, delta=1)     # one at a time
        self.assertIn("a lock that costs nothing would have", goals(INVENTED())[0].got)

    def test_text(self):
        text = summary.text(load(INVENTED()))
        for wanted in ("futexlock, period 1000, duty cycle 10 %: thousand iterations per second",
                       "CPU time burnt, ns per iteration", "40 + 20",
                       "futexlock, 8 threads, period 1000, duty cycle 10 %"):
            self.assertIn(wanted, text)
        one = futexlock.found(load(INVENTED()))
        self.assertLess(max(map(len, futexlock.text(one).splitlines())), 130)

    def test_system_calls_that_were_not_counted_have_no_table(self):
        raw = INVENTED()
        reporting.changed(raw, lambda run: run.update(
            lock_syscalls=None, unlock_syscalls=None, syscalls=None))
        titles = [title for title, _, _ in futexlock.figures(futexlock.found(load(raw)))]
        self.assertEqual(len(titles), 4)
        self.assertFalse(any("system calls" in title for title in titles))

    def test_one_run(self):
        """As one run without a sweep writes it."""
        text = summary.text(load(INVENTED(1, (8,), (10,), ("pthread",))))
        self.assertIn("not measured", text)


class Goals(unittest.TestCase):
    def test_reached(self):
        self.assertEqual(states(INVENTED()), [REACHED, REACHED])

    def test_nothing_measured(self):
        self.assertEqual(states(synthetic.uncontended()), [UNKNOWN] * 2)
        self.assertEqual(states(INVENTED(locks=("furwock", "pthread"))), [UNKNOWN] * 2)
        self.assertEqual(states(INVENTED(threads=(2, 4))), [UNKNOWN, REACHED])
        self.assertEqual(states(INVENTED(period=500)), [UNKNOWN, REACHED])

    def test_adaptive_is_evaluated_where_it_was_claimed(self):
        slow = slower(1.3)
        self.assertEqual(states(changed(slow, lock="furwock", threads=8, duty=10))[0], MISSED)
        self.assertEqual(states(changed(slow, lock="furwock", threads=16, duty=10))[0], REACHED)
        self.assertEqual(states(changed(slow, lock="furwock", threads=8, duty=50))[0], REACHED)

    def test_with_and_without_the_assist(self):
        """Each for itself, though both are in one report."""
        slow = changed(slower(1.3), lock="furwock")
        found = goals(slow, INVENTED(assist="on"))
        self.assertEqual([goal.state for goal in found[:2]], [MISSED, REACHED])
        self.assertNotIn("assist", found[0].name)
        self.assertIn("assist on", found[1].name)

    def test_open(self):
        shaky = slower(lambda run: 1.2 if run["round"] % 2 else 1.05)
        shaky_more = slower(lambda run: 1.2 if run["round"] % 4 else 1.05)
        self.assertIn(states(changed(shaky, lock="furwock", threads=8, duty=10))[0],
                      (REACHED, OPEN))
        self.assertEqual(states(changed(shaky_more, lock="furwock", threads=8, duty=10))[0],
                         OPEN)

    def test_cpu_time(self):
        costly = times(1.5, "cpu_seconds")
        found = goals(changed(costly, lock="furwock", threads=64, duty=50))[1]
        self.assertEqual(found.state, MISSED)
        self.assertEqual(len(found.short), 1)
        self.assertIn("64 threads, period 1000, duty cycle 50 %: 1.2", found.short[0])

    def test_cpu_time_may_buy_speed(self):
        raw = changed(times(1.5, "cpu_seconds"), lock="furwock", threads=64, duty=50)
        reporting.changed(raw, slower(1 / 1.2), lock="furwock", threads=64, duty=50)
        self.assertEqual(states(raw)[1], REACHED)


if __name__ == "__main__":
    unittest.main(verbosity=1)
