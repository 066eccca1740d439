# SPDX-License-Identifier: MIT
"""Invented results of the plan `adaptive`: no real figure in them."""

import random

import synthetic

# lock: (family, share of the possible throughput, ns burnt for an acquisition)
LOCKS = {"furwock": ("furwock", 0.97, 900), "furwock-spin7": ("furwock", 0.96, 1900),
         "furwock-block": ("furwock", 0.80, 1500), "pthread": ("rival", 0.60, 1400),
         "pthread-adaptive": ("rival", 0.65, 1500), "nsync": ("rival", 0.90, 2500)}
TIMES = ((5, 5), (1, 1), (20, 20))
WITHOUT = 0.8                   # of the throughput of ours, with the assist off


def cell(lock, point, runs, state, generator):
    tasks, nlht, lht = point
    family, share, burnt = LOCKS[lock]
    if state == "off" and lock == "furwock":
        share *= WITHOUT
    rate = synthetic.possible(tasks, 1, lht, nlht) * share
    found = {"lock": lock, "family": family, "blocks": True, "spins": True, "fair": False,
             "shared": False, "experiment": "adaptive", "kind": "threads", "tasks": tasks,
             "locks": 1, "lht_us": lht, "nlht_us": nlht, "narrow": True, "failures": [],
             "runs": [{"round": at, "seconds": 1.0, "iterations": int(rate), "integrity": 0,
                       "throughput": rate * generator.gauss(1, 0.004), "vcsw": 0.2, "ivcsw": 0.01,
                       "coeff": 0.1, "cpu_ns": (nlht + lht) * 1000 + burnt, "burnt_ns": burnt,
                       "assist": state or "off"} for at in range(runs)]}
    return {**found, "assist": state} if state else found


def adaptive(runs=6, states=("off", "on"), locks=tuple(LOCKS), seed=21):
    """`states`: as --assist gives them; (None,): it was left alone."""
    generator = random.Random(seed)
    cells = [cell(lock, (tasks, *times), runs, state, generator)
             for times in TIMES for tasks in (4, 6, 8) for state in states for lock in locks]
    return {**synthetic.result("adaptive", cells), "assist": "both" if len(states) > 1 else None}


def reference(raw, speed):
    """The result with runs without a lock; speed(round): of what was calibrated."""
    for state in {one.get("assist") for one in raw["cells"]}:
        for nlht, lht in TIMES:
            one = cell("furwock", (2, nlht, lht), len(raw["cells"][0]["runs"]), state,
                       random.Random(1))
            one.update(lock="none", family="rival", blocks=False, experiment="reference", locks=2)
            for run in one["runs"]:
                run["throughput"] = 2e6 / (nlht + lht) * speed(run["round"])
            raw["cells"].append(one)
    return raw
