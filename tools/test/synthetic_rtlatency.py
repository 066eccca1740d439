# SPDX-License-Identifier: MIT
"""Invented results of rtlatency: the right shape, no real figure in them."""

import random

import synthetic_wakes

# protocol: (ns of a pair that meets nobody, system calls of it)
PROTOCOLS = {"PRIO_INHERIT": (20, 0), "PRIO_PROTECT": (2000, 2), "PIP": (30, 0), "IPCP": (8, 0),
             "PCP": (700, 2), "PCP-DU-BOOL": (8, 0), "MPCP": (1900, 2), "MPCP-DU": (14, 0),
             "FMLP+": (1900, 2), "FMLP+-DU": (14, 0)}
WITH_NEEDLESS_CALLS = {"one": ("PCP", "PCP+PI", "PCP-DU-BOOL"),
                       "many": ("MPCP", "MPCP+YIELD", "MPCP-DU")}
ONE_CPU = ("PRIO_INHERIT", "PRIO_PROTECT", "PIP", "IPCP", "PCP", "PCP-DU-BOOL")
MANY_CPUS = ("PRIO_INHERIT", "MPCP", "MPCP-DU", "FMLP+", "FMLP+-DU")
AVERAGES = {"lock_free": 1000, "unlock_free": 1000, "lock_taken": 3000, "unlock_taken": 5000}


def family(lock):
    return "rival" if lock.startswith("PRIO_") else "furwock"


def average(lock, sample):
    """With deferred updates a tenth where nobody is in the way."""
    cheap = "-DU" in lock and sample.endswith("_free")
    return AVERAGES[sample] * (0.05 if cheap else 1)


def table1(lock):
    """PRIO_PROTECT has no lock that is taken, and PIP is not in the paper."""
    found = {}
    for sample in AVERAGES:
        empty = lock == "PRIO_PROTECT" and sample == "lock_taken"
        middle = average(lock, sample)
        found[sample] = {"n": 0 if empty else 5000, "of": 0 if empty else 6000}
        for name, times in (("average", 1), ("median", 0.9), ("p99", 2), ("most", 30)):
            found[sample][name] = None if empty else middle * times
            if name != "median" and lock != "PIP" and not empty:
                then = average(lock, sample) * times * 2
                found[sample][f"paper_{name}"] = then * (1.5 if "-DU" in lock else 1)
    found["scheduling"] = {"n": 7000, "of": 7000, "cdf": distribution(lock)}
    return found


def distribution(lock):
    """Figure 1: from 2000 to 3000 ns, and 300 more with deferred updates."""
    more = 300 if "-DU" in lock else 0
    return [[percent, 2000 + 10 * percent + more] for percent in (*range(100), 99.9, 100)]


def pairs(repetitions=7, tasks=(2, 5, 16), locks=tuple(PROTOCOLS), seed=9, tier="A"):
    generator = random.Random(seed)
    return synthetic_wakes.result("rtlatency", [
        synthetic_wakes.cell(lock, family(lock), 1, PROTOCOLS[lock][0] * 1e-9,
                             PROTOCOLS[lock][1] / 2, repetitions, generator, kind="pairs",
                             tasks=n, cpus=1, tier=tier, run_ms=0)
        for n in tasks for lock in locks])


def tasks(repetitions=8, one=ONE_CPU, many=MANY_CPUS, cpus=3, seed=10, run_ms=1000):
    generator = random.Random(seed)
    return synthetic_wakes.result("rtlatency", [
        synthetic_wakes.cell(lock, family(lock), 1, 1e-6, 1, repetitions, generator, kind="tasks",
                             tasks=n, cpus=on, tier="A", run_ms=run_ms, ns=table1(lock))
        for n, on, locks in ((5, 1, one), (6, cpus, many)) for lock in locks])
