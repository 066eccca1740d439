# SPDX-License-Identifier: MIT
"""Locks between processes: ours beside those that survive their holder, and Table 3."""

import importlib.util
import pathlib
from collections import namedtuple

from tabulate import tabulate

from . import compare, paper, stats
from .outcome import interval

OURS, ROBUST, PLAIN = "furwock-ipc", "pthread-robust", "pthread"
DATABASE = "tdbtorture"
METHOD = ("tdbtorture, after the paper's section 4.2: processes search, add, delete and walk "
          "through the records of one TDB, Samba's database, without transactions. Timed is each "
          "run from its start to its end. Its locks are TDB's own, or in their place a lock for "
          "each chain, record and kind of walk.")


def _load():
    """The paper's Table 3 and the goals, as tdbtorture has them."""
    path = (pathlib.Path(__file__).parents[2] / "bench" / "tdbtorture" / "torture"
            / "published.py")
    spec = importlib.util.spec_from_file_location("tdbtorture_published", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


table3 = _load()

# One cell of the paper's grid: our lock's throughput over the robust mutex's.
Versus = namedtuple("Versus", "spot ratio")


def spots(results):
    """The cells of the paper's grid between processes in which the robust mutex was measured."""
    return [spot for spot in results.spots("tables", "processes")
            if paper.covers(spot) and results.cell(spot, ROBUST)]


def all_versus(results, lock=OURS):
    found = [Versus(spot, compare.throughput_ratio(results.cell(spot, lock),
                                                   results.cell(spot, ROBUST)))
             for spot in spots(results)]
    return [v for v in found if v.ratio]


def locks(results):
    """Those that were measured beside the robust mutex, fastest first."""
    names = dict.fromkeys(cell.lock for spot in spots(results) for cell in results.at(spot))
    means = {name: stats.geometric([v.ratio for v in all_versus(results, name)])
             for name in names}
    return sorted((n for n in names if means[n]), key=lambda n: -means[n].value)


def grid_rows(results):
    names = locks(results)
    rows = []
    for spot in spots(results):
        ratios = [compare.throughput_ratio(results.cell(spot, name), results.cell(spot, ROBUST))
                  for name in names]
        rows.append([spot.tasks, compare.configuration(spot),
                     *("-" if r is None else f"{r.value:.2f}" for r in ratios)])
    means = [stats.geometric([v.ratio for v in all_versus(results, name)]) for name in names]
    return (["processes", "(nlht,lht)"] + names,
            rows + [["all", "mean", *(interval(m) for m in means)]] if rows else [])


def database(results):
    return results.experiments.get(DATABASE)


def levels(results, short=False):
    """The points of tdbtorture, in the order of Table 3: of the runs with most operations, or of
    the shorter ones."""
    found, order = database(results), list(table3.MOST)
    points = found.points() if found else []
    most = max((point.loops for point in points), default=0)
    return sorted((point for point in points if (point.loops < most) == short),
                  key=lambda point: order.index(point.level))


def time_ratio(found, point, lock, base):
    """Seconds of one over the other's; None where either is missing."""
    above, below = found.cell(point, lock), found.cell(point, base)
    if above is None or below is None:
        return None
    return stats.ratio(above.by_round("seconds"), below.by_round("seconds"))


def database_rows(results, short=False):
    """Table 3: a row for each lock at each level, the paper's figures at the right."""
    found = database(results)
    rows = []
    for point in levels(results, short):
        for cell in found.at(point):
            then = table3.then(cell.lock, point.level)
            base = table3.PAPER[table3.BASE][point.level]
            rows.append([point.level, cell.lock, f"{cell.median().value:.3g}",
                         *(interval(time_ratio(found, point, cell.lock, other))
                           for other in (table3.BASE, table3.MUTEX)),
                         "-" if then is None else f"{then:g}",
                         "-" if then is None else f"{then / base:.2f}"])
    return rows


DATABASE_HEADS = ["contention", "locks", "seconds", f"of {table3.BASE}", f"of {table3.MUTEX}",
                  "seconds 2002", f"of {table3.BASE} 2002"]


def texts(results):
    """For the summary."""
    parts = []
    heads, rows = grid_rows(results)
    if rows:
        parts.append(f"between processes: throughput over that of {ROBUST}\n"
                     + tabulate(rows, heads, disable_numparse=True))
    rows = database_rows(results)
    if rows:
        parts.append("tdbtorture: completion times, as in Table 3; less is better\n"
                     + tabulate(rows, DATABASE_HEADS, disable_numparse=True))
    return parts
