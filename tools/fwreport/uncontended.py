# SPDX-License-Identifier: MIT
"""The result of bench/uncontended: nanoseconds per lock and unlock that nobody else wants, and the
like of other objects."""

import math

from . import stats
from .results import BadInput


class Table:
    """{lock: [ns of each round]}; rounds are interleaved, so locks are compared within a round.

    Medians: a round in which something else ran must not count.
    """

    BASELINE = "(cas+exchange)"      # the two instructions alone, inlined
    NOTHING = "(empty loop)"

    def __init__(self, base="pthread"):
        self.samples = {}
        self.base = base              # whom the others are compared with

    def estimate(self, lock):
        return stats.median(self.samples[lock])

    def ratio(self, lock, other):
        if lock not in self.samples or other not in self.samples:
            return None
        return stats.median([a / b for a, b in zip(self.samples[lock], self.samples[other])])

    def fastest_first(self):
        return sorted(self.samples, key=lambda lock: self.estimate(lock).value)


MUTEX = "mutex"

# What a pair is, of the other objects; shown in this order.
OBJECTS = {"read": "read lock + unlock", "write": "write lock + unlock",
           "signal": "signal with nobody waiting", "sem": "semaphore post + wait",
           "event": "event set + wait + reset", "event-wait": "wait for an event that is set",
           "once": "call once, done long ago",
           "ipc-mutex": "lock + unlock, shared with processes",
           "ipc-read": "read lock + unlock, shared with processes",
           "ipc-sem": "semaphore post + wait, shared with processes"}


def read(raw, where):
    """{object: Table}; an older result has mutexes only, and does not say so."""
    tables = {}
    cells = raw.get("cells")
    if not isinstance(cells, list):
        raise BadInput(f"{where}: no list of cells")
    for cell in cells:
        try:
            lock, name = str(cell["lock"]), str(cell.get("object", MUTEX))
            found = [float(ns) for ns in cell["ns"]["samples"]]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{where}: a cell without a proper {error}") from None
        if found and all(math.isfinite(ns) and ns > 0 for ns in found):
            base = (cell.get("ratio") or {}).get("to", "pthread")
            tables.setdefault(name, Table(base)).samples[lock] = found
    return tables
