# SPDX-License-Identifier: MIT
"""Ratios within rounds."""

import math

from flex import stats


def of(cell, base, value):
    """(value, low, high): geometric mean of the rounds' ratios, and its 95 % interval, or None."""
    above = {run["round"]: value(run) for run in cell["runs"]}
    below = {run["round"]: value(run) for run in base["runs"]}
    logs = [math.log(above[r] / below[r]) for r in above if r in below and above[r] and below[r]]
    return stats.mean_ratio(logs)


def text(found):
    if found is None:
        return "-"
    value, low, high = found
    return f"{value:.2f}" + ("" if low is None else f" [{low:.2f}, {high:.2f}]")
