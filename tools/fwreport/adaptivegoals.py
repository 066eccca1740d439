# SPDX-License-Identifier: MIT
"""The goals of waiting while the owner runs, evaluated from ulockflex's plan `adaptive`."""

from . import adaptive, compare, stats
from .compare import OURS, PTHREAD
from .outcome import UNKNOWN, Goal, at_least, at_most, interval, worst

IDEAL_LEAST = 0.9               # of the ideal lock's throughput, in every cell
PTHREAD_LEAST = 1.3             # of pthread's, geometric mean
EQUAL_LEAST = 0.98              # of the fixed time's throughput: counts as no less
CPU_MOST = 1.02                 # then, of its CPU time for an acquisition
NOBODY = "the plan adaptive was not measured"


def _spots(results):
    return [spot for spot in adaptive.spots(results, adaptive.evaluated(results))
            if results.cell(spot, OURS)]


def _name(results, what):
    state = f" ({adaptive.state_words(adaptive.evaluated(results))})" if _spots(results) else ""
    return f"{adaptive.TITLE}, {what}{state}"


def _line(spot, estimate, more=""):
    return f"{compare.describe(spot)}: {interval(estimate)}{more}"


def ideal_share(results):
    name = _name(results, "each cell")
    want = f"at least {IDEAL_LEAST} of an ideal lock's throughput"
    shares = [(spot, adaptive.share(results, spot, OURS)) for spot in _spots(results)]
    if not shares:
        return [Goal(name, want, UNKNOWN, NOBODY)]
    low = sorted((x for x in shares if x[1].value < IDEAL_LEAST), key=lambda x: x[1].value)
    mean = stats.geometric([estimate for _, estimate in shares])
    lines = []
    for spot, estimate in low:
        rival = compare.best_blocking_rival(results, spot)
        best = adaptive.share(results, spot, rival.lock) if rival else None
        lines.append(_line(spot, estimate, f", {rival.lock} {best.value:.2f}" if best else ""))
    return [Goal(name, want, worst([at_least(estimate, IDEAL_LEAST) for _, estimate in shares]),
                 f"{len(shares) - len(low)} of {len(shares)} cells, geometric mean "
                 f"{interval(mean)}", lines)]


def to_pthread(results):
    name = _name(results, "geometric mean")
    want = f"at least {PTHREAD_LEAST} of {PTHREAD}'s throughput"
    mean = stats.geometric([adaptive.ratio(results, spot, OURS, PTHREAD)
                            for spot in _spots(results)])
    if mean is None:
        return [Goal(name, want, UNKNOWN, NOBODY)]
    return [Goal(name, want, at_least(mean, PTHREAD_LEAST), f"{interval(mean)}, {mean.n} cells")]


def cpu_time(results):
    """A lock that does more in the same time may burn more; where it does less, nothing is said of
    its CPU time, but how many such cells there are is."""
    name = _name(results, "CPU time of an acquisition")
    want = (f"at most {CPU_MOST} of {adaptive.FIXED}'s in each cell with no less throughput than "
            "that")
    evaluated, slower = [], 0
    for spot in _spots(results):
        speed = adaptive.ratio(results, spot, OURS, adaptive.FIXED)
        cost = adaptive.ratio(results, spot, OURS, adaptive.FIXED, "cpu_ns")
        if speed is None or cost is None:
            continue
        if speed.value < EQUAL_LEAST:
            slower += 1
        else:
            evaluated.append((spot, cost))
    if not evaluated:
        return [Goal(name, want, UNKNOWN, f"no cell with {adaptive.FIXED} to compare with"
                     if _spots(results) else NOBODY)]
    high = sorted((x for x in evaluated if x[1].value > CPU_MOST), key=lambda x: -x[1].value)
    mean = stats.geometric([cost for _, cost in evaluated])
    got = f"{len(evaluated) - len(high)} of {len(evaluated)} cells, geometric mean {interval(mean)}"
    if slower:
        got += f"; {slower} more with less throughput"
    return [Goal(name, want, worst([at_most(cost, CPU_MOST) for _, cost in evaluated]), got,
                 [_line(spot, cost, f" of {adaptive.FIXED}'s") for spot, cost in high])]


GOALS = (ideal_share, to_pthread, cpu_time)
