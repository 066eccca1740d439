# SPDX-License-Identifier: MIT
"""Invented results of condperf, pingpong and latency: the right shape, no real figure in them."""

import random

import synthetic

# lock: (family, time per wake in units of the fastest, switches per wake)
CONDS = {"furwock": ("furwock", 0.9, 1.05), "pthread": ("rival", 1.0, 2.0),
         "c11-cnd": ("rival", 1.01, 2.0), "nsync": ("rival", 1.08, 1.1),
         "parking_lot": ("rival", 0.95, 1.1), "wake-all": ("classic", 2.5, 3.0)}
GATES = {"semaphore": {"furwock": 0.9, "posix": 1.0},
         "event": {"furwock": 0.5, "pthread": 1.0},
         "automatic event": {"furwock-auto": 0.5, "pthread-auto": 1.0},
         "barrier": {"furwock": 0.8, "pthread": 1.0}}


def cell(lock, family, pieces, seconds, switches, repetitions, generator, **point):
    shakes = [1 + 0.2 * (at % 3) for at in range(repetitions)]      # a slow repetition, for all
    return {"lock": lock, "family": family, "blocks": True, "pieces": pieces, **point,
            "runs": [{"round": at, "seconds": seconds * shake * generator.gauss(1, 0.002),
                      "vcsw": switches * generator.gauss(1, 0.005), "ivcsw": 0.02,
                      "syscalls": 2 * switches}
                     for at, shake in enumerate(shakes)]}


def result(benchmark, cells):
    return {"format": "furwock-bench-1", "benchmark": benchmark, "unit": "round",
            "machine": synthetic.MACHINE, "missing": [{"lock": "abseil", "why": "install it"}],
            "notes": [], "cells": cells}


def condperf(repetitions=7, waiters=(100, 256, 1000), sections=(0, 2, 10), locks=CONDS, seed=5):
    generator = random.Random(seed)
    return result("condperf", [
        cell(lock, CONDS[lock][0], n, n * (section + 4 * CONDS[lock][1]) * 1e-6, CONDS[lock][2],
             repetitions, generator, waiters=n, section_us=section, wake="broadcast", locked=True)
        for n in waiters for section in sections for lock in locks])


def pingpong(repetitions=7, games=(1, 2, 16, 128, 1024), locks=CONDS, seed=6):
    generator = random.Random(seed)
    return result("pingpong", [
        cell(lock, CONDS[lock][0], 64000, 0.2 * CONDS[lock][1] ** (3 if n == 2 else 1), 1.0,
             repetitions, generator, games=n, iterations=32000 // n, stack=32768)
        for n in games for lock in locks])


def latency(repetitions=7, seed=7):
    generator = random.Random(seed)
    tests = [("semaphore", "alone", 1), ("event", "alone", 1), ("automatic event", "alone", 1),
             ("semaphore", "hand-off", 2), ("automatic event", "hand-off", 2),
             ("barrier", "round", 2), ("barrier", "round", 8)]
    return result("latency", [
        cell(lock, "furwock" if lock.startswith("furwock") else "rival", 1,
             share * (2e-8 if how == "alone" else 4e-6), 0 if how == "alone" else 1, repetitions,
             generator, object=what, test=how, parties=parties)
        for what, how, parties in tests for lock, share in GATES[what].items()])
