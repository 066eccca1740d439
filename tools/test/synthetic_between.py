# SPDX-License-Identifier: MIT
"""Invented results of locks between processes and of tdbtorture: no real figure in them."""

import random

import synthetic
import synthetic_wakes

# lock: (family, throughput over the robust mutex's)
LOCKS = {"furwock-ipc": ("furwock", 1.4), "pthread-robust": ("rival", 1.0),
         "pthread": ("rival", 1.1), "sysv": ("classic", 0.6), "fcntl": ("rival", 0.2)}
TASKS = (2, 3, 4, 100)
# lock: (family, time over fcntl's at each level)
DATABASE = {"fcntl": ("rival", (1, 1, 1)), "tdb-mutex": ("rival", (0.7, 0.3, 0.6)),
            "spin": ("classic", (0.8, 0.4, 0.7)), "furwock": ("furwock", (0.5, 0.25, 0.5)),
            "furwock-mutex": ("furwock", (0.6, 0.28, 0.5))}
LEVELS = (("high", 6, 1), ("low", 6, 4096), ("none", 1, 4096))


def processes(runs=6, locks=tuple(LOCKS), seed=11):
    generator = random.Random(seed)
    cells = []
    for tasks in TASKS:
        for nlht, lht in synthetic.CONFIGURATIONS:
            for lock in locks:
                family, share = LOCKS[lock]
                cells.append({
                    "lock": lock, "family": family, "blocks": True, "spins": False, "fair": False,
                    "shared": True, "experiment": "tables", "kind": "processes", "tasks": tasks,
                    "locks": 1, "lht_us": lht, "nlht_us": nlht, "narrow": True,
                    "runs": [{"round": at, "seconds": 1.0, "integrity": 0,
                              "throughput": 1e5 * share * generator.gauss(1, 0.01)}
                             for at in range(runs)]})
    return synthetic.result("processes", cells)


def database(repetitions=6, locks=tuple(DATABASE), seed=12):
    generator = random.Random(seed)
    return synthetic_wakes.result("tdbtorture", [
        synthetic_wakes.cell(lock, DATABASE[lock][0], 1, 10 * DATABASE[lock][1][at], 0,
                             repetitions, generator, level=level, processes=n, hash_size=size)
        for at, (level, n, size) in enumerate(LEVELS) for lock in locks])
