# SPDX-License-Identifier: MIT
"""condperf, pingpong and latency in tables that fit a terminal."""

from tabulate import tabulate

from . import contest, waketables
from .compare import OURS, PTHREAD

COLUMNS = 3     # places of each benchmark


def _few(places):
    """At most COLUMNS of them, spread over all."""
    if len(places) <= COLUMNS:
        return places
    return [places[at * (len(places) - 1) // (COLUMNS - 1)] for at in range(COLUMNS)]


def _columns(results):
    """[(heading, contest, place)]"""
    found = []
    for name, heading in (("condperf", "wake all\n{}\n{} us"),
                          ("pingpong", "pairs\n{}\n")):
        one = results.contests.get(name)
        for place in _few(one.places()) if one else []:
            found.append((heading.format(*place[:2]), one, place))
    return found


def conditions(results, bold):
    """Each lock's time over pthread's; the last column: switches per woken waiter."""
    columns = _columns(results)
    locks = dict.fromkeys(lock for _, one, _ in columns for lock in one.locks())
    waking = [(one, place) for _, one, place in columns if one.name == "condperf"]
    rows = []
    for lock in locks:
        ratios = [contest.ratio(one.cell(place, lock), one.cell(place, PTHREAD))
                  for _, one, place in columns]
        cells = [one.cell(place, lock) for one, place in waking]
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
            + "\nwake all: so many waiters, each so long in the mutex; pairs: that pass a ball."
              "\nTime over pthread's; lower is better.")


def gates(results):
    """furwock's time beside the C library's for each test of latency."""
    found = results.contests.get("latency")
    rows = []
    for place in found.places() if found else []:
        ours, other = found.ours(place), found.yardstick(place)
        if ours and other:
            over = contest.ratio(ours, other)
            rows.append([", ".join(waketables.place_words("latency", place)),
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
    return [conditions(results, bold), gates(results)]
