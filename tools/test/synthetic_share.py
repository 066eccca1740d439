# SPDX-License-Identifier: MIT
"""Invented results of read-write locks: the right shape, no real figure in it."""

import random

import synthetic

# name: (family, blocks, preference, share of the possible throughput it reaches)
LOCKS = {
    "furwock-rw": ("furwock", True, "fair", 0.93),
    "furwock-rw-readers": ("furwock", True, "readers", 0.95),
    "furwock-rw-writers": ("furwock", True, "writers", 0.92),
    "furwock-rw-greedy": ("furwock", True, "fair", 0.95),
    "furwock-br": ("furwock", True, "none", 0.70),
    "furwock-classic": ("classic", True, "none", 0.50),
    "ulock-shared": ("classic", True, "none", 0.45),
    "pthread-rw": ("rival", True, "readers", 0.80),
    "pthread-rw-writers": ("rival", True, "writers", 0.78),
    "tbb": ("rival", True, "writers", 0.85),
    "nsync": ("rival", True, "none", 0.84),
    "ck-pflock": ("rival", False, "fair", 0.60),
    "parking_lot": ("rival", True, "fair", 0.90),
}
TASKS = (2, 3, 4, 100)
SHARES = tuple(range(0, 101, 10))
TIMES = ((5, 5), (0, 10))       # (nlht, lht)


def possible(tasks, share, lht, nlht, cpus=2):
    """A rough upper bound of the throughput: writers alone, readers beside each other."""
    busy = lht * (1 - share / 100) + lht * share / 100 / cpus
    return 1e6 * min(min(tasks, cpus) / (lht + nlht), 1 / busy)


def run(lock, at, point, generator):
    tasks, share, lht, nlht = point
    rate = possible(*point) * LOCKS[lock][3] * generator.gauss(1, 0.012) * (1 + 0.05 * (at % 2))
    wait = 2000 * tasks * generator.uniform(0.9, 1.1)
    waits = {"p50": wait, "p90": wait * 2, "p99": wait * 4, "p999": wait * 9, "max": wait * 30,
             "mean": wait * 1.3}
    return {"round": at, "seconds": 1.0, "iterations": int(rate), "throughput": rate,
            "coeff": 0.05 * generator.uniform(0.8, 1.2), "contention": 0.5, "reacquire": None,
            "wait_ns": waits, "read_wait_ns": waits if share else None,
            "write_wait_ns": waits if share < 100 else None, "reads": share / 100,
            "syscalls": generator.uniform(0.3, 0.9), "vcsw": 0.2, "ivcsw": 0.01,
            "cpu_seconds": 1.9, "integrity": 0}


def cell(lock, point, runs, generator):
    family, blocks, preference, _ = LOCKS[lock]
    tasks, share, lht, nlht = point
    return {"lock": lock, "family": family, "blocks": blocks, "spins": True, "fair": False,
            "shared": False, "preference": preference, "experiment": "share", "kind": "threads",
            "tasks": tasks, "locks": 1, "lht_us": lht, "nlht_us": nlht, "pick": "own",
            "share": share, "narrow": True,
            "runs": [run(lock, at, point, generator) for at in range(runs)]}


def share(runs=6, tasks=TASKS, shares=SHARES, times=TIMES, locks=LOCKS, seed=5):
    generator = random.Random(seed)
    return synthetic.result("share", [
        cell(lock, (count, level, lht, nlht), runs, generator)
        for nlht, lht in times for level in shares for count in tasks for lock in locks
        if LOCKS[lock][1] or count <= 4])


COSTS = {"mutex": {"furwock": 5, "(cas+exchange)": 7, "pthread": 10},
         "read": {"furwock-rw": 14, "furwock-br": 5, "pthread-rw": 20, "nsync": 16},
         "write": {"furwock-rw": 14, "furwock-br": 500, "pthread-rw": 24},
         "signal": {"furwock": 1, "pthread": 2}, "sem": {"furwock": 20, "posix": 24},
         "event": {"furwock": 20, "pthread": 70}, "event-wait": {"furwock": 1, "pthread": 20},
         "once": {"furwock": 1, "pthread": 3}}
BASES = {"read": "pthread-rw", "write": "pthread-rw", "sem": "posix"}


def uncontended(rounds=12, seed=6):
    generator = random.Random(seed)
    raw = synthetic.uncontended(rounds)
    raw["cells"] = [
        {"lock": lock, "object": name, "ratio": {"to": BASES.get(name, "pthread")},
         "ns": {"samples": [cost * generator.gauss(1, 0.02) for _ in range(rounds)]}}
        for name, costs in COSTS.items() for lock, cost in costs.items()]
    return raw
