# SPDX-License-Identifier: MIT
"""Invented results of lifo: the right shape, no real figure in them."""

import random

import synthetic_wakes

# lock: (family, speed in units of the mutex's)
LOCKS = {"furwock": ("furwock", 2.0), "native": ("rival", 1.1), "futex": ("furwock", 1.5),
         "listing1": ("classic", 1.2), "mutex": ("rival", 1.0), "furwock-mutex": ("furwock", 1.3),
         "musl": ("classic", 0.5), "spin": ("classic", 1.4)}
AT_PAIRS = ("furwock", "native", "mutex")
THREADS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def lifo(repetitions=7, threads=THREADS, heads=(16, 32), locks=tuple(LOCKS), seed=8,
         pinned=False):
    generator = random.Random(seed)
    cells = [
        synthetic_wakes.cell(lock, LOCKS[lock][0], 1000, 1e-4 * n ** 0.2 / LOCKS[lock][1], 0.1,
                             repetitions, generator, head=head, threads=n, duration_ms=200,
                             pinned=pinned)
        for head in heads for n in threads for lock in locks if head > 16 or lock in AT_PAIRS]
    return synthetic_wakes.result("lifo", cells)
