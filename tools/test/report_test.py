#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the report: the ideal lock, the statistics, the goals, the page, bad input."""

import math
import subprocess
import unittest

import reporting
import numpy
import synthetic
from reporting import changed, load, report, times
from fwreport import compare, goals, ideal, paper, results, stats, summary


class IdealLock(unittest.TestCase):
    """Against closed forms; per second, times in microseconds."""

    def near(self, found, wanted, part=0.02):
        self.assertLess(abs(found / wanted - 1), part, f"{found} is not near {wanted}")

    def test_one_task(self):
        for lht, nlht in ((10, 0), (5, 5), (1, 9), (0, 10)):
            self.near(ideal.throughput(1, 1, lht, nlht, 2), 1e6 / (lht + nlht))

    def test_serial(self):
        for tasks in (2, 3, 100, 1000):
            self.near(ideal.throughput(tasks, 1, 10, 0, 4), 1e6 / 10)

    def test_a_lock_for_each_task(self):
        for tasks, cpus in ((1, 2), (2, 2), (3, 2), (8, 4), (100, 3)):
            self.near(ideal.throughput(tasks, tasks, 5, 5, cpus), min(tasks, cpus) * 1e6 / 10)

    def test_many_tasks_are_bound_by_lock_or_processors(self):
        self.near(ideal.throughput(100, 1, 1, 9, 2), 2e6 / 10)
        self.near(ideal.throughput(100, 1, 5, 5, 8), 1e6 / 5)
        self.near(ideal.throughput(64, 1, 1, 9, 64), 1e6)

    def test_two_tasks_wait_for_each_other_now_and_then(self):
        found = ideal.throughput(2, 1, 5, 5, 2)
        self.assertLess(found, 2e6 / 10)
        self.assertGreater(found, 1e6 / 10)

    def test_an_iteration_without_work(self):
        self.assertEqual(ideal.throughput(2, 1, 0, 0, 2), math.inf)

    def test_times_are_spread_as_they_should(self):
        times = ideal._Times(10, numpy.random.default_rng(1))
        drawn = [times.next() for _ in range(20000)]
        self.assertGreaterEqual(min(drawn), 5)
        self.assertLessEqual(max(drawn), 15)
        self.near(sum(drawn) / len(drawn), 10, 0.01)


class Statistics(unittest.TestCase):
    def test_interval_of_a_known_sample(self):
        # Student's t for 5 degrees of freedom is 2.571; the standard error is sqrt(3.5 / 6).
        found = stats.mean([1, 2, 3, 4, 5, 6])
        self.assertAlmostEqual(found.high - found.value, 2.5706 * math.sqrt(3.5 / 6), places=3)

    def test_interval_of_a_median(self):
        # With 10 samples the textbook interval is from the 2nd to the 9th, at 97.9 %.
        self.assertEqual(stats.median(list(range(1, 11))), (5.5, 2, 9, 10))
        self.assertEqual(stats.median([3.0, 1.0, 2.0]), (2.0, None, None, 3))

    def test_fewer_than_six_samples_have_no_interval(self):
        self.assertEqual(stats.mean([7.0]), (7.0, None, None, 1))
        five = {r: 1.0 + r for r in range(5)}
        for found in (stats.mean(list(five.values())), stats.median(list(five.values())),
                      stats.ratio(five, five), stats.ratio(five, {9 + r: five[r] for r in five})):
            self.assertEqual((found.low, found.high), (None, None))
        self.assertEqual(stats.median([1, 2, 3, 4, 5, 6]), (3.5, 1, 6, 6))

    def test_an_outcome_needs_the_whole_interval_on_its_side(self):
        for low, high, least, most in ((1.1, 1.3, goals.REACHED, goals.MISSED),
                                       (0.9, 1.3, goals.OPEN, goals.OPEN),
                                       (0.7, 0.9, goals.MISSED, goals.REACHED),
                                       (None, None, goals.OPEN, goals.OPEN)):
            found = stats.Estimate(1.2, low, high, 6)
            self.assertEqual((goals.at_least(found, 1), goals.at_most(found, 1)), (least, most))

    def test_a_ratio_cancels_what_slows_the_whole_round(self):
        below = {r: 100.0 * (1 + r) for r in range(6)}
        found = stats.ratio({r: 1.2 * x for r, x in below.items()}, below)
        self.assertAlmostEqual(found.value, 1.2)
        self.assertAlmostEqual(found.low, 1.2)

    def test_rounds_that_differ_are_independent_samples(self):
        found = stats.ratio({r: 2.0 + r % 2 / 5 for r in range(6)},
                            {10 + r: 1.0 + r % 2 / 10 for r in range(6)})
        self.assertAlmostEqual(found.value, 2.0)
        self.assertLess(found.low, 2.0)

    def test_a_mean_of_ratios_takes_whole_rounds(self):
        """All of 20 cells are shaken alike in a round: that is no better known than one of them."""
        shaken = {r: 1 + 0.1 * (r % 3) for r in range(9)}
        one = stats.ratio(shaken, dict.fromkeys(shaken, 1.0))
        many = stats.geometric([one] * 20)
        self.assertEqual(many.n, 20)
        for a, b in zip(many[:3], one[:3]):
            self.assertAlmostEqual(a, b)
        few = stats.ratio({r: shaken[r] for r in range(4, 9)}, dict.fromkeys(shaken, 1.0))
        self.assertIsNone(stats.geometric([one, few]).low)      # five rounds in common

    def test_geometric_mean(self):
        found = stats.geometric([stats.Estimate(x, x, x, 3) for x in (2.0, 0.5)])
        self.assertAlmostEqual(found.value, 1.0)
        self.assertIsNone(stats.geometric([None]))


class Reading(unittest.TestCase):
    def test_two_files_of_one_cell_are_one_cell(self):
        raw = synthetic.paper(runs=2, tasks=(2,), locks=("furwock", "pthread"))
        loaded = load(raw, raw)
        spot = loaded.spots("tables")[0]
        self.assertEqual(len(loaded.cell(spot, "furwock").by_round("throughput")), 4)

    def test_another_machine_is_refused(self):
        other = synthetic.paper(runs=1, tasks=(2,), locks=("furwock",))
        other["machine"] = {**synthetic.MACHINE, "cpus": 64}
        with self.assertRaisesRegex(results.BadInput, "another machine"):
            load(synthetic.today(runs=1), other)

    def test_a_metric_that_was_not_measured(self):
        raw = synthetic.paper(runs=2, tasks=(2,), locks=("furwock", "pthread"))
        changed(raw, lambda run: run.update(syscalls=None, wait_ns=None, reacquire=None))
        loaded = load(raw)
        self.assertIsNone(loaded.cell(loaded.spots("tables")[0], "furwock").mean("wait_ns", "p99"))
        self.assertIn("NOT MEASURED  system calls", summary.text(loaded))


class Goals(unittest.TestCase):
    def state(self, raw, evaluate, at=0):
        return evaluate(load(raw))[at].state

    def slowed(self, lock, factor):
        raw = synthetic.paper(tasks=(2, 100), locks=("furwock", "pthread", "nsync", "ck-mcs"))
        return changed(raw, times(factor, "throughput"), lock=lock, tasks=100, lht_us=3)

    def test_the_best_rival_sleeps(self):
        raw = self.slowed("ck-mcs", 100)
        loaded = load(raw)
        rivals = {compare.best_blocking_rival(loaded, s).lock for s in loaded.spots("tables")}
        self.assertEqual(rivals, {"nsync"})

    def test_one_slow_cell_is_named(self):
        self.assertEqual(self.state(self.slowed("furwock", 1), goals.paper_grid), goals.REACHED)
        goal = goals.paper_grid(load(self.slowed("furwock", 0.5)))[0]
        self.assertEqual(goal.state, goals.MISSED)
        self.assertEqual(len(goal.short), 1)
        self.assertIn("(7,3) 100 tasks", goal.short[0])
        self.assertIn("nsync", goal.short[0])

    def test_geometric_mean_against_pthread(self):
        goal = goals.paper_grid(load(self.slowed("furwock", 1)))[1]
        self.assertEqual(goal.state, goals.REACHED)

    def test_grid_floor(self):
        raw = synthetic.today()
        for cell in raw["cells"][:2]:
            if cell["lock"] == "furwock":
                for run in cell["runs"]:
                    run["throughput"] *= 0.7
        goal = goals.today_grid(load(raw))[0]
        self.assertEqual(goal.state, goals.MISSED)
        self.assertIn("1 under 0.85", goal.got)

    def test_a_share_of_the_cells_is_enough(self):
        reached, open_, missed = [goals.REACHED], [goals.OPEN], [goals.MISSED]
        for states, wanted in ((reached * 9 + missed, reached), (reached * 8 + missed * 2, missed),
                               (reached * 8 + open_ * 2, open_), (reached * 9 + open_, reached)):
            self.assertEqual([goals._enough(states)], wanted)

    def test_uncontended(self):
        found = goals.uncontended(load(synthetic.uncontended()))
        self.assertEqual([goal.state for goal in found], [goals.REACHED] * 2)
        slow = synthetic.uncontended()
        slow["cells"][0]["ns"]["samples"] = [8.0] * 12
        found = goals.uncontended(load(slow))
        self.assertEqual([goal.state for goal in found], [goals.MISSED] * 2)

    def test_what_is_not_there_is_said(self):
        raw = synthetic.paper(tasks=(2,), locks=("furwock",))
        states = {goal.state for goal in goals.all_goals(load(raw))}
        self.assertIn(goals.UNKNOWN, states)
        self.assertNotIn(goals.MISSED, states)


class Paper(unittest.TestCase):
    def test_figures_as_printed(self):
        self.assertAlmostEqual(paper.improvement("futex-fair", 2, (0, 10)), 0.845)
        self.assertAlmostEqual(paper.improvement("ulock", 1000, (9, 1)), 95.377)
        self.assertEqual(paper.improvement("sysv", 2, (0, 10)), 1.0)
        self.assertIsNone(paper.improvement("futex", 5, (0, 10)))


class Program(reporting.InDirectory):
    def test_bad_input(self):
        self.refused("No such file", "nothing.json")
        self.refused("not JSON", self.file("a.json", "{"))
        self.refused("not JSON", self.file("z.json", ""))
        self.refused("its format is 'other'", self.file("b.json", {"format": "other"}))
        self.refused("its format is None", self.file("c.json", []))
        empty = self.file("d.json", synthetic.result("paper", []))
        self.refused("nothing was measured", empty)
        self.refused("a cell without a proper", self.file("e.json", synthetic.result(
            "paper", [{"lock": "furwock"}])))

    def test_directory_that_cannot_be_written(self):
        good = self.file("good.json", synthetic.paper(runs=2, tasks=(2,), locks=("furwock",)))
        blocker = self.file("blocker", "a file, no directory")
        self.refused("Not a directory|File exists", good, "-o", blocker)
        self.refused("Not a directory", good, "-o", blocker + "/below")

    def test_summary(self):
        good = self.file("good.json", synthetic.paper(runs=3, tasks=(2, 100)))
        done = report("--summary", good)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("geometric mean", done.stdout)
        self.assertIn("not compared: tbb", done.stdout)

    def test_as_a_program(self):
        for status, name in ((0, "one.json"), (2, "none.json")):
            self.file("one.json", synthetic.uncontended())
            done = subprocess.run([reporting.REPORT, name, "-o", "out"], capture_output=True,
                                  text=True, check=False, timeout=900)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual("index.html" in done.stdout, status == 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
