# SPDX-License-Identifier: MIT
"""Means, ratios and their 95 % confidence intervals."""

import math
from collections import namedtuple

from front.quantile import heads, student

# A ratio, mean or median with its interval; low and high are None with too few samples.
Estimate = namedtuple("Estimate", "value low high n")


class Ratio(Estimate):
    """A ratio of two things in the same rounds; `logs` are those of each round."""

    logs = None


CONFIDENCE = 0.95
LEAST = 6                       # samples; so also in measure/stats.h and ulockflex


def half_width(samples):
    """Half the 95 % confidence interval of the mean; None with too few samples."""
    n = len(samples)
    if n < LEAST:
        return None
    mean = sum(samples) / n
    variance = sum((x - mean) ** 2 for x in samples) / (n - 1)
    return student(n - 1, CONFIDENCE) * math.sqrt(variance / n)


def mean(samples):
    """Estimate of the mean, or None without samples."""
    if not samples:
        return None
    middle = sum(samples) / len(samples)
    half = half_width(samples)
    if half is None:
        return Estimate(middle, None, None, len(samples))
    return Estimate(middle, middle - half, middle + half, len(samples))


def median(samples):
    """Estimate of the median; its interval lies between two of the samples, whatever the spread.

    The number of samples below the true median is binomial, so the ranks follow from its quantile.
    """
    if not samples:
        return None
    ordered, n = sorted(samples), len(samples)
    middle = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    rank = heads((1 - CONFIDENCE) / 2, n) - 1      # samples to drop at each end
    if rank < 0:
        return Estimate(middle, None, None, n)
    return Estimate(middle, ordered[rank], ordered[n - 1 - rank], n)


def _of_logs(logs):
    """The Ratio of {round: logarithm}."""
    middle, half = sum(logs.values()) / len(logs), half_width(list(logs.values()))
    ends = (None, None) if half is None else (math.exp(middle - half), math.exp(middle + half))
    found = Ratio(math.exp(middle), *ends, len(logs))
    found.logs = logs
    return found


def ratio(above, below):
    """above / below, each {round: value}.

    Rounds that both have are compared within the round, on logarithms, so that what slows the
    whole machine down cancels; without common rounds the two are taken as independent samples.
    """
    logs = {r: math.log(above[r] / below[r]) for r in above
            if above[r] > 0 and below.get(r, 0) > 0}
    if logs:
        return _of_logs(logs)
    tops = [math.log(x) for x in above.values() if x > 0]
    lows = [math.log(x) for x in below.values() if x > 0]
    if not tops or not lows:
        return None
    middle = sum(tops) / len(tops) - sum(lows) / len(lows)
    one, other, n = half_width(tops), half_width(lows), min(len(tops), len(lows))
    if one is None or other is None:
        return Estimate(math.exp(middle), None, None, n)
    half = math.hypot(one, other)
    return Estimate(math.exp(middle), math.exp(middle - half), math.exp(middle + half), n)


def difference(left, right):
    """left - right, each {round: value}, compared within the rounds that both have."""
    rounds = [r for r in left if r in right]
    return mean([left[r] - right[r] for r in rounds])


def _together(kept):
    """(low, high) of the geometric mean of ratios from the same rounds, in parts of it, by a mean
    of each round: what shakes a whole round is in all of them, and counts once.  None without six.
    """
    rounds = set.intersection(*(set(e.logs) for e in kept))
    if len(rounds) < LEAST:
        return None
    found = _of_logs({r: sum(e.logs[r] for e in kept) / len(kept) for r in rounds})
    return found.low / found.value, found.high / found.value


def geometric(estimates):
    """Geometric mean of ratios, with its interval.

    Ratios from the same rounds are not independent: one figure is made of each round.  Of others
    the interval is the one that their own imply; none where any of them has none.
    """
    kept = [e for e in estimates if e is not None and e.value > 0]
    if not kept:
        return None
    middle = math.exp(sum(math.log(e.value) for e in kept) / len(kept))
    if all(getattr(e, "logs", None) for e in kept):
        ends = _together(kept)
    elif any(e.low is None or e.low <= 0 for e in kept):
        ends = None
    else:
        half = math.sqrt(sum((math.log(e.high / e.low) / 2) ** 2 for e in kept)) / len(kept)
        ends = math.exp(-half), math.exp(half)
    if ends is None:
        return Estimate(middle, None, None, len(kept))
    return Estimate(middle, middle * ends[0], middle * ends[1], len(kept))
