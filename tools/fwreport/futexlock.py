# SPDX-License-Identifier: MIT
"""futexlock: iterations per second and CPU time burnt, by threads and duty cycle."""

import math

from tabulate import tabulate

from . import experiment, stats
from .compare import OURS

NAME = "futexlock"
TITLE = "threads that want a lock for a part of their time"
METHOD = ("futexlock, after Darren Hart's futex_lock of 2010: each thread runs a fixed number of "
          "instructions again and again (the period), some per cent of them (the duty cycle) "
          "holding the one lock. CPU time is that of all threads together; burnt is what is more "
          "than the instructions alone take. System calls that wake are those of unlock, all "
          "others those of lock; they are counted in a run whose time is not used. Locks that "
          "never sleep are left out where threads are more than four for each CPU.")
NORMAL, FIXED = "furwock-block", "furwock-spin7"
HART = (1000, 10, 8)            # period, duty cycle, threads of the run that Hart gave figures of
KILO, NANO, PER_CENT = 1e3, 1e-9, 100


def found(results):
    return results.experiments.get(NAME)


def describe(point):
    return f"{point.threads} thread{'s' * (point.threads != 1)}, {title(*series_of(point))}"


def words(point):
    """The first columns of tables that have a row for each lock at each point."""
    return [point.period, f"{point.duty} %", point.threads, point.assist]


HEADS = ["period", "duty cycle", "threads", "assist"]


def series_of(point):
    return point.period, point.duty, point.assist


def series(one):
    """[(period, duty cycle, assist)]: what a plot shows over the threads."""
    return sorted({series_of(point) for point in one.points()})


def title(period, duty, assist):
    return f"period {period}, duty cycle {duty} %" + (", assist on" if assist == "on" else "")


def points(one, *key):
    """Threads ascending."""
    return [point for point in one.points() if series_of(point) == key]


def locks(one, *key):
    return [lock for lock in one.locks()
            if any(one.cell(point, lock) for point in points(one, *key))]


def speed(one, point, lock):
    """Iterations per second, of all threads together."""
    cell = one.cell(point, lock)
    return stats.median([1 / x for x in cell.by_round().values()]) if cell else None


def burnt(one, point, lock):
    """Seconds of CPU time per iteration beyond those of the instructions."""
    cell = one.cell(point, lock)
    return cell.median("burnt_seconds") if cell else None


def calls(one, point, lock, side):
    """System calls of `lock` or `unlock` per iteration; None where they were not counted."""
    cell = one.cell(point, lock)
    return cell.median(f"{side}_syscalls") if cell else None


def ideal(one, point, cpus):
    """Iterations per second with a lock that costs nothing; None where that cannot be told."""
    for cell in one.at(point):
        spent = cell.by_round("cpu_seconds")
        work = [spent[r] - x for r, x in cell.by_round("burnt_seconds").items() if x > 0]
        if work:
            whole = stats.median(work).value
            return min(min(point.threads, cpus) / whole,
                       PER_CENT / (whole * point.duty) if point.duty else math.inf)
    return None


# --- tables -----------------------------------------------------------------------------------

def _speed_text(one, point, lock):
    estimate = speed(one, point, lock)
    if estimate is None:
        return "-"
    text = f"{estimate.value / KILO:.0f}"
    if estimate.low is None:
        return text
    return f"{text} ±{PER_CENT * (estimate.high - estimate.low) / 2 / estimate.value:.0f}"


def _burnt_text(one, point, lock):
    estimate = burnt(one, point, lock)
    return f"{estimate.value / NANO:.0f}" if estimate else "-"


def _per_cent(share):
    share *= PER_CENT
    return f"{share:.0f}" if share >= 10 else f"{share:.1f}"


def _calls_text(one, point, lock):
    both = [calls(one, point, lock, side) for side in ("lock", "unlock")]
    if not all(both):
        return "-"
    return " + ".join(_per_cent(side.value) for side in both)


SHOWN = (("thousand iterations per second, ± half of the 95 % interval in per cent", _speed_text),
         ("CPU time burnt, ns per iteration", _burnt_text),
         ("system calls of lock + unlock, per cent of the calls", _calls_text))


def figures(one):
    """[(title, heads, rows)]: a row for each lock, a column for each number of threads."""
    tables = []
    for key in series(one):
        at = points(one, *key)
        for what, show in SHOWN:
            rows = [[lock] + [show(one, point, lock) for point in at] for lock in locks(one, *key)]
            if any(word != "-" for row in rows for word in row[1:]):
                tables.append((f"{title(*key)}: {what}",
                               ["threads"] + [point.threads for point in at], rows))
    return tables


def text(one):
    return "\n\n".join(f"{NAME}, {heading}\n" + tabulate(
        rows, heads, disable_numparse=True, colalign=["left"] + ["right"] * (len(heads) - 1))
        for heading, heads, rows in figures(one))


def times(one, point, lock, base):
    """How many times the throughput of `base`; None where one of the two was not measured."""
    return experiment.ratio(one.cell(point, base), one.cell(point, lock))
