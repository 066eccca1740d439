# SPDX-License-Identifier: MIT
"""Quantiles that confidence intervals are made of, without scipy, whose import takes longer than
most commands that want one."""

import functools
import math


def _within(t, freedom):
    """How likely Student's t of `freedom` degrees of freedom lies between -t and t: Abramowitz and
    Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, is_odd = math.cos(angle), freedom % 2
    term = total = cosine if is_odd else 1.0
    for k in range(2 + is_odd, freedom - 1, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    if not is_odd:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + (math.sin(angle) * total if freedom > 1 else 0))


@functools.lru_cache(maxsize=None)
def student(freedom, confidence):
    """The t between whose negative and which Student's t lies with this confidence."""
    low, high = 0.0, 1.0
    while _within(high, freedom) < confidence:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        if _within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return high


@functools.lru_cache(maxsize=None)
def heads(probability, throws):
    """The least number of heads in `throws` throws that is not exceeded with this probability."""
    wanted, whole = probability.as_integer_ratio()
    found, ways, below = 0, 1, 1
    while below * whole < wanted << throws:
        ways = ways * (throws - found) // (found + 1)
        found += 1
        below += ways
    return found
