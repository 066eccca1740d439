# SPDX-License-Identifier: MIT
"""How a goal is evaluated and told."""

from collections import namedtuple

# Reached and missed both need the whole interval to lie on that side of the bound; what has no
# interval, as of fewer than six repetitions, is open.
REACHED, OPEN, MISSED, UNKNOWN = "reached", "open", "missed", "not measured"

WIDE = 10                       # an interval from x to 10x says nothing worth two figures


class Goal:
    """One goal.  `short` are the lines that name the points which fall short, worst first."""

    def __init__(self, name, want, state, got, short=()):
        self.name, self.want, self.state, self.got = name, want, state, got
        self.short = list(short)


def is_wide(estimate):
    """Whether the interval of a ratio says next to nothing."""
    return estimate.low is not None and estimate.high > WIDE * max(estimate.low, 1e-300)


def interval(estimate, digits=2):
    if estimate is None:
        return "-"
    text = f"{estimate.value:.{digits}f}"
    if estimate.low is None:
        return text
    if is_wide(estimate):
        return f"{text} [very wide]"
    return f"{text} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"


def duration(nanoseconds, _=None):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def at_least(estimate, bound):
    if estimate.low is None or estimate.low < bound <= estimate.high:
        return OPEN
    return REACHED if estimate.low >= bound else MISSED


def at_most(estimate, bound):
    if estimate.low is None or estimate.low <= bound < estimate.high:
        return OPEN
    return REACHED if estimate.high <= bound else MISSED


def worst(states):
    order = (REACHED, OPEN, MISSED)
    return max(states, key=order.index)


# What a goal is evaluated on: a point in words, its estimate, what to add to the line that names
# it, and its own bound where it has one.
Point = namedtuple("Point", "words estimate more bound", defaults=("", None))


class Aim(namedtuple("Aim", "name want bound side points nobody noun digits")):
    """A goal as data: points(results) are those on which `side` holds the bound.

    noun: what the points are called; "" where the goal is of one figure, which is shown itself (a
    point without words is in no list of those that fall short).
    nobody: why it was not measured, if there are none.  Where these are functions of the results,
    they are called.
    """

    def __new__(cls, name, want, bound, side, points, nobody, noun="points", digits=2):
        return super().__new__(cls, name, want, bound, side, points, nobody, noun, digits)


def _said(text, results):
    return text(results) if callable(text) else text


def evaluate(aim, results):
    """The Goal that the results make of an Aim."""
    points = [point for point in aim.points(results) if point.estimate]
    goal = Goal(_said(aim.name, results), _said(aim.want, results), UNKNOWN,
                _said(aim.nobody, results))
    if not points:
        return goal
    bounds = [aim.bound if point.bound is None else point.bound for point in points]
    goal.state = worst([aim.side(point.estimate, bound)
                        for point, bound in zip(points, bounds)])
    sign = 1 if aim.side is at_least else -1
    short = sorted(((sign * point.estimate.value, point) for point, bound in zip(points, bounds)
                    if sign * point.estimate.value < sign * bound), key=lambda pair: pair[0])
    goal.short = [f"{point.words}: {interval(point.estimate, aim.digits)}{point.more}"
                  for _, point in short if point.words]
    if aim.noun:
        goal.got = f"{len(points) - len(short)} of {len(points)} {aim.noun}"
    else:
        goal.got = interval(points[0].estimate, aim.digits) + ("" if points[0].words
                                                               else points[0].more)
    return goal


def goals_of(table, results):
    """The goals of a table, whose entries are Aims, or functions of the results that give Aims
    (and Goals, where the data of an Aim are not enough)."""
    return [evaluate(aim, results) if isinstance(aim, Aim) else aim for entry in table
            for aim in ([entry] if isinstance(entry, Aim) else entry(results))]
