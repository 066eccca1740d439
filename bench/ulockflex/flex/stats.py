# SPDX-License-Identifier: MIT
"""Means, medians, confidence intervals and ratios of throughputs."""

import math
import statistics

from front.quantile import student

CONFIDENCE = 0.95
LEAST = 6   # with fewer values there is no interval; so also in measure/stats.h and fwreport


def half_width(values):
    """Half the 95 % confidence interval of the mean, by Student's t; None if unknown."""
    n = len(values)
    if n < LEAST:
        return None
    return student(n - 1, CONFIDENCE) * statistics.stdev(values) / math.sqrt(n)


def summarize(values):
    """The `throughput` object of a cell."""
    if not values:
        return {"mean": None, "median": None, "ci95": None, "n": 0}
    return {"mean": statistics.fmean(values), "median": statistics.median(values),
            "ci95": half_width(values), "n": len(values)}


def is_narrow(summary, wanted, rounds):
    """Whether the interval is at most `wanted` (0.05: five per cent) of the mean to either side."""
    if summary["n"] < rounds or summary["ci95"] is None or not summary["mean"]:
        return False
    return summary["ci95"] <= wanted * summary["mean"]


def ratio(cell, base):
    """Median throughput of one cell over that of another; None where either is not known."""
    if cell is None or base is None:
        return None
    above, below = cell["throughput"]["median"], base["throughput"]["median"]
    return above / below if above is not None and below else None


def improvement(cell, base):
    """The same as a percentage above the base, as the paper's tables give it."""
    r = ratio(cell, base)
    return None if r is None else 100 * (r - 1)


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(statistics.fmean(map(math.log, values))) if values else None


def mean_ratio(logs):
    """(value, low, high): geometric mean of ratios whose logarithms are these, and its interval.

    None without any; low and high are None where there is no interval.
    """
    if not logs:
        return None
    middle, half = statistics.fmean(logs), half_width(logs)
    if half is None:
        return math.exp(middle), None, None
    return math.exp(middle), math.exp(middle - half), math.exp(middle + half)


def values_of(cell, *path):
    """What the runs of a cell say in a field such as ("wait_ns", "p99"), if anything."""
    found = []
    for run in cell["runs"]:
        value = run
        for key in path:
            value = value.get(key) if value is not None else None
        if value is not None:
            found.append(value)
    return found


def median_of(cell, *path):
    found = values_of(cell, *path)
    return statistics.median(found) if found else None


def max_of(cell, *path):
    return max(values_of(cell, *path), default=None)
