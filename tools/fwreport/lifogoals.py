# SPDX-License-Identifier: MIT
"""The goals of the generic atomics that lifo can judge.  More elements per second is better."""

from . import lifo
from .verdict import UNKNOWN, Goal, at_least, interval, worst

NATIVE_LEAST, MUTEX_LEAST = 1.6, 1.4    # with one and two threads for each CPU: the paper's claim
NEVER_BELOW = 1.0                       # anywhere


def _judge(name, want, judged, bound):
    """A goal about every place: `judged` are (place, ratio, of what)."""
    if not judged:
        return Goal(name, want, UNKNOWN, "no stack measured")
    low = sorted((x for x in judged if x[1].value < bound), key=lambda x: x[1].value)
    got = (interval(judged[0][1]) if len(judged) == 1
           else f"{len(judged) - len(low)} of {len(judged)} ratios")
    return Goal(name, want, worst([at_least(ratio, bound) for _, ratio, _ in judged]), got,
                [f"{lifo.describe(place)}: {interval(ratio)} of {base}"
                 for place, ratio, base in low])


def _to(results, base, fits):
    return [(place, ratio, base) for place, ratio in lifo.judged(results, base, fits)]


def claim(results):
    counts = sorted({results.cpus, 2 * results.cpus})

    def fits(place):
        return place.head > lifo.PAIR and place.threads in counts

    name = f"lifo, {' and '.join(map(str, counts))} threads"
    return [_judge(name, f"at least {bound} of {base}", _to(results, base, fits), bound)
            for base, bound in ((lifo.NATIVE, NATIVE_LEAST), (lifo.MUTEX, MUTEX_LEAST))]


def nowhere_below(results):
    def fits(place):
        return place.head > lifo.PAIR

    return [_judge("lifo, any number of threads",
                   f"never below {lifo.NATIVE} or {lifo.MUTEX}",
                   _to(results, lifo.NATIVE, fits) + _to(results, lifo.MUTEX, fits), NEVER_BELOW)]


def pair(results):
    def fits(place):
        return place.head == lifo.PAIR

    return [_judge(f"lifo, head of {lifo.PAIR} bytes", f"never slower than {lifo.NATIVE}",
                   _to(results, lifo.NATIVE, fits), NEVER_BELOW)]


JUDGES = (claim, nowhere_below, pair)
