# SPDX-License-Identifier: MIT
"""lifo: elements of a stack per second, beside the compiler's library and pthread's mutex."""

from . import contest, stats
from .compare import OURS

NATIVE, MUTEX = "native", "mutex"
THOUSAND = 1000.0               # elements to which the seconds of a run belong
PAIR = 16                       # bytes: a head of that size needs no lock


def found(results):
    return results.contests.get("lifo")


def series(one):
    """[(head, pinned)]: what a figure shows over the threads."""
    return list(dict.fromkeys((place.head, place.pinned) for place in one.places()))


def title(head, pinned):
    return f"head of {head} bytes" + (", pinned threads" if pinned else "")


def places(one, head, pinned=False):
    """Threads ascending."""
    return [place for place in one.places() if (place.head, place.pinned) == (head, pinned)]


def locks(one, head, pinned=False):
    return [lock for lock in one.locks()
            if any(one.cell(place, lock) for place in places(one, head, pinned))]


def speed(one, place, lock):
    """Elements per second."""
    cell = one.cell(place, lock)
    return stats.median([THOUSAND / x for x in cell.by_round().values()]) if cell else None


def times(one, place, lock, base):
    """How many times the speed of `base`; None where one of the two was not measured."""
    return contest.ratio(one.cell(place, base), one.cell(place, lock))


def describe(place):
    return (f"{place.head} bytes, {place.threads} {'pinned ' if place.pinned else ''}"
            f"thread{'s' * (place.threads != 1)}")


def judged(results, base, fits):
    """[(place, how many times the speed of base furwock has)] for places that fit."""
    one = found(results)
    pairs = [(place, times(one, place, OURS, base)) for place in one.places()
             if fits(place)] if one else []
    return [(place, ratio) for place, ratio in pairs if ratio]
