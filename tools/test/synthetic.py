# SPDX-License-Identifier: MIT
"""Invented results for the tests of the report: the right shape, no real figure in it."""

import random

MACHINE = {"cpu": "Invented CPU", "cpus": 2, "kernel": "Linux 0.0 invented", "libc": "none",
           "compiler": "none", "virtual": True, "date": "2000-01-01T00:00:00Z"}
# name: (family, blocks, spins, fair, shared, share of the possible throughput it reaches)
LOCKS = {
    "furwock": ("furwock", True, True, False, False, 0.93),
    "furwock-fair": ("furwock", True, True, True, False, 0.55),
    "furwock-block": ("furwock", True, False, False, False, 0.88),
    "sysv": ("classic", True, False, True, True, 0.30),
    "usema": ("classic", True, False, False, True, 0.50),
    "futex": ("classic", True, False, False, True, 0.70),
    "futex-fair": ("classic", True, False, True, True, 0.34),
    "ulock": ("classic", True, False, False, True, 0.60),
    "ulock-fair": ("classic", True, False, True, True, 0.35),
    "futex-spin3": ("classic", True, True, False, True, 0.74),
    "futex-fair-spin3": ("classic", True, True, True, True, 0.40),
    "ulock-spin3": ("classic", True, True, False, True, 0.62),
    "ulock-fair-spin3": ("classic", True, True, True, True, 0.41),
    "drepper": ("classic", True, False, False, True, 0.71),
    "pthread": ("rival", True, False, False, True, 0.72),
    "pthread-adaptive": ("rival", True, True, False, False, 0.78),
    "pthread-pi": ("rival", True, False, True, True, 0.31),
    "nsync": ("rival", True, True, False, False, 0.84),
    "abseil": ("rival", True, True, False, False, 0.86),
    "ck-mcs": ("rival", False, True, True, False, 0.45),
    "parking_lot": ("rival", True, True, False, False, 0.90),
}
CONFIGURATIONS = ((0, 10), (5, 5), (7, 3), (9, 1))


def possible(tasks, locks, lht, nlht, cpus=2):
    """A rough upper bound of the throughput."""
    if lht + nlht == 0:
        return min(tasks, cpus) * 2e7
    bound = min(tasks, cpus) / (lht + nlht)
    if lht:
        bound = min(bound, min(locks, tasks) / lht)
    return bound * 1e6


def run(lock, at, point, generator, slow):
    tasks, locks, lht, nlht = point
    _, _, spins, fair, _, share = LOCKS[lock]
    noise = generator.gauss(1, 0.015) * slow
    rate = possible(tasks, locks, lht, nlht) * share * noise * (0.75 if tasks > 100 else 1)
    coeff = (0.004 if fair else 0.05) * (1 + tasks / 50) * generator.uniform(0.8, 1.2)
    wait = 2000 * tasks * generator.uniform(0.9, 1.1)
    stretch = 1.2 if fair else 6
    never = 0.9999 if fair else generator.uniform(0.70, 0.9)
    return {"round": at, "seconds": 1.0, "iterations": int(rate), "throughput": rate,
            "coeff": coeff, "contention": 1.0 if tasks > 2 else generator.uniform(0.1, 1),
            "reacquire": {"never": never, "once": (1 - never) * 0.8, "twice": (1 - never) * 0.15,
                          "max": 2 if fair else generator.randint(50, 900)},
            "wait_ns": {"p50": wait, "p90": wait * stretch, "p99": wait * stretch * 2,
                        "p999": wait * stretch * 4, "max": wait * stretch * 9,
                        "mean": wait * 1.3},
            "syscalls": generator.uniform(0.3, 0.9) * (0.6 if spins else 1),
            "vcsw": generator.uniform(0.2, 0.5), "ivcsw": generator.uniform(0, 0.02),
            "cpu_seconds": 1.9, "integrity": 0}


def cell(lock, experiment, kind, point, runs, generator):
    tasks, locks, lht, nlht = point
    family, blocks, spins, fair, shared, _ = LOCKS[lock]
    return {"lock": lock, "family": family, "blocks": blocks, "spins": spins, "fair": fair,
            "shared": shared, "experiment": experiment, "kind": kind, "tasks": tasks,
            "locks": locks, "lht_us": lht, "nlht_us": nlht, "narrow": True,
            "runs": [run(lock, at, point, generator, 1 + 0.05 * (at % 2))
                     for at in range(runs)]}


def result(plan, cells):
    return {"format": "furwock-bench-1", "benchmark": "ulockflex", "plan": plan,
            "machine": MACHINE, "missing": [{"lock": "tbb", "why": "install libtbb-dev"}],
            "cells": cells}


def paper(runs=6, tasks=(2, 3, 4, 100, 1000), locks=LOCKS, seed=1):
    generator = random.Random(seed)
    cells = [cell(lock, "tables", "threads", (count, 1, lht, nlht), runs, generator)
             for count in tasks for nlht, lht in CONFIGURATIONS for lock in locks]
    for point in ((1, 1, 0, 0), (1, 1, 5, 5), (2, 2, 0, 0)):
        cells += [cell(lock, "efficiency", "threads", point, runs, generator) for lock in locks]
        free = cell("furwock", "efficiency", "threads", point, runs, generator)
        free.update(lock="none", family="classic", blocks=False)
        for one in free["runs"]:
            one["throughput"] *= 1.1
        cells.append(free)
    return result("paper", cells)


def today(runs=6, locks=("furwock", "furwock-fair", "pthread", "pthread-adaptive", "nsync",
                         "parking_lot"), seed=2, sets=(1, 10, 1000), tasks=(2, 4, 6, 8)):
    generator = random.Random(seed)
    times = dict.fromkeys((hold, hold * times) for hold in (0, 1, 10, 100) for times in (1, 10))
    cells = [cell(lock, "grid", "threads", (count, number, lht, nlht), runs, generator)
             for number in sets for count in tasks for lht, nlht in times
             for lock in locks]
    for one in cells:
        one["pick"] = "random" if one["locks"] > 1 else "own"
        one["failures"] = []
    return {**result("today", cells), "notes": ["system calls are not counted: no tracepoint"],
            "settings": {"seconds": 1.0, "rounds": 5}, "complete": True}


def uncontended(rounds=12, seed=3):
    generator = random.Random(seed)
    costs = {"furwock": 5, "(cas+exchange)": 7, "pthread": 10, "nsync": 11, "sysv": 200}
    return {"format": "furwock-bench-1", "benchmark": "uncontended", "plan": "single",
            "machine": MACHINE, "missing": [], "rounds": rounds,
            "cells": [{"lock": lock, "ns": {"samples": [cost * generator.gauss(1, 0.02)
                                                        for _ in range(rounds)]}}
                      for lock, cost in costs.items()]}
