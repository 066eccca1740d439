# SPDX-License-Identifier: MIT
"""A table that fits a terminal: each lock beside pthread, at a few spots."""

import sys

from tabulate import tabulate

from . import (compare, lifotables, lockmixtables, mixtables, rttables, sharecompact, stats,
               summary, wakecompact)
from .compare import OURS, PTHREAD

COLUMNS = 5


def spots_shown(results):
    """At most COLUMNS spots with furwock, pthread and somebody to wait for, spread over all."""
    spots = [spot for experiment, _ in summary.EXPERIMENTS
             for spot in results.spots(experiment, "threads")
             if spot.tasks > 1 and results.cell(spot, OURS) and results.cell(spot, PTHREAD)]
    if len(spots) <= COLUMNS:
        return spots
    return [spots[at * (len(spots) - 1) // (COLUMNS - 1)] for at in range(COLUMNS)]


def _locks(results, spots):
    """Those that were competed for; if there are none, those that were measured alone."""
    locks = {cell.lock for spot in spots for cell in results.at(spot)} - {"none"}
    table = results.uncontended
    if table and not locks:
        return set(table.samples) - {table.NOTHING}
    return locks | ({table.BASELINE} & set(table.samples) if table else set())


def _ratios(results, lock):
    """Throughput over pthread's at every spot that has the lock and pthread."""
    found = [compare.throughput_ratio(cell, results.cell(spot, PTHREAD))
             for (spot, name), cell in results.cells.items()
             if name == lock and spot.experiment not in ("efficiency", "share")]
    return [ratio for ratio in found if ratio]


def over_all(ratios):
    """[words for the last two columns], geometric mean or None: of the ratios at all spots."""
    if not ratios:
        return ["", ""], None
    mean = stats.geometric(ratios)
    return [f"{min(ratio.value for ratio in ratios):.2f}", f"{mean.value:.2f}"], mean.value


def heads_over_all(count):
    """The headings of those columns."""
    return [f"worst\nof all\n{count}", f"mean\nof all\n{count}"]


def table(results):
    """The table as text, fastest lock first."""
    spots = spots_shown(results)
    rows = []
    for lock in _locks(results, spots):
        last, overall = over_all(_ratios(results, lock))
        row = [lock]
        if results.uncontended:
            known = lock in results.uncontended.samples
            row.append(f"{results.uncontended.estimate(lock).value:.1f}" if known else "")
        for spot in spots:
            found = compare.throughput_ratio(results.cell(spot, lock), results.cell(spot, PTHREAD))
            row.append(f"{found.value:.2f}" if found else "")
        row += last
        cost = float(row[1] or "inf") if results.uncontended else 0
        rows.append((-(overall or 0), cost, row))
    wide = any(spot.locks > 1 for spot in spots)
    title = ["lock"] + (["tasks", "(outside,inside) us"] if spots else [])
    head = (["\n".join(title + ["locks"] * wide)]
            + (["alone\nns"] if results.uncontended else [])
            + [f"\n{s.tasks}\n{compare.configuration(s)}" + f"\n{s.locks}" * wide for s in spots]
            + (heads_over_all(len(_ratios(results, OURS))) if spots else []))
    rows = [[bold(word) for word in row] if row[0] == OURS else row for _, _, row in sorted(rows)]
    rows = [row if spots else row[:-2] for row in rows]
    align = ["left"] + ["right"] * (len(head) - 1)
    return tabulate(rows, head, colalign=align, disable_numparse=True) if rows else ""


def bold(word):
    return f"\x1b[1m{word}\x1b[0m" if word and sys.stdout.isatty() else word


def text(results):
    """Machine, table, and what must be known of it."""
    parts = ["\n".join(summary.machine_lines(results)), table(results), explanation(results),
             *sharecompact.texts(results, bold), *wakecompact.texts(results, bold),
             lifotables.compact(results, bold), mixtables.compact(results, bold),
             lockmixtables.compact(results, bold), rttables.compact(results, bold),
             "\n".join(summary.warnings(results))]
    return "\n\n".join(part for part in parts if part)


def explanation(results):
    lines = []
    if results.uncontended:
        lines.append("alone: nanoseconds per lock + unlock that nobody else wants; lower is better."
                     "\n  (cas+exchange): the two atomic instructions, and no lock.")
    if spots_shown(results):
        lines.append("tasks: throughput over pthread's with that many threads, by the mean times "
                     "outside\n  and inside the lock; higher is better.\n"
                     "The table is sorted by the last column, the geometric mean of all that was "
                     "measured:\n  more than these columns, and all of it is in summary.txt.")
    return "\n".join(lines)
