# SPDX-License-Identifier: MIT
"""Invented results of lockmix: the right shape, no real figure in them."""

import random

import synthetic
import synthetic_wakes

# lock: (family, speed in units of pthread's, CPU per acquisition in ns)
LOCKS = {"furwock": ("furwock", 1.3, 80), "furwock-spin7": ("furwock", 1.2, 90),
         "furwock-block": ("furwock", 1.1, 70), "pthread": ("rival", 1.0, 75),
         "parking_lot": ("rival", 1.25, 85), "ck-mcs": ("rival", 0.01, 5000)}
TIMES = (1, 2, 4, 16)           # threads for each CPU


def lockmix(repetitions=7, modes=("one", "hash", "many"), antagonists=None, locks=tuple(LOCKS),
            seed=9, times=TIMES, assist="off"):
    cpus, generator = synthetic.MACHINE["cpus"], random.Random(seed)
    antagonists = (0, cpus) if antagonists is None else antagonists
    cells = [
        synthetic_wakes.cell(lock, LOCKS[lock][0], 0.001, 1e-6 / LOCKS[lock][1], 0.1, repetitions,
                             generator, mode=mode, zipf=0 if mode == "one" else 0.99,
                             antagonists=hogs, duty=100 if hogs else 0, assist=assist,
                             threads=threads, run_ms=200)
        for mode in modes for hogs in antagonists
        for threads in (1, *(cpus * n for n in times if cpus * n > 1)) for lock in locks]
    for cell in cells:
        for run in cell["runs"]:
            run["throughput"] = 1 / run["seconds"]
            run["cpu_ns"] = LOCKS[cell["lock"]][2] * (0.5 if cell["threads"] == 1 else
                                                      generator.gauss(1, 0.01))
            run["fairness"] = {"min_max": 0.5, "half": 0.6}
            run["wait_ns"] = {"p50": 40, "p99": 5000, "p999": 80000, "max": 9e6}
    return synthetic_wakes.result("lockmix", cells)
