# SPDX-License-Identifier: MIT
"""Ratios within rounds."""

import math
import statistics

from flex import stats


def of(cell, base, value):
    """(value, low, high): geometric mean of the rounds' ratios, and its 95 % interval, or None."""
    above = {run["round"]: value(run) for run in cell["runs"]}
    below = {run["round"]: value(run) for run in base["runs"]}
    logs = [math.log(above[r] / below[r]) for r in above if r in below and above[r] and below[r]]
    if not logs:
        return None
    middle, half = statistics.fmean(logs), stats.half_width(logs)
    if half is None:
        return math.exp(middle), None, None
    return math.exp(middle), math.exp(middle - half), math.exp(middle + half)


def text(found):
    if found is None:
        return "-"
    value, low, high = found
    return f"{value:.2f}" + ("" if low is None else f" [{low:.2f}, {high:.2f}]")
