# SPDX-License-Identifier: MIT
"""The result of bench/uncontended: nanoseconds per lock and unlock that nobody else wants."""

import math

from . import stats
from .results import BadInput


class Table:
    """{lock: [ns of each round]}; rounds are interleaved, so locks are compared within a round.

    Medians: a round in which something else ran must not count.
    """

    YARDSTICK = "(cas+exchange)"      # the two instructions alone, inlined
    NOTHING = "(empty loop)"

    def __init__(self, samples):
        self.samples = samples

    def estimate(self, lock):
        return stats.median(self.samples[lock])

    def ratio(self, lock, other):
        if lock not in self.samples or other not in self.samples:
            return None
        return stats.median([a / b for a, b in zip(self.samples[lock], self.samples[other])])

    def fastest_first(self):
        return sorted(self.samples, key=lambda lock: self.estimate(lock).value)


def read(raw, where):
    samples = {}
    cells = raw.get("cells")
    if not isinstance(cells, list):
        raise BadInput(f"{where}: no list of cells")
    for cell in cells:
        try:
            lock = str(cell["lock"])
            found = [float(ns) for ns in cell["ns"]["samples"]]
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{where}: a cell without a proper {error}") from None
        if found and all(math.isfinite(ns) and ns > 0 for ns in found):
            samples[lock] = found
    return Table(samples) if samples else None
