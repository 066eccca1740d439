# SPDX-License-Identifier: MIT
"""Tests of how long runs are, and of the loop without a lock; nothing is run."""

import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "common")]

from test_parts import ABOUT, FakeWorker, Quiet, config, info, make  # noqa: E402
from front import machine  # noqa: E402
from flex import fitting, plan as planning, show, store as storing  # noqa: E402
from flex.engine import Engine  # noqa: E402
from flex.plan import Plan, Settings  # noqa: E402


class Turns(unittest.TestCase):
    """Runs last several turns of the scheduler, in which each task has the CPU once."""

    def test_many_tasks_make_long_runs(self):
        cpus = machine.cpus()
        settings = Settings(seconds=0.1)
        self.assertEqual(settings.length(cpus), 0.1)
        self.assertAlmostEqual(settings.length(500 * cpus), 8.0)
        self.assertAlmostEqual(settings.length(500 * cpus, probe=True), 8.0)
        self.assertEqual(Settings(seconds=0.1, exact=True).length(500 * cpus), 0.1)

    def test_a_budget_does_not_make_them_too_short(self):
        many, few = config(tasks=100 * machine.cpus()), config()
        plan = Plan("single", Settings(seconds=1.0, rounds=6, probes=()),
                    [(few, ["furwock"]), (many, ["furwock", "pthread"])])
        fitting.fit(plan, planning.estimate(plan) - 4)
        self.assertLess(plan.settings.seconds, 1.0)
        self.assertAlmostEqual(plan.settings.length(many.tasks), 1.6)
        said = fitting.fit(plan, 2)
        self.assertEqual([c for c, _ in plan.groups], [few])
        self.assertIn(f"configurations dropped: {many}", said)

    def test_a_thousand_tasks_get_fewer_rounds(self):
        many, few = config(tasks=planning.MANY_TASKS), config()
        names = ["pthread", "ulock-fair"]
        plan = Plan("single", Settings(seconds=0.1, rounds=6, max_rounds=7, ci=1e-9,
                                       probes=("contention", "waits"), probe_seconds=0.1),
                    [(many, names), (few, names)])
        full, below = planning.estimate(plan), 6 * 2 * planning.run_seconds(many, 1)
        self.assertEqual(fitting.fit(plan, full), [])
        said = fitting.fit(plan, full - below / 4)
        self.assertEqual(said, ["with 1000 tasks 3 rounds instead of 6 (more, if time is left); "
                                "contention of ulock-fair only"])
        self.assertEqual(plan.settings.rounds, 6)
        probed = [(c, lock, probe) for c in (many, few) for lock in names
                  for probe in plan.settings.probes if plan.settings.is_probed(c, lock, probe)]
        self.assertEqual(probed, [(many, "ulock-fair", "contention"), (few, "pthread", "waits"),
                                  (few, "ulock-fair", "contention"), (few, "ulock-fair", "waits")])

    def test_many_tasks_wait_until_few_have_had_their_rounds(self):
        many, few = config(tasks=planning.MANY_TASKS), config()
        worker = FakeWorker(lambda _lock, call: 100.0 * call)
        engine = make(names=["pthread"], points=[many, few], worker=worker, rounds=4, max_rounds=5,
                      ci=1e-9, many_rounds=2)
        engine.measure()
        self.assertEqual([point.tasks for _, point, _, _ in worker.calls],
                         [few.tasks] * 4 + [1000] * 2 + [1000, few.tasks] + [1000] * 2)

    def test_too_short_is_said_and_marked(self):
        many = config(tasks=100 * machine.cpus())
        engine = make(points=[config(), many], seconds=0.5, exact=True)
        self.assertRegex(planning.too_short(engine.plan), "runs of 0.5 s are too short for "
                         f"{many.tasks} tasks .* 4 turns of the scheduler take 1.6 s")
        engine.measure()
        cells = json.loads(engine.store.as_json())["cells"]
        self.assertEqual([cell["short"] for cell in cells], [False] * 3 + [True] * 3)
        text = show.grid(engine.store, engine.plan.groups)
        rows = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in text.splitlines()}
        self.assertEqual((rows[str(config())], rows[str(many)]), ("1.00~", "1.00?"))
        self.assertIn("?: runs shorter than some", text)
        self.assertIsNone(planning.too_short(make(points=[many], seconds=0.5).plan))


class Reference(unittest.TestCase):
    """The loop without a lock, by which an ideal lock is scaled."""

    def setUp(self):
        locks = planning.Locks(info())
        points = [(config(tasks=4, lht_us=lht, nlht_us=nlht), ["furwock", "pthread"])
                  for lht, nlht in ((1.0, 9.0), (5.0, 5.0))]
        self.plan = planning.with_reference(
            Plan("single", Settings(rounds=2, max_rounds=9, probes=("waits",)), points), locks,
            "threads", 2)
        self.store = storing.Store(None, self.plan, locks, dict(ABOUT))

    def test_it_is_run_in_each_round_beside_its_configurations(self):
        """Also where it is narrow and they are not, and no longer than they are."""
        def throughput(lock, call):
            return 100.0 * call if lock == "pthread" and call < 60 else 100.0

        worker = FakeWorker(throughput)
        Engine(self.plan, worker, self.store, Quiet()).measure()
        for (point, lock), cell in self.store.cells.items():
            rounds = [run["round"] for run in cell["runs"]]
            self.assertEqual(rounds, list(range(1, 10)), f"{lock} in {point}")
        first = worker.calls[0]
        self.assertEqual((first[0], first[1].tasks, first[1].locks, first[1].lht_us),
                         ("none", 2, 2, 1.0))
        self.assertNotIn(("none", "waits"), {(c[0], c[3]) for c in worker.calls})

    def test_it_is_in_no_table(self):
        Engine(self.plan, FakeWorker(), self.store, Quiet()).measure()
        self.assertNotIn("none", show.grid(self.store, self.plan.groups))


if __name__ == "__main__":
    unittest.main()
