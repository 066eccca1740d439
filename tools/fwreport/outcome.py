# SPDX-License-Identifier: MIT
"""How a goal is evaluated and told."""

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
