# SPDX-License-Identifier: MIT
"""Tests of the plan `adaptive`, and of turning the assist on and off; only scripts are run."""

import os
import signal
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "common")]

from front import Trouble, assist  # noqa: E402

from flex import adaptive, plan as planning, store as storing  # noqa: E402
from flex.engine import Engine, in_turns  # noqa: E402
from flex.plan import Config, Settings  # noqa: E402
from test_parts import ABOUT, FakeWorker, Quiet, info  # noqa: E402

LOCKS = planning.Locks(info(("furwock-spin7", "furwock"), ("furwock-block", "furwock"),
                            ("nsync", "rival")))


def made(names=(), choice=None, **settings):
    plan = adaptive.plan(LOCKS, names, "threads", Settings(**settings), 2)
    if choice:
        planning.with_assist(plan, choice)
    return plan


class FakeSwitch:
    def __init__(self):
        self.turned = []

    def turn(self, wanted):
        if self.turned[-1:] != [wanted]:
            self.turned.append(wanted)


class CostlyWorker(FakeWorker):
    """Of furwock-spin7 each acquisition costs more; of furwock with the assist, less."""

    def run(self, lock, point, seconds, seed, probe=None):
        cost = {"furwock-spin7": 13000.0, "furwock": 12000.0}.get(lock, 11000.0)
        if lock == "furwock" and point.assist == "on":
            cost, speed = 11500.0, 2.0
        else:
            speed = 1.0
        return {**super().run(lock, point, seconds, seed, probe), "throughput": 100.0 * speed,
                "cpu_ns": cost, "burnt_ns": cost - 10000, "assist": point.assist or "off"}


def measured(choice, rounds=2, worker=None):
    plan = made(("furwock", "furwock-spin7", "pthread"), choice, rounds=rounds, max_rounds=rounds,
                probes=())
    plan.groups = plan.groups[:6 if choice else 3]     # two points, and the loop without a lock
    store = storing.Store(None, plan, LOCKS, dict(ABOUT))
    switch = FakeSwitch()
    engine = Engine(plan, worker or CostlyWorker(), store, Quiet(), switch=switch)
    engine.measure()
    return plan, store, switch


class Planning(unittest.TestCase):
    def test_points(self):
        groups = [g for g in made().groups if g[0].experiment != planning.REFERENCE]
        self.assertEqual({config.tasks for config, _ in groups}, {4, 6, 8})
        times = {(config.nlht_us, config.lht_us) for config, _ in groups}
        self.assertLessEqual({(5, 5), (1, 1), (9, 1), (7, 3), (0, 10), (100, 100)}, times)
        self.assertTrue(all(config.lht_us >= 1 for config, _ in groups))
        self.assertEqual(groups[0][1], ["furwock", "furwock-spin7", "furwock-block", "pthread",
                                        "nsync"])

    def test_what_is_not_there_is_told(self):
        plan = adaptive.plan(planning.Locks(info()), [], "threads", Settings(), 2)
        self.assertEqual(plan.left_out, ["not here: furwock-spin7, furwock-block"])

    def test_with_the_assist_off_and_on(self):
        plain, both = made(), made(choice="both")
        self.assertEqual(len(both.groups), 2 * len(plain.groups))
        self.assertIn("assist on", str(both.groups[1][0]))
        self.assertGreater(planning.estimate(both), 2 * planning.estimate(plain))

    def test_rivals_do_not_know_of_the_assist(self):
        plan = made()
        planning.with_assist(plan, "both", adaptive.WITHOUT)
        self.assertEqual([len(locks) for _, locks in plan.groups[:4]], [1, 1, 4, 5])
        plan = made()
        planning.with_assist(plan, "off", adaptive.WITHOUT)
        self.assertEqual([len(locks) for _, locks in plan.groups[:2]], [1, 5])

    def test_the_switch_is_turned_once_for_each_point(self):
        groups = made(choice="both").groups
        for number, first in ((1, "off"), (2, "on")):
            order = in_turns(groups, number)
            states = [config.assist for config, _ in order]
            self.assertEqual(states[0], first)
            changes = sum(a != b for a, b in zip(states, states[1:]))
            self.assertEqual(changes, len(groups) // 2)
            points = [config._replace(assist=None) for config, _ in order]
            self.assertEqual(points[::2], points[1::2])

    def test_other_plans_keep_their_order(self):
        groups = made().groups
        self.assertEqual(in_turns(groups, 2), groups)


class Measuring(unittest.TestCase):
    def test_the_assist_is_turned_before_each_point(self):
        _, store, switch = measured("both")
        self.assertEqual(switch.turned, ["off", "on", "off", "on"] + ["off", "on", "off"])
        self.assertEqual({cell["assist"] for cell in store.cells.values()}, {"off", "on"})
        for (config, _), cell in store.cells.items():
            self.assertEqual({run["assist"] for run in cell["runs"]}, {config.assist})
            self.assertEqual(Config.of(cell), config)

    def test_cells_say_nothing_where_it_was_left_alone(self):
        _, store, switch = measured(None)
        self.assertEqual(switch.turned, [])
        self.assertNotIn("assist", next(iter(store.cells.values())))

    def test_results_with_and_without_are_not_mixed(self):
        for state, old in (("on", {}), ("off", {"machine": {"assist": "on"}})):
            with self.assertRaisesRegex(Trouble, "measured with the assist o"):
                storing.check_assist(old, "x.json", state)
        storing.check_assist({}, "x.json", "off")

    def test_goals_and_figures_are_shown(self):
        plan, store, _ = measured("both")
        text = adaptive.Show(store, plan.groups).text()
        for part in ("With the assist off: furwock has 1.00 of the throughput of pthread",
                     "wanted 1.3",
                     "With the assist on: furwock has 2.00 of the throughput of pthread",
                     "in 2 of 2 configurations with at least 98% of its throughput",
                     "(5,5) 4 tasks, 1 lock, threads, assist on", "1.5us"):
            self.assertIn(part, text)


class Switching(unittest.TestCase):
    """A script plays the program furwock; a file, the pin."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.pin = os.path.join(directory.name, "page")
        self.program = os.path.join(directory.name, "furwock")
        self.says(f'case $2 in start) touch {self.pin};; stop) rm -f {self.pin};; esac')

    def says(self, text):
        with open(self.program, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(self.program, 0o755)

    def switch(self):
        return assist.Switch(self.program, lambda: assist.state(self.pin))

    def test_on_off_and_back(self):
        switch = self.switch()
        switch.turn("on")
        self.assertEqual(assist.state(self.pin), "on")
        switch.turn("on")
        switch.restore()
        self.assertEqual(assist.state(self.pin), "off")

    def test_it_stays_on_where_it_was(self):
        open(self.pin, "w", encoding="ascii").close()
        switch = self.switch()
        switch.turn("off")
        self.assertEqual(assist.state(self.pin), "off")
        switch.restore()
        self.assertEqual(assist.state(self.pin), "on")

    def test_trouble_is_told(self):
        self.says("echo 'furwock: no BTF here' >&2; exit 1")
        with self.assertRaisesRegex(Trouble, "assist start: furwock: no BTF here"):
            self.switch().turn("on")
        self.says("exit 0")
        with self.assertRaisesRegex(Trouble, "the assist is off nevertheless"):
            self.switch().turn("on")
        os.unlink(self.program)
        with self.assertRaisesRegex(Trouble, "No such file"):
            self.switch().turn("on")

    def test_an_interrupt_leaves_nothing_half_done(self):
        self.says("[ $2 = start ] && kill -ALRM $PPID\n"
                  f"sleep 0.3; [ $2 = start ] && touch {self.pin} || rm {self.pin}")
        switch = self.switch()
        self.addCleanup(signal.signal, signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        with self.assertRaises(KeyboardInterrupt):
            switch.turn("on")
        self.assertEqual(assist.state(self.pin), "on")
        switch.restore()
        self.assertEqual(assist.state(self.pin), "off")

    def test_root_only(self):
        with mock.patch("os.geteuid", return_value=1000):
            with self.assertRaisesRegex(Trouble, "needs root"):
                assist.Switch.for_root()

    def test_where_no_assist_can_be(self):
        self.assertEqual(assist.state("/nonexistent/page"), "off")
        self.assertEqual(assist.state("/etc/passwd/page"), "off")


if __name__ == "__main__":
    unittest.main()
