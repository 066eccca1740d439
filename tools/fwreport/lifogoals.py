# SPDX-License-Identifier: MIT
"""The goals of the generic atomics that lifo can evaluate.  More elements per second is better."""

from . import lifo
from .outcome import UNKNOWN, Goal, at_least, interval, worst

NATIVE_LEAST, MUTEX_LEAST = 1.6, 1.4    # with one and two threads for each CPU: the paper's claim
NEVER_BELOW = 1.0                       # anywhere


def _evaluate(name, want, evaluated, bound):
    """A goal about every point: `evaluated` are (point, ratio, of what)."""
    if not evaluated:
        return Goal(name, want, UNKNOWN, "no stack measured")
    low = sorted((x for x in evaluated if x[1].value < bound), key=lambda x: x[1].value)
    got = (interval(evaluated[0][1]) if len(evaluated) == 1
           else f"{len(evaluated) - len(low)} of {len(evaluated)} ratios")
    return Goal(name, want, worst([at_least(ratio, bound) for _, ratio, _ in evaluated]), got,
                [f"{lifo.describe(point)}: {interval(ratio)} of {base}"
                 for point, ratio, base in low])


def _to(results, base, fits):
    return [(point, ratio, base) for point, ratio in lifo.evaluated(results, base, fits)]


def claim(results):
    counts = sorted({results.cpus, 2 * results.cpus})

    def fits(point):
        return point.head > lifo.PAIR and point.threads in counts

    name = f"lifo, {' and '.join(map(str, counts))} threads"
    return [_evaluate(name, f"at least {bound} of {base}", _to(results, base, fits), bound)
            for base, bound in ((lifo.NATIVE, NATIVE_LEAST), (lifo.MUTEX, MUTEX_LEAST))]


def nowhere_below(results):
    def fits(point):
        return point.head > lifo.PAIR

    return [_evaluate("lifo, any number of threads",
                   f"never below {lifo.NATIVE} or {lifo.MUTEX}",
                   _to(results, lifo.NATIVE, fits) + _to(results, lifo.MUTEX, fits), NEVER_BELOW)]


def pair(results):
    def fits(point):
        return point.head == lifo.PAIR

    return [_evaluate(f"lifo, head of {lifo.PAIR} bytes", f"never slower than {lifo.NATIVE}",
                   _to(results, lifo.NATIVE, fits), NEVER_BELOW)]


GOALS = (claim, nowhere_below, pair)
