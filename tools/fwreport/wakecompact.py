# SPDX-License-Identifier: MIT
"""condperf, pingpong and latency in tables that fit a terminal."""

from tabulate import tabulate

from . import experiment, waketables
from .compare import OURS, PTHREAD

COLUMNS = 3     # points of each benchmark


def _few(points):
    """At most COLUMNS of them, spread over all."""
    if len(points) <= COLUMNS:
        return points
    return [points[at * (len(points) - 1) // (COLUMNS - 1)] for at in range(COLUMNS)]


def _columns(results):
    """[(heading, experiment, point)]"""
    found = []
    for name, heading in (("condperf", "wake all\n{}\n{} us"),
                          ("pingpong", "pairs\n{}\n")):
        one = results.experiments.get(name)
        for point in _few(one.points()) if one else []:
            found.append((heading.format(*point[:2]), one, point))
    return found


def conditions(results, bold):
    """Each lock's time over pthread's; the last column: switches per woken waiter."""
    columns = _columns(results)
    locks = dict.fromkeys(lock for _, one, _ in columns for lock in one.locks())
    waking = [(one, point) for _, one, point in columns if one.name == "condperf"]
    rows = []
    for lock in locks:
        ratios = [experiment.ratio(one.cell(point, lock), one.cell(point, PTHREAD))
                  for _, one, point in columns]
        cells = [one.cell(point, lock) for one, point in waking]
        switches = [cell.switches() for cell in cells if cell and cell.switches()]
        row = [lock] + [f"{r.value:.2f}" if r else "" for r in ratios]
        if waking:
            row.append(f"{max(s.value for s in switches):.2f}" if switches else "")
        mean = sum(r.value for r in ratios if r) / max(1, sum(bool(r) for r in ratios))
        rows.append((mean, [bold(word) for word in row] if lock == OURS else row))
    if not rows:
        return ""
    heads = ["condition\nvariable\n"] + [heading for heading, _, _ in columns]
    heads += ["switches\nper\nwaiter"] if waking else []
    rows.sort(key=lambda pair: pair[0])
    return (tabulate([row for _, row in rows], heads, disable_numparse=True,
                     colalign=["left"] + ["right"] * (len(heads) - 1))
            + "\nwake all: that many waiters, each that long in the mutex; pairs: that pass a ball."
              "\nTime over pthread's; lower is better.")


def syncs(results):
    """furwock's time beside the C library's for each test of latency."""
    found = results.experiments.get("latency")
    rows = []
    for point in found.points() if found else []:
        ours, other = found.ours(point), found.baseline(point)
        if ours and other:
            over = experiment.ratio(ours, other)
            rows.append([", ".join(waketables.point_words("latency", point)),
                         waketables.time(ours.median().value),
                         waketables.time(other.median().value), f"{over.value:.2f}"])
    heads = ["", OURS, "C library", "ratio,\nby runs"]
    return tabulate(rows, heads, disable_numparse=True,
                    colalign=("left", "right", "right", "right")) + (
        "\nTime; lower is better.  The times are medians of all runs.  The ratio is the median of "
        "the\nratios of neighbouring runs, which an uneven machine changes less: not the quotient "
        "of the two.") if rows else ""


def texts(results, bold):
    """What there is to show; bold(word) makes a word stand out."""
    return [conditions(results, bold), syncs(results)]
