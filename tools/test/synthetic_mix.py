# SPDX-License-Identifier: MIT
"""Invented results of atomicmix: the right shape, no real figure in them."""

import random

import synthetic
import synthetic_wakes

OPERATIONS = ("load", "store", "exchange", "compare-exchange")
ALONE = {"load": 0.3, "store": 0.8, "exchange": 0.7, "compare-exchange": 0.7}   # of the other's
GOALS = {"load": 0.6, "store": 0.9, "exchange": 0.8, "compare-exchange": 0.8}


def _points(cpus):
    """(size, calls, mix, where, threads, furwock's share of the time, goal)."""
    for size in (16, 24, 32, 64):
        for name in OPERATIONS:
            goal = ({"time_at_most": 1.0} if size == 16 else
                    {"time_at_most": GOALS[name]} if size == 32 else None)
            yield size, "generic", name, "alone", 1, ALONE[name], goal
            if size == 32:
                goal = {"times_at_least": 20.0} if name == "load" and cpus == 2 else None
            yield size, "generic", name, "same", cpus, 0.03 if name == "load" else 0.9, goal
    yield 16, "_16", "load", "alone", 1, 0.9, {"time_at_most": 1.0}
    yield 32, "generic", "95:5", "same", 2 * cpus, 0.1, {"times_at_least": 5.0}
    yield 32, "generic", "95:5", "same", cpus, 0.1, None
    yield 32, "generic", "95:5", "far", cpus, 0.5, None


def atomicmix(repetitions=7, seed=9):
    generator = random.Random(seed)
    cells = []
    for size, calls, name, where, threads, share, goal in _points(synthetic.MACHINE["cpus"]):
        for lock, part in (("furwock", share), ("libatomic", 1.0)):
            cells.append(synthetic_wakes.cell(
                lock, "furwock" if part is share else "rival", 1, 3e-8 * part, 0, repetitions,
                generator, size=size, calls=calls, offset=0, order="seq_cst", mix=name,
                where=where, threads=threads, run_ms=10, **({"goal": goal} if goal else {})))
    return synthetic_wakes.result("atomicmix", cells)


def without_libatomic():
    raw = atomicmix()
    raw["cells"] = [cell for cell in raw["cells"] if cell["lock"] == "furwock"]
    raw["missing"] = [{"lock": "libatomic", "why": "install libatomic1"}]
    return raw
