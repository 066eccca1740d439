# SPDX-License-Identifier: MIT
"""Invented results of futexlock: the right shape, no real figure in them."""

import random

import synthetic_wakes

# lock: (family, throughput in units of the blocking lock's, ns burnt, system calls per side)
LOCKS = {"furwock": ("furwock", 1.4, 300, 0.01), "furwock-block": ("furwock", 1.0, 500, 0.4),
         "furwock-spin7": ("furwock", 1.4, 400, 0.02), "pthread": ("rival", 0.9, 600, 0.4),
         "pthread-pi": ("rival", 0.1, 5000, 1.0), "ck-mcs": ("rival", 0.5, 90000, 0)}
THREADS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SPINNERS_MOST = 8
WORK = 200e-9                   # seconds of an iteration that its instructions take


def futexlock(repetitions=7, threads=THREADS, duties=(10, 50), locks=tuple(LOCKS), seed=9,
              period=1000, assist="off"):
    generator = random.Random(seed)
    cells = []
    for duty in duties:
        for n in threads:
            for lock in locks:
                family, speed, burnt, calls = LOCKS[lock]
                if lock == "ck-mcs" and n > SPINNERS_MOST:
                    continue
                cell = synthetic_wakes.cell(lock, family, 1, 1e-6 * (1 + duty / 100) / speed, 0.1,
                                            repetitions, generator, threads=n, period=period,
                                            duty=duty, assist=assist)
                for run in cell["runs"]:
                    run["burnt_seconds"] = burnt * 1e-9 * generator.gauss(1, 0.01)
                    run["cpu_seconds"] = run["burnt_seconds"] + WORK
                    run["lock_syscalls"], run["unlock_syscalls"] = calls, calls / 2
                cells.append(cell)
    return synthetic_wakes.result("futexlock", cells)
