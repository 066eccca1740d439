# SPDX-License-Identifier: MIT
"""lifo: elements of a stack per second, beside the compiler's library and pthread's mutex."""

from . import experiment, stats
from .compare import OURS

NATIVE, MUTEX = "native", "mutex"
THOUSAND = 1000.0               # elements to which the seconds of a run belong
PAIR = 16                       # bytes: a head of that size needs no lock


def found(results):
    return results.experiments.get("lifo")


def series(one):
    """[(head, pinned)]: what a figure shows over the threads."""
    return list(dict.fromkeys((point.head, point.pinned) for point in one.points()))


def title(head, pinned):
    return f"head of {head} bytes" + (", pinned threads" if pinned else "")


def points(one, head, pinned=False):
    """Threads ascending."""
    return [point for point in one.points() if (point.head, point.pinned) == (head, pinned)]


def locks(one, head, pinned=False):
    return [lock for lock in one.locks()
            if any(one.cell(point, lock) for point in points(one, head, pinned))]


def speed(one, point, lock):
    """Elements per second."""
    cell = one.cell(point, lock)
    return stats.median([THOUSAND / x for x in cell.by_round().values()]) if cell else None


def times(one, point, lock, base):
    """How many times the speed of `base`; None where one of the two was not measured."""
    return experiment.ratio(one.cell(point, base), one.cell(point, lock))


def describe(point):
    return (f"{point.head} bytes, {point.threads} {'pinned ' if point.pinned else ''}"
            f"thread{'s' * (point.threads != 1)}")


def evaluated(results, base, fits):
    """[(point, how many times the speed of base furwock has)] for points that fit."""
    one = found(results)
    pairs = [(point, times(one, point, OURS, base)) for point in one.points()
             if fits(point)] if one else []
    return [(point, ratio) for point, ratio in pairs if ratio]
