# SPDX-License-Identifier: MIT
"""A table that fits a terminal: each lock beside pthread, at a few spots."""

from tabulate import tabulate

from . import compare, stats, summary
from .compare import OURS, PTHREAD

COLUMNS = 5


def spots_shown(results):
    """At most COLUMNS spots where furwock and pthread were measured, spread over all there are."""
    spots = [spot for experiment, _ in summary.EXPERIMENTS
             for spot in results.spots(experiment, "threads")
             if results.cell(spot, OURS) and results.cell(spot, PTHREAD)]
    if len(spots) <= COLUMNS:
        return spots
    return [spots[at * (len(spots) - 1) // (COLUMNS - 1)] for at in range(COLUMNS)]


def _locks(results, spots):
    locks = {cell.lock for spot in spots for cell in results.at(spot)} - {"none"}
    if results.uncontended:
        locks |= set(results.uncontended.samples)
    return locks


def _overall(results, lock):
    """Geometric mean over every spot that has the lock and pthread."""
    return stats.geometric([compare.throughput_ratio(cell, results.cell(spot, PTHREAD))
                            for (spot, name), cell in results.cells.items()
                            if name == lock and spot.experiment != "efficiency"])


def table(results):
    """The table as text, fastest lock first."""
    spots = spots_shown(results)
    rows = []
    for lock in _locks(results, spots):
        overall = _overall(results, lock)
        row = [lock]
        if results.uncontended:
            known = lock in results.uncontended.samples
            row.append(f"{results.uncontended.estimate(lock).value:.1f}" if known else "")
        for spot in spots:
            found = compare.throughput_ratio(results.cell(spot, lock), results.cell(spot, PTHREAD))
            row.append(f"{found.value:.2f}" if found else "")
        row.append(f"{overall.value:.2f}" if overall else "")
        rows.append((-(overall.value if overall else 0), lock, row))
    head = (["lock"] + (["alone\nns"] if results.uncontended else [])
            + [f"{s.tasks} tasks" + (f"\n{s.locks} locks" if s.locks > 1 else "")
               + f"\n{compare.configuration(s)}" for s in spots] + ["mean"])
    rows = [row for _, _, row in sorted(rows)]
    align = ["left"] + ["right"] * (len(head) - 1)
    return tabulate(rows, head, colalign=align, disable_numparse=True) if rows else ""


def explanation(results):
    lines = []
    if results.uncontended:
        lines.append("alone: lock + unlock that nobody else wants, in nanoseconds; lower is "
                     "better.")
    if spots_shown(results):
        lines.append("the rest: throughput over pthread's at (non-lock-hold, lock-hold) times in "
                     "us; higher is better.\nmean: geometric, over every cell that was measured.")
    return "\n".join(lines)
