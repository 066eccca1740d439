# SPDX-License-Identifier: MIT
"""Tables of the read-write locks: each cell of Figure 6 in figures, and what idle objects cost."""

from . import aims, compare, sharing, uncontended
from .outcome import duration, interval

CELL_HEADINGS = ["tasks", "(nlht,lht)", "reads %", "iter/s", "best of its kind", "of that",
                 "coeff", "rival's", "read p99", "rival's", "write p99", "rival's", "syscalls",
                 "rival's"]
WAITS = ("read_wait_ns", "write_wait_ns")


def _rate(value):
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value:.3g}"


def _number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


def cells(results, lock, kind):
    """A row for each cell of one of our locks, beside the best rival with its preference."""
    rows = []
    for v in sharing.all_versus(results, lock, kind):
        both = [results.cell(v.spot, name) for name in (lock, v.rival)]
        mark = " <" if v.ratio.value < aims.SHARE_LEAST else ""
        row = [v.spot.tasks, compare.configuration(v.spot), f"{v.spot.share:g}",
               _rate(both[0].mean("throughput")), v.rival, interval(v.ratio) + mark]
        row += [_number(cell.mean("coeff")) for cell in both]
        for field in WAITS:
            waits = [cell.mean(field, "p99") for cell in both]
            row += ["-" if wait is None else duration(wait) for wait in waits]
        rows.append(row + [_number(cell.mean("syscalls")) for cell in both])
    return rows


def locks(results, kind):
    """Those of ours that have such a table: [(lock, preference)]."""
    return [(lock, sharing.preference(results, lock)) for lock in sharing.OURS
            if sharing.all_versus(results, lock, kind)]


def objects(results):
    """[(what a pair is, heads, rows)] of everything but mutexes, uncontended."""
    found = []
    for name, title in uncontended.OBJECTS.items():
        table = results.objects.get(name)
        if table:
            found.append((title, ["", "ns", f"of {table.base}"], [
                [lock, interval(table.estimate(lock), 1), interval(table.ratio(lock, table.base))]
                for lock in table.fastest_first()]))
    return found
