# SPDX-License-Identifier: MIT
"""The result of bench/uncontended: nanoseconds per lock and unlock that nobody else wants."""

import math

from . import stats
from .results import BadInput


class Table:
    """{lock: {round: ns}}; rounds are interleaved, so locks are compared within a round."""

    def __init__(self, samples):
        self.samples = samples

    def estimate(self, lock):
        return stats.mean(list(self.samples[lock].values()))

    def ratio(self, lock, other):
        if lock not in self.samples or other not in self.samples:
            return None
        return stats.ratio(self.samples[lock], self.samples[other])

    def fastest_first(self):
        return sorted(self.samples, key=lambda lock: self.estimate(lock).value)

    def inline_name(self):
        """The name of the yardstick: compare-exchange and exchange, inlined."""
        return next((lock for lock in self.samples if lock.startswith("inline")), None)


def read(raw, where):
    samples = {}
    cells = raw.get("cells")
    if not isinstance(cells, list):
        raise BadInput(f"{where}: no list of cells")
    for cell in cells:
        try:
            lock = str(cell["lock"])
            runs = {run.get("round", at): float(run["ns"]) for at, run in enumerate(cell["runs"])}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"{where}: a cell without a proper {error}") from None
        runs = {at: ns for at, ns in runs.items() if math.isfinite(ns) and ns > 0}
        if runs:
            samples[lock] = runs
    return Table(samples) if samples else None
