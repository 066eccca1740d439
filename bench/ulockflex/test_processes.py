#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the plan for locks between processes; nothing is run."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "common")]

from flex import plan as planning, processes, store as storing  # noqa: E402
from flex.plan import Settings  # noqa: E402

# name: whether it works between threads
NAMES = {"furwock-ipc": True, "pthread-robust": True, "sysv": True, "fcntl": False}


def locks(names=tuple(NAMES)):
    entries = [{"lock": name, "about": "", "family": "rival", "size": 4, "blocks": True,
                "spins": False, "fair": False, "shared": True, "threads": NAMES[name],
                "trylock": True} for name in names]
    entries.append({**entries[0], "lock": "private", "shared": False, "threads": True})
    return planning.Locks({"locks": entries, "missing": []})


def measured(speed, names=tuple(NAMES)):
    """The text shown, where speed(lock, config) is each lock's throughput."""
    plan = processes.plan(locks(names), [], Settings(rounds=2))
    store = storing.Store(None, plan, locks(names), {})
    for config, chosen in plan.groups:
        for lock in chosen:
            for n in (1, 2):
                store.add_run(config, lock, n, {"throughput": speed(lock, config) * (1 + n / 1e4),
                                               "seconds": 10.0})
    return processes.Show(store, plan.groups).text()


class Planning(unittest.TestCase):
    def test_the_papers_cells_up_to_100_processes(self):
        plan = processes.plan(locks(), [], Settings())
        self.assertEqual([c.tasks for c, _ in plan.groups], [n for n in (2, 3, 4, 100)
                                                             for _ in range(4)])
        self.assertEqual({c.kind for c, _ in plan.groups}, {"processes"})
        self.assertEqual(set(plan.groups[0][1]), set(NAMES))
        self.assertIn("flock", plan.left_out[0])

    def test_who_is_chosen_for_what(self):
        chosen = locks().blocking("threads")
        self.assertNotIn("fcntl", chosen)        # cannot
        self.assertNotIn("furwock-ipc", chosen)  # can, and is not meant for it
        self.assertTrue(locks().suits("furwock-ipc", "threads"))
        self.assertEqual(set(locks().blocking("processes")), set(NAMES))


class Showing(unittest.TestCase):
    def test_goals(self):
        text = measured(lambda lock, config: 150 if lock == "furwock-ipc" else 100)
        self.assertIn("in 16 of 16 cells; geometric mean 1.50, wanted 1.2.",
                      text)
        self.assertIn("+50.0", text)

    def test_one_cell_falls_short(self):
        def speed(lock, config):
            return 50 if lock == "furwock-ipc" and (config.tasks, config.lht_us) == (3, 5) else 100

        text = measured(speed)
        self.assertIn("in 15 of 16 cells; geometric mean 0.96, wanted 1.2.", text)

    def test_without_the_others(self):
        text = measured(lambda lock, config: 100, ("furwock-ipc",))
        self.assertNotIn("geometric mean", text)


if __name__ == "__main__":
    unittest.main()
