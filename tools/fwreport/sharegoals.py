# SPDX-License-Identifier: MIT
"""The goals of the read-write locks: the grid of Figure 6, and the price of an idle read lock."""

from . import compare, sharing
from .outcome import UNKNOWN, Goal, at_least, at_most, interval, worst

CELL_LEAST = 0.95               # of the best rival with the same preference


def _line(v):
    return f"{compare.describe(v.spot)}: {interval(v.ratio)} of {v.rival}"


def _grid(results, lock):
    name = f"Figure 6, each cell: {lock}"
    want = f"at least {CELL_LEAST} of the best rival with the same preference"
    evaluated = sharing.all_versus(results, lock)
    if not evaluated:
        return Goal(name, want, UNKNOWN, "no cells with such a rival")
    low = sorted((v for v in evaluated if v.ratio.value < CELL_LEAST), key=lambda v: v.ratio.value)
    return Goal(name, want, worst([at_least(v.ratio, CELL_LEAST) for v in evaluated]),
                f"{len(evaluated) - len(low)} of {len(evaluated)} cells", map(_line, low))


def grid(results):
    return [_grid(results, lock) for lock in sharing.JUDGED]


def uncontended(results):
    found = []
    table = results.objects.get("read")
    for lock, bound in sharing.READ_MOST.items():
        name = f"uncontended read lock + unlock: {lock}"
        want = f"at most {bound} of {sharing.PTHREAD_RW}"
        ratio = table.ratio(lock, sharing.PTHREAD_RW) if table else None
        found.append(Goal(name, want, at_most(ratio, bound), interval(ratio)) if ratio else
                     Goal(name, want, UNKNOWN, "no uncontended result"))
    return found


GOALS = (uncontended, grid)
